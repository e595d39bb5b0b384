"""JSON Lines of what xCoRe predicts, an object of its `predict` a line; read only.

1. Short and long inputs have `tokens`, a list of words, and `clusters_token_offsets`, lists of
   [first word, last word], both within. The document is one sentence, since none are said.
2. Several texts at once (its setting "cross") have a list of words for each text in `tokens`, in
   one list more as its code makes it, or without that as its page shows it, and
   [text, first word, last word], texts counted from 0. They are one document, a sentence a text.
3. `clusters_token_text`, where there is one (on its page `clusters_text_mentions`), is the same
   mentions as strings: where these differ, the offsets were counted in other words, and the line is
   refused. Pairs with several texts, and triples with one, are refused.
4. The document is named after the file, with the line's number. Other keys stand in
   `meta["xcore"]["other"]`.

The files that it trains on are of `maverick` or `s2e`, which keep their `sentence2doc`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from corefmill.corpora import disk
from corefmill.corpora.formats import word_spans
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.word_spans import Line
from corefmill.corpora.records import Document, Sentence, Token


class _Line(Line):
    tokens: list[str | list[str | list[str]]]
    clusters_token_offsets: list[list[tuple[int, ...]]]
    clusters_token_text: list[list[str]] | None = None
    clusters_text_mentions: list[list[str]] | None = None


def read(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
    """Streams the documents; raises `DataError` with the line by rules 2 and 3."""
    for number, document in word_spans.read(path, _Line, lambda line: _document(line, lang)):
        yield number, replace(document, doc_id=f"{disk.shown(path.stem)}-{number}")


def _texts(line: _Line) -> list[list[str]]:
    """The words of each text, by rules 1 and 2."""
    whole = [word for word in line.tokens if isinstance(word, str)]
    if len(whole) == len(line.tokens):
        return [whole]
    texts = []
    for number, text in enumerate(line.tokens):
        inner = text[0] if len(text) == 1 and isinstance(text[0], list) else text
        words = [word for word in inner if isinstance(word, str)]
        if isinstance(text, str) or len(words) < len(inner):
            raise ValueError(f"tokens: text {number} is not a list of words")
        texts.append(words)
    return texts


def _document(line: _Line, lang: str) -> Document:
    texts = _texts(line)
    cross = any(not isinstance(text, str) for text in line.tokens)
    starts = list(accumulate(map(len, texts), initial=0))
    spans: list[list[tuple[int, int]]] = []
    said: list[list[str]] = []
    for cluster in line.clusters_token_offsets:
        spans.append([])
        said.append([])
        for offsets in cluster:
            if len(offsets) != 2 + cross:
                wanted = "[text, first, last]" if cross else "[first, last]"
                raise ValueError(f"the offsets {list(offsets)} are not {wanted}")
            number = offsets[0] if cross else 0
            first, last = offsets[-2:]
            if not 0 <= number < len(texts) or not 0 <= first <= last < len(texts[number]):
                raise ValueError(f"mention {list(offsets)} is not within its text")
            spans[-1].append((starts[number] + first, starts[number] + last + 1))
            said[-1].append(" ".join(texts[number][first : last + 1]))
    for strings in (line.clusters_token_text, line.clusters_text_mentions):
        if strings is not None and strings != said:
            raise ValueError("the mentions' strings are not the words at clusters_token_offsets")
    return Document(
        "",
        0,
        lang,
        tuple(Sentence(tuple(map(Token, words))) for words in texts),
        word_spans.clusters(spans, list(map(len, texts))),
        {"xcore": {"other": line.other}} if line.other else {},
    )


FORMAT = Format(
    name="xcore",
    schema="document/1",
    summary="JSON Lines that xCoRe predicts, of one text or several (read only)",
    suffix=".jsonlines",
    read=read,
    write=None,
    suits=lambda name, head: re.match(r'\s*\{.*"clusters_token_offsets"\s*:', head) is not None,
)

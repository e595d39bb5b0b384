"""JSON Lines that fastcoref predicts: a text with the offsets of its mentions; read only.

1. `text` is the text, `clusters` lists of [start, end) in its characters, `clusters_strings`, where
   there is one, the same mentions as strings: where these differ, the text is not the one that the
   offsets were counted in, and the line is refused.
2. The document is named after the file, with the line's number; its one sentence has the text's
   words and punctuation, cut where a mention begins or ends. Any white space is a space after a
   word.
3. A key that is not known stands in `meta["fastcoref-text"]["other"]`, the text under `text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corefmill.corpora import disk
from corefmill.corpora.formats import word_spans
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.word_spans import Line
from corefmill.corpora.records import Document, Sentence, Token
from corefmill.corpora.words import cut


class _Line(Line):
    text: str
    clusters: list[list[tuple[int, int]]]
    clusters_strings: list[list[str]] | None = None


def read(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
    """Streams the documents; raises `DataError` with the line."""
    for number, document in word_spans.read(path, _Line, lambda line: _document(line, lang)):
        yield (
            number,
            Document(
                f"{disk.shown(path.stem)}-{number}",
                0,
                lang,
                document.sentences,
                document.clusters,
                document.meta,
            ),
        )


def _document(line: _Line, lang: str) -> Document:
    text = line.text
    for cluster in line.clusters:
        for start, end in cluster:
            if not 0 <= start < end <= len(text):
                raise ValueError(f"mention [{start}, {end}) is empty or outside the text")
    said = [[text[start:end] for start, end in cluster] for cluster in line.clusters]
    if line.clusters_strings is not None and line.clusters_strings != said:
        raise ValueError("clusters_strings are not what stands in the text at the offsets")
    words = cut(text, (border for cluster in line.clusters for span in cluster for border in span))
    tokens = tuple(
        Token(text[start:end], space_after=end < len(text) and text[end].isspace())
        for start, end in words
    )
    spans = [[_covered(words, start, end) for start, end in cluster] for cluster in line.clusters]
    meta: dict[str, Any] = {"text": text}
    if line.other:
        meta["other"] = line.other
    return Document(
        "",
        0,
        lang,
        (Sentence(tokens),),
        word_spans.clusters(spans, [len(tokens)]),
        {"fastcoref-text": meta},
    )


def _covered(words: list[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The words between two characters."""
    inside = [place for place, word in enumerate(words) if start <= word[0] and word[1] <= end]
    if not inside:
        raise ValueError(f"mention [{start}, {end}) is white space alone")
    return inside[0], inside[-1] + 1


def _suits(name: str, head: str) -> bool:
    line = head.lstrip("\ufeff").partition("\n")[0]
    return re.search(r'"clusters_strings"\s*:', line) is not None


FORMAT = Format(
    name="fastcoref-text",
    schema="document/1",
    summary="JSON Lines that fastcoref predicts: a text, places of its mentions (read only)",
    suffix=".jsonlines",
    read=read,
    write=None,
    suits=_suits,
)

"""Makes records of one kind from records of another, where there is only one right way to do it.

`convert.py` and `api.write` take these ways where the format asked for is of another kind.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from corefmill.corpora import disk
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import event_key
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.masked_conll import spans, words
from corefmill.corpora.records import (
    Document,
    EventMention,
    MaskedExample,
    Mention,
    Sentence,
    Source,
    Span,
    Token,
)
from corefmill.corpora.words import cut_or_tokens

Placed = tuple[Path, int, Any]
"""A record with the file and the line it was read from."""

Bridge = Callable[[Iterable[Placed]], Iterator[Any]]


def to_documents(examples: Iterable[Placed]) -> Iterator[Document]:
    """Each masked example as a document: a cluster a candidate, the target in the right one's.

    A target without a label is a cluster of its own. Raises `DataError` for a mention that splits
    a token of `meta["tokens"]` or reaches over the end of a sentence.
    """
    for path, line, example in examples:
        try:
            yield _document(example)
        except ValueError as error:
            raise DataError(f"example {example.id}: {error}", path=path, line=line) from None


def _document(example: MaskedExample) -> Document:
    tokens = words(example)
    ends = [end for _, end in example.sentences]
    groups: dict[int, list[Span]] = defaultdict(list)
    for token in tokens:
        groups[bisect_right(ends, token[0])].append(token)
    grouped = list(groups.values())
    place = _places(grouped)
    clusters: dict[int, list[Mention]] = defaultdict(list)
    for cluster, span in sorted(spans(example)):
        clusters[cluster].append(_mention(span, place))
    return Document(
        doc_id=example.id,
        part=0,
        lang=example.lang,
        sentences=tuple(_sentence(example.text, group) for group in grouped),
        clusters=tuple(tuple(clusters[number]) for number in sorted(clusters)),
        meta={"source": example.source.as_json(), "candidates": list(example.candidates)},
    )


def to_one_document(mentions: Iterable[Placed]) -> Iterator[Document]:
    """All event mentions as one document, since their clusters reach across paragraphs.

    A paragraph is a sentence of it, in the order in which they are first seen. `meta["sentences"]`
    names each one's source.
    """
    paragraphs: dict[tuple[Source, str], list[Placed]] = {}
    for placed in mentions:
        paragraphs.setdefault((placed[2].source, placed[2].text), []).append(placed)
    yield from _joined([list(group) for group in paragraphs.values()])


def to_mention_sentences(mentions: Iterable[Placed]) -> Iterator[Document]:
    """All event mentions as one document, a sentence each, in the file's order."""
    yield from _joined([[placed] for placed in mentions])


def _joined(paragraphs: list[list[Placed]]) -> Iterator[Document]:
    if not paragraphs:
        return
    sentences = []
    clusters: dict[str, list[Mention]] = defaultdict(list)
    for number, group in enumerate(paragraphs):
        first: EventMention = group[0][2]
        borders = [
            border for _, _, mention in group for span in _pieces(mention) for border in span
        ]
        try:
            # Those that the reader kept, since they cannot be found in the text alone.
            tokens = list(first.tokens) or cut_or_tokens(first.text, borders)
        except ValueError as error:
            raise DataError(f"mention {first.id}: {error}") from None
        place = _places([tokens], number)
        sentences.append(_sentence(first.text, tokens))
        for path, line, mention in group:
            try:
                made = _mention((mention.start, mention.end), place, mention.parts)
            except ValueError as error:
                raise DataError(f"mention {mention.id}: {error}", path=path, line=line) from None
            clusters[mention.cluster].append(made)
    path, _, first = paragraphs[0][0]
    yield Document(
        doc_id=disk.shown(path.stem),
        part=0,
        lang=first.lang,
        sentences=tuple(sentences),
        clusters=tuple(map(tuple, clusters.values())),
        meta={"sentences": [group[0][2].source.as_json() for group in paragraphs]},
    )


def _pieces(mention: EventMention) -> tuple[Span, ...]:
    return ((mention.start, mention.end), *mention.parts)


Places = tuple[dict[int, tuple[int, int]], dict[int, tuple[int, int]]]
"""Where each character offset that begins, and that ends, a token lies: (sentence, token)."""


def _places(groups: list[list[Span]], first: int = 0) -> Places:
    starts = {s: (g, n) for g, spans in enumerate(groups, first) for n, (s, _) in enumerate(spans)}
    ends = {e: (g, n) for g, spans in enumerate(groups, first) for n, (_, e) in enumerate(spans)}
    return starts, ends


def _mention(span: Span, place: Places, parts: tuple[Span, ...] = ()) -> Mention:
    starts, ends = place
    found = []
    for start, end in (span, *parts):
        if start not in starts or end not in ends:
            raise ValueError(f"mention [{start}, {end}) splits a token")
        (sentence, left), (other, right) = starts[start], ends[end]
        if sentence != other:
            raise ValueError(f"mention [{start}, {end}) reaches over the end of a sentence")
        found.append((left, right + 1))
    return Mention(sentence, *found[0], parts=tuple(found[1:]))


def _sentence(text: str, tokens: list[Span]) -> Sentence:
    return Sentence(
        tuple(
            Token(text[start:end], space_after=not text[end : end + 1].strip())
            for start, end in tokens
        )
    )


_BRIDGES: dict[tuple[str, str], Bridge] = {
    ("masked-example/1", "document/1"): to_documents,
    ("event-mention/1", "document/1"): to_one_document,
    ("event-mention/1", event_key.FORMAT.name): to_mention_sentences,
}
"""By schema, or, where a format wants more of a record, by its name."""

_NONE = {
    ("document/1", "masked-example/1"): "which mention to mask, and against whom, is a choice",
    ("event-mention/1", "masked-example/1"): "an event mention has no candidates",
    ("document/1", "event-mention/1"): "nothing in a document says which mentions are events",
    ("masked-example/1", "event-mention/1"): "a masked name is no event",
}


def between(have: Format, want: Format) -> Bridge | str:
    """The way from one format's schema to another's, or why there is not one right way."""
    if have.schema == want.schema:
        return _as_they_are
    return (
        _BRIDGES.get((have.schema, want.name))
        or _BRIDGES.get((have.schema, want.schema))
        or _NONE[have.schema, want.schema]
    )


def _as_they_are(records: Iterable[Placed]) -> Iterator[Any]:
    return (record for _, _, record in records)

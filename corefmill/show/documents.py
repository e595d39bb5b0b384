"""What is shown of a document: its sentences as they are written, each beside its source where it
is a translation, with what the rules did to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from corefmill.corpora import languages, sentence_weights
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import ontocorefit_record
from corefmill.corpora.formats.ontocorefit_record import RecordedChange, UtteranceRecord
from corefmill.corpora.records import Document, Mention, Span, Token
from corefmill.show.marks import Mark, MarkedPassage, characters, in_text

_RANGE = re.compile(r"([1-9]\d{0,8})-([1-9]\d{0,8})")


@dataclass(frozen=True, slots=True)
class Row:
    """A passage that is shown, and what stands beside it where it is a translation.

    `source` is what was translated, `unrefined` the translation before the rules where they changed
    it, `changes` what each rule did, `weight` the chance that the translation is right.
    """

    text: MarkedPassage
    speaker: str = ""
    source: MarkedPassage | None = None
    unrefined: str = ""
    changes: tuple[RecordedChange, ...] = ()
    weight: float | None = None

    @property
    def passages(self) -> tuple[MarkedPassage, ...]:
        """Those in which mentions are marked."""
        return (self.text,) if self.source is None else (self.source, self.text)


class _SourceSentence(TypedDict):
    """A sentence of the source; a mention is its cluster from 0, its tokens there, and here."""

    text: str
    tokens: list[str]
    mentions: list[tuple[int, int, int, int, int]]


@dataclass(frozen=True, slots=True)
class _Translation:
    """What a document's meta has of each sentence, None for what it has not."""

    lang: str
    sources: Sequence[_SourceSentence | None]
    records: Sequence[UtteranceRecord | None]
    weights: Sequence[float | None]


def rows(document: Document, longest: int) -> Iterator[Row]:
    """The sentences from the first on, as long as they have so many characters together.

    The first is always there, cut where it is too long by itself.
    """
    translated = _translation(document)
    marks = _marks(document)
    left = longest
    for at, sentence in enumerate(document.sentences):
        text, spans = _written(sentence.tokens, _multiword(document, at))
        if at and len(text) > left:
            return
        left -= len(text)
        own = tuple(
            Mark(cluster, tuple(characters(spans, start, end) for start, end in _parts(mention)))
            for cluster, mention in marks.get(at, ())
        )
        record, source = translated.records[at], translated.sources[at]
        changed = record is not None and record.original_text != record.modified_text
        yield Row(
            MarkedPassage(text, own, document.lang).cut(longest),
            speaker=sentence.speaker or "",
            source=None if source is None else _source(source, translated.lang).cut(longest),
            unrefined=(record.original_text or "")[:longest] if record and changed else "",
            changes=tuple(record.changes) if record else (),
            weight=translated.weights[at],
        )


def changes(document: Document) -> Iterator[str]:
    """The rule of each change that was made to its sentences."""
    for record in _translation(document).records:
        if record is not None:
            yield from (change.rule for change in record.changes)


def texts(document: Document) -> Iterator[str]:
    """Every sentence, and its source."""
    sources = _translation(document).sources
    for at, sentence in enumerate(document.sentences):
        yield _written(sentence.tokens, _multiword(document, at))[0]
        if (source := sources[at]) is not None:
            yield source["text"]


def mention_words(document: Document) -> Iterator[str]:
    """The words of every mention, cluster by cluster."""
    for cluster in document.clusters:
        for mention in cluster:
            yield _words(document, mention)


def name_of(document: Document, cluster: Sequence[Mention]) -> str:
    """What a cluster is called: the words of its first mention that has any."""
    return next(filter(None, (_words(document, mention) for mention in cluster)), "unsaid")


def _words(document: Document, mention: Mention) -> str:
    tokens = document.sentences[mention.sentence].tokens
    pieces = (tokens[start:end] for start, end in _parts(mention))
    return " … ".join(_written(piece, {})[0] for piece in pieces)


def _parts(mention: Mention) -> tuple[Span, ...]:
    return mention.parts or ((mention.start, mention.end),)


def _marks(document: Document) -> dict[int, list[tuple[int, Mention]]]:
    """By sentence, its mentions with the numbers of their clusters."""
    found: dict[int, list[tuple[int, Mention]]] = {}
    for number, cluster in enumerate(document.clusters, 1):
        for mention in cluster:
            found.setdefault(mention.sentence, []).append((number, mention))
    return found


def _written(
    tokens: Sequence[Token], multiword: Mapping[int, tuple[int, str]]
) -> tuple[str, list[Span]]:
    """The sentence as it is written, and where each token stands in it.

    What is written for several words (della: di + la) stands for each of them. `multiword` has it
    by its first token, with the number of the token behind its last.
    """
    pieces: list[str] = []
    spans: list[Span] = []
    position = at = 0
    while at < len(tokens):
        end, form = multiword.get(at, (at + 1, tokens[at].form))
        spans += [(position, position + len(form))] * (end - at)
        blank = " " if tokens[end - 1].space_after and end < len(tokens) else ""
        pieces.append(form + blank)
        position += len(pieces[-1])
        at = end
    return "".join(pieces), spans


def _multiword(document: Document, at: int) -> dict[int, tuple[int, str]]:
    """What a reader of CorefUD, or the builder of a translation, keeps of written words."""
    size = len(document.sentences[at].tokens)
    try:
        kept = document.meta["corefud"]["sentences"][str(at)]["multiword"].items()
    except (AttributeError, KeyError, TypeError):
        return {}
    found: dict[int, tuple[int, str]] = {}
    last = 0
    for name, form in kept:
        match = _RANGE.fullmatch(name)
        # What somebody else wrote there may be anything: then the words stand by themselves.
        if match is None or not isinstance(form, str):
            return {}
        start, end = int(match[1]) - 1, int(match[2])
        if not last <= start < end <= size:
            return {}
        found[start] = (end, form)
        last = end
    return found


def _translation(document: Document) -> _Translation:
    """What the meta says of the translation; raises `DataError` where it is not of its shape."""
    size = len(document.sentences)
    nothing: list[None] = [None] * size
    try:
        records = ontocorefit_record.records(document)
    except ValueError as error:
        raise DataError(f"document {document.doc_id}: {error}") from None
    weights = sentence_weights.of(document)
    lang, sources = _sources(document)
    return _Translation(lang, sources or nothing, records, weights or nothing)


def _sources(document: Document) -> tuple[str, Sequence[_SourceSentence | None]]:
    """The language, and the sentences, of what was translated; none where nothing was.

    They stand below the language's name, which is any key whose value has their shape.
    """
    size = len(document.sentences)
    for key, value in document.meta.items():
        if isinstance(value, list) and 0 < len(value) == size and isinstance(value[0], dict):
            try:
                given: list[_SourceSentence] = _adapter().validate_python(value)
            except ValidationError:
                continue
            if all(map(_holds, given)):
                return key, given
    return "", ()


def _holds(source: _SourceSentence) -> bool:
    size = len(source["tokens"])
    return all(0 <= start < end <= size for _, start, end, *_ in source["mentions"])


def _source(given: _SourceSentence, lang: str) -> MarkedPassage:
    text, tokens = given["text"], given["tokens"]
    spans = in_text(text, tokens)
    if spans is None:
        text = " ".join(tokens)
        spans = in_text(text, tokens) or []
    marks = tuple(
        Mark(max(0, cluster + 1), (characters(spans, start, end),))
        for cluster, start, end, *_ in given["mentions"]
    )
    return MarkedPassage(text, marks, languages.code(lang))


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(list[_SourceSentence])

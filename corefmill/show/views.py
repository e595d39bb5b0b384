"""What is shown of a record, of whatever kind: passages with marked mentions, clusters, facts.

The terminal and the page draw the same views, so that both show the same of a corpus.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from corefmill.corpora import jsonl, languages, record_meta
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import ontocorefit_record
from corefmill.corpora.formats.ontocorefit_record import RecordedChange, UtteranceRecord
from corefmill.corpora.records import (
    SCHEMAS,
    Document,
    EventMention,
    MaskedExample,
    Mention,
    Record,
    Source,
    Span,
    Token,
)
from corefmill.show.marks import Mark, MarkedPassage, Sort, characters, in_text

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


def document_rows(document: Document, longest: int) -> Iterator[Row]:
    """The sentences from the first on, as long as they have so many characters together.

    The first is always there, cut where it is too long by itself.
    """
    translated = _translation(document)
    marks = _marks_by_sentence(document)
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


def document_texts(document: Document) -> Iterator[str]:
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


def cluster_name(document: Document, cluster: Sequence[Mention]) -> str:
    """What a cluster is called: the words of its first mention that has any."""
    return next(filter(None, (_words(document, mention) for mention in cluster)), "unsaid")


def _words(document: Document, mention: Mention) -> str:
    tokens = document.sentences[mention.sentence].tokens
    pieces = (tokens[start:end] for start, end in _parts(mention))
    return " … ".join(_written(piece, {})[0] for piece in pieces)


def _parts(mention: Mention) -> tuple[Span, ...]:
    return mention.parts or ((mention.start, mention.end),)


def _marks_by_sentence(document: Document) -> dict[int, list[tuple[int, Mention]]]:
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
    weights = record_meta.read_weights(document)
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
    return MarkedPassage(text, marks, languages.language_code(lang))


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(list[_SourceSentence])


LONGEST = 4_000
"""Characters that are shown of a record, unless all of it is asked for."""

LONGEST_NAME = 120
"""Characters that are shown of a title, a cluster's name or another fact."""


@dataclass(frozen=True, slots=True)
class ShownCluster:
    """A cluster of a record: its number there, its name, and what is to be said of it."""

    number: int
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class RecordView:
    """What is shown of a record.

    `rows` are its passages, of a document its sentences, of which `left_out` more are not shown.
    `source` is the title of what it is from, `gender` that of the answer where it is known,
    `reason` why it was rejected, "" for a record of the corpus.
    """

    id: str
    split: str
    source: str
    rows: tuple[Row, ...]
    clusters: tuple[ShownCluster, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    left_out: int = 0
    gender: str = ""
    reason: str = ""

    @property
    def rules(self) -> list[str]:
        """The rules that changed one of the sentences shown, by name."""
        return sorted({change.rule for row in self.rows for change in row.changes})


def view(record: Record, split: str, longest: int = LONGEST) -> RecordView:
    """Of a record of the corpus; of a long one the part around its mention, or its beginning."""
    if isinstance(record, MaskedExample):
        return _masked(record, split, longest)
    if isinstance(record, EventMention):
        return _event(record, split, longest)
    return _document(record, split, longest)


def brief(text: str) -> str:
    """A name or fact on one line, no longer than `LONGEST_NAME`."""
    text = " ".join(text[: 4 * LONGEST_NAME].split())
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def gender_of(record: Record) -> str:
    """The answer's gender where the record says it, else ""."""
    said = record.meta.get("gender")
    return said if isinstance(said, str) else ""


def source_of(record: Record) -> str:
    """The title of the article, or the name of the document, that the record is from."""
    return record.doc_id if isinstance(record, Document) else record.source.title


def cluster_names(record: Record) -> Iterator[str]:
    """What its clusters are called: an event's id and title, the candidates, and of a document the
    words of each mention."""
    if isinstance(record, MaskedExample):
        yield from record.candidates
    elif isinstance(record, EventMention):
        yield from (record.cluster, record.cluster_title)
    else:
        yield from mention_words(record)


def texts(record: Record) -> Iterator[str]:
    """All that can be read of it: its text, of a document each sentence, also of the source."""
    if isinstance(record, Document):
        yield from document_texts(record)
    else:
        yield record.text
        yield from cluster_names(record)


def _masked(record: MaskedExample, split: str, longest: int) -> RecordView:
    right = 0 if record.label is None else record.label + 1
    target = Mark(right, (record.target,), Sort.TARGET)
    marks = (target, *(Mark(one + 1, ((start, end),)) for one, start, end in record.mentions))
    passage = MarkedPassage(record.text, marks, record.lang).cut(longest, record.target[0])
    clusters = tuple(
        ShownCluster(number, brief(name), "the answer" if number == right else "")
        for number, name in enumerate(record.candidates[:_MOST_CLUSTERS], 1)
    )
    answer = "not labelled" if record.label is None else brief(record.candidates[record.label])
    return RecordView(
        id=brief(record.id),
        split=split,
        source=brief(record.source.title),
        rows=(Row(passage),),
        clusters=clusters,
        facts=_facts(answer=answer, gender=gender_of(record), where=_where(record.source)),
        gender=brief(gender_of(record)),
    )


def _event(record: EventMention, split: str, longest: int) -> RecordView:
    mention = Mark(1, record.parts or ((record.start, record.end),))
    passage = MarkedPassage(record.text, (mention,), record.lang).cut(longest, record.start)
    name = record.cluster_title or record.cluster
    head = record.text[slice(*record.head)] if record.head else record.lemma
    return RecordView(
        id=brief(record.id),
        split=split,
        source=brief(record.source.title),
        rows=(Row(passage),),
        clusters=(ShownCluster(1, brief(name), brief(record.event_type)),),
        facts=_facts(
            cluster=record.cluster if name != record.cluster else "",
            infobox=record.infobox,
            head=" ".join(filter(None, (head, record.pos, record.ner))),
            where=_where(record.source),
        ),
    )


def _document(record: Document, split: str, longest: int) -> RecordView:
    rows = tuple(document_rows(record, longest))
    shown = {mark.cluster for row in rows for passage in row.passages for mark in passage.marks} - {
        0
    }
    clusters = tuple(
        ShownCluster(
            number,
            brief(cluster_name(record, record.clusters[number - 1])),
            f"{size:,} mention{'s' * (size != 1)}",
        )
        for number in sorted(shown)[:_MOST_CLUSTERS]
        if number <= len(record.clusters)
        for size in [len(record.clusters[number - 1])]
    )
    mentions = sum(map(len, record.clusters))
    return RecordView(
        id=f"{brief(record.doc_id)}, part {record.part}",
        split=split,
        source=brief(record.doc_id),
        rows=rows,
        clusters=clusters,
        facts=_facts(
            sentences=f"{len(record.sentences):,}",
            mentions=f"{mentions:,}",
            clusters=f"{len(record.clusters):,}",
        ),
        left_out=len(record.sentences) - len(rows),
        gender=brief(gender_of(record)),
    )


_MOST_CLUSTERS = 200
"""Clusters that are listed below a record."""


def _where(source: Source) -> str:
    return "" if source.paragraph is None else f"paragraph {source.paragraph}"


def _facts(**named: Any) -> tuple[tuple[str, str], ...]:
    return tuple((name, brief(str(value))) for name, value in named.items() if value)


_SHOWN_REASONS = 40


def view_reject(reason: str, record: Any, schema: str, longest: int = LONGEST) -> RecordView:
    """What is shown of one; `schema` is that of the corpus."""
    given = record if isinstance(record, dict) else {}
    if "lang" in given:
        try:
            whole = jsonl.loads(json.dumps(record), SCHEMAS[schema])
        except DataError:
            pass
        else:
            return replace(view(whole, "", longest), reason=brief(reason))
    text = given.get("text")
    if "text" not in given and (words := _strings(given.get("words"))):
        text = " ".join(words)
        given = {key: value for key, value in given.items() if key != "words"}
    if not isinstance(text, str):
        text = "" if record is None else json.dumps(record, ensure_ascii=False)
        given = {}
    marks = tuple(_reject_marks(given, text))
    focus = marks[0].parts[0][0] if marks else 0
    facts = tuple(
        (brief(key), brief(_said(value)))
        for key, value in given.items()
        if key not in _PLACES and value not in (None, "", [])
    )
    return RecordView(
        id=brief(_said(given.get("id", ""))),
        split="",
        source=brief(_said(given.get("title", given.get("part", "")))),
        rows=(Row(MarkedPassage(text, marks).cut(longest, focus)),),
        facts=facts[:_SHOWN_REASONS],
        reason=brief(reason),
    )


_PLACES = ("text", "id", "title", "part", "page_id", "start", "end", "pronoun")


def _reject_marks(given: dict[str, Any], text: str) -> Iterator[Mark]:
    """The mention, name or pronoun that it was about, where the record says the place."""
    start, end = given.get("start"), given.get("end")
    if end is None and type(start) is int and isinstance(answer := given.get("answer"), str):
        end = start + len(answer)
    spans: list[Any] = [(start, end), given.get("pronoun")]
    for span in spans:
        if (place := _reject_span(span, len(text))) is not None:
            yield Mark(0, (place,), Sort.TARGET)


def _reject_span(value: Any, size: int) -> Span | None:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    start, end = value
    if type(start) is int and type(end) is int and 0 <= start < end <= size:
        return start, end
    return None


def _strings(value: Any) -> list[str] | None:
    return value if isinstance(value, list) and all(isinstance(one, str) for one in value) else None


def _said(value: Any) -> str:
    if isinstance(value, str):
        return value
    words = _strings(value)
    return json.dumps(value, ensure_ascii=False) if words is None else ", ".join(words)

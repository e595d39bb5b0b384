"""Make views of records of any kind: passages with marked mentions, clusters, facts.

The terminal and the page draw the same views, so that both show the same of a corpus.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from corefmill.corpora import languages, record_meta
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import ontocorefit
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
from corefmill.show.marks import (
    Mark,
    MarkedPassage,
    RecordView,
    Row,
    ShownCluster,
    find_characters,
    find_tokens,
)

LONGEST = 4_000
"""Most characters to show of a record."""
LONGEST_NAME = 120
"""Most characters to show of a title, a cluster's name or another fact."""
_MOST_CLUSTERS = 200
"""Most clusters to list below a record."""
_MOST_FACTS = 40
"""Most fields to show of a rejected record."""
_PLACES = ("text", "id", "title", "part", "page_id", "start", "end", "pronoun")
"""Fields of a rejected record that are shown elsewhere, or are of no use to a reader."""
_RANGE = re.compile(r"([1-9]\d{0,8})-([1-9]\d{0,8})")


class _SourceSentence(TypedDict):
    """A sentence of the source; a mention is its cluster from 0, source tokens, target tokens."""

    text: str
    tokens: list[str]
    mentions: list[tuple[int, int, int, int, int]]


_SOURCES = TypeAdapter(list[_SourceSentence])


def document_rows(document: Document, longest: int) -> Iterator[Row]:
    """Yield rows of the first sentences of a document, up to `longest` characters.

    The first sentence is always yielded, and cut if too long. Raises `DataError` for malformed
    data of a translation.
    """
    size = len(document.sentences)
    try:
        records = ontocorefit.read_records(document)
    except ValueError as error:
        raise DataError(f"document {document.doc_id}: {error}") from None
    weights = record_meta.read_weights(document) or [None] * size
    lang, sources = _find_sources(document)
    # Clusters hold mentions, but rows are sentences: the mentions of each, with their cluster.
    marks: dict[int, list[tuple[int, Mention]]] = {}
    for number, cluster in enumerate(document.clusters, 1):
        for mention in cluster:
            marks.setdefault(mention.sentence, []).append((number, mention))
    left = longest
    for at, sentence in enumerate(document.sentences):
        text, spans = _join_tokens(sentence.tokens, _find_multiwords(document, at))
        if at and len(text) > left:
            return
        left -= len(text)
        own = tuple(
            Mark(
                cluster,
                tuple(find_characters(spans, start, end) for start, end in _list_parts(mention)),
            )
            for cluster, mention in marks.get(at, ())
        )
        record, source = records[at], sources[at]
        changed = record is not None and record.original_text != record.modified_text
        yield Row(
            MarkedPassage(text, own, document.lang).cut(longest),
            speaker=sentence.speaker or "",
            source=None if source is None else _mark_source(source, lang).cut(longest),
            unrefined=(record.original_text or "")[:longest] if record and changed else "",
            changes=tuple(record.changes) if record else (),
            weight=weights[at],
        )


def _join_words(document: Document, mention: Mention) -> str:
    tokens = document.sentences[mention.sentence].tokens
    pieces = (tokens[start:end] for start, end in _list_parts(mention))
    return " … ".join(_join_tokens(piece, {})[0] for piece in pieces)


def _list_parts(mention: Mention) -> tuple[Span, ...]:
    return mention.parts or ((mention.start, mention.end),)


def _join_tokens(
    tokens: Sequence[Token], multiword: Mapping[int, tuple[int, str]]
) -> tuple[str, list[Span]]:
    """Join tokens to the text of a sentence; return the text and the span of each token.

    A multiword form (della: di + la) is the span of each of its tokens. `multiword` maps its first
    token to the token behind its last and to the form.
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


def _find_multiwords(document: Document, at: int) -> dict[int, tuple[int, str]]:
    """Find the multiword forms of CorefUD or a translation in the meta."""
    size = len(document.sentences[at].tokens)
    try:
        kept = document.meta["corefud"]["sentences"][str(at)]["multiword"].items()
    except (AttributeError, KeyError, TypeError):
        return {}
    found: dict[int, tuple[int, str]] = {}
    last = 0
    for name, form in kept:
        match = _RANGE.fullmatch(name)
        # Another program may have written anything there: then each word is a token of its own.
        if match is None or not isinstance(form, str):
            return {}
        start, end = int(match[1]) - 1, int(match[2])
        if not last <= start < end <= size:
            return {}
        found[start] = (end, form)
        last = end
    return found


def _find_sources(document: Document) -> tuple[str, Sequence[_SourceSentence | None]]:
    """Find the source language and sentences of a translated document, None for missing sentences.

    The meta has them below the language's name: any key with a value of their shape.
    """
    size = len(document.sentences)
    for key, value in document.meta.items():
        if isinstance(value, list) and 0 < len(value) == size and isinstance(value[0], dict):
            try:
                given: list[_SourceSentence] = _SOURCES.validate_python(value)
            except ValidationError:
                continue
            if all(
                0 <= start < end <= len(source["tokens"])
                for source in given
                for _, start, end, *_ in source["mentions"]
            ):
                return key, given
    return "", [None] * size


def _mark_source(sentence: _SourceSentence, lang: str) -> MarkedPassage:
    """Mark the mentions of a source sentence; a text that lacks its tokens is replaced by them."""
    text, tokens = sentence["text"], sentence["tokens"]
    spans = find_tokens(text, tokens)
    if spans is None:
        text = " ".join(tokens)
        spans = find_tokens(text, tokens) or []
    marks = tuple(
        Mark(max(0, cluster + 1), (find_characters(spans, start, end),))
        for cluster, start, end, *_ in sentence["mentions"]
    )
    return MarkedPassage(text, marks, languages.language_code(lang))


def view(record: Record, split: str, longest: int = LONGEST) -> RecordView:
    """Make the view of a record; a long text is cut around its mention, else at its end."""
    if isinstance(record, MaskedExample):
        return _view_example(record, split, longest)
    if isinstance(record, EventMention):
        return _view_event(record, split, longest)
    return _view_document(record, split, longest)


def shorten_line(text: str) -> str:
    """Shorten a name or fact to one line of at most `LONGEST_NAME` characters."""
    text = " ".join(text[: 4 * LONGEST_NAME].split())
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def source_of(record: Record) -> str:
    """Name the article or document of a record."""
    return record.doc_id if isinstance(record, Document) else record.source.title


def cluster_names(record: Record) -> Iterator[str]:
    """Yield the names of clusters: an event's id and title, candidates, words of mentions."""
    if isinstance(record, MaskedExample):
        yield from record.candidates
    elif isinstance(record, EventMention):
        yield from (record.cluster, record.cluster_title)
    else:
        for cluster in record.clusters:
            yield from (_join_words(record, mention) for mention in cluster)


def texts(record: Record) -> Iterator[str]:
    """Yield all text of a record; for a document, each sentence and its source."""
    if not isinstance(record, Document):
        yield record.text
        yield from cluster_names(record)
        return
    _, sources = _find_sources(record)
    for at, sentence in enumerate(record.sentences):
        yield _join_tokens(sentence.tokens, _find_multiwords(record, at))[0]
        if (source := sources[at]) is not None:
            yield source["text"]


def _view_example(record: MaskedExample, split: str, longest: int) -> RecordView:
    """Make the view of a masked example: passage, candidates as clusters, answer."""
    right = 0 if record.label is None else record.label + 1
    target = Mark(right, (record.target,), target=True)
    marks = (target, *(Mark(one + 1, ((start, end),)) for one, start, end in record.mentions))
    passage = MarkedPassage(record.text, marks, record.lang).cut(longest, record.target[0])
    clusters = tuple(
        ShownCluster(number, shorten_line(name), "the answer" if number == right else "")
        for number, name in enumerate(record.candidates[:_MOST_CLUSTERS], 1)
    )
    answer = (
        "not labelled" if record.label is None else shorten_line(record.candidates[record.label])
    )
    return RecordView(
        id=shorten_line(record.id),
        split=split,
        source=shorten_line(record.source.title),
        rows=(Row(passage),),
        clusters=clusters,
        facts=_list_facts(
            answer=answer,
            gender=gender if isinstance(gender := record.meta.get("gender"), str) else "",
            where=_describe_place(record.source),
        ),
    )


def _view_event(record: EventMention, split: str, longest: int) -> RecordView:
    """Make the view of an event mention: paragraph, event, infobox and head."""
    mention = Mark(1, record.parts or ((record.start, record.end),))
    passage = MarkedPassage(record.text, (mention,), record.lang).cut(longest, record.start)
    name = record.cluster_title or record.cluster
    head = record.text[slice(*record.head)] if record.head else record.lemma
    return RecordView(
        id=shorten_line(record.id),
        split=split,
        source=shorten_line(record.source.title),
        rows=(Row(passage),),
        clusters=(ShownCluster(1, shorten_line(name), shorten_line(record.event_type)),),
        facts=_list_facts(
            cluster=record.cluster if name != record.cluster else "",
            infobox=record.infobox,
            head=" ".join(filter(None, (head, record.pos, record.ner))),
            where=_describe_place(record.source),
        ),
    )


def _view_document(record: Document, split: str, longest: int) -> RecordView:
    """Make the view of a document: its first sentences, their clusters, counts."""
    rows = tuple(document_rows(record, longest))
    # Only clusters with a mention in the shown sentences are listed below them; a translation's
    # source may have mentions of clusters that the translation has lost.
    shown = {mark.cluster for row in rows for passage in row.passages for mark in passage.marks}
    clusters = []
    for number in sorted(shown - {0})[:_MOST_CLUSTERS]:
        if number <= len(record.clusters):
            own = record.clusters[number - 1]
            name = next(filter(None, (_join_words(record, mention) for mention in own)), "unsaid")
            note = f"{len(own):,} mention{'s' * (len(own) != 1)}"
            clusters.append(ShownCluster(number, shorten_line(name), note))
    return RecordView(
        id=f"{shorten_line(record.doc_id)}, part {record.part}",
        split=split,
        source=shorten_line(record.doc_id),
        rows=rows,
        clusters=tuple(clusters),
        facts=_list_facts(
            sentences=f"{len(record.sentences):,}",
            mentions=f"{sum(map(len, record.clusters)):,}",
            clusters=f"{len(record.clusters):,}",
        ),
        left_out=len(record.sentences) - len(rows),
    )


def _describe_place(source: Source) -> str:
    return "" if source.paragraph is None else f"paragraph {source.paragraph}"


def _list_facts(**named: Any) -> tuple[tuple[str, str], ...]:
    return tuple((name, shorten_line(str(value))) for name, value in named.items() if value)


def view_reject(reason: str, record: Any, schema: str, longest: int = LONGEST) -> RecordView:
    """Make the view of a rejected record: its text, mention and fields, as far as it has them.

    `schema` is the corpus's schema.
    """
    given = record if isinstance(record, dict) else {}
    # Late rejects are whole records and shown as such; earlier filters keep some text and the
    # fields that they checked.
    if "lang" in given:
        with suppress(DataError):
            whole = jsonl.loads(json.dumps(record), SCHEMAS[schema])
            return replace(view(whole, "", longest), reason=shorten_line(reason))
    text = given.get("text")
    if "text" not in given and (words := _check_strings(given.get("words"))):
        text = " ".join(words)
        given = {key: value for key, value in given.items() if key != "words"}
    if not isinstance(text, str):
        text = "" if record is None else json.dumps(record, ensure_ascii=False)
        given = {}
    # The mention, name or pronoun in question, if the record has its place.
    start, end = given.get("start"), given.get("end")
    if end is None and type(start) is int and isinstance(answer := given.get("answer"), str):
        end = start + len(answer)
    marks = []
    for place in ((start, end), given.get("pronoun")):
        match place:
            case [int(first), int(last)] if 0 <= first < last <= len(text):
                marks.append(Mark(0, ((first, last),), target=True))
    facts = tuple(
        (shorten_line(key), shorten_line(_describe(value)))
        for key, value in given.items()
        if key not in _PLACES and value not in (None, "", [])
    )
    focus = marks[0].parts[0][0] if marks else 0
    return RecordView(
        id=shorten_line(_describe(given.get("id", ""))),
        split="",
        source=shorten_line(_describe(given.get("title", given.get("part", "")))),
        rows=(Row(MarkedPassage(text, tuple(marks)).cut(longest, focus)),),
        facts=facts[:_MOST_FACTS],
        reason=shorten_line(reason),
    )


def _check_strings(value: Any) -> list[str] | None:
    """Return a value if it is a list of strings, else None."""
    return value if isinstance(value, list) and all(isinstance(one, str) for one in value) else None


def _describe(value: Any) -> str:
    """Write a field of a rejected record on one line."""
    if isinstance(value, str):
        return value
    words = _check_strings(value)
    return json.dumps(value, ensure_ascii=False) if words is None else ", ".join(words)

"""What is shown of a record, of whatever kind: passages with marked mentions, clusters, facts.

The terminal and the page draw the same views, so that both show the same of a corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corefmill.corpora.records import Document, EventMention, MaskedExample, Record, Source
from corefmill.show import documents
from corefmill.show.documents import Row
from corefmill.show.marks import Mark, MarkedPassage, Sort

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
        yield from documents.mention_words(record)


def texts(record: Record) -> Iterator[str]:
    """All that can be read of it: its text, of a document each sentence, also of the source."""
    if isinstance(record, Document):
        yield from documents.texts(record)
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
    return RecordView(
        id=brief(record.id),
        split=split,
        source=brief(record.source.title),
        rows=(Row(passage),),
        clusters=(ShownCluster(1, brief(name), brief(record.event_type)),),
        facts=_facts(
            cluster=record.cluster if name != record.cluster else "",
            infobox=record.infobox,
            head=" ".join(filter(None, (_head(record), record.pos, record.ner))),
            where=_where(record.source),
        ),
    )


def _document(record: Document, split: str, longest: int) -> RecordView:
    rows = tuple(documents.rows(record, longest))
    shown = {mark.cluster for row in rows for passage in row.passages for mark in passage.marks} - {
        0
    }
    clusters = tuple(
        ShownCluster(
            number,
            brief(documents.name_of(record, record.clusters[number - 1])),
            _mentions(len(record.clusters[number - 1])),
        )
        for number in sorted(shown)[:_MOST_CLUSTERS]
        if number <= len(record.clusters)
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


def _head(record: EventMention) -> str:
    return record.text[slice(*record.head)] if record.head else record.lemma or ""


def _mentions(count: int) -> str:
    return f"{count:,} mention{'s' * (count != 1)}"


def _where(source: Source) -> str:
    return "" if source.paragraph is None else f"paragraph {source.paragraph}"


def _facts(**named: Any) -> tuple[tuple[str, str], ...]:
    return tuple((name, brief(str(value))) for name, value in named.items() if value)

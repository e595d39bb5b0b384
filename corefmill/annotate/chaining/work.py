"""Documents of a round, what the rows about them amount to, and exercises (lessons.toml)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corefmill.annotate.chaining.consensus import agreed
from corefmill.annotate.chaining.state import ACTS, OF_SPANS, ChainState
from corefmill.annotate.exchange import chains
from corefmill.annotate.exchange.chains import PlainDocument
from corefmill.annotate.questions import ACT, SKIPPED, SPANS, AnnotationItem, Exercise
from corefmill.annotate.store import ADJUDICATION, MAIN, StoredJudgement
from corefmill.corpora import beside
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import Document, Mention, Sentence, Token

Documents = Mapping[str, PlainDocument]
"""By the id of the item."""
Rows = Sequence[StoredJudgement]
"""Those about one document that stand, the oldest first."""


def documents(corpus: Path) -> dict[str, PlainDocument]:
    """The documents of a corpus that have words.

    Raises `UsageError` for a corpus of other records, `DataError` where two have one name.
    """
    found: dict[str, PlainDocument] = {}
    for own in chains.documents(corpus):
        name = named(own)
        if name in found:
            raise DataError(f"the document {name[:60]!r} comes twice", path=corpus)
        found[name] = own
    return found


def named(own: PlainDocument) -> str:
    """The id of a document's item."""
    return f"{own.document.doc_id}/{own.document.part}"


def items(kind: str, found: Documents) -> Iterator[AnnotationItem]:
    """The documents as items of a kind, chains or spans; their text is not in them."""
    for name, own in found.items():
        yield AnnotationItem(
            id=name,
            kind=kind,
            lang=own.document.lang,
            split=own.split,
            group=name,
            text="",
        )


def acts(kind: str) -> Sequence[str]:
    """What can be done to an item of a kind."""
    return OF_SPANS if kind == SPANS else tuple(ACTS)


def state(own: PlainDocument, rows: Rows, rater: str, stage: str) -> ChainState:
    """A document as a rater's acts have left it.

    Who adjudicates begins with what the raters agree on who were done by then.
    """
    mine = [row for row in rows if row.rater == rater and row.stage == stage]
    begun = None
    if stage == ADJUDICATION:
        first = mine[0].number if mine else None
        begun = agreed(list(finished(own, rows, first).values()))
    made = ChainState(own, begun)
    for row in mine:
        if row.question == ACT:
            made.do(row.answer)
    return made


def finished(own: PlainDocument, rows: Rows, before: int | None = None) -> dict[str, ChainState]:
    """What each rater made of a document who is done with it, before a row where one is named.

    Raises `ValueError` where the acts do not give what was acknowledged.
    """
    return {
        row.rater: _checked(state(own, rows, row.rater, MAIN), row)
        for row in rows
        if row.stage == MAIN
        and row.question != ACT
        and row.answer != SKIPPED
        and (before is None or row.number < before)
    }


def decided(own: PlainDocument, rows: Rows) -> ChainState | None:
    """What who adjudicates made of it, None while that is not done; raises as `finished`."""
    for row in reversed(rows):
        if row.stage == ADJUDICATION and row.question != ACT and row.answer != SKIPPED:
            return _checked(state(own, rows, row.rater, ADJUDICATION), row)
    return None


def _checked(made: ChainState, row: StoredJudgement) -> ChainState:
    if made.digest(row.question) != row.answer:
        raise ValueError("other acts")
    return made


@dataclass(frozen=True, slots=True)
class ChainLesson:
    """An exercise, and the document that it begins with; its item's text is the right answer."""

    exercise: Exercise
    own: PlainDocument


@cache
def lessons(kind: str) -> tuple[ChainLesson, ...]:
    """The exercises of a kind; chains have those of spans as well."""
    tables = beside.table(__file__, "lessons")
    rows = [row for name in dict.fromkeys((kind, SPANS)) for row in tables[name]]
    made = []
    for number, row in enumerate(rows, 1):
        name = f"{kind}-tutorial-{number}"
        given, wanted = (
            chains.plain(number, "", marked_document(row[key])) for key in ("given", "right")
        )
        right = ChainState(wanted)
        item = AnnotationItem(
            id=name,
            kind=kind,
            lang="en",
            split="",
            group="",
            text=right.shown(kind),
            gold=((kind, right.digest(kind)),),
        )
        made.append(ChainLesson(Exercise(item, why=row["why"]), given))
    return tuple(made)


def marked_document(text: str) -> Document:
    """The document that a text in the notation of lessons.toml says."""
    sentences = []
    clusters: dict[str, list[Mention]] = {}
    for number, line in enumerate(text.strip().splitlines()):
        words: list[str] = []
        begun: list[tuple[str, int]] = []
        for piece in line.split():
            if piece.startswith("["):
                begun.append((piece[1:], len(words)))
            elif piece == "]":
                cluster, start = begun.pop()
                clusters.setdefault(cluster, []).append(Mention(number, start, len(words)))
            else:
                words.append(piece)
        glued = [word in (".", ",", "?", "'s") for word in [*words[1:], ""]]
        tokens = (Token(word, space_after=not no) for word, no in zip(words, glued, strict=True))
        sentences.append(Sentence(tuple(tokens)))
    found = tuple(tuple(clusters[key]) for key in sorted(clusters))
    return Document("exercise", 0, "en", tuple(sentences), found)

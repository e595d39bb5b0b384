"""Gathers what raters said from files of any kind: of the pages, JSON Lines, spreadsheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corefmill.annotate import event_sheets, judgements
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.questions import (
    ACT,
    NONE,
    SKIPPED,
    AnnotationItem,
    answers_to,
    by_kind,
    items,
)
from corefmill.annotate.store import ADJUDICATION, MAIN, JudgementStore
from corefmill.builders.corpus import tasks
from corefmill.builders.corpus.tasks import PlacedVote, Vote
from corefmill.corpora import disk, find
from corefmill.corpora.errors import DataError

ANSWER, VALID = "answer", "valid"
"""The questions that decide what becomes of an item."""
_SQLITE = "SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class GivenAnswers:
    """What people said, the newest of each on an item and question, and what was decided after.

    `decided` are the answers of those who saw that raters disagree. `models` is the number of
    judgements of models, which are left out: no label comes from them alone.
    """

    raters: Sequence[tuple[Path, Judgement]]
    decided: Sequence[tuple[Path, Judgement]]
    votes: Sequence[PlacedVote] = ()
    """Of spreadsheets with candidates, which have neither time nor remark."""
    models: int = 0

    def candidates(self) -> Iterator[PlacedVote]:
        """The raters' votes for candidates."""
        yield from self.votes
        yield from _votes(self.raters)

    def decisions(self) -> Iterator[PlacedVote]:
        """The votes that decide."""
        return _votes(self.decided)

    def facts(self) -> dict[str, str]:
        """Rows of a card: how many raters, how much each said, and when; nobody's name."""
        counted = Counter(one.rater for _, one in self.raters)
        counted.update(vote.rater for *_, vote in self.votes)
        days = sorted({one.when[:10] for _, one in (*self.raters, *self.decided) if one.when})
        sizes = ", ".join(f"{size:,}" for _, size in counted.most_common())
        found = {"Raters": f"{len(counted):,} (answers of each: {sizes or '-'})"}
        if self.decided:
            number = len({one.item for _, one in self.decided})
            found["Adjudicated"] = f"{number:,} item{'s' * (number > 1)}"
        if days:
            found["Judged"] = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
        return found


def stored(path: Path, *, adjudicated: bool = False) -> Iterator[Judgement]:
    """The judgements that stand in a file of the pages: exercises and what was undone left out.

    Of documents whose chains were corrected there is one for each that a rater is done with, whose
    answer names what was made; the acts are left out.
    """
    stages = (MAIN, ADJUDICATION) if adjudicated else (MAIN,)
    with JudgementStore.opened(path) as kept:
        for row in kept.standing():
            if row.stage in stages and row.question != ACT:
                yield row.judgement()


def task_of(path: Path) -> str | None:
    """What was corrected in the documents of a file of the pages: chains, spans, or nothing.

    None for a file of another kind, too.
    """
    if path.is_dir() or disk.head(path, len(_SQLITE)) != _SQLITE:
        return None
    with JudgementStore.opened(path) as kept:
        task: str | None = kept.facts().get("task")
        return task


def gathered(
    corpus: Path, paths: Sequence[Path], *, events: bool, adjudicator: str | None = None
) -> GivenAnswers:
    """The answers of all files about a corpus, `events` or not.

    In JSON Lines the answers of the `adjudicator` are those that decide; a file of the pages knows
    by itself. Raises `DataError` for a file about another corpus, with answers that are none, or of
    pages on which nobody has answered.
    """
    raters: list[tuple[Path, Judgement]] = []
    decided: list[tuple[Path, Judgement]] = []
    votes: list[PlacedVote] = []
    known: dict[str, AnnotationItem] = {}
    for path in paths:
        start = disk.head(path, len(_SQLITE))
        if start == _SQLITE:
            with JudgementStore.opened(path) as kept:
                refuse_other(corpus, kept)
                for row in kept.standing():
                    if row.stage in (MAIN, ADJUDICATION):
                        into = decided if row.stage == ADJUDICATION else raters
                        into.append((path, row.judgement()))
        elif start.startswith("{"):
            known = known or {item.id: item for item in items(corpus)}
            for line, one in enumerate(judgements.read(path), 1):
                _refuse_no_answer(known, one, path, line)
                (decided if one.rater == adjudicator else raters).append((path, one))
        elif events:
            raters.extend((path, one) for one in event_sheets.read(path))
        else:
            votes.extend(tasks.placed([path]))
    if not (raters or decided or votes) and start == _SQLITE:
        raise DataError(
            "nobody has answered on its pages yet",
            path=path,
            remedy="`corefmill annotate serve` asks, and keeps what raters say in it",
        )
    people = [(path, one) for path, one in raters if one.person]
    return GivenAnswers(_newest(people), _newest(decided), votes, len(raters) - len(people))


def _newest(given: Iterable[tuple[Path, Judgement]]) -> list[tuple[Path, Judgement]]:
    found = list(given)
    files = {id(one): path for path, one in found}
    return [(files[id(one)], one) for one in judgements.newest(one for _, one in found)]


def _votes(given: Iterable[tuple[Path, Judgement]]) -> Iterator[PlacedVote]:
    for path, one in given:
        if one.question == ANSWER and one.answer != SKIPPED:
            yield path, None, Vote(one.item, one.rater, None if one.answer == NONE else one.answer)


def _refuse_no_answer(
    known: Mapping[str, AnnotationItem], one: Judgement, path: Path, line: int
) -> None:
    """Raises `DataError` for a judgement of what the corpus does not ask, or that is no answer."""
    if (item := known.get(one.item)) is None:
        raise DataError(
            f"no item {one.item[:60]!r} in the corpus",
            path=path,
            line=line,
            remedy="were these answers given to this very corpus?",
        )
    asked = {own.name: own for own in by_kind()[item.kind].questions}
    if one.question not in asked:
        raise DataError(
            f"asks {one.question[:40]!r} of {one.item[:60]!r}, not {', '.join(asked)}",
            path=path,
            line=line,
        )
    may = {(SKIPPED, ""), *answers_to(asked[one.question], item)}
    if (one.answer, one.reason) not in may:
        why = f" with the reason {one.reason[:40]!r}" * bool(one.reason)
        raise DataError(
            f"{one.answer[:40]!r}{why} is no answer to {one.question} of {one.item[:60]!r}",
            path=path,
            line=line,
        )


def refuse_other(corpus: Path, kept: JudgementStore) -> None:
    """Raises `DataError` for a file about another corpus."""
    facts = kept.facts()
    if facts.get("fingerprint") != find.fingerprint(find.at(corpus)):
        raise DataError(
            f"holds answers about {facts.get('corpus')!r}, or another state of this corpus",
            path=kept.path,
            remedy="name the corpus that was served",
        )

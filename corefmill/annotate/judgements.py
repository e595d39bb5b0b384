"""Read and write raters' judgements: JSON Lines; read spreadsheets and the files of the pages.

Of several judgements of a rater on an item and question the newest counts.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from pydantic import ConfigDict

from corefmill.annotate import spreadsheets
from corefmill.annotate.questions import (
    ACT,
    NONE,
    SKIPPED,
    AnnotationItem,
    answers_to,
    find_item,
    load_questions,
    read_items,
)
from corefmill.annotate.store import ADJUDICATION, MAIN, JudgementStore, is_rater_name
from corefmill.builders.corpus.ballots import Vote
from corefmill.corpora import find
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError, naming

ANSWER = "answer"
"""The question whose answer is a candidate."""
_SQLITE = "SQLite format 3\0"
_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One rater's answer to one question about one item; the newest of them counts.

    `item` is the id of the item in the corpus, `person` False for a model. `question` is a name
    such as "valid", "person", "solvable", "natural", "answer", "grammatical", "acceptable";
    `answer` "yes" or "no" or an option's name, "" for skipped; `reason` a key such as "boundary".
    `when` is ISO 8601 in UTC, to the second, or "" where nobody noted it; `seconds` is how long
    the rater took. Raises `ValueError` for one without item, rater or question, a `when` that is
    no time, or seconds below 0.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    item: str
    rater: str
    person: bool
    question: str
    answer: str
    reason: str = ""
    remark: str = ""
    when: str = ""
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("item", "rater", "question"):
            if not getattr(self, name).strip():
                raise ValueError(f"{name} is empty")
        if not is_rater_name(self.rater):
            raise ValueError(f"rater {self.rater[:40]!r} has a tab, a line end or a control code")
        if self.when:
            parse_time(self.when)
        if self.seconds is not None and not 0 <= self.seconds < math.inf:
            raise ValueError(f"seconds {self.seconds} is negative or not a number")


def read(path: Path) -> Iterator[Judgement]:
    """Stream the judgements of a file; raise `DataError` with path and line for a bad one."""
    return jsonl.read(path, Judgement)


def write(path: Path, judgements: Iterable[Judgement]) -> int:
    """Write the judgements, whole or not at all; return their number."""
    return jsonl.write(path, judgements)


def keep_newest(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Keep the newest judgement of each rater on each item and question, in their first order.

    Of several at one time the last given counts; one without a time is older than all others.
    """
    found: dict[tuple[str, str, str], tuple[datetime, Judgement]] = {}
    for one in judgements:
        key = (one.item, one.question, one.rater)
        moment = parse_time(one.when) if one.when else _BEFORE_ALL
        if key not in found or moment >= found[key][0]:
            found[key] = (moment, one)
    return [one for _, one in found.values()]


@functools.lru_cache(maxsize=1 << 16)
def parse_time(when: str) -> datetime:
    """Parse a time in ISO 8601, in UTC where it names no zone; raise `ValueError`."""
    try:
        moment = datetime.fromisoformat(when)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"when {when[:40]!r} is not a time such as 2026-11-23T09:30:00Z") from None


@dataclass(frozen=True, slots=True)
class GivenAnswers:
    """People's answers, the newest of each, and the adjudicators' decisions.

    `models` counts the judgements of models, which are left out: no label comes from them alone.
    """

    raters: Sequence[Judgement]
    decided: Sequence[Judgement]
    models: int = 0

    def facts(self) -> dict[str, str]:
        """Describe the raters, their numbers of answers and days for a card, without names."""
        counted = Counter(one.rater for one in self.raters)
        days = sorted({one.when[:10] for one in (*self.raters, *self.decided) if one.when})
        sizes = ", ".join(f"{size:,}" for _, size in counted.most_common())
        found = {"Raters": f"{len(counted):,} (answers of each: {sizes or '-'})"}
        if self.decided:
            number = len({one.item for one in self.decided})
            found["Adjudicated"] = f"{number:,} item{'s' * (number > 1)}"
        if days:
            found["Judged"] = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
        return found


def read_votes(given: Iterable[Judgement]) -> Iterator[Vote]:
    """Yield the votes for candidates among judgements."""
    for one in given:
        if one.question == ANSWER and one.answer != SKIPPED:
            yield Vote(one.item, one.rater, None if one.answer == NONE else one.answer)


def read_stored(kept: JudgementStore, *stages: str) -> Iterator[Judgement]:
    """Read the judgements of some stages from a file of the pages, where raters are people.

    Of a corrected document there is one for each rater who has finished it, with a digest for an
    answer; the single acts are left out.
    """
    for row in kept.standing():
        if row.stage in stages and row.question != ACT:
            with naming(kept.path, None):
                one = Judgement(
                    item=row.item,
                    rater=row.rater,
                    person=True,
                    question=row.question,
                    answer=row.answer,
                    reason=row.reason,
                    remark=row.remark,
                    when=row.at,
                    seconds=row.seconds,
                )
            yield one


def read_any(path: Path) -> Iterator[Judgement]:
    """Read the raters' judgements of JSON Lines, or of a file of the pages."""
    if not is_stored(path):
        yield from read(path)
        return
    with JudgementStore.open(path) as kept:
        yield from read_stored(kept, MAIN)


def is_stored(path: Path) -> bool:
    """Whether a file is a store of `annotate serve`, SQLite, by its first bytes."""
    return not path.is_dir() and disk.read_head(path, len(_SQLITE)) == _SQLITE


def holds_corrections(path: Path) -> bool:
    """Whether a file is a store of `annotate serve --chains`, with corrected documents."""
    if not is_stored(path):
        return False
    with JudgementStore.open(path) as kept:
        return "task" in kept.facts()


def gather_answers(
    corpus: Path, paths: Sequence[Path], *, adjudicator: str | None = None
) -> GivenAnswers:
    """Gather the answers of all files about a corpus of event mentions or masked examples.

    The answers of the `adjudicator` decide; a file of the pages knows its own. Raises `DataError`
    for a file about another corpus, a wrong answer, a second answer in spreadsheets, which have no
    times, and files without an answer.
    """
    raters: list[Judgement] = []
    decided: list[Judgement] = []
    known: dict[str, AnnotationItem] = {}
    seen: dict[tuple[str, str], str] = {}
    for path in paths:
        if is_stored(path):
            with JudgementStore.open(path) as kept:
                refuse_other(corpus, kept)
                raters += read_stored(kept, MAIN)
                decided += read_stored(kept, ADJUDICATION)
            continue
        known = known or {item.id: item for item in read_items(corpus)}
        start = disk.read_head(path, len(_SQLITE)).lstrip()
        is_sheet = bool(start) and not start.startswith("{")
        placed = _read_sheet(path, known, seen) if is_sheet else enumerate(read(path), 1)
        for line, one in placed:
            _refuse_no_answer(known, one, path, line)
            (decided if one.rater == adjudicator else raters).append(one)
    if not raters and not decided:
        raise DataError(
            "the file holds no answer yet",
            path=paths[-1],
            remedy="`corefmill annotate serve` asks raters; sheets have a column `answer` to fill",
        )
    people = [one for one in raters if one.person]
    return GivenAnswers(keep_newest(people), keep_newest(decided), len(raters) - len(people))


def _read_sheet(
    path: Path, known: Mapping[str, AnnotationItem], seen: dict[tuple[str, str], str]
) -> Iterator[tuple[int, Judgement]]:
    """Read the judgements of a spreadsheet with their lines; refuse a second answer (`seen`)."""
    for line, fields in spreadsheets.read(path, known):
        with naming(path, line):
            one = Judgement(**fields)
        if (key := (one.item, one.rater)) in seen:
            raise DataError(
                f"rater {one.rater} answered {one.item} already, at {seen[key]}",
                path=path,
                line=line,
                remedy="remove one of the two rows",
            )
        seen[key] = f"{path.name}:{line}"
        yield line, one


def _refuse_no_answer(
    known: Mapping[str, AnnotationItem], one: Judgement, path: Path, line: int
) -> None:
    """Raise `DataError` for a judgement with an unknown item, question, answer or reason."""
    item = find_item(known, one.item, path, line)
    asked = {own.name: own for own in load_questions()[item.kind].questions}
    if one.question not in asked:
        raise DataError(
            f"the item {one.item[:60]!r} has no question {one.question[:40]!r}, only"
            f" {', '.join(asked)}",
            path=path,
            line=line,
        )
    may = {(SKIPPED, ""), *answers_to(asked[one.question], item)}
    if (one.answer, one.reason) not in may:
        why = f" with the reason {one.reason[:40]!r}" * bool(one.reason)
        raise DataError(
            f"{one.answer[:40]!r}{why} is not an answer to the question {one.question} about"
            f" {one.item[:60]!r}",
            path=path,
            line=line,
        )


def refuse_other(corpus: Path, kept: JudgementStore) -> None:
    """Raise `DataError` for a store with answers about another corpus."""
    facts = kept.facts()
    if facts.get("fingerprint") != find.fingerprint(find.open_corpus(corpus)):
        raise DataError(
            f"the file holds answers about {facts.get('corpus')!r} or another state of this corpus",
            path=kept.path,
            remedy="name the corpus that was served",
        )

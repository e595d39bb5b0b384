"""Read and write raters' judgements: JSON Lines, files of the pages, spreadsheets, CSV tables.

Of several judgements of a rater on an item and question the newest counts. Tables of any design are
read by a description in TOML: of each file which columns are item, rater and question, and whether
a person or a model answered; benchmarks/readings/answers.toml is one, with every key explained.
"""

from __future__ import annotations

import functools
import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from string import Template
from typing import ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from corefmill.annotate.questions import (
    ACT,
    EVENT,
    NONE,
    SKIPPED,
    AnnotationItem,
    answers_to,
    bracket_marks,
    by_kind,
    items,
)
from corefmill.annotate.store import ADJUDICATION, MAIN, JudgementStore, StoredJudgement
from corefmill.builders.corpus import tasks
from corefmill.builders.corpus.tasks import PlacedVote, Vote
from corefmill.corpora import find
from corefmill.corpora.files import disk, jsonl, sheets
from corefmill.corpora.files.errors import DataError, naming

ANSWER, VALID = "answer", "valid"
"""The questions that decide what becomes of an item."""
_SQLITE = "SQLite format 3\0"
_NEEDED = ("item", "rater", "answer")
_HEAD = ("item", "rater", "event", "type", "article", "passage", "answer", "reason", "remark")
_FACTS = ("Event", "Type", "Paragraph of")
"""Columns of the spreadsheets of event mentions, and the facts in three of them."""
_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one rater said of one item to one question; the newest of a rater on an item and
    question counts.

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
        if self.when:
            parse_time(self.when)
        if self.seconds is not None and not 0 <= self.seconds < math.inf:
            raise ValueError(f"seconds {self.seconds} is no length of time")


def read(path: Path) -> Iterator[Judgement]:
    """Stream the judgements of a file; raise `DataError` with path and line for a bad one."""
    return jsonl.read(path, Judgement)


def write(path: Path, judgements: Iterable[Judgement]) -> int:
    """Write the judgements, whole or not at all; return their number."""
    return jsonl.write(path, judgements)


def newest(judgements: Iterable[Judgement]) -> list[Judgement]:
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
        raise ValueError(f"when {when[:40]!r} is no time, such as 2026-11-23T09:30:00Z") from None


@dataclass(frozen=True, slots=True)
class GivenAnswers:
    """People's answers, the newest of each, and the adjudicators' decisions.

    `models` counts the judgements of models, which are left out: no label comes from them alone.
    """

    raters: Sequence[tuple[Path, Judgement]]
    decided: Sequence[tuple[Path, Judgement]]
    votes: Sequence[PlacedVote] = ()
    """Of spreadsheets with candidates, which have neither time nor remark."""
    models: int = 0

    def candidates(self) -> Iterator[PlacedVote]:
        """Yield the raters' votes for candidates."""
        yield from self.votes
        yield from _votes(self.raters)

    def decisions(self) -> Iterator[PlacedVote]:
        """Yield the adjudicators' votes."""
        return _votes(self.decided)

    def facts(self) -> dict[str, str]:
        """Describe raters, amounts and days in rows of a card; nobody's name."""
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


def read_stored(path: Path, *, adjudicated: bool = False) -> Iterator[Judgement]:
    """Read the judgements of a file of the pages, without exercises, undone answers and acts.

    Of a corrected document there is one for each rater who is done with it; its answer is a digest.
    """
    stages = (MAIN, ADJUDICATION) if adjudicated else (MAIN,)
    with JudgementStore.open(path) as kept:
        for row in kept.standing():
            if row.stage in stages and row.question != ACT:
                yield _judgement(row)


def _judgement(row: StoredJudgement) -> Judgement:
    """Convert a row of the pages, where raters are people."""
    return Judgement(
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


def read_any(path: Path) -> Iterator[Judgement]:
    """Read the judgements of JSON Lines, or of a file of the pages as `read_stored` does."""
    return read_stored(path) if _is_stored(path) else read(path)


def _is_stored(path: Path) -> bool:
    return not path.is_dir() and disk.read_head(path, len(_SQLITE)) == _SQLITE


def task_of(path: Path) -> str | None:
    """Find the task of a file of the pages about documents, chains or spans; None for others."""
    if not _is_stored(path):
        return None
    with JudgementStore.open(path) as kept:
        task: str | None = kept.facts().get("task")
        return task


def gather_answers(
    corpus: Path, paths: Sequence[Path], *, events: bool, adjudicator: str | None = None
) -> GivenAnswers:
    """Gather the answers of all files about a corpus, of `events` or not.

    In JSON Lines the answers of the `adjudicator` decide; a file of the pages knows its own. Raises
    `DataError` for a file about another corpus, a wrong answer, and pages without an answer.
    """
    raters: list[tuple[Path, Judgement]] = []
    decided: list[tuple[Path, Judgement]] = []
    votes: list[PlacedVote] = []
    known: dict[str, AnnotationItem] = {}
    for path in paths:
        start = disk.read_head(path, len(_SQLITE))
        if start == _SQLITE:
            with JudgementStore.open(path) as kept:
                refuse_other(corpus, kept)
                for row in kept.standing():
                    if row.stage in (MAIN, ADJUDICATION):
                        into = decided if row.stage == ADJUDICATION else raters
                        into.append((path, _judgement(row)))
        elif start.startswith("{"):
            known = known or {item.id: item for item in items(corpus)}
            for line, one in enumerate(read(path), 1):
                _refuse_no_answer(known, one, path, line)
                (decided if one.rater == adjudicator else raters).append((path, one))
        elif events:
            raters.extend((path, one) for one in read_events(path))
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
    return [(files[id(one)], one) for one in newest(one for _, one in found)]


def _votes(given: Iterable[tuple[Path, Judgement]]) -> Iterator[PlacedVote]:
    for path, one in given:
        if one.question == ANSWER and one.answer != SKIPPED:
            yield path, None, Vote(one.item, one.rater, None if one.answer == NONE else one.answer)


def _refuse_no_answer(
    known: Mapping[str, AnnotationItem], one: Judgement, path: Path, line: int
) -> None:
    """Raise `DataError` for a judgement about no question of the corpus, or without its answer."""
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
    """Raise `DataError` for a file about another corpus."""
    facts = kept.facts()
    if facts.get("fingerprint") != find.fingerprint(find.at(corpus)):
        raise DataError(
            f"holds answers about {facts.get('corpus')!r}, or another state of this corpus",
            path=kept.path,
            remedy="name the corpus that was served",
        )


def write_events(path: Path, mentions: Sequence[AnnotationItem], *, raters: int) -> int:
    """Write a spreadsheet of event mentions; return the number of its rows.

    Rows stand rater by rater: the mention in [ ], and `answer`, `reason`, `remark` to be filled.
    """

    def rows() -> Iterator[Sequence[object]]:
        yield _HEAD
        for rater in range(1, raters + 1):
            for item in mentions:
                facts = dict(item.facts)
                said = (facts.get(name, "") for name in _FACTS)
                yield item.id, str(rater), *said, " ".join(bracket_marks(item).split()), "", "", ""

    sheets.write(path, rows(), mark=True)
    return raters * len(mentions)


def read_events(path: Path) -> Iterator[Judgement]:
    """Read the answers of a spreadsheet; raise `DataError` with the line for a wrong one.

    `answer` is y, n, yes or no, and empty for none. A reason is its name or its key, and means no
    by itself; upper and lower case are one. Other columns, and another order, are no harm.
    """
    rows = sheets.read(path, ",;\t")
    _, head = next(rows, (1, []))
    places = {name.strip().lower(): place for place, name in enumerate(head)}
    if missing := [name for name in _NEEDED if name not in places]:
        raise DataError(
            f"no column {missing[0]!r}",
            path=path,
            line=1,
            remedy="it must be a file that `corefmill annotate export` wrote",
        )
    for line, row in rows:
        if not any(row):
            continue
        if len(row) <= max(places[name] for name in _NEEDED):
            raise DataError(f"only {len(row)} fields", path=path, line=line)
        own = {name: row[place].strip() for name, place in places.items() if place < len(row)}
        if not own["answer"] and not own.get("reason"):
            continue
        with naming(path, line):
            yield _parse_event_row(row[places["item"]], own, path, line)


def _parse_event_row(item: str, row: Mapping[str, str], path: Path, line: int) -> Judgement:
    """Parse the answer to a mention; a reason is an answer by itself."""
    question = by_kind()[EVENT].questions[0]
    answers = {word: one.name for one in question.answers for word in (one.key, one.name)}
    reasons = {word: one.name for one in question.reasons for word in (one.key, one.name)}
    said, why = row["answer"].casefold(), row.get("reason", "").casefold()
    answer, reason = answers.get(said, ""), reasons.get(why, "")
    if said in reasons and not why:
        answer, reason = question.answers_with, reasons[said]
    elif not said and reason:
        answer = question.answers_with
    if not answer or (why and not reason) or (reason and answer != question.answers_with):
        raise DataError(
            f"{said[:40]!r} with the reason {why[:40]!r} is no answer",
            path=path,
            line=line,
            remedy=f"one of {', '.join(answers)}, or a reason: {', '.join(reasons)}",
        )
    return Judgement(
        item=item,
        rater=row["rater"],
        person=True,
        question=question.name,
        answer=answer,
        reason=reason,
        remark=row.get("remark", ""),
    )


_SAID = {"1": "yes", "0": "no"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTable:
    """One [[file]] of a description: the judgements in its rows.

    `item` and `rater` are templates, $column standing for a cell; `raters` gives raters another
    name; `only` keeps rows with these cells. `questions` maps a question to its column, or to
    several that must all say yes. `always` maps a question to the answer of every row.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    name: str
    item: str
    rater: str
    person: bool
    questions: dict[str, str | list[str]] = field(default_factory=dict)
    always: dict[str, str] = field(default_factory=dict)
    raters: dict[str, str] = field(default_factory=dict)
    only: dict[str, str] = field(default_factory=dict)
    reason: str = ""
    remark: str = ""
    when: str = ""

    def read_row(self, row: Mapping[str, str]) -> Iterator[Judgement]:
        """Yield the judgements of a row; raise `KeyError` for a missing column.

        Cells 1 and 0 are yes and no, an empty one is no answer.
        """
        if any(row[column] != value for column, value in self.only.items()):
            return
        said = dict(self.always)
        for question, columns in self.questions.items():
            cells = [row[one] for one in ([columns] if isinstance(columns, str) else columns)]
            if isinstance(columns, str):
                said[question] = _SAID.get(cells[0], cells[0])
            elif all(cells):
                said[question] = "yes" if set(cells) == {"1"} else "no"
        rater = Template(self.rater).substitute(row)
        for question, answer in said.items():
            if answer:
                yield Judgement(
                    item=Template(self.item).substitute(row),
                    rater=self.raters.get(rater, rater),
                    person=self.person,
                    question=question,
                    answer=answer,
                    reason=row[self.reason] if self.reason else "",
                    remark=row[self.remark] if self.remark else "",
                    when=self.when,
                )


def read_tables(description: Path) -> Iterator[tuple[str, list[Judgement]]]:
    """Read the files beside a description; yield each one's name with its judgements.

    Several entries of one name are one file's. Raises `DataError` for a bad description, a missing
    column, or a malformed row.
    """
    by_name: dict[str, list[AnswerTable]] = {}
    for entry in _entries(description):
        by_name.setdefault(entry.name, []).append(entry)
    for name, entries in by_name.items():
        path = description.parent / name
        rows = list(sheets.read(path))
        head = rows[0][1] if rows else []
        if len(set(head)) < len(head):
            raise DataError("a column's name is there twice", path=path, line=1)
        found: list[Judgement] = []
        for entry in entries:
            for line, cells in rows[1:]:
                if len(cells) != len(head):
                    said = f"{len(cells)} cells for {len(head)} columns"
                    raise DataError(said, path=path, line=line)
                try:
                    with naming(path, line):
                        found += entry.read_row(dict(zip(head, cells, strict=True)))
                except KeyError as error:
                    said = f"no column {error.args[0]!r}; there are {', '.join(head)}"
                    raise DataError(said, path=path) from None
        yield name, found


def _entries(path: Path) -> list[AnswerTable]:
    with disk.open_file(path) as file:
        content = file.read()
    try:
        described = tomllib.loads(content.decode())
        # By way of JSON, in which a table is one even to a strict reader, and a date is a text.
        tables = json.dumps(described.get("file", []), default=str)
        entries = TypeAdapter(list[AnswerTable]).validate_json(tables)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"not TOML: {error}", path=path) from None
    except ValidationError as error:
        raise DataError(f"[[file]] {jsonl.first_fault(error)}", path=path) from None
    if not entries or set(described) != {"file"}:
        raise DataError("has to hold [[file]] tables, and nothing else", path=path)
    for one in entries:
        if one.name != Path(one.name).name or not one.name.endswith(".csv"):
            raise DataError(f"{one.name!r} is no name of a CSV file beside it", path=path)
    return entries

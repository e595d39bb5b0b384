"""Run a round of annotation: assign items to raters, find the next question and disagreements."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corefmill.annotate.questions import (
    ACT,
    CHAINS,
    EVENT,
    SKIPPED,
    AnnotationItem,
    Question,
    load_questions,
)
from corefmill.annotate.store import (
    ADJUDICATION,
    BEGIN,
    MAIN,
    JudgementStore,
    Rater,
    StoredJudgement,
    find_median,
)
from corefmill.builders.run.stages import make_random

READ = "guidelines-read"
"""The question of a row without an item: the rater has begun."""
_RECENT = 50
"""Decisions whose median is a rater's pace."""

_Key = tuple[str, str, str]
"""Stage, item, question."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A rater's next question."""

    stage: str
    item: AnnotationItem
    question: Question


@dataclass(frozen=True, slots=True)
class Pace:
    """A rater's progress: decisions made and in total, and median seconds of the last ones."""

    done: int
    total: int
    median: float | None


def draw_items(
    found: Sequence[AnnotationItem], *, seed: int, splits: Sequence[str], limit: int | None
) -> list[AnnotationItem]:
    """Draw at most `limit` items of the splits to be judged, in random order.

    The mentions of an event stay together, in the given order, so that the judged part is a random
    sample of events however far the raters come.
    """
    groups: dict[str, list[AnnotationItem]] = {}
    for item in found:
        if item.split in splits:
            groups.setdefault(name_group(item), []).append(item)
    order = sorted(groups, key=lambda name: (make_random(seed, "order", name).random(), name))
    return [item for name in order for item in groups[name]][:limit]


class AnnotationRound:
    """The state of a round of annotation in one process, restored from the rows of its file.

    Each group of items goes to `overlap` raters: first to those who have judged in it already, then
    by chance, so that raters who join later take their share of what is left.
    """

    def __init__(
        self, store: JudgementStore, chosen: Sequence[AnnotationItem], *, overlap: int, seed: int
    ) -> None:
        self._store = store
        self._chosen = chosen
        self.seed = seed
        # By rater: what stands, the newest last; the same by question; the number of the last row;
        # the place in the queue of items before which all is answered; the turn whose page was
        # shown, and since when.
        self._stacks: defaultdict[str, list[StoredJudgement]] = defaultdict(list)
        self._done: defaultdict[str, dict[_Key, StoredJudgement]] = defaultdict(dict)
        self._latest: defaultdict[str, int] = defaultdict(int)
        self._next: defaultdict[str, int] = defaultdict(int)
        self._shown: dict[str, tuple[int, float]] = {}
        # By item: all that stands; by item and question: the answer of each rater.
        self._about: defaultdict[str, list[StoredJudgement]] = defaultdict(list)
        self._opinions: defaultdict[tuple[str, str], dict[str, StoredJudgement]]
        self._opinions = defaultdict(dict)
        for row in store.rows():
            self._latest[row.rater] = row.number
        for row in store.standing():
            self._index_row(row)
        names = [one.name for one in store.raters() if not one.adjudicator]
        self._queues = self._assign_items(names, overlap)

    def turn(self, rater: Rater) -> int:
        """Return the number of the rater's last row, by which an outdated page is known."""
        return self._latest[rater.name]

    def has_begun(self, rater: Rater) -> bool:
        """Whether the rater has read the guidelines."""
        return (BEGIN, "", READ) in self._done[rater.name]

    def next_question(self, rater: Rater) -> AskedQuestion | None:
        """Find a rater's next question, None for no further one, and start its clock."""
        found = next(
            self._find_disputes() if rater.adjudicator else self._find_open(rater.name), None
        )
        turn = self.turn(rater)
        if found and self._shown.get(rater.name, (-1, 0.0))[0] != turn:
            self._shown[rater.name] = turn, time.monotonic()
        return found

    def judge(
        self, rater: Rater, asked: AskedQuestion, answer: str, *, reason: str = "", remark: str = ""
    ) -> None:
        """Store a rater's answer to a question, `SKIPPED` for none, with the seconds it took."""
        seconds = self._measure_seconds(rater)
        if seconds is not None:  # of a document, of all that was done to it
            own = (rater.name, asked.stage, ACT)
            acts = [r for r in self.list_rows(asked.item) if (r.rater, r.stage, r.question) == own]
            seconds = round(seconds + sum(row.seconds or 0 for row in acts), 2)
        self._add_row(
            *(rater, asked.stage, asked.item.id, asked.question.name, answer),
            reason=reason,
            remark=remark,
            seconds=seconds,
        )

    def act(self, rater: Rater, asked: AskedQuestion, act: str) -> None:
        """Store a rater's act on a document's clusters, with the seconds it took."""
        seconds = self._measure_seconds(rater)
        self._add_row(rater, asked.stage, asked.item.id, ACT, act, seconds=seconds)

    def list_rows(self, item: AnnotationItem) -> Sequence[StoredJudgement]:
        """List the rows about an item that are not undone, the oldest first."""
        return self._about[item.id]

    def begin(self, rater: Rater) -> None:
        """Store that a rater has read the guidelines."""
        self._add_row(rater, BEGIN, "", READ, "yes")

    def undo(self, rater: Rater) -> StoredJudgement | None:
        """Take back the rater's last judgement or act, and return its row.

        Returns None without such a row, and for a row about a document in adjudication, which
        begins with the raters' results.
        """
        stack = self._stacks[rater.name]
        if not stack or stack[-1].question == READ or self._is_settled(stack[-1]):
            return None
        self._latest[rater.name] = self._store.undo(stack[-1]).number
        row = stack.pop()
        self._about[row.item].remove(row)
        if row.question == ACT:
            return row
        del self._done[row.rater][row.stage, row.item, row.question]
        if row.stage == MAIN:
            del self._opinions[row.item, row.question][row.rater]
        self._next[row.rater] = 0
        return row

    def opinions(self, asked: AskedQuestion) -> list[StoredJudgement]:
        """List the raters' answers to a question, shuffled to hide the raters."""
        found = self._opinions[asked.item.id, asked.question.name]
        names = sorted(found)
        make_random(self.seed, "opinions", asked.item.id).shuffle(names)
        return [found[name] for name in names]

    def pace(self, rater: Rater) -> Pace:
        """Measure a rater's progress: decisions made and in total, and seconds a decision."""
        stage = ADJUDICATION if rater.adjudicator else MAIN
        rows = [r for r in self._stacks[rater.name] if r.stage == stage and r.question != ACT]
        if rater.adjudicator:
            total = len(rows) + sum(1 for _ in self._find_disputes())
        else:
            total = sum(len(_list_questions(item)) for item in self._queues.get(rater.name, ()))
        return Pace(len(rows), total, find_median(row.seconds for row in rows[-_RECENT:]))

    def _add_row(self, rater: Rater, *own: str, **more: Any) -> None:
        """Store a row of a rater in file and indexes, which ends the rater's turn."""
        row = self._store.add(rater.name, *own, **more)
        self._latest[rater.name] = row.number
        self._index_row(row)

    def _measure_seconds(self, rater: Rater) -> float | None:
        """Measure the seconds since the rater's page was shown; None for an outdated page."""
        turn, since = self._shown.get(rater.name, (-1, 0.0))
        return round(time.monotonic() - since, 2) if turn == self.turn(rater) else None

    def _is_settled(self, row: StoredJudgement) -> bool:
        """Whether a row is about a document that its rater finished and others adjudicate."""
        about = self._about[row.item]
        return (
            row.stage == MAIN
            and row.question in (ACT, CHAINS)
            and any(one.stage == ADJUDICATION for one in about)
            and any(
                one.rater == row.rater and one.stage == MAIN and one.question != ACT
                for one in about
            )
        )

    def _index_row(self, row: StoredJudgement) -> None:
        """Add a row to the indexes by rater, by item and by question."""
        self._stacks[row.rater].append(row)
        self._about[row.item].append(row)
        if row.question == ACT:
            return
        self._done[row.rater][row.stage, row.item, row.question] = row
        if row.stage == MAIN:
            self._opinions[row.item, row.question][row.rater] = row

    def _find_open(self, name: str) -> Iterator[AskedQuestion]:
        """Yield the unanswered questions in a rater's queue, in their order."""
        queue, done = self._queues.get(name, []), self._done[name]
        while self._next[name] < len(queue):
            item = queue[self._next[name]]
            for question in _list_questions(item):
                if (MAIN, item.id, question.name) not in done:
                    yield AskedQuestion(MAIN, item, question)
            self._next[name] += 1

    def _find_disputes(self) -> Iterator[AskedQuestion]:
        """Yield the questions with different answers of raters and no decision."""
        decided = {
            key[1:] for done in self._done.values() for key in done if key[0] == ADJUDICATION
        }
        for item in self._chosen:
            for question in _list_questions(item):
                key = (item.id, question.name)
                said = {row.answer for row in self._opinions.get(key, {}).values()} - {SKIPPED}
                if len(said) > 1 and key not in decided:
                    yield AskedQuestion(ADJUDICATION, item, question)

    def _assign_items(
        self, names: Sequence[str], overlap: int
    ) -> Mapping[str, list[AnnotationItem]]:
        """Assign the items to `overlap` raters each, the mentions of an event together."""
        # Who has judged an item of a group keeps all of it, whatever raters have joined since.
        before: defaultdict[str, dict[str, None]] = defaultdict(dict)
        groups = {item.id: name_group(item) for item in self._chosen}
        for judged, rows in self._about.items():
            for row in rows:
                if judged in groups and row.stage == MAIN and row.rater in names:
                    before[groups[judged]][row.rater] = None
        shared: dict[str, list[AnnotationItem]] = {name: [] for name in names}
        takers: dict[str, list[str]] = {}
        for item in self._chosen:
            group = name_group(item)
            if group not in takers:
                # The others take their turns in an order by chance, but the same at each start.
                own = before.get(group, {})
                rest = [name for name in names if name not in own]
                rest.sort(key=lambda name: make_random(self.seed, "share", group, name).random())
                takers[group] = [*own, *rest][: max(overlap, len(own))]
            for name in takers[group]:
                shared[name].append(item)
        return shared


def name_group(item: AnnotationItem) -> str:
    """Name the group of items for the same raters: an event's mentions, else an item alone."""
    return item.group if item.kind == EVENT else item.id


def _list_questions(item: AnnotationItem) -> tuple[Question, ...]:
    """List the questions about an item."""
    return load_questions()[item.kind].questions

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
    by_kind,
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
    """A rater's progress: decisions made, all, and median seconds of the last ones."""

    done: int
    total: int
    median: float | None


def draw_items(
    found: Sequence[AnnotationItem], *, seed: int, splits: Sequence[str], limit: int | None
) -> list[AnnotationItem]:
    """Draw at most `limit` items of the splits to be judged, in random order.

    An event's mentions stay together, in the given order, so that whatever part of the items is
    judged in the end is a random sample of events.
    """
    groups: dict[str, list[AnnotationItem]] = {}
    for item in found:
        if item.split in splits:
            groups.setdefault(group_of(item), []).append(item)
    order = sorted(groups, key=lambda name: (make_random(seed, "order", name).random(), name))
    return [item for name in order for item in groups[name]][:limit]


class AnnotationRound:
    """The state of a round, restored from the rows of its file; one process holds it.

    Each group of items goes to `overlap` raters: first to those who have judged in it already, then
    by chance, so that raters who join later take their share of what is left.
    """

    def __init__(
        self,
        store: JudgementStore,
        chosen: Sequence[AnnotationItem],
        *,
        overlap: int,
        seed: int,
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
        """Return the number of the rater's last row; answers to an older page do not count."""
        return self._latest[rater.name]

    def has_begun(self, rater: Rater) -> bool:
        """Whether the rater has read the guidelines."""
        return (BEGIN, "", READ) in self._done[rater.name]

    def next_question(self, rater: Rater) -> AskedQuestion | None:
        """Find the next question, None where all is done, and start the clock of its answer."""
        found = next(self._find_disputes() if rater.adjudicator else self._open(rater.name), None)
        turn = self.turn(rater)
        if found and self._shown.get(rater.name, (-1, 0.0))[0] != turn:
            self._shown[rater.name] = turn, time.monotonic()
        return found

    def judge(
        self, rater: Rater, asked: AskedQuestion, answer: str, *, reason: str = "", remark: str = ""
    ) -> None:
        """Store an answer, `SKIPPED` for none."""
        seconds = self._seconds(rater)
        if seconds is not None:  # of a document, of all that was done to it
            own = (rater.name, asked.stage, ACT)
            acts = [r for r in self.about(asked.item) if (r.rater, r.stage, r.question) == own]
            seconds = round(seconds + sum(row.seconds or 0 for row in acts), 2)
        self._add_row(
            *(rater, asked.stage, asked.item.id, asked.question.name, answer),
            reason=reason,
            remark=remark,
            seconds=seconds,
        )

    def act(self, rater: Rater, asked: AskedQuestion, act: str) -> None:
        """Store a change to the document."""
        seconds = self._seconds(rater)
        self._add_row(rater, asked.stage, asked.item.id, ACT, act, seconds=seconds)

    def about(self, item: AnnotationItem) -> Sequence[StoredJudgement]:
        """List all standing rows about an item, the oldest first."""
        return self._about[item.id]

    def begin(self, rater: Rater) -> None:
        """Store the reading of the guidelines."""
        self._add_row(rater, BEGIN, "", READ, "yes")

    def undo(self, rater: Rater) -> StoredJudgement | None:
        """Take back the rater's last judgement or act and return it.

        None where there is none, and where it is about a document that is being adjudicated: the
        adjudication begins with the raters' results.
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
        """List the raters' answers, in a shuffled order, without revealing anybody."""
        found = self._opinions[asked.item.id, asked.question.name]
        names = sorted(found)
        make_random(self.seed, "opinions", asked.item.id).shuffle(names)
        return [found[name] for name in names]

    def pace(self, rater: Rater) -> Pace:
        """Measure the rater's progress."""
        stage = ADJUDICATION if rater.adjudicator else MAIN
        rows = [r for r in self._stacks[rater.name] if r.stage == stage and r.question != ACT]
        if rater.adjudicator:
            total = len(rows) + sum(1 for _ in self._find_disputes())
        else:
            total = sum(len(_questions(item)) for item in self._queues.get(rater.name, ()))
        return Pace(len(rows), total, find_median(row.seconds for row in rows[-_RECENT:]))

    def _add_row(self, rater: Rater, *own: str, **more: Any) -> None:
        """Store a row, and with it end the turn of its rater."""
        row = self._store.add(rater.name, *own, **more)
        self._latest[rater.name] = row.number
        self._index_row(row)

    def _seconds(self, rater: Rater) -> float | None:
        """Measure the time since the page was shown."""
        turn, since = self._shown.get(rater.name, (-1, 0.0))
        return round(time.monotonic() - since, 2) if turn == self.turn(rater) else None

    def _is_settled(self, row: StoredJudgement) -> bool:
        """Whether a row is about a finished document in adjudication."""
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
        """Keep a row that stands where it will be looked for."""
        self._stacks[row.rater].append(row)
        self._about[row.item].append(row)
        if row.question == ACT:
            return
        self._done[row.rater][row.stage, row.item, row.question] = row
        if row.stage == MAIN:
            self._opinions[row.item, row.question][row.rater] = row

    def _open(self, name: str) -> Iterator[AskedQuestion]:
        """Yield the rater's unanswered questions, in their order."""
        queue, done = self._queues.get(name, []), self._done[name]
        while self._next[name] < len(queue):
            item = queue[self._next[name]]
            for question in _questions(item):
                if (MAIN, item.id, question.name) not in done:
                    yield AskedQuestion(MAIN, item, question)
            self._next[name] += 1

    def _find_disputes(self) -> Iterator[AskedQuestion]:
        """Yield the questions with different answers and no decision."""
        decided = {
            key[1:] for done in self._done.values() for key in done if key[0] == ADJUDICATION
        }
        for item in self._chosen:
            for question in _questions(item):
                key = (item.id, question.name)
                said = {row.answer for row in self._opinions.get(key, {}).values()} - {SKIPPED}
                if len(said) > 1 and key not in decided:
                    yield AskedQuestion(ADJUDICATION, item, question)

    def _assign_items(
        self, names: Sequence[str], overlap: int
    ) -> Mapping[str, list[AnnotationItem]]:
        """Assign each item to its raters; an event goes to them as a whole."""
        # Who has judged an item of a group keeps all of it, whatever raters have joined since.
        before: defaultdict[str, dict[str, None]] = defaultdict(dict)
        groups = {item.id: group_of(item) for item in self._chosen}
        for judged, rows in self._about.items():
            for row in rows:
                if judged in groups and row.stage == MAIN and row.rater in names:
                    before[groups[judged]][row.rater] = None
        shared: dict[str, list[AnnotationItem]] = {name: [] for name in names}
        takers: dict[str, list[str]] = {}
        for item in self._chosen:
            group = group_of(item)
            if group not in takers:
                # The others take their turns in an order by chance, but the same at each start.
                own = before.get(group, {})
                rest = [name for name in names if name not in own]
                rest.sort(key=lambda name: make_random(self.seed, "share", group, name).random())
                takers[group] = [*own, *rest][: max(overlap, len(own))]
            for name in takers[group]:
                shared[name].append(item)
        return shared


def group_of(item: AnnotationItem) -> str:
    """Name the group of an item, for the same raters in a row: an event, else the item alone."""
    return item.group if item.kind == EVENT else item.id


def _questions(item: AnnotationItem) -> tuple[Question, ...]:
    """List the questions about an item."""
    return by_kind()[item.kind].questions

"""Puts the questions of a corpus to a model, and makes votes of the answers that hold."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from corefmill.annotate import questions
from corefmill.annotate.asking import instructions
from corefmill.annotate.asking.endpoint_rater import ASKED_AGAIN, EndpointRater
from corefmill.annotate.asking.ledger import CallLedger, CallSubject, KeptReply, LimitReached
from corefmill.annotate.asking.prompt import RaterPrompt, Variant, prompt
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.questions import AnnotationItem, Question
from corefmill.builders.runner.stages import seeded
from corefmill.builders.services.at_once import answered
from corefmill.corpora.errors import CorefmillError, UsageError

LONGEST = 20_000
"""Characters of a text that is asked about; a longer one would cost what a hundred others do."""
FLAGGED = "flagged: it reads as an instruction to its reader"
"""The remark of a vote on such an item."""
UNSTABLE, SWAYED, TOO_LONG = "unstable", "swayed", "text_too_long"
"""Why there is no vote, beside what `NoUsableAnswer` calls a broken answer."""
_STUBBORN = 10
"""Answers that may be broken one after the other before the model is taken to be unfit."""

Answers = Iterable[tuple[int, Any]]


@dataclass(frozen=True, slots=True)
class ItemQuestion:
    """A question about an item, the `place`-th of the corpus."""

    place: int
    item: AnnotationItem
    question: Question


@dataclass(frozen=True, slots=True)
class QuestionVerdict:
    """What came of a question: a vote, or in `without` why there is none.

    `fresh` where the endpoint was asked for it now; `left` where it is still to be asked.
    """

    kept: KeptReply | None = None
    without: str = ""
    fresh: bool = False
    left: bool = False


@dataclass(slots=True)
class RaterOutcome:
    """The votes of a run, in the corpus's order, and what became of all questions.

    A question has a vote, or is left, or stands in `without_vote` by why it has none: "unstable"
    (another answer when the options were turned), "swayed" (another answer when instructions in the
    text were left out), or a kind of broken answer. `stopped` is the limit that left some.
    """

    questions: int
    flagged: int
    votes: list[Judgement] = field(default_factory=list)
    asked: int = 0
    from_cache: int = 0
    left: int = 0
    stopped: Literal["max_tokens", "max_items"] | None = None
    without_vote: defaultdict[str, list[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def counts(self) -> dict[str, Any]:
        """The counts, for a result in JSON; of questions, but `flagged`, which counts items."""
        without = {kind: len(found) for kind, found in sorted(self.without_vote.items())}
        return {
            "questions": self.questions,
            "asked": self.asked,
            "from_cache": self.from_cache,
            "answered": len(self.votes),
            "skipped": sum(not vote.answer for vote in self.votes),
            "unstable": without.pop(UNSTABLE, 0),
            "swayed": without.pop(SWAYED, 0),
            "broken": without,
            "left": self.left,
            "stopped": self.stopped,
            "flagged": self.flagged,
        }

    @property
    def whole(self) -> bool:
        """Whether the same run once more would ask nothing."""
        return not self.left and not any(kind in self.without_vote for kind in ASKED_AGAIN)


def drawn(items: Iterable[AnnotationItem], limit: int | None, seed: int) -> list[AnnotationItem]:
    """The items in an order that the seed and their ids decide, so that any first ones of it are a
    random sample; `limit` of them at most."""

    def ticket(item: AnnotationItem) -> float:
        return seeded(seed, "drawn", item.id).random()

    return sorted(items, key=ticket) if limit is None else heapq.nsmallest(limit, items, key=ticket)


def to_ask(
    corpus: Iterable[AnnotationItem],
    *,
    split: str | None,
    named: Collection[str],
    limit: int | None,
    seed: int,
) -> list[ItemQuestion]:
    """What is to be asked, in the order of asking: the questions of an item stand together.

    `split` restricts the items, and `named` the questions, if it names any; both before the draw.
    Raises `UsageError` where nothing is left to ask.
    """
    by_kind = questions.by_kind()
    places: dict[str, int] = {}
    found: list[AnnotationItem] = []
    known: dict[str, None] = {}
    for item in corpus:
        known.update((one.name, None) for one in by_kind[item.kind].questions)
        if split in (None, item.split) and _chosen(item, named):
            places[item.id] = len(places)
            found.append(item)
    for name in named:
        if name not in known:
            raise UsageError(
                f"no question {name!r} is asked of this corpus",
                remedy=f"there are {', '.join(known) or 'none'}",
            )
    if not found:
        raise UsageError("the corpus holds nothing that a rater could be asked about")
    return [
        ItemQuestion(places[item.id], item, question)
        for item in drawn(found, limit, seed)
        for question in _chosen(item, named)
    ]


def _chosen(item: AnnotationItem, named: Collection[str]) -> list[Question]:
    asked = questions.by_kind()[item.kind].questions
    return [one for one in asked if not named or one.name in named]


class VoteCollector:
    """Asks a model, several questions at once.

    With `twice` each is asked again with its options and answers in the opposite order. An item
    whose text reads as an instruction is always asked again without that. Where two answers to a
    question differ there is no vote.
    """

    def __init__(
        self, rater: EndpointRater, ledger: CallLedger, *, twice: bool = False, workers: int = 4
    ) -> None:
        self._rater, self._ledger = rater, ledger
        self._twice, self._workers = twice, workers
        self._error: CorefmillError | None = None

    def run(
        self,
        asked: Sequence[ItemQuestion],
        max_items: int | None = None,
        watch: Callable[[Answers], Answers] = iter,
    ) -> RaterOutcome:
        """What came of the questions, of which those about the first `max_items` items are asked.

        All that was answered is kept by then, also where this raises `UsageError`: the endpoint
        cannot be reached or used, or the model's answers are broken one after the other.
        """
        flagged = {one.item.id for one in asked if _flagged(one.item)}
        made = RaterOutcome(questions=len(asked), flagged=len(flagged))
        votes: list[tuple[int, int, Judgement]] = []
        broken = 0
        numbers = _first(asked, max_items)
        if len(numbers) < len(asked):
            made.left, made.stopped = len(asked) - len(numbers), "max_items"
        for number, verdict in watch(answered(numbers, self._judged(asked), self._workers)):
            one = asked[number]
            assert isinstance(verdict, QuestionVerdict)
            if verdict.left:
                made.left, made.stopped = made.left + 1, "max_tokens"
                continue
            made.asked += verdict.fresh
            made.from_cache += not verdict.fresh and verdict.without != TOO_LONG
            if verdict.kept is not None:
                remark = FLAGGED if one.item.id in flagged else ""
                votes.append((one.place, number, self._vote(one, verdict.kept, remark)))
            else:
                made.without_vote[verdict.without].append((one.item.id, one.question.name))
            if verdict.fresh:
                broken = broken + 1 if verdict.without not in ("", UNSTABLE, SWAYED) else 0
            if broken == _STUBBORN:
                self._stop(_unfit(self._rater.name, verdict.without))
        if self._error is not None:
            raise self._error
        made.votes = [vote for *_, vote in sorted(votes, key=lambda found: found[:2])]
        for found in made.without_vote.values():
            found.sort()
        return made

    def _judged(self, asked: Sequence[ItemQuestion]) -> Callable[[int], QuestionVerdict]:
        def judge(number: int) -> QuestionVerdict:
            try:
                return self._verdict(asked[number])
            except LimitReached:
                return QuestionVerdict(left=True)
            except CorefmillError as error:
                # What the others have under way is paid for, and waited for.
                self._stop(error)
                return QuestionVerdict(left=True)

        return judge

    def _verdict(self, one: ItemQuestion) -> QuestionVerdict:
        if len(one.item.text) > LONGEST:
            return QuestionVerdict(without=TOO_LONG)
        first, fresh = self._reply(one, "first")
        if first.broken:
            return QuestionVerdict(without=first.broken, fresh=fresh)
        checks: list[tuple[Variant, str]] = []
        if self._twice:
            checks.append(("turned", UNSTABLE))
        if _flagged(one.item):
            checks.append(("blanked", SWAYED))
        for variant, differs in checks:
            again, now = self._reply(one, variant)
            fresh |= now
            if again.broken or again.answer != first.answer:
                return QuestionVerdict(without=again.broken or differs, fresh=fresh)
        return QuestionVerdict(kept=first, fresh=fresh)

    def _reply(self, one: ItemQuestion, variant: Variant) -> tuple[KeptReply, bool]:
        """The reply to a question as it is shown in a variant, and whether it is new."""
        made = prompt_of(one, variant)
        kept = self._ledger.kept(self._rater.digest(made))
        if kept is not None:
            return kept, False
        subject = CallSubject(one.item.id, one.question.name, variant)
        return self._rater.reply(made, subject), True

    def _vote(self, one: ItemQuestion, kept: KeptReply, remark: str) -> Judgement:
        return Judgement(
            item=one.item.id,
            rater=self._rater.name,
            person=False,
            question=one.question.name,
            answer=kept.answer,
            reason=kept.reason,
            remark=remark,
            when=kept.when,
            seconds=kept.seconds,
        )

    def _stop(self, error: CorefmillError) -> None:
        self._error = self._error or error
        self._ledger.close()


def prompt_of(one: ItemQuestion, variant: Variant = "first") -> RaterPrompt:
    """The prompt of a question, as it is shown in a variant."""
    return prompt(
        one.item,
        questions.by_kind()[one.item.kind],
        one.question,
        turned=variant == "turned",
        blank=instructions.blanked if variant == "blanked" else str,
    )


def _first(asked: Sequence[ItemQuestion], max_items: int | None) -> range:
    """The numbers of the questions about the first so many items."""
    seen: set[str] = set()
    for number, one in enumerate(asked):
        seen.add(one.item.id)
        if max_items is not None and len(seen) > max_items:
            return range(number)
    return range(len(asked))


def prompts(asked: Sequence[ItemQuestion]) -> dict[str, str]:
    """What the model was told before the items, by kind and question."""
    kinds = {f"{one.item.kind}/{one.question.name}": one for one in reversed(asked)}
    return {name: prompt_of(one).system for name, one in sorted(kinds.items())}


def _flagged(item: AnnotationItem) -> bool:
    texts = (item.text, *item.options, *(text for _, text in item.facts))
    return len(item.text) <= LONGEST and any(map(instructions.found, texts))


def _unfit(name: str, kind: str) -> UsageError:
    return UsageError(
        f"{name} gives no answer that can be used, {_STUBBORN} times one after the other: {kind}",
        remedy="see that it can follow the prompt, and write it in --answer-tokens; what was"
        " answered is kept",
    )

"""Puts first what people should see next, by the votes of models and of people so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from corefmill.annotate import summary
from corefmill.annotate.answer_matrix import AnswerMatrix
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.questions import AnnotationItem, by_kind
from corefmill.annotate.rounds import group_of
from corefmill.corpora.errors import UsageError

_LEAST = 3


def by_votes(items: Sequence[AnnotationItem], said: Sequence[Judgement]) -> list[AnnotationItem]:
    """The items, those first of which a person's answer is expected to tell most.

    That is the sum over an item's questions, as `AnswerMatrix.told` has it; an item without a vote
    is as unsure as all are on the whole. The mentions of an event stay together, in their order,
    and have the mean of all of them. Raises `UsageError` where fewer than three raters voted.
    """
    known = {item.id: item for item in items}
    told: dict[str, float] = dict.fromkeys(known, 0.0)
    placed = [_placed(one, known[one.item]) for one in said if one.item in known]
    tables = {name: AnswerMatrix(own) for name, own in summary.by_question(placed).items()}
    fitted = {name: joint for name, own in tables.items() if (joint := own.joint())}
    if not fitted:
        most = max((len(own.raters) for own in tables.values()), default=0)
        raise UsageError(
            f"the votes on these items are of {most} rater{'s' * (most != 1)}, or all the same:"
            f" from {_LEAST} raters on, models or people, they tell what is unsure"
        )
    for name, joint in fitted.items():
        table = tables[name]
        (of_none,) = table.told(joint, joint.shares[None])
        of_voted = dict(zip(table.items, table.told(joint, joint.belief), strict=True))
        for item in items:
            if name in {question.name for question in by_kind()[item.kind].questions}:
                told[item.id] += float(of_voted.get(item.id, of_none))
    groups: defaultdict[str, list[AnnotationItem]] = defaultdict(list)
    for item in items:
        groups[group_of(item)].append(item)
    means = {name: sum(told[one.id] for one in own) / len(own) for name, own in groups.items()}
    return [item for name in sorted(groups, key=lambda name: -means[name]) for item in groups[name]]


def _placed(one: Judgement, item: AnnotationItem) -> Judgement:
    """A candidate as its place: names differ from item to item, and none has votes enough."""
    if one.answer in item.options:
        return replace(one, answer=str(item.options.index(one.answer)))
    return one

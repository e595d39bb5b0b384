"""What other tools ask of an item, and the judgements that their answers are.

1. An item is shown as one text: the passage, what is judged in [ ], and above it the facts.
2. What may be answered to a question is one list: the item's options in an order drawn by its id
   alone, then the answers, then the reasons, each of which is an answer by itself.
3. An answer is read by its name or by its words. What is none of the list is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corefmill.annotate import questions
from corefmill.annotate.judgements import Judgement, time
from corefmill.annotate.questions import AnnotationItem, Question, QuestionSet
from corefmill.builders.runner.stages import seeded
from corefmill.corpora.errors import DataError

REMARK = "remark"

Items = Mapping[str, AnnotationItem]
"""The items of a corpus by their ids."""


@dataclass(frozen=True, slots=True)
class OfferedAnswer:
    """A line of the list: the key that chooses it ("" for an option), its name, its words."""

    key: str
    name: str
    label: str


def facts(item: AnnotationItem) -> str:
    """The facts, a line each."""
    return "\n".join(f"{name}: {text}" for name, text in item.facts)


def options(item: AnnotationItem) -> tuple[str, ...]:
    """The options as they are shown: in the record's order the first might be the right one."""
    shown = list(item.options)
    seeded(0, "options", item.id).shuffle(shown)
    return tuple(shown)


def fixed(question: Question) -> tuple[OfferedAnswer, ...]:
    """The answers and reasons, which every item has."""
    return tuple(
        OfferedAnswer(one.key, one.name, one.label)
        for one in (*question.answers, *question.reasons)
    )


def by_kind(items: Sequence[AnnotationItem]) -> Iterator[tuple[QuestionSet, list[AnnotationItem]]]:
    """The items of each kind, with what is asked of them."""
    for kind, asked in questions.by_kind().items():
        if own := [item for item in items if item.kind == kind]:
            yield asked, own


def kinds(items: Sequence[AnnotationItem]) -> list[str]:
    """The kinds of items that there are, in the order of the table of questions."""
    return [asked.kind for asked, _ in by_kind(items)]


def judgement(
    item: AnnotationItem,
    question: str,
    said: str,
    rater: str,
    *,
    person: bool = True,
    remark: str = "",
    when: str = "",
    seconds: float | None = None,
) -> Judgement:
    """What a rater said, as a judgement; "" is skipped.

    Raises `ValueError` for a question that is not asked of the item, and as rule 3 says.
    """
    asked = questions.by_kind()[item.kind]
    try:
        one = asked.question(question)
    except KeyError:
        names = ", ".join(own.name for own in asked.questions)
        raise ValueError(
            f"no question {question[:40]!r}; of {item.kind} there are {names}"
        ) from None
    answer, reason = _meant(one, item, said)
    return Judgement(
        item=item.id,
        rater=rater,
        person=person,
        question=question,
        answer=answer,
        reason=reason,
        remark=remark,
        when=time(when).strftime("%Y-%m-%dT%H:%M:%SZ") if when else "",
        seconds=seconds,
    )


def _meant(question: Question, item: AnnotationItem, said: str) -> tuple[str, str]:
    if said == questions.SKIPPED:
        return said, ""
    if question.options and said in item.options:
        return said, ""
    for one in question.answers:
        if said in (one.name, one.label):
            return one.name, ""
    for one in question.reasons:
        if said in (one.name, one.label):
            return question.answers_with, one.name
    raise ValueError(f"{said[:40]!r} is no answer to {question.name} of {item.id[:60]!r}")


def item_of(items: Items, name: object, path: Path, line: int | None) -> AnnotationItem:
    """The item of that id; raises `DataError` where the corpus has none."""
    if isinstance(name, str) and name in items:
        return items[name]
    raise DataError(
        f"no item {str(name)[:60]!r} in the corpus",
        path=path,
        line=line,
        remedy="were the tasks exported from this very corpus?",
    )

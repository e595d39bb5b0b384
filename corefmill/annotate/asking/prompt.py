"""What a language model is sent of an item: guidelines as its instructions, the item as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from corefmill.annotate.questions import AnnotationItem, Question, QuestionSet
from corefmill.builders.runner.stages import seeded
from corefmill.builders.services.chat import json_object
from corefmill.builders.services.service import NoUsableAnswer
from corefmill.corpora import beside
from corefmill.corpora.printable import printable

SKIP = "skip"
"""What a model answers to pass an item over."""

Variant = Literal["first", "turned", "blanked"]
"""How an item is shown: `turned` has its answers and options in the opposite order, `blanked` what
reads as an instruction to its reader left out."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered: an answer's name, a candidate, or "" for skipped; and a reason."""

    answer: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPrompt:
    """One question about one item: the two messages, and which answers it has.

    `answers` maps what the model may write to what it stands for, `reasons` are those that it may
    give with the answer `answers_with`.
    """

    system: str
    user: str
    answers: Mapping[str, str]
    reasons: tuple[str, ...]
    answers_with: str

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of an answer."""
        properties: dict[str, Any] = {"answer": {"type": "string", "enum": [*self.answers]}}
        if self.reasons:
            properties["reason"] = {"type": "string", "enum": ["", *self.reasons]}
        return {
            "type": "object",
            "properties": properties,
            "required": [*properties],
            "additionalProperties": False,
        }

    def read(self, content: str) -> ModelReply:
        """The reply in a message; raises `NoUsableAnswer` for anything but one of the answers.

        Nothing is guessed: `Yes` and `yes, since ...` are not `yes`.
        """
        made = json_object(content, "answer", strict=True)
        said, reason = made["answer"], made.get("reason", "")
        if not isinstance(said, str) or said not in self.answers:
            raise NoUsableAnswer("its answer is none of those it may give", "outside_the_answers")
        if self.reasons and reason != "":
            if reason not in self.reasons:
                raise NoUsableAnswer("its reason is none of those it may give", "no_such_reason")
            if self.answers[said] != self.answers_with:
                raise NoUsableAnswer("its reason is one for another answer", "contradiction")
            return ModelReply(self.answers[said], reason)
        return ModelReply(self.answers[said])


def prompt(
    item: AnnotationItem,
    asked: QuestionSet,
    question: Question,
    *,
    turned: bool = False,
    blank: Callable[[str], str] = str,
) -> RaterPrompt:
    """The prompt for a question about an item.

    Options are numbered in an order that the item's id decides. `turned` reverses that order, and
    the order in which the answers are listed. `blank` is applied to every text of the item, and
    keeps its length.
    """
    answers = [(answer.name, answer.label) for answer in question.answers]
    answers.append((SKIP, beside.table(__file__, "prompt")["skip"]))
    reasons = [(reason.name, reason.label) for reason in question.reasons]
    options = list(item.options) if question.options else []
    seeded(0, "options", item.id).shuffle(options)
    if turned:
        for order in (answers, reasons, options):
            order.reverse()
    numbered = {str(number): option for number, option in enumerate(options, 1)}
    shown: dict[str, Any] = {"text": _pieces(item, blank)}
    if numbered:
        shown["options"] = {number: blank(option) for number, option in numbered.items()}
    if item.facts:
        shown["about"] = {name: blank(text) for name, text in item.facts}
    names = {name: "" if name == SKIP else name for name, _ in answers}
    return RaterPrompt(
        system=_system(asked, question, answers, reasons),
        # Marks that turn the direction of writing, and the like, are seen as what they are.
        user=printable(json.dumps(shown, ensure_ascii=False)),
        answers=numbered | names,
        reasons=tuple(name for name, _ in reasons),
        answers_with=question.answers_with,
    )


def _system(
    asked: QuestionSet,
    question: Question,
    answers: Sequence[tuple[str, str]],
    reasons: Sequence[tuple[str, str]],
) -> str:
    words = beside.table(__file__, "prompt")
    listed = [f'- `"{name}"`: {label}' for name, label in answers]
    why, form = "", '{"answer": "..."}'
    if reasons:
        given = "\n".join(f'- `"{name}"`: {label}' for name, label in reasons)
        why = words["reasons"].format(answer=question.answers_with, reasons=given)
        form = '{"answer": "...", "reason": "..."}'
    told: str = words["system"].format(
        guidelines=asked.guidelines,
        ask=question.ask,
        answers="\n".join([words["options"]] * question.options + listed),
        reasons=why,
        form=form,
    )
    return told.strip()


def _pieces(item: AnnotationItem, blank: Callable[[str], str]) -> str | list[str | dict[str, str]]:
    """The text, cut at its marks where it has any: so no text can look like a mark."""
    text = blank(item.text)
    if len(text) != len(item.text):
        raise ValueError("what is left out of a text must not move the marks in it")
    return list(_cut(text, item)) if item.marks else text


def _cut(text: str, item: AnnotationItem) -> Iterator[str | dict[str, str]]:
    done = 0
    for start, end, name in item.marks:
        if start > done:
            yield text[done:start]
        yield {name: text[start:end]}
        done = end
    if done < len(text):
        yield text[done:]

"""Exercises with feedback: a tutorial that ships, and a practice round where labels are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from corefmill.annotate.questions import AnnotationItem, Mark
from corefmill.corpora import beside
from corefmill.corpora.records import MASK

_MARKED = {"event-mention": "mention", "pronoun-problem": "pronoun"}
_LENGTH = 10
"""Items of the practice round."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """An item with its right answers (`item.gold`); `reason` and `why` say more in the tutorial."""

    item: AnnotationItem
    reason: str = ""
    why: str = ""

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that have a right answer."""
        return tuple(question for question, _ in self.item.gold)


@cache
def tutorial(kind: str) -> tuple[Exercise, ...]:
    """The exercises of tutorial.toml for a kind of item."""
    made = []
    for number, row in enumerate(beside.table(__file__, "tutorial")[kind], 1):
        text, marks = _text(row["text"], kind)
        item = AnnotationItem(
            id=f"tutorial-{number}",
            kind=kind,
            lang="en",
            split="",
            group="",
            text=text,
            marks=marks,
            options=tuple(row.get("options", ())),
            facts=tuple(row.get("facts", {}).items()),
            gold=tuple(row["right"].items()),
        )
        made.append(Exercise(item, row.get("reason", ""), row["why"]))
    return tuple(made)


def practice(items: Sequence[AnnotationItem]) -> tuple[Exercise, ...]:
    """The first items, in the order given, of which the corpus has a label."""
    return tuple(Exercise(item) for item in items if item.gold)[:_LENGTH]


def _text(text: str, kind: str) -> tuple[str, tuple[Mark, ...]]:
    before, found, rest = text.partition("[[")
    if found:
        words, _, after = rest.partition("]]")
        mark = (len(before), len(before) + len(words), _MARKED[kind])
        return before + words + after, (mark,)
    return text, tuple((*one.span(), "mask") for one in re.finditer(re.escape(MASK), text))

"""What the page of a document shows to a rater, but for who that is and how far the round is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corefmill.annotate import passages
from corefmill.annotate.chaining import sheet, work
from corefmill.annotate.chaining.state import ChainState
from corefmill.annotate.questions import CHAINS
from corefmill.annotate.store import ADJUDICATION


@dataclass(frozen=True, slots=True)
class ActButton:
    """An act that has a key; mentions are assigned by the number of a cluster alone."""

    name: str
    key: str
    label: str
    title: str


BUTTONS = (
    ActButton("new", "n", "New", "A new cluster for this mention alone"),
    ActButton("split", "s", "Split", "A new cluster for this mention and those after it"),
    ActButton("merge", "j", "Merge", "All of its cluster joins another"),
    ActButton("add", "a", "Add", "A mention that is missing"),
    ActButton("remove", "r", "Remove", "This is no mention"),
    ActButton("border", "b", "Border", "It begins or ends elsewhere"),
)


def shown(
    kind: str, state: ChainState, rows: work.Rows, stage: str, place: sheet.SheetPlace
) -> Mapping[str, Any]:
    """The values of chains.html that come from the document."""
    made = sheet.sheet(state, place)
    found: Sequence[sheet.ShownDifference] = ()
    more = 0
    if stage == ADJUDICATION:
        raters = list(work.finished(state.own, rows).values())
        end = made.first + sum(len(one.words) for one in made.sentences)
        found, more = sheet.differences(state, raters, made.first, end, kind)
    return {
        "sheet": made,
        "chosen": place.mention,
        "numbered": kind == CHAINS,
        "last": max(state.cluster.values(), default=0),
        "title": passages.short(work.named(state.own)),
        "acts": [one for one in BUTTONS if one.name in work.acts(kind)],
        "differences": found,
        "more": more,
    }

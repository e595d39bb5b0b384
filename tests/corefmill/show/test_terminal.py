"""Brackets in a terminal, with colours and without."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from hypothesis import given

from corefmill.corpora.printable import printable
from corefmill.show.marks import Mark, MarkedPassage
from corefmill.show.terminal import Painter, coloured
from corefmill.show.views import view
from tests.corefmill.show.shown import EVIL, ITALIAN
from tests.corefmill.show.test_marks import passages
from tests.corpora.test_records import EVENT, EXAMPLE

PLAIN, BRIGHT = Painter(colours=False), Painter(colours=True)
COLOUR = re.compile("\x1b\\[[0-9;]*m")


def test_a_masked_example() -> None:
    assert list(PLAIN.lines(view(EXAMPLE, "train"))) == [
        "1  train  A day",
        "  [1 Anna] met [2 Bob]. [1* Anna] left.",
        "  1 Anna (the answer)  2 Bob",
        "  answer Anna; where paragraph 2",
        "",
    ]


def test_a_translation() -> None:
    assert list(PLAIN.lines(view(ITALIAN, ""))) == [
        "tale, part 0  tale",
        "   en [1 He] speaks.",
        "   it Ann: [1 Lui] parla .",
        "      weight 1.00",
        "   en She comes from [2 the house].",
        "   it [1 ]Viene [2 dalla casa] .",
        "      before the rules: Lei viene da la casa .",
        "      subject-deletion: Lei → ∅",
        "      weight 0.25",
        "  1 Lui (2 mentions)  2 la casa (1 mention)",
        "  sentences 2; mentions 3; clusters 2",
        "",
    ]
    assert "  … 1 more sentences; --full shows them" in PLAIN.lines(view(ITALIAN, "", 12))


@given(passages())
def test_colours_are_all_that_is_added(passage: MarkedPassage) -> None:
    bright = BRIGHT.passage(passage)
    assert COLOUR.sub("", bright) == PLAIN.passage(passage)
    rest = COLOUR.sub("", bright).replace("\n", "")
    assert printable(rest) == rest


def test_a_cluster_has_its_colour() -> None:
    passage = MarkedPassage("ab", (Mark(1, ((0, 1),)), Mark(2, ((1, 2),))))
    first, second = re.findall("\x1b\\[([0-9;]+)m\\[", BRIGHT.passage(passage))
    assert first != second


def test_a_hostile_text_does_not_act_on_the_terminal() -> None:
    event = replace(EVENT, text=EVIL + "\nx", start=0, end=len(EVIL), cluster_title=EVIL, id=EVIL)
    text = "\n".join(PLAIN.lines(view(event, "")))
    assert printable(text) == text and r"\u001b[31m\u0000" in text and r"\u202eevil" in text
    assert "\n    x" in text  # a line of the text does not look like a head
    long = replace(EVENT, text="é " * 500_000, start=500_000, end=500_001)
    assert max(map(len, PLAIN.lines(view(long, "")))) < 4_200


@pytest.mark.parametrize(
    ("terminal", "variables", "wanted"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_where_there_are_colours(
    terminal: bool, variables: dict[str, str], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    assert coloured(stream) is wanted

"""Brackets nest and leave the text as it is, whatever the mentions do."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora.files.terminal import printable
from corefmill.show.marks import (
    MOST_MARKS,
    Bracket,
    Mark,
    MarkedPassage,
    Painter,
    find_characters,
    find_tokens,
    has_colours,
    iter_brackets,
)
from corefmill.show.views import view
from tests.corefmill.show.shown import EVIL, ITALIAN
from tests.corpora.test_records import EVENT, EXAMPLE

LETTERS = "ab \n<>&\"'é😀\u0301\u202e\u200d\0\x1b[]\ud800"


@st.composite
def passages(draw: st.DrawFn) -> MarkedPassage:
    """Texts with mentions that overlap, nest, have gaps, and begin and end at the text's ends."""
    text = draw(st.text(LETTERS, max_size=12))
    place = st.integers(0, len(text))
    part = st.tuples(place, place).map(lambda pair: (min(pair), max(pair)))
    parts = st.lists(part, min_size=1, max_size=3).map(tuple)
    marks = draw(st.lists(st.builds(Mark, st.integers(0, 3), parts), max_size=5))
    return MarkedPassage(text, tuple(marks))


@given(passages())
def test_brackets_nest_and_hold_their_mentions(passage: MarkedPassage) -> None:
    stack: list[int] = []
    held: dict[int, set[int]] = defaultdict(set)
    outer: dict[tuple[int, bool], int] = defaultdict(int)
    position = 0
    for one in iter_brackets(passage):
        if isinstance(one, str):
            assert one == passage.text[position : position + len(one)]
            for number in stack:
                held[number] |= set(range(position, position + len(one)))
            position += len(one)
        elif one.opens:
            assert one.mark is passage.marks[one.number]
            stack.append(one.number)
        else:
            assert stack.pop() == one.number
        if isinstance(one, Bracket):
            outer[one.number, one.opens] += one.outer
    assert not stack
    assert position == len(passage.text)
    for number, mark in enumerate(passage.marks):
        assert held[number] == {at for start, end in mark.parts for at in range(start, end)}
        assert outer[number, True] == outer[number, False] == 1


@given(passages(), st.integers(1, 12), st.integers(0, 12))
def test_a_cut_passage_is_a_part_of_the_text_with_the_marks_in_it(
    passage: MarkedPassage, most: int, focus: int
) -> None:
    cut = passage.cut(most, focus)
    assert len(cut.text) <= max(most, 0)
    end = len(passage.text) - cut.after
    assert cut.text == passage.text[cut.before : end]
    covered = {at for mark in passage.marks for s, e in mark.parts for at in range(s, e)}
    shown = {at for mark in cut.marks for s, e in mark.parts for at in range(s, e)}
    assert shown == {at - cut.before for at in covered if cut.before <= at < end}


def shown(text: str, *marks: tuple[tuple[int, int], ...]) -> str:
    """The text with (1 and ) for brackets, {1 where a mention goes on."""
    passage = MarkedPassage(
        text, tuple(Mark(number, parts) for number, parts in enumerate(marks, 1))
    )
    pieces = []
    for one in iter_brackets(passage):
        if isinstance(one, str):
            pieces.append(one)
        else:
            pieces.append(f"{'(' if one.outer else '{'}{one.mark.cluster}" if one.opens else ")")
    return "".join(pieces)


def test_mentions_that_cross_go_on_behind_the_bracket() -> None:
    assert shown("abcdef", ((0, 3),), ((2, 5),)) == "(1ab(2c)){2de)f"
    assert shown("abc", ((0, 3),), ((0, 3),), ((0, 1),)) == "(1(2(3a)bc))"
    assert shown("abc", ((0, 1), (2, 3))) == "(1a)b{1c)"
    assert shown("ab", ((1, 1),), ((1, 2),), ((2, 2),)) == "a(1)(2b)(3)"
    assert shown("ab", ((0, 1), (1, 2))) == "(1ab)"
    assert shown("", ((0, 0),)) == "(1)"


def test_a_long_text_is_cut_around_its_mention_at_a_blank() -> None:
    text = "word " * 1_000
    cut = MarkedPassage(text, (Mark(1, ((2_500, 2_504),)),)).cut(100, 2_500)
    assert len(cut.text) <= 100 and cut.text.startswith("word ")
    ((start, end),) = cut.marks[0].parts
    assert cut.text[start:end] == text[2_500:2_504]
    assert cut.before + len(cut.text) + cut.after == len(text)


def test_too_many_mentions_are_counted() -> None:
    passage = MarkedPassage("a b", (Mark(1, ((0, 1),)),) * (MOST_MARKS + 5))
    for most in (2, 9):
        cut = passage.cut(most)
        assert (len(cut.marks), cut.unmarked) == (MOST_MARKS, 5)


def test_tokens_are_found_in_their_text() -> None:
    assert find_tokens("I gave it.", ["I", "gave", "it", "."]) == [(0, 1), (2, 6), (7, 9), (9, 10)]
    assert find_tokens("I gave", ["gave", "I"]) is None
    spans = [(0, 1), (2, 6)]
    assert find_characters(spans, 0, 2) == (0, 6)
    assert find_characters(spans, 1, 1) == (2, 2)
    assert find_characters(spans, 2, 2) == (6, 6)
    assert find_characters([], 0, 0) == (0, 0)


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
    assert "  … 1 more sentences; --json has them" in PLAIN.lines(view(ITALIAN, "", 12))


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
    assert has_colours(stream) is wanted

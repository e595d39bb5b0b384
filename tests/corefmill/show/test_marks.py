"""Brackets nest and leave the text as it is, whatever the mentions do."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from corefmill.show.marks import (
    MOST_MARKS,
    Bracket,
    Mark,
    MarkedPassage,
    bracketed,
    characters,
    in_text,
)

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
    for one in bracketed(passage):
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
    for one in bracketed(passage):
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
    assert in_text("I gave it.", ["I", "gave", "it", "."]) == [(0, 1), (2, 6), (7, 9), (9, 10)]
    assert in_text("I gave", ["gave", "I"]) is None
    spans = [(0, 1), (2, 6)]
    assert characters(spans, 0, 2) == (0, 6)
    assert characters(spans, 1, 1) == (2, 2)
    assert characters(spans, 2, 2) == (6, 6)
    assert characters([], 0, 0) == (0, 0)

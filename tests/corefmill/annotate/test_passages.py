"""What of a text is shown, and how."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.annotate.passages import WIDTH, short, window
from corefmill.annotate.questions import AnnotationItem
from corefmill.corpora.printable import printable

ITEM = AnnotationItem(id="i", kind="event-mention", lang="en", split="", group="", text="")


def test_control_codes_and_marks_of_direction_are_shown() -> None:
    item = replace(ITEM, text="a\u202eb\x1b[0m c", marks=((2, 3, "mention"),))
    assert window(item).pieces == (("", "a\\u202e"), ("mention", "b"), ("", "\\u001b[0m c"))


@settings(max_examples=30)
@given(st.text(max_size=50), st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50))))
def test_whatever_the_marks_the_text_is_whole(text: str, spans: list[tuple[int, int]]) -> None:
    marks = tuple((*sorted(span), "m") for span in spans)
    pieces = window(replace(ITEM, text=text, marks=marks)).pieces  # type: ignore[arg-type]
    assert "".join(piece for _, piece in pieces) == printable(text)
    assert all(piece for _, piece in pieces)


@pytest.mark.parametrize("place", [0, 700, 500_000, 999_990])
def test_a_long_text_is_shown_around_its_mark(place: int) -> None:
    text = "0123456789" * 100_000
    item = replace(ITEM, text=text, marks=((place, place + 5, "mention"),))
    found = window(item)
    shown = dict(found.pieces)
    assert shown["mention"] == text[place : place + 5] and not found.moved
    assert sum(len(piece) for _, piece in found.pieces) == WIDTH
    read, at = "", 0
    while at is not None:
        part = window(item, at)
        read += "".join(piece for _, piece in part.pieces)
        at = part.later  # type: ignore[assignment]
    assert read == text
    assert window(item, 10**9).later is None and window(item, 0).earlier is None


def test_a_name_is_cut_to_one_short_line() -> None:
    assert short("a\n b\u202e") == "a b\\u202e"
    assert short("x" * 300, 10) == "x" * 9 + "…"

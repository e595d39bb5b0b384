"""Brackets of CorefUD over the nodes of a sentence."""

from __future__ import annotations

import pytest

from corefmill.corpora.formats.corefud_entity import EntityError, Span, make, parse, position


def test_nested_mentions_with_attributes() -> None:
    cells = ["(e1-person-2", "(e2--1)", None, "(e3)e1)"]
    spans = [
        Span("e1", "-person-2", ((0, 4),)),
        Span("e2", "--1", ((1, 2),)),
        Span("e3", "", ((3, 4),)),
    ]
    assert parse(cells) == spans and make(spans, 4) == cells


def test_a_discontinuous_mention() -> None:
    cells = ["(e5[1/2]-x", "e5[1/2])", "(e6)", "(e5[2/2]-x)"]
    spans = [Span("e5", "-x", ((0, 2), (3, 4))), Span("e6", "", ((2, 3),))]
    assert parse(cells) == spans and make(spans, 4) == cells


def test_the_name_may_stand_elsewhere() -> None:
    at = position("entity-GRP-infstat")
    assert parse(["(person-7-new)"], at) == [Span("7", "-person-new", ((0, 1),))]
    assert make([Span("7", "-person-new", ((0, 2),))], 2, at) == ["(person-7-new", "7)"]
    with pytest.raises(ValueError, match="names no eid"):
        position("head-other")


def test_closing_before_opening_before_single() -> None:
    spans = [
        Span("a", "", ((0, 2),)),
        Span("b", "", ((1, 3),)),
        Span("c", "", ((1, 4),)),
        Span("d", "", ((1, 2),)),
        Span("e", "", ((3, 4),)),
    ]
    assert make(spans, 4) == ["(a", "a)(c(b(d)", "b)", "(e)c)"]


@pytest.mark.parametrize(
    ("cells", "node", "message"),
    [
        (["e1)"], 0, "closes what is not open"),
        (["(e1", None], 0, "is not closed in its sentence"),
        ([None, "e1"], 1, "is not a bracket"),
        (["((e1)"], 0, "names no entity"),
        (["(e1)x"], 0, "is not a bracket"),
        (["(-1)"], 0, "names no entity"),
        (["()"], 0, "names no entity"),
        (["(e1[2/2])"], 0, "continues what has not begun"),
        (["(e1[1/2])"], 0, "has 1 of 2 parts"),
        (["(e1[3/2])"], 0, "names no entity"),
        ([""], 0, "is not a bracket"),
    ],
)
def test_refuses(cells: list[str | None], node: int, message: str) -> None:
    with pytest.raises(EntityError, match=message) as caught:
        parse(cells)
    assert caught.value.node == node


@pytest.mark.parametrize(
    "spans",
    [
        [Span("e1", "", ((0, 3),)), Span("e1", "", ((1, 4),))],
        [Span("e1", "", ((0, 2),)), Span("e2", "", ((0, 2),))],
        [Span("e(1", "", ((0, 2),))],
        [Span("e1", "-a|b", ((0, 2),))],
    ],
)
def test_makes_nothing_that_would_be_read_otherwise(spans: list[Span]) -> None:
    with pytest.raises(ValueError):
        make(spans, 4)

"""Conditions (a) and (b) of the paper, on passages with their names marked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.persons.drafts import DraftContext, drafts
from tests.builders.wikicrem.passages import marked, view


def mined(line: str) -> list[tuple[str, int, tuple[str, ...]]]:
    """Of each draft the masked name, its place among the names, and the wrong candidates."""
    read = marked(line)
    return [
        (draft.target.text, read.names.index(draft.target), draft.others)
        for group in drafts(read.sentences, read.names)
        for draft in group
    ]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        # (a): both stand before the mask in its sentence, whichever later occurrence it is.
        ("[Ann] met [Bob] and [Ann] left.", [("Ann", 2, ("Bob",))]),
        ("[Ann] came and [Ann] met [Bob].", []),
        ("[Ann] met [Bob]. | [Cyd] left.", []),
        ("[Ann] saw [Ann], [Bob], [Ann] and [Ann].", [("Ann", 3, ("Bob",)), ("Ann", 4, ("Bob",))]),
        # Wrong candidates in the order of first mention, once each.
        (
            "[Cyd], [Bob], [Ann] and [Bob] met; [Cyd] left.",
            [("Cyd", 4, ("Bob", "Ann")), ("Bob", 3, ("Cyd", "Ann"))],
        ),
        # (b): both in the first sentence, the mask in the second, with both named there or neither.
        ("[Ann] met [Bob]. | [Ann] left.", [("Ann", 2, ("Bob",))]),
        ("[Ann] met [Bob]. | [Bob] saw that [Ann] left.", []),
        ("[Ann] met [Bob]. | [Ann] left [Bob].", []),
        # (a) asks for the last one alone; (b) for either.
        (
            "[Ann] met [Bob]. | [Bob] saw [Ann] before [Ann] left.",
            [("Ann", 4, ("Bob",)), ("Ann", 3, ("Bob",)), ("Ann", 4, ("Bob",))],
        ),
        (
            "[Ann] met [Bob] and [Cyd]. | [Ann] left [Bob].",
            [("Ann", 3, ("Cyd",)), ("Bob", 4, ("Cyd",))],
        ),
        # A name of the second sentence alone is no candidate, and a sentence between too far.
        ("[Ann] met [Bob]. | [Ann] left [Cyd].", [("Ann", 2, ("Bob",))]),
        ("[Ann] met [Bob]. | It rained. | [Ann] left.", []),
        # Names are equal to the letter.
        ("[Ann] met [Bob]. | [ann] left.", []),
        ("[Ann] met [Bob]. | [Ann Day] left.", []),
        *((line, []) for line in ("", "It rained.", "[Ann] left.", "[Ann] and [Ann]. | [Ann].")),
    ],
)
def test_drafts_by_the_papers_conditions(
    line: str, wanted: list[tuple[str, int, tuple[str, ...]]]
) -> None:
    assert mined(line) == wanted


LINE = "[Ann] met [Mr. Bob Day]. | Then, {Ann} left him."


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Mr. Bob Day", ("Bob", "Day")),
        ("J. R. Fay", ("Fay",)),
        ("Jean-Luc O’Neil", ("Jean", "Luc", "Neil")),
        ("Sun Yat-sen Sun", ("Sun", "Yat", "sen")),
        ("Q", ()),
    ],
)
def test_parts_are_words_without_honorifics_and_initials(name: str, parts: tuple[str, ...]) -> None:
    assert view(LINE).parts(name) == parts


def test_tokens_are_the_passages_cut_at_names() -> None:
    seen = view(LINE, before="It rained.")
    seen = replace(seen, read=replace(seen.read, tokens=((3, 9), (11, 18), (19, 51), (52, 53))))
    assert [seen.text[s:e] for s, e in seen.tokens] == [
        "Ann",
        " met",
        "Mr. Bob Day",
        ". Then, ",
        "Ann",
        " left him.",
    ]


def test_faulty_wrong_candidates_go_one_by_one() -> None:
    seen = view("[Ann] met [Bob], [Cyd] and [Dot]. | {Ann} left.")
    assert seen.without(lambda one: "Cyd" in one.candidates).draft.others == ("Bob", "Dot")
    assert seen.without(lambda one: False) == seen
    # Where nothing is left, the filter that finds the fault is to see all of them.
    assert seen.without(lambda one: True) == seen


def test_a_single_wrong_candidate_stays_for_the_filter_to_see() -> None:
    seen = view(LINE)

    def unasked(one: DraftContext) -> bool:
        raise AssertionError(one)

    assert seen.without(unasked) is seen

"""What a filter sees of a draft, and how an article uses a name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.persons.drafts import DraftContext
from tests.builders.wikicrem.passages import view

LINE = "[Ann] met [Mr. Bob Day]. | Then, {Ann} left him."


def test_a_view_is_of_the_passage_in_its_paragraph() -> None:
    seen = view(LINE, before="It rained.", after="So it was.")
    assert seen.text == "It rained. Ann met Mr. Bob Day. Then, Ann left him. So it was."
    assert seen.passage == "Ann met Mr. Bob Day. Then, Ann left him."
    assert (seen.before, seen.after) == ("Then, ", " left him.")
    assert seen.candidates == ("Ann", "Mr. Bob Day")
    assert (seen.last_words(3), seen.next_words(2)) == (["Then", ","], ["left", "him"])
    assert [name.start for name in seen.mentions("Ann")] == [11, 38]


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


def test_tokens_of_a_stretch_count_from_where_it_begins() -> None:
    seen = view(LINE, before="It rained.")
    moved = tuple((start - 11, end - 11) for start, end in seen.read.tokens if start >= 11)
    stretch = replace(seen, read=replace(seen.read, tokens=moved), read_from=11)
    assert stretch.tokens == seen.tokens


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

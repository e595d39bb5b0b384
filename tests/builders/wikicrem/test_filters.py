"""Each filter on the surface stops what it is named for, and lets the near miss through."""

from __future__ import annotations

from typing import Any

import pytest

from corefmill.builders.persons.table import PersonWords
from corefmill.builders.wikicrem.filters import LONGEST, SURFACE
from tests.builders.wikicrem.passages import WIKI, view

Case = tuple[str, str, dict[str, Any]]


def case(filter: str, line: str, **more: Any) -> Case:
    """A marked line (see passages.py) for one filter, and what `view` is told besides."""
    return filter, line, more


LONG = "word " * (LONGEST - 5)

STOPPED = [
    case("odd_name", "[R2D2] met [Bob] before {R2D2} left."),
    case("odd_name", "[Ann] met [Bob, Jr.] before {Ann} left."),
    case("odd_name", "[ANNABEL] met [Bob] before {ANNABEL} left."),
    case("odd_name", "[Ann] met [bob] before {Ann} left."),
    case("odd_name", "[J. B.] met [Bob] before {J. B.} left."),
    case("odd_name", "[Ann Bea Cyd Dot Eve Fay] met [Bob] and {Ann Bea Cyd Dot Eve Fay} left."),
    case("length", "[Ann] met [Bob], and then {Ann} left."),  # seven words
    case("length", f"[Ann] met [Bob] {LONG}and {{Ann}} left."),  # one too many
    case("not_prose", "[Ann] met [Bob] = a friend, before {Ann} left."),
    case("not_prose", "[Ann] met [Bob], see www.mill.example, before {Ann} left."),
    case("not_prose", "[Ann] met [Bob] before {Ann} left"),
    case("not_prose", "then [Ann] met [Bob] before {Ann} left."),
    case("not_prose", "[Ann] met [Bob] :) before {Ann} left."),
    case("not_prose", "[Ann] 12 3, [Bob] 1 0, {Ann} 8 11."),
    case("not_prose", "[Ann] THEN WENT OUT with [Bob], and {Ann} left."),
    case("words_lost", "[Ann] met [Bob] before {Ann} left.", lost=[7]),
    case("words_lost", "[Ann] met [Bob] before {Ann} left.", before="It rained.", lost=[10]),
    case("shared_name_part", "[Ann Lee] met [Bob Lee] before {Ann Lee} left."),
    case("same_person", "[Ann] met [Miss Lee] before {Ann} left.", elsewhere="Ann Lee left."),
    case("shared_name_part", "[John] met [Bob], {John} left [Mrs. John], and it rained."),
    case("same_person", "[Bill] met [Will Lee] before {Bill} left."),
    case("same_person", "[Ann] met [Lee] before {Ann} left.", elsewhere="Ann Lee left."),
    case("part_of_longer_name", "[Hill] met [Bob] of Hill & Knowlton before {Hill} left."),
    case("part_of_longer_name", "[Ann] met [Bob Lee] at the Lee Theatre before {Ann} left."),
    case("styled", "[Ann] met [Bob] and wrote My Life by {Ann} alone.", italic="My Life by Ann"),
    case("styled", "[Ann] met [Bob], and then it was {Ann} who left.", bold="Ann who"),
    case("quoted", "[Ann] met [Bob] and said, “Trust {Ann} at least.”"),
    case("quoted", '[Ann] met [Bob] and said, "Trust {Ann} at least."'),
    case("quoted", "[Ann] met [Bob] and said, 'Trust {Ann} at least.'"),
    case(
        "quoted", "[Ann] met [Bob], “and the mill,” he said, “fell on {Ann}.”", before="“It is so."
    ),
    case("quoted", "[Ann] met [Bob] at the mill, {Ann}, he left.”", before="She said: “It rained."),
    case("shared_name_part", "[Ann Lee] met [Bob], {Ann Lee} left [Eve Lee], and it rained."),
    case("bracketed", "[Ann] met [Bob] and she ({Ann}) left the mill."),
    case("bracketed", "[Ann] met [Bob] before {Ann} (born in a mill) left."),
    case("joined", "[Ann] met [Bob] in the {Ann}-led band of millers."),
    case("joined", "[Ann] met [Bob] in the mill of {Ann} & Sons."),
    case("joined", "[Ann] met [Bob] in the anti-{Ann} camp of millers."),
    case("joined", "[Ann] met [Bob], whom the miller/{Ann} knew."),
    case("after_honorific", "[Ann] met [Bob], and Captain {Ann} left the mill."),
    case("after_honorific", "[Ann] met [Bob], and aunt {Ann} left the mill."),
    case("after_honorific", "[Mrs. Lee] met [Bob]. | Mr. and {Mrs. Lee} left the mill."),
    case("enumerated", "[Ann] met [Bob] before {Ann} or [Cyd] left the mill."),
    case("enumerated", "[Ann] met [Bob] before [Cyd], or {Ann}, left the mill."),
    case("enumerated", "[Ann] met [Bob] before [Cyd], {Ann}, [Dot] left the mill."),
    case("enumerated", "[Ann] met [Bob] before [Cyd], {Ann} and [Dot] left the mill."),
    case("enumerated", "[Ann] met [Bob] before [Cyd], [Dot], and {Ann} left the mill."),
    case("enumerated", "[Ann] met [Bob] before {Ann}, [Cyd] left the mill."),
    case("either_of_list", "[Ann] and [Eve] met the miller. | {Ann} left the mill."),
    case("either_of_list", "It rained for [Ann] and for [Eve]. | {Ann} left the mill."),
    case("either_of_list", "[Dot], [Ann] and [Eve] met the miller. | {Ann} left the mill."),
    # His gender tells nothing where no word agrees with it.
    case("either_of_list", "[Ann] and [Bob] met the miller. | {Ann} left the mill."),
    case("being_named", "[Ann] met [Bob] and took a boat named {Ann} to the mill."),
    case("being_named", "[Ann] met [Bob], and the boat was known as {Ann} at the mill."),
    case("relative_clause", "[Ann] met [Bob] before {Ann}, who was late, left."),
    case("relative_clause", "[Ann] met [Bob] before {Ann} whose hat was lost left."),
    case("relative_clause", "[Ann] met [Bob] before {Ann}, to whom he bowed, left."),
    case("in_italics", "[Ann] met [Bob Lee] before {Ann} left.", italic="met Bob Lee"),
    case("names_a_thing", "[Ann] met [Bob] in [Bob] Street before {Ann} left."),
    case("names_a_thing", "[Ann] met [Bob] at the {Ann} Prize, and it rained."),
    case("speech_tag", "[Ann] met [Bob]. | “It rains,” said {Ann} to the miller.", site=WIKI),
    case("speech_tag", "[Ann] met [Bob]. | {Ann} replied: “It rains on the mill.”", site=WIKI),
    case("article_no_person", "[Ann] met [Bob] and {Ann} left.", title="Ann", is_person=False),
    case("article_no_person", "[Ann] met [Bob], {Ann} left.", title="Bob (cat)", is_person=False),
    # Three of six places.
    case("seldom_person", "[Ann] met [Bob] and {Ann} left.", after="Ann, Ann, Ann and [Bob]."),
    case("used_as_thing", "[Ann] met [Bob] in the mill before {Ann} left in the [Bob]."),
    case("never_within_sentence", "[Ann] met [Bob]. | {Ann} left.", elsewhere="Hi! Ann, here."),
    case("common_word", "[Joy] met [Bob] with joy, joy and joy before {Joy} left with joy."),
]

LET_THROUGH = [
    case("odd_name", "[J. R. Lee] met [Jean-Luc O’Neil] before {J. R. Lee} left."),
    case("odd_name", "[ANN] met [McCoy] before {ANN} left."),
    case("odd_name", "[Sun Yat-sen] met [Bob] before {Sun Yat-sen} left."),
    case("odd_name", "[Ludwig van Beethoven] met [Bob] before {Ludwig van Beethoven} left."),
    case("length", "[Ann] met [Bob], and so then {Ann} left."),  # eight words
    case("length", f"[Ann] met [Bob] {LONG}{{Ann}} left."),
    case("words_lost", "[Ann] met [Bob] before {Ann} left.", before="It rained.", lost=[2]),
    case("not_prose", "[Ann] met [Bob] at the _mill_ before {Ann} left."),
    case("not_prose", "[Ann] met [Bob] before {Ann} left, and she said:"),
    case("not_prose", "[Ann] met [Bob] before {Ann} left and said--"),
    case("not_prose", "“[Ann] met [Bob] (of 12 Mill Lane) before {Ann} left.”"),
    case("not_prose", "[Ann] of NASA met [Bob] of ABBA before {Ann} left…"),
    case("not_prose", "[Ann], 12, met [Bob], 13, before {Ann}, at 2, left the mill in the rain?!"),
    case("shared_name_part", "[Mr. Lee] met [Mr. Day] before {Mr. Lee} left."),
    case("same_person", "[Ann] met [Mr. Lee] before {Ann} left.", elsewhere="Ann Lee left."),
    case("shared_name_part", "[J. Lee] met [J. Day] before {J. Lee} left."),
    # Whoever shares a word with a wrong candidate is not the answer either.
    case("shared_name_part", "[Ann] met [Bob], {Ann} left [Bob Lee], and it rained."),
    case("shared_name_part", "[Mrs. Lee] met [Bob], {Mrs. Lee} left [Mr. Lee], and it rained."),
    case("part_of_longer_name", "[Mrs. Lee] met [Bob], {Mrs. Lee} left [Mr. Lee], and it rained."),
    case("part_of_longer_name", "[Hill] met [Bob] on a hill near Hillside before {Hill} left."),
    case("part_of_longer_name", "[Mr. Lee] met [Mr. Day]; Mr. and Mrs. Fay and {Mr. Lee} left."),
    case("styled", "[Ann] met [Bob] and wrote My Life before {Ann} left.", italic="My Life"),
    case("quoted", "[Ann] said “Trust me” to [Bob] before {Ann} left."),
    case("quoted", '[Ann] said "Trust me" to [Bob] before {Ann} left.'),
    case("quoted", "[Ann] said 'Trust me!' to [Bob] before {Ann} left."),
    case("quoted", "[Ann] took Bob's and [Bob]’s hats, James’ too, before {Ann} left."),
    case("quoted", "[Ann] met [Bob] before {Ann} left.”", before="She said: “It rained."),
    case("bracketed", "[Ann] met [Bob] (who knew {Ann} of old) in the mill."),
    case("bracketed", "[Ann] met [Bob] (born in a mill) before {Ann} left (by boat)."),
    case("joined", "[Ann] met [Bob] -- who knew {Ann}--in the half-built mill."),
    case("after_honorific", "[Ann] met [Bob], and the captain {Ann} left the mill."),
    case("after_honorific", "[Captain Ann] met [Bob] before {Captain Ann} left."),
    # A pronoun can be joined with a name: "she and Cyd".
    case("enumerated", "[Ann] met [Bob] before {Ann} and [Cyd] left the mill."),
    case("enumerated", "[Ann] met [Bob] before [Cyd] and {Ann} left the mill."),
    case("enumerated", "[Ann] met [Bob] before {Ann} and her mother left the mill."),
    # What stands after a comma may be a clause's subject.
    case("enumerated", "[Ann] met [Bob] in the mill of [Cyd], {Ann} felt sure."),
    case("either_of_list", "[Ann] and [Bob] met the miller. | {Ann} left with her dog."),
    case("either_of_list", "[Ann] and [Eve] met, [Ann] sang at the mill, and {Ann} left."),
    case("either_of_list", "[Ann] met [Bob] and the miller. | {Ann} left the mill."),
    case("enumerated", "[Ann] met [Bob] before {Ann} and a dog left the mill."),
    case("enumerated", "[Ann] met [Bob], and then {Ann} left [Cyd] and [Dot]."),
    case("enumerated", "[Ann] met [Bob] in the mill, and {Ann} left."),
    case("being_named", "[Ann] met [Bob], and {Ann} called the boat Mill."),
    case("being_named", "[Ann] met [Bob] at the mill as {Ann} left."),
    case("relative_clause", "[Ann] met [Bob] before {Ann} and who knows left."),
    case("relative_clause", "[Ann] met [Bob], who was late, before {Ann} left."),
    case("relative_clause", "[Ann] met [Bob] before {Ann} asked the man whose hat was lost."),
    case("names_a_thing", "[Ann] met [Bob] in the street before {Ann} left Mill Street."),
    case("in_italics", "[Ann] met [Bob Lee] before {Ann} left.", italic="before"),
    case("names_a_thing", "[Ann] met [Bob], and {Ann} crossed the Street."),
    # In a novel "said he" is natural.
    case("speech_tag", "[Ann] met [Bob]. | “It rains,” said {Ann} to the miller."),
    case("speech_tag", "[Ann] met [Bob]. | {Ann} said that it rained on the mill.", site=WIKI),
    case("speech_tag", "[Ann] met [Bob]. | “It rains,” said the miller to {Ann}, now.", site=WIKI),
    case("article_no_person", "[Ann] met [Bob] and {Ann} left.", title="Ann", is_person=True),
    case("article_no_person", "[Ann] met [Bob] and {Ann} left.", title="Ann", is_person=None),
    case("article_no_person", "[Ann] met [Bob] and {Ann} left.", title="Annex", is_person=False),
    # Two of three places; a part of another word is no place.
    case("seldom_person", "[Ann] met [Bob] and {Ann} left.", after="Ann, Anne, Annabel, Ann_."),
    # One of three places.
    case("used_as_thing", "[Ann] met [Bob] in the mill before {Ann} left with the Ann."),
    case("never_within_sentence", "[Ann] met [Bob]. | {Ann} left.", elsewhere="They saw Ann."),
    case("never_within_sentence", "[Ann] met [Bob]. | {Ann} left.", elsewhere="Then, Ann sang."),
    case("common_word", "[Joy] met [Bob] with joy and joy before {Joy} left [Joy]."),
    case("common_word", "[Joy Day] met [Bob] on a day of joy before {Joy Day} left for a day."),
]


@pytest.mark.parametrize("case", [*STOPPED, *LET_THROUGH])
def test_a_filter_stops_or_lets_through(case: Case) -> None:
    filter, line, more = case
    assert SURFACE[filter](view(line, **more)) is (case in STOPPED)


@pytest.mark.parametrize("cases", [STOPPED, LET_THROUGH])
def test_no_filter_comes_without_a_case(cases: list[Case]) -> None:
    assert {filter for filter, *_ in cases} == set(SURFACE)


def test_a_plain_passage_passes_all() -> None:
    seen = view(
        "At the mill, [Ann] met [Bob] in the rain. | After an hour {Ann} left.",
        elsewhere="It was known that Ann and Bob were friends.",
        title="Ann",
        is_person=True,
    )
    assert [name for name, stops in SURFACE.items() if stops(seen)] == []


@pytest.mark.parametrize("name", SURFACE)
def test_a_filter_requires_the_words_without_which_it_stops_nothing(name: str) -> None:
    cases = [(line, more) for filter, line, more in STOPPED if filter == name]
    seen = (view(line, **{**more, "table": PersonWords()}) for line, more in cases)
    assert any(map(SURFACE[name], seen)) != hasattr(SURFACE[name], "requires")

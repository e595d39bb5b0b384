"""What speaks for a mention whose noun no list has, and what against."""

from __future__ import annotations

import pytest

from corefmill.builders.wec.filters import syntax as evidence
from tests.builders.wec.filters.views import facts, view

SPILL = facts("Corrin oil spill", location="Corrin Bay", date="2010", operator="Vesk Oil")
SUNDAY = facts("Black Sunday (1972)", location="Derrin")
TALKS = facts("Crimea Conference", location="Jaltava")


@pytest.mark.parametrize("mention", ["2010 gusher", "gusher of April", "gusher of Corrin"])
def test_a_date_or_a_name_of_the_event_speaks_for_a_noun(mention: str) -> None:
    shown = view(
        f"It was lost in the [{mention}] there.", SPILL, head=mention.split().index("gusher")
    )
    assert evidence.suffices(shown)


def test_a_place_s_adjective_is_its_name() -> None:
    assert evidence.own_name(view("They came to the [Crimean understanding].", TALKS))
    assert not evidence.own_name(view("They came to the [Crimson understanding].", TALKS))


@pytest.mark.parametrize(
    ("mention", "head"),
    [
        ("gusher", -1),
        ("first gusher of Corrin", 1),
        ("last gusher of 2010", 1),
        ("gusher at Orla Bay in 2010", 0),
    ],
)
def test_a_part_a_foreign_name_or_nothing_speaks_against_it(mention: str, head: int) -> None:
    assert not evidence.suffices(view(f"They spoke of the [{mention}] again.", SPILL, head=head))


def test_a_noun_made_of_a_verb_names_an_event_by_itself() -> None:
    assert evidence.suffices(view("They spoke of the [gradual upwelling] again.", SPILL))
    assert evidence.suffices(view("They spoke of the [foul-up] again.", SPILL))
    assert not evidence.suffices(view("They spoke of the [plugging of a hole].", SPILL, head=0))


def test_a_name_nobody_knows_is_one_that_dates_something_or_has_a_day_in_it() -> None:
    assert evidence.suffices(view("She died on [Ash Saturday] there.", SPILL, pos="PROPN"))
    assert evidence.suffices(view("He left after the [Oilpest] there.", SPILL, pos="PROPN"))
    assert not evidence.suffices(view("He saw the [Oilpest] there.", SPILL, pos="PROPN"))
    assert not evidence.suffices(view("He left after [Vesk Oil] did.", SPILL, pos="PROPN"))
    assert not evidence.suffices(
        view("He left after the [Oilpest] there.", SPILL, pos="PROPN", ner="ORG")
    )


def test_what_is_about_an_event_is_not_the_event() -> None:
    apology = view("There was an [apology for Black Sunday] later.", SUNDAY, head=0)
    assert evidence.is_about_it(apology)
    assert not evidence.suffices(apology)
    assert not evidence.is_about_it(view("There was [Black Sunday] later.", SUNDAY, pos="PROPN"))


def test_a_day_in_a_name_is_no_date() -> None:
    assert evidence.has_day(view("She died on [Ash Saturday] there.", SPILL))
    assert not evidence.has_day(view("She died on [Saturday, 3 May] there.", SPILL))
    assert not evidence.has_day(view("She died on [that bad day] there.", SPILL))


def test_a_place_dates_something_behind_a_word_of_time_alone() -> None:
    assert evidence.dates_from_place(view("Since [Corrin Bay] he slept badly.", SPILL))
    assert not evidence.dates_from_place(view("Near [Corrin Bay] he slept badly.", SPILL))

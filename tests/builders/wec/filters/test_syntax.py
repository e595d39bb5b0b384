"""Each filter that looks at the pipeline's reading."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.wec.filters import syntax as evidence
from corefmill.builders.wec.filters.link_view import LinkView
from corefmill.builders.wec.filters.syntax import (
    NOT_EVENTS,
    acting_body,
    argument_noun,
    named_entity,
    no_event_word,
    no_sentence,
    sub_event,
    wordless_head,
)
from tests.builders.wec.filters.views import facts, view

CRASH = facts("1955 West Raven plane crash", location="West Raven")
SONGS = facts("Bellena Song Contest 1968")
AWARDS = facts("Vesk Oscars 1990", aliases=["Oscars"])


@pytest.mark.parametrize("label", NOT_EVENTS)
def test_named_entity(label: str) -> None:
    assert named_entity(view("They spoke of [Oslo Banstein] again.", CRASH, ner=label))


def test_what_says_that_something_happened_is_no_name_whatever_its_label() -> None:
    assert not named_entity(view("The [West Raven crash] was long ago.", CRASH, ner="LOC"))
    assert not named_entity(view("It [sank] off West Raven.", CRASH, ner="LOC", pos="VERB"))
    assert not named_entity(view("He sang at [Bellena 1968] twice.", SONGS, ner="LOC"))
    assert not named_entity(view("He won at the [Oscars] twice.", AWARDS, ner="PERSON"))


def test_a_name_with_a_day_or_a_place_that_dates_something_passes_but_for_a_person() -> None:
    for text in ("He left on [Ash Sunday] again.", "He left after [West Raven] again."):
        assert not named_entity(view(text, CRASH, ner="LOC"))
        assert named_entity(view(text, CRASH, ner="PERSON"))


def test_wordless_head() -> None:
    assert wordless_head(view("They spoke [of] it.", CRASH, pos="ADP"))
    assert not wordless_head(view("They spoke of [the crash].", CRASH, pos="DET"))


@pytest.mark.parametrize("mention", ["gunman", "victims", "venue", "aircraft", "that night"])
def test_argument_noun(mention: str) -> None:
    assert argument_noun(view(f"They spoke of the [{mention}] again.", CRASH))


def test_whom_the_title_says_it_befell_is_no_event() -> None:
    event = facts("Deportation of Vesk notables")
    assert argument_noun(view("They took away [250 notables] again.", event))
    assert not argument_noun(view("They took part in the [murder of notables].", event))
    assert not argument_noun(view("They saw the [notables deported] then.", event, head=0))
    assert not argument_noun(view("They spoke of the [deportation of Vesk notables].", event))


@pytest.mark.parametrize(
    ("mention", "lemma"), [("semifinal", ""), ("funerals", "funeral"), ("opening ceremony", "")]
)
def test_sub_event(mention: str, lemma: str) -> None:
    assert sub_event(view(f"They saw the [{mention}] in 1968.", SONGS, lemma=lemma))


def test_the_title_s_own_part_is_the_event() -> None:
    opening = facts("2012 Olympics opening ceremony")
    assert not sub_event(view("They saw the [opening ceremony] in 2012.", opening))
    assert not sub_event(view("They saw the [Oscars trial].", facts("Trial of Mr Oscar")))


@pytest.mark.parametrize("mention", ["Reselian", "search for the pilot", "countdown", "thriving"])
def test_no_event_word(mention: str) -> None:
    pos = "VERB" if mention == "thriving" else "NOUN"
    assert no_event_word(view(f"They spoke of the [{mention}] again.", CRASH, pos=pos))


@pytest.mark.parametrize(
    ("mention", "pos"),
    [
        ("air disaster", "NOUN"),
        ("exploded", "VERB"),
        ("hit the mountain", "VERB"),
        ("went astray", "VERB"),
        ("under water", "NOUN"),
    ],
)
def test_an_event_word(mention: str, pos: str) -> None:
    assert not no_event_word(view(f"When it was [{mention}] again.", CRASH, pos=pos, head=0))


ELECTION = facts("Vesk presidential election, 2008")
CONGRESS = facts("Second Congress of Derrin")


def parsed(text: str, **said: str) -> LinkView:
    """A view of a mention of the congress with this place in its sentence."""
    seen = view(text, CONGRESS, head=1)
    assert seen.reading is not None
    return replace(seen, reading=replace(seen.reading, **said))


def test_an_assembly_that_acts_is_a_body() -> None:
    text = "It was told of the [Second Congress] there."
    assert acting_body(parsed(text, relation="obl", governor="adopt", preposition="by"))
    assert acting_body(parsed(text, relation="nsubj", governor="appoint"))
    assert acting_body(parsed(text, relation="nmod", governor="member", preposition="of"))


def test_an_assembly_that_is_held_is_an_event() -> None:
    text = "It was told of the [Second Congress] there."
    assert not acting_body(parsed(text, relation="nsubj", governor="meet"))
    assert not acting_body(parsed(text, relation="nsubj:pass", governor="hold"))
    assert not acting_body(parsed(text, relation="obl", governor="speak", preposition="at"))
    assert not acting_body(parsed(text, relation="nmod", governor="end", preposition="of"))
    assert not acting_body(parsed(text))
    assert not acting_body(view("The [fire] spread.", CRASH))


@pytest.mark.parametrize(
    ("mention", "head", "pos", "lemma"),
    [
        ("presidential run in 2008", 1, "NOUN", "run"),
        ("ran for president", 0, "VERB", "run"),
        ("candidacy", 0, "NOUN", "candidacy"),
        ("bid for the presidency", 0, "NOUN", "bid"),
    ],
)
def test_a_candidacy_is_no_election(mention: str, head: int, pos: str, lemma: str) -> None:
    assert sub_event(view(f"It was his [{mention}].", ELECTION, head=head, pos=pos, lemma=lemma))


def test_an_occupation_is_no_invasion_but_where_the_title_says_so() -> None:
    mention = "the [occupation of Vesk] that year."
    assert sub_event(view(mention, facts("2003 invasion of Vesk"), head=0))
    assert not sub_event(view(mention, facts("Occupation of Vesk"), head=0))


def test_one_of_many_elections_is_a_part() -> None:
    many = facts("Vesk Senate elections, 1970")
    assert sub_event(view("He lost the [1970 election] to Ammer.", many))
    assert not sub_event(view("He lost in the [1970 elections] as well.", many))
    assert sub_event(view("She won the [Vesk Award] at last.", facts("5th Vesk Awards")))
    assert not sub_event(view("He lost the [2008 election] to Ammer.", ELECTION))


def test_a_deed_is_no_argument_whoever_stands_behind_it() -> None:
    seen = view("She was [elected president in 2008].", ELECTION, head=1)
    assert argument_noun(seen)
    assert seen.reading is not None
    assert not argument_noun(replace(seen, reading=replace(seen.reading, deed="elected")))


def test_a_list_s_item_needs_a_verb() -> None:
    seen = view("1906 - [earthquake] in the town.", CRASH)
    assert seen.reading is not None
    verbless = replace(seen, reading=replace(seen.reading, verbal=False))
    verbal = replace(seen, reading=replace(seen.reading, verbal=True))
    listed = replace(seen.link, listed=True)
    assert not no_sentence(verbless)
    assert no_sentence(replace(verbless, link=listed))
    assert not no_sentence(replace(verbal, link=listed))


# What speaks for a mention whose noun no list has, and what against.


SPILL = facts("Corrin oil spill", location="Corrin Bay", date="2010", operator="Vesk Oil")
SUNDAY = facts("Black Sunday (1972)", location="Derrin")
TALKS = facts("Crimea Conference", location="Jaltava")


@pytest.mark.parametrize("mention", ["2010 gusher", "gusher of April", "gusher of Corrin"])
def test_a_date_or_a_name_of_the_event_speaks_for_a_noun(mention: str) -> None:
    shown = view(
        f"It was lost in the [{mention}] there.", SPILL, head=mention.split().index("gusher")
    )
    assert evidence.suffices(shown)


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


def test_a_name_nobody_knows_is_one_that_dates_something_or_has_a_day_in_it() -> None:
    assert evidence.suffices(view("She died on [Ash Saturday] there.", SPILL, pos="PROPN"))
    assert evidence.suffices(view("He left after the [Oilpest] there.", SPILL, pos="PROPN"))
    assert not evidence.suffices(view("He saw the [Oilpest] there.", SPILL, pos="PROPN"))
    assert not evidence.suffices(view("He left after [Vesk Oil] did.", SPILL, pos="PROPN"))
    assert not evidence.suffices(
        view("He left after the [Oilpest] there.", SPILL, pos="PROPN", ner="ORG")
    )

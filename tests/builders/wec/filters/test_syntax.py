"""Each filter that looks at the pipeline's reading: what it stops, and what passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from corefmill.builders.wec.facts.event_facts import EventFacts
from corefmill.builders.wec.filters.link_view import LinkView
from corefmill.builders.wec.filters.syntax import (
    NOT_EVENTS,
    acting_body,
    argument_noun,
    has_evidence,
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
NOTABLES = facts("Deportation of Vesk notables")
OPENING = facts("2012 Olympics opening ceremony")
OCCUPATION = facts("Occupation of Vesk")
ELECTION = facts("Vesk presidential election, 2008")
SENATE = facts("Vesk Senate elections, 1970")
SPILL = facts("Corrin oil spill", location="Corrin Bay", date="2010", operator="Vesk Oil")

AGAIN = "They spoke of the [{}] again."
HIS = "It was his [{}]."
WHEN = "When it was [{}] again."
Case = tuple[Callable[[LinkView], bool], str, EventFacts, dict[str, Any]]

STOPPED: list[Case] = [
    *((named_entity, "They spoke of [Oslo Banstein].", CRASH, {"ner": n}) for n in NOT_EVENTS),
    # A name with a day or a place that dates something passes, but not for a person.
    (named_entity, "He left on [Ash Sunday] again.", CRASH, {"ner": "PERSON"}),
    (named_entity, "He left after [West Raven] again.", CRASH, {"ner": "PERSON"}),
    (wordless_head, "They spoke [of] it.", CRASH, {"pos": "ADP"}),
    *(
        (argument_noun, AGAIN.format(noun), CRASH, {})
        for noun in ("gunman", "victims", "venue", "aircraft", "that night")
    ),
    # The title says whom it befell.
    (argument_noun, "They took away [250 notables] again.", NOTABLES, {}),
    (sub_event, "They saw the [semifinal] in 1968.", SONGS, {}),
    (sub_event, "They saw the [funerals] in 1968.", SONGS, {"lemma": "funeral"}),
    (sub_event, "They saw the [opening ceremony] in 1968.", SONGS, {}),
    # A candidacy is no election, and an occupation no invasion.
    (sub_event, HIS.format("presidential run in 2008"), ELECTION, {"head": 1, "lemma": "run"}),
    (
        sub_event,
        HIS.format("ran for president"),
        ELECTION,
        {"head": 0, "pos": "VERB", "lemma": "run"},
    ),
    (sub_event, HIS.format("candidacy"), ELECTION, {"lemma": "candidacy"}),
    (sub_event, HIS.format("bid for the presidency"), ELECTION, {"head": 0, "lemma": "bid"}),
    (sub_event, "the [occupation of Vesk] that year.", facts("2003 invasion of Vesk"), {"head": 0}),
    # One of many elections or awards is a part.
    (sub_event, "He lost the [1970 election] to Ammer.", SENATE, {}),
    (sub_event, "She won the [Vesk Award] at last.", facts("5th Vesk Awards"), {}),
    (no_event_word, AGAIN.format("Reselian"), CRASH, {}),
    (no_event_word, AGAIN.format("search for the pilot"), CRASH, {}),
    (no_event_word, AGAIN.format("countdown"), CRASH, {}),
    (no_event_word, AGAIN.format("thriving"), CRASH, {"pos": "VERB"}),
]
PASSES: list[Case] = [
    # It says that something happened, whatever its label.
    (named_entity, "The [West Raven crash] was long ago.", CRASH, {"ner": "LOC"}),
    (named_entity, "It [sank] off West Raven.", CRASH, {"ner": "LOC", "pos": "VERB"}),
    (named_entity, "He sang at [Bellena 1968] twice.", SONGS, {"ner": "LOC"}),
    (named_entity, "He won at the [Oscars] twice.", AWARDS, {"ner": "PERSON"}),
    (named_entity, "He left on [Ash Sunday] again.", CRASH, {"ner": "LOC"}),
    (named_entity, "He left after [West Raven] again.", CRASH, {"ner": "LOC"}),
    (wordless_head, "They spoke of [the crash].", CRASH, {"pos": "DET"}),
    (argument_noun, "They took part in the [murder of notables].", NOTABLES, {}),
    (argument_noun, "They saw the [notables deported] then.", NOTABLES, {"head": 0}),
    (argument_noun, "They spoke of the [deportation of Vesk notables].", NOTABLES, {}),
    # The title has the part itself.
    (sub_event, "They saw the [opening ceremony] in 2012.", OPENING, {}),
    (sub_event, "They saw the [Oscars trial].", facts("Trial of Mr Oscar"), {}),
    (sub_event, "the [occupation of Vesk] that year.", OCCUPATION, {"head": 0}),
    (sub_event, "He lost in the [1970 elections] as well.", SENATE, {}),
    (sub_event, "He lost the [2008 election] to Ammer.", ELECTION, {}),
    (no_event_word, WHEN.format("air disaster"), CRASH, {"head": 0}),
    (no_event_word, WHEN.format("exploded"), CRASH, {"head": 0, "pos": "VERB"}),
    (no_event_word, WHEN.format("hit the mountain"), CRASH, {"head": 0, "pos": "VERB"}),
    (no_event_word, WHEN.format("went astray"), CRASH, {"head": 0, "pos": "VERB"}),
    (no_event_word, WHEN.format("under water"), CRASH, {"head": 0}),
]
"""A filter, a text, the facts of its event, and options of `view`."""

EVIDENCE: list[Case] = [
    # A date or a name of the event speaks for a noun that no list has.
    (has_evidence, "It was lost in the [2010 gusher] there.", SPILL, {"head": 1}),
    (has_evidence, "It was lost in the [gusher of April] there.", SPILL, {"head": 0}),
    (has_evidence, "It was lost in the [gusher of Corrin] there.", SPILL, {"head": 0}),
    # A name that nobody knows counts where it dates something, or has a day in it.
    (has_evidence, "She died on [Ash Saturday] there.", SPILL, {"pos": "PROPN"}),
    (has_evidence, "He left after the [Oilpest] there.", SPILL, {"pos": "PROPN"}),
]
NO_EVIDENCE: list[Case] = [
    # A part, a name of something else, or nothing speaks against the noun.
    (has_evidence, AGAIN.format("gusher"), SPILL, {}),
    (has_evidence, AGAIN.format("first gusher of Corrin"), SPILL, {"head": 1}),
    (has_evidence, AGAIN.format("last gusher of 2010"), SPILL, {"head": 1}),
    (has_evidence, AGAIN.format("gusher at Orla Bay in 2010"), SPILL, {"head": 0}),
    (has_evidence, "He saw the [Oilpest] there.", SPILL, {"pos": "PROPN"}),
    (has_evidence, "He left after [Vesk Oil] did.", SPILL, {"pos": "PROPN"}),
    (has_evidence, "He left after the [Oilpest] there.", SPILL, {"pos": "PROPN", "ner": "ORG"}),
]


def name_case(case: Case) -> str:
    return f"{case[0].__name__} {case[1]} {case[3]}"


@pytest.mark.parametrize("case", STOPPED + EVIDENCE, ids=name_case)
def test_accepts(case: Case) -> None:
    accepts, text, event, how = case
    assert accepts(view(text, event, **how))


@pytest.mark.parametrize("case", PASSES + NO_EVIDENCE, ids=name_case)
def test_does_not_accept(case: Case) -> None:
    accepts, text, event, how = case
    assert not accepts(view(text, event, **how))


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ({"relation": "obl", "governor": "adopt", "preposition": "by"}, True),
        ({"relation": "nsubj", "governor": "appoint"}, True),
        ({"relation": "nmod", "governor": "member", "preposition": "of"}, True),
        # What is held is an event.
        ({"relation": "nsubj", "governor": "meet"}, False),
        ({"relation": "nsubj:pass", "governor": "hold"}, False),
        ({"relation": "obl", "governor": "speak", "preposition": "at"}, False),
        ({"relation": "nmod", "governor": "end", "preposition": "of"}, False),
        ({}, False),
    ],
)
def test_an_assembly_that_acts_is_a_body(said: dict[str, str], acts: bool) -> None:
    congress = facts("Second Congress of Derrin")
    seen = view("It was told of the [Second Congress] there.", congress, head=1)
    assert seen.reading is not None
    assert acting_body(replace(seen, reading=replace(seen.reading, **said))) is acts
    assert not acting_body(view("The [fire] spread.", CRASH))


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

"""What a title, its aliases and an infobox tell of an event."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.facts.event_facts import EventFacts, bare, plain, stem
from tests.builders.wec.filters.views import facts


def test_a_happening() -> None:
    event = facts(
        "1906 San Francisco earthquake",
        aliases=["Great San Francisco Fire (1906)", "The Frisco quake"],
        location="[[San Francisco]], [[California|Calif.]]<ref>Not Oakland</ref>",
        date="{{Start date|1906|4|18}}<!-- 1907 -->",
    )
    assert event.names == {"san", "francisco"}
    assert event.all_names == {"san", "francisco", "frisco"}
    assert event.kinds == {"earthquake"}
    assert (event.years, event.numbers, event.dated) == ({"1906"}, frozenset(), {"1906"})
    assert event.places == {"san", "francisco", "calif"}
    assert event.befalls
    assert list(event.forms)[1] == "Great San Francisco Fire"


def test_an_occasion() -> None:
    event = facts("39th Academy Awards", site="Santa Monica", host="[[Bob Hope]]")
    assert (event.names, event.numbers, event.befalls) == ({"academy"}, {"39."}, False)
    assert event.participants == {"bob", "hope"}


def test_fields_with_a_number_count_as_those_without() -> None:
    assert facts("Tour of song", city2="Bellena").places == {"bellena"}


def test_stem() -> None:
    english = lexicon.load("en")
    same = {stem(title, english) for title in ("39th Oscars", "40th Oscars", "XLI Oscars (film)")}
    assert same == {"oscars"}
    assert stem("Oscars 1999 gala", english) == "oscars gala"


def test_bare() -> None:
    assert bare("Kravica attack (1993)") == "Kravica attack"
    assert bare("(1993)") == "(1993)"


def test_plain() -> None:
    assert plain("[[A|B]] C<br>D &amp; {{x|E}}").split() == ["B", "C", "D", "&", "x", "E"]


@settings(max_examples=50)
@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=3), st.text(max_size=60))
def test_facts_survive_json(title: str, aliases: list[str], place: str) -> None:
    event = facts(title, aliases=aliases, location=place, date=place)
    assert EventFacts.from_json(json.loads(json.dumps(event.as_json()))) == event

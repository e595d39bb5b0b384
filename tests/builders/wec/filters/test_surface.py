"""Each filter on the surface: what it stops, and what is much like it and passes."""

from __future__ import annotations

from typing import Any

import pytest

from corefmill.builders.wec.facts.event_facts import EventFacts
from corefmill.builders.wec.filters.surface import (
    markup_left,
    mention_length,
    no_trigger,
    on_date,
    on_participant,
    on_place,
    section_link,
    short_paragraph,
    treaty_text,
    trigger_outside,
    unidentified,
)
from tests.builders.wec.filters.views import facts, view

QUAKE = facts("1906 San Francisco earthquake", location="San Francisco, California", date="1906")
TERROR = facts("September 11 attacks", aliases=["9/11"], date="September 11, 2001")
MURDER = facts("Murder of Ada Lorne", aliases=["Ada Lorne"], victim="Ada Lorne")
CRASH = facts("Kestrian Airways Flight 217", operator="Kestrian Airways", date="1986")
SONGS = facts("Bellena Song Festival 1968", location="[[Bellena]]", presenter="Ugo Tarri")
FIRE = facts("2002 Vesk floods", location="Vesk")
TALKS = facts("Derrin Conference")
COUNCIL = facts("First Council of Derrin")
SQUARE = facts("Strage di Piazza Lorna", "it")
CONGRESS = facts("Congresso di Bellena", "it")


TREATY = facts("Treaty of Derrin")


def series(title: str) -> EventFacts:
    """An event with others of its name."""
    known = facts(title, location="Bellena")
    return EventFacts.from_json({**known.as_json(), "series": True})


STOPPED: list[tuple[Any, ...]] = [
    # A date that names an event passes in figures alone.
    (on_date, "He was born on [September 11, 2001].", TERROR),
    # The bare name of a meeting is its place.
    (on_place, "He met the others [in Derrin] with a cat.", TALKS),
    (on_place, "The conferences in Bellena and [Derrin] came.", TALKS),
    (on_place, "The bishops of [Derrin] came.", COUNCIL),
    # The bare name of a meeting is its place in Italian.
    (on_place, "Li vide [a Bellena] con un gatto.", CONGRESS, "it"),
    # A person that dates something is a person still.
    (on_participant, "It was never the same after [Ada Lorne] there.", MURDER),
    (trigger_outside, "He died in the crash of [Kestrian Airways Flight 217].", CRASH),
    (trigger_outside, "The failed attack on the [Flight 217] was told.", CRASH),
    (trigger_outside, "The conferences in [Old Derrin] were told.", TALKS),
    (trigger_outside, "The conference [in Old Derrin] was told.", TALKS),
    # Trigger outside in Italian.
    (trigger_outside, "La strage di [Piazza Lorna] fu narrata.", SQUARE, "it"),
    (trigger_outside, "La strage della [Piazza Lorna] fu narrata.", SQUARE, "it"),
    (trigger_outside, "L'attacco contro la [Piazza Lorna] fu narrato.", SQUARE, "it"),
    # Trigger outside in other languages.
    (trigger_outside, "Der Absturz der [Kestrian 217] war es.", facts("Kestrian 217", "de"), "de"),
    (trigger_outside, "El accidente del [Kestrian 217] fue.", facts("Kestrian 217", "es"), "es"),
    (trigger_outside, "La catastrophe du [Kestrian 217] fut.", facts("Kestrian 217", "fr"), "fr"),
    (trigger_outside, "De ramp van de [Kestrian 217] was.", facts("Kestrian 217", "nl"), "nl"),
    (trigger_outside, "O acidente do [Kestrian 217] foi.", facts("Kestrian 217", "pt"), "pt"),
    (unidentified, "She lost a brother in the [earthquake] and never spoke of it.", QUAKE),
    (
        unidentified,
        "He sang at the [Bellena Song Festival] and won.",
        series("Bellena Song Festival 1968"),
    ),
    (unidentified, "He sang at the [festival] in 1969.", series("Bellena Song Festival 1968")),
    (unidentified, "She was nominated at [the ceremony].", facts("39th Lantern Awards")),
    (unidentified, "At the [39 awards] of her life.", facts("39th Lantern Awards")),
    (
        unidentified,
        "He led the [festival] from 1964 to 1976, in 1968 too.",
        series("Bellena Song Festival 1968"),
    ),
    (unidentified, "A francisco san word, the [earthquake].", QUAKE),
    # A treaty's text is no event.
    (treaty_text, "He broke with the terms of the [Treaty of Derrin] at once.", TREATY),
    (treaty_text, "It was forbidden under the [Derrin treaty] of that year.", TREATY),
    (treaty_text, "They saw his renunciation of the [Treaty of Derrin] in time.", TREATY),
]
LET_THROUGH: list[tuple[Any, ...]] = [
    # A number that is an alias is a trigger.
    (no_trigger, "He was born after [9/11].", TERROR),
    # A date that names an event passes in figures alone.
    (on_date, "He was born after [9/11].", TERROR),
    # The bare name of a meeting is its place in Italian.
    (on_place, "Li vide al [congresso di Bellena].", CONGRESS, "it"),
    (on_place, "Nulla cambiò dopo [Bellena] per loro.", CONGRESS, "it"),
    # What is no bare name of a meeting.
    (on_place, "It was different since [Derrin] for all.", TALKS),
    (on_place, "He spoke at the [Derrin conference] twice.", TALKS),
    (on_place, "He spoke at [Derrin 1943] twice.", TALKS),
    (on_place, "The creed of [Derrin I] was read.", COUNCIL),
    (on_place, "He sang at [Bellena] twice.", facts("Bellena Song Festival")),
    (on_place, "He marched in [Derrin] twice.", facts("Derrin Conference protest")),
    (trigger_outside, "He died in the [crash of Flight 217].", CRASH),
    (trigger_outside, "He died in the crash, on [Flight 217], they say.", CRASH),
    (trigger_outside, "He died in the crash when [Flight 217] fell.", CRASH),
    (trigger_outside, "He died on board of [Flight 217] again.", CRASH),
    (trigger_outside, "After the crash of [what was lost] he left.", CRASH),
    (trigger_outside, "The crash of [Flight 217 exploded] was told.", CRASH),
    (trigger_outside, "It was after the outbreak of [Flight 217] then.", CRASH),
    (trigger_outside, "The killings on [Bloody Sunday] were told.", facts("Bloody Sunday (1972)")),
    (trigger_outside, "The attacks of [September 11] were told.", TERROR),
    (trigger_outside, "The attack on [Bellena 1968] was told.", SONGS),
    (unidentified, "In San Francisco she lost a brother in the [earthquake].", QUAKE),
    (unidentified, "In 1906 she lost a brother in the [earthquake].", QUAKE),
    (unidentified, "She lived in California until the [earthquake].", QUAKE),
    (unidentified, "He won at the [39th awards].", facts("39th Lantern Awards")),
    (
        unidentified,
        "He won at the [Lantern Awards] of 1967.",
        facts("39th Lantern Awards", date="1967"),
    ),
    (unidentified, "He won the [Bellena Song Festival] twice.", SONGS),
    (unidentified, "In 1968 he sang at the [festival].", series("Bellena Song Festival 1968")),
    (unidentified, "After [9/11] nobody flew.", TERROR),
    (unidentified, "After the [floods] of 2002 nobody came.", FIRE),
    (unidentified, "It was made after the loss of [Flight 217] with all its crew.", CRASH),
    # A treaty's making is an event.
    (treaty_text, "The war ended with the [Treaty of Derrin] in 1702.", TREATY),
    (treaty_text, "He was there under the [Siege of Derrin] in 1702.", TREATY),
]
"""A filter, a text, the facts of its event, and the language where it is not English."""


@pytest.mark.parametrize("case", STOPPED, ids=lambda case: f"{case[0].__name__} {case[1]}")
def test_stops(case: tuple[Any, ...]) -> None:
    stops, text, event, *lang = case
    assert stops(view(text, event, lang=(*lang, "en")[0]))


@pytest.mark.parametrize("case", LET_THROUGH, ids=lambda case: f"{case[0].__name__} {case[1]}")
def test_lets_through(case: tuple[Any, ...]) -> None:
    stops, text, event, *lang = case
    assert not stops(view(text, event, lang=(*lang, "en")[0]))


def test_section_link() -> None:
    fire = view("The [fire that followed] in 1906.", QUAKE, section="Fires")
    whole = view("The [1906 San Francisco earthquake].", QUAKE, section="Damage")
    none = view("The [earthquake of 1906].", QUAKE)
    assert [section_link(v) for v in (fire, whole, none)] == [True, True, False]


def test_short_paragraph() -> None:
    assert short_paragraph(view("See also the [1906 earthquake].", QUAKE, filler=""))
    assert not short_paragraph(view("See also the [1906 earthquake].", QUAKE))


@pytest.mark.parametrize("debris", ["colspan=2", "http://a.b", "{{cite", "|}", "<ref name=", "]]"])
def test_markup_left(debris: str) -> None:
    assert markup_left(view("The [earthquake].", QUAKE, filler=f" And {debris} is left."))


def test_text_without_markup() -> None:
    assert not markup_left(view("The [earthquake].", QUAKE, filler=" 3 < 5 & {a} [sic] x | y."))


def test_mention_length() -> None:
    assert mention_length(
        view("When [the ground shook and every wall in the old town fell down], x.", QUAKE)
    )
    assert not mention_length(
        view("The [great earthquake that struck San Francisco in April 1906].", QUAKE)
    )


@pytest.mark.parametrize("mention", ["here", "it", "(1)", "217", "the same one"])
def test_no_trigger(mention: str) -> None:
    assert no_trigger(view(f"He was told of [{mention}] later.", CRASH))


def test_an_ordinal_of_the_title_is_a_trigger() -> None:
    awards = facts("39th Lantern Awards", aliases=["1967 Lantern Awards"])
    assert not no_trigger(view("She was nominated at [the 39th] in 1967.", awards))
    assert not on_date(view("She was nominated at [the 39th] in 1967.", awards))
    assert no_trigger(view("She was nominated at [the 40th] in 1967.", awards))
    assert on_date(view("She was born on [June 39th] in 1967.", awards))


@pytest.mark.parametrize("mention", ["18 April 1906", "in the spring of 1906", "that day", "1906"])
def test_on_date(mention: str) -> None:
    assert on_date(view(f"She left on [{mention}] with a cat.", QUAKE))


@pytest.mark.parametrize("mention", ["earthquake of April 1906", "1906 earthquake"])
def test_a_date_with_an_event_is_none(mention: str) -> None:
    assert not on_date(view(f"She left after the [{mention}] with a cat.", QUAKE))


@pytest.mark.parametrize(
    ("mention", "event"),
    [
        ("San Francisco", QUAKE),
        ("California", QUAKE),
        ("San Francisco in 1906", QUAKE),
        ("Bellena", SONGS),
    ],
)
def test_on_place(mention: str, event: EventFacts) -> None:
    assert on_place(view(f"They left [{mention}] with a cat.", event))


@pytest.mark.parametrize(
    ("mention", "event"),
    [("San Francisco earthquake", QUAKE), ("Bellena 1968", SONGS), ("the great disaster", QUAKE)],
)
def test_what_names_more_than_a_place(mention: str, event: EventFacts) -> None:
    assert not on_place(view(f"They spoke of [{mention}] again.", event))


@pytest.mark.parametrize("before", ["after", "since the", "in the aftermath of"])
def test_a_place_that_dates_something_is_what_happened_there(before: str) -> None:
    assert not on_place(view(f"It was rebuilt {before} [San Francisco] by others.", QUAKE))
    assert not on_participant(view(f"It was rebuilt {before} [San Francisco] by others.", QUAKE))


@pytest.mark.parametrize(
    ("mention", "event"),
    [("Ada Lorne", MURDER), ("Lorne", MURDER), ("Ugo Tarri", SONGS), ("Kestrian Airways", CRASH)],
)
def test_on_participant(mention: str, event: EventFacts) -> None:
    if event is CRASH:  # it befell nobody in the title: without a noun for it, the title names it
        assert not on_participant(view(f"They wrote about [{mention}] again.", event))
    else:
        assert on_participant(view(f"They wrote about [{mention}] again.", event))


@pytest.mark.parametrize(
    ("mention", "event"),
    [
        ("murder of Ada Lorne", MURDER),
        ("Lorne's killing", MURDER),
        ("Bellena Song Festival", SONGS),
        ("Flight 217", CRASH),
        ("was strangled", MURDER),
    ],
)
def test_what_names_more_than_a_participant(mention: str, event: EventFacts) -> None:
    assert not on_participant(view(f"They wrote about the [{mention}] again.", event))


def test_a_treaty_s_text_in_italian() -> None:
    event = facts("Trattato di Bellena", "it")
    assert treaty_text(view("Secondo il [trattato di Bellena] era sua.", event, lang="it"))
    assert not treaty_text(view("Dopo il [trattato di Bellena] era sua.", event, lang="it"))


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Orrin September campaign", "They planned the [invasion of Kestria] there."),
        ("Battle of Marsh Farm", "He fell in the [first battle of Derrin] at dawn."),
        ("Battle of Fort Ammer", "It was during the [raid on Derrin] that he fell."),
        ("Vesk presidential election, 1860", "So came [the election of Nora Ammer] at last."),
        ("Vesk constitution vote, 2005", "They stayed away from the [15 October election] then."),
        ("Poppy Revolution", "It ended with the [1974 coup] in the capital."),
        ("Kestrian Civil War", "Kestria fell into a [civil war] at once."),
        ("Vesk 7", "He had flown before on [Vesk VII] with two others."),
    ],
)
def test_a_mention_that_tells_itself_which_event_it_is(title: str, text: str) -> None:
    assert not unidentified(view(text, facts(title)))


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Vesk presidential election, 1860", "He won the [election in Derrin] easily."),
        ("Vesk presidential election, 1860", "He won the [October election] easily."),
        ("Battle of Marsh Farm", "He fell in the [first battle] of them."),
        ("Kestrian War of Freedom", "Then [Kestria rose to what it is] at last."),
        ("Battle of Marsh Farm", "They called it an [armed conflict] of old."),
    ],
)
def test_what_else_may_be_meant_is_not_identified(title: str, text: str) -> None:
    assert unidentified(view(text, facts(title)))

"""Each filter on the surface: what it stops, and what is much like it and passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from corefmill.builders.wec.filters.surface import (
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
FESTIVAL = replace(facts("Bellena Song Festival 1968", location="Bellena"), series=True)
"""An event with others of its name."""
ELECTION = facts("Vesk presidential election, 1860")
AWARDS = facts("39th Lantern Awards")
FARM = facts("Battle of Marsh Farm")
LONG = "the ground shook and every wall in the old town fell down"

STOPPED: list[tuple[Any, ...]] = [
    (mention_length, f"When [{LONG}], x.", QUAKE),
    *(
        (no_trigger, f"He was told of [{mention}] later.", CRASH)
        for mention in ("here", "it", "(1)", "217", "the same one")
    ),
    *(
        (on_date, f"She left on [{mention}] with a cat.", QUAKE)
        for mention in ("18 April 1906", "in the spring of 1906", "that day", "1906")
    ),
    (on_date, "He was born on [September 11, 2001].", TERROR),
    (on_place, "They left [San Francisco] with a cat.", QUAKE),
    (on_place, "They left [San Francisco in 1906] with a cat.", QUAKE),
    (on_place, "They left [Bellena] with a cat.", SONGS),
    # The bare name of a meeting is its place.
    (on_place, "He met the others [in Derrin] with a cat.", TALKS),
    (on_place, "The bishops of [Derrin] came.", COUNCIL),
    # The bare name of a meeting is its place in Italian.
    (on_place, "Li vide [a Bellena] con un gatto.", CONGRESS, "it"),
    (on_participant, "They wrote about [Lorne] again.", MURDER),
    (on_participant, "They wrote about [Ada Lorne] again.", MURDER),
    (on_participant, "They wrote about [Ugo Tarri] again.", SONGS),
    # A person that dates something is a person still.
    (on_participant, "It was never the same after [Ada Lorne] there.", MURDER),
    (trigger_outside, "He died in the crash of [Kestrian Airways Flight 217].", CRASH),
    (trigger_outside, "The failed attack on the [Flight 217] was told.", CRASH),
    (trigger_outside, "The conferences in [Old Derrin] were told.", TALKS),
    # Trigger outside in Italian.
    (trigger_outside, "La strage della [Piazza Lorna] fu narrata.", SQUARE, "it"),
    (trigger_outside, "Morì nell'incidente del [volo 217].", facts("Volo Kestria 217", "it"), "it"),
    (trigger_outside, "Der Absturz der [Kestrian 217] war es.", facts("Kestrian 217", "de"), "de"),
    (unidentified, "She lost a brother in the [earthquake] and never spoke of it.", QUAKE),
    (unidentified, "He sang at the [Bellena Song Festival] and won.", FESTIVAL),
    (unidentified, "He sang at the [festival] in 1969.", FESTIVAL),
    (unidentified, "She was nominated at [the ceremony].", AWARDS),
    (unidentified, "At the [39 awards] of her life.", AWARDS),
    (unidentified, "He led the [festival] from 1964 to 1976, in 1968 too.", FESTIVAL),
    (unidentified, "A francisco san word, the [earthquake].", QUAKE),
    # Another event may be meant.
    (unidentified, "He won the [election in Derrin] easily.", ELECTION),
    (unidentified, "He won the [October election] easily.", ELECTION),
    (unidentified, "He fell in the [first battle] of them.", FARM),
    (unidentified, "Then [Kestria rose to what it is] at last.", facts("Kestrian War of Freedom")),
    # A treaty's text is no event.
    (treaty_text, "He broke with the terms of the [Treaty of Derrin] at once.", TREATY),
    (treaty_text, "They saw his renunciation of the [Treaty of Derrin] in time.", TREATY),
]
LET_THROUGH: list[tuple[Any, ...]] = [
    (mention_length, "The [great earthquake that struck San Francisco in April 1906].", QUAKE),
    # The flight befell nobody in the title: without a noun for it, the title names it.
    (on_participant, "They wrote about [Kestrian Airways] again.", CRASH),
    # More than a participant is named.
    (on_participant, "They wrote about the [murder of Ada Lorne] again.", MURDER),
    (on_participant, "They wrote about the [Bellena Song Festival] again.", SONGS),
    (on_participant, "They wrote about the [was strangled] again.", MURDER),
    # A number that is an alias is a trigger.
    (no_trigger, "He was born after [9/11].", TERROR),
    # A date that names an event passes in figures alone.
    (on_date, "He was born after [9/11].", TERROR),
    # The bare name of a meeting is its place in Italian.
    (on_place, "Li vide al [congresso di Bellena].", CONGRESS, "it"),
    (on_place, "Nulla cambiò dopo [Bellena] per loro.", CONGRESS, "it"),
    # What is no bare name of a meeting.
    (on_place, "It was different since [Derrin] for all.", TALKS),
    (on_place, "He spoke at [Derrin 1943] twice.", TALKS),
    (on_place, "The creed of [Derrin I] was read.", COUNCIL),
    (on_place, "He sang at [Bellena] twice.", facts("Bellena Song Festival")),
    (trigger_outside, "He died in the [crash of Flight 217].", CRASH),
    (trigger_outside, "He died in the crash when [Flight 217] fell.", CRASH),
    (trigger_outside, "The crash of [Flight 217 exploded] was told.", CRASH),
    (trigger_outside, "It was after the outbreak of [Flight 217] then.", CRASH),
    (trigger_outside, "The killings on [Bloody Sunday] were told.", facts("Bloody Sunday (1972)")),
    (trigger_outside, "The attacks of [September 11] were told.", TERROR),
    (trigger_outside, "The attack on [Bellena 1968] was told.", SONGS),
    (trigger_outside, "The attacks of [9/11] were told.", TERROR),
    (unidentified, "In San Francisco she lost a brother in the [earthquake].", QUAKE),
    (unidentified, "She lived in California until the [earthquake].", QUAKE),
    (
        unidentified,
        "He won at the [Lantern Awards] of 1967.",
        facts("39th Lantern Awards", date="1967"),
    ),
    (unidentified, "He won the [Bellena Song Festival] twice.", SONGS),
    (unidentified, "In 1968 he sang at the [festival].", FESTIVAL),
    (unidentified, "After the [floods] of 2002 nobody came.", FIRE),
    (unidentified, "It was made after the loss of [Flight 217] with all its crew.", CRASH),
    # The mention tells by itself which event it is.
    (
        unidentified,
        "They planned the [invasion of Kestria] there.",
        facts("Orrin September campaign"),
    ),
    (unidentified, "They fled the [attack on the Kestrian Isles].", facts("Operation Dawn")),
    (unidentified, "He fell in the [first battle of Derrin] at dawn.", FARM),
    (unidentified, "So came [the election of Nora Ammer] at last.", ELECTION),
    (unidentified, "They missed the [15 October election] then.", facts("Vesk vote, 2005")),
    (unidentified, "He had flown before on [Vesk VII] with two others.", facts("Vesk 7")),
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


@pytest.mark.parametrize(
    ("text", "stopped"), [("See [it].", True), ("She died in the [fire].", False)]
)
def test_short_paragraph(text: str, stopped: bool) -> None:
    assert short_paragraph(view(text, QUAKE, filler="")) is stopped

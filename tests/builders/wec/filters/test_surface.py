"""Each filter on the surface: what it stops, and what is much like it and passes."""

from __future__ import annotations

import pytest

from corefmill.builders.wec.facts.event_facts import EventFacts
from corefmill.builders.wec.filters.surface import (
    any_section_link,
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


def test_section_link() -> None:
    fire = view("The [fire that followed] in 1906.", QUAKE, section="Fires")
    whole = view("The [1906 San Francisco earthquake].", QUAKE, section="Damage")
    none = view("The [earthquake of 1906].", QUAKE)
    assert [any_section_link(v) for v in (fire, whole, none)] == [True, True, False]
    assert [section_link(v) for v in (fire, whole, none)] == [True, False, False]


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


def test_a_number_that_is_an_alias_is_a_trigger() -> None:
    assert not no_trigger(view("He was born after [9/11].", TERROR))


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


def test_a_date_that_names_an_event_passes_in_figures_alone() -> None:
    assert not on_date(view("He was born after [9/11].", TERROR))
    assert on_date(view("He was born on [September 11, 2001].", TERROR))


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


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("He met the others [in Derrin] with a cat.", TALKS),
        ("The conferences in Bellena and [Derrin] came.", TALKS),
        ("The bishops of [Derrin] came.", COUNCIL),
    ],
)
def test_the_bare_name_of_a_meeting_is_its_place(text: str, event: EventFacts) -> None:
    assert on_place(view(text, event))


def test_the_bare_name_of_a_meeting_is_its_place_in_italian() -> None:
    assert on_place(view("Li vide [a Bellena] con un gatto.", CONGRESS, lang="it"))
    assert not on_place(view("Li vide al [congresso di Bellena].", CONGRESS, lang="it"))
    assert not on_place(view("Nulla cambiò dopo [Bellena] per loro.", CONGRESS, lang="it"))


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("It was different since [Derrin] for all.", TALKS),
        ("He spoke at the [Derrin conference] twice.", TALKS),
        ("He spoke at [Derrin 1943] twice.", TALKS),
        ("The creed of [Derrin I] was read.", COUNCIL),
        ("He sang at [Bellena] twice.", facts("Bellena Song Festival")),
        ("He marched in [Derrin] twice.", facts("Derrin Conference protest")),
    ],
)
def test_what_is_no_bare_name_of_a_meeting(text: str, event: EventFacts) -> None:
    assert not on_place(view(text, event))


@pytest.mark.parametrize("before", ["after", "since the", "in the aftermath of"])
def test_a_place_that_dates_something_is_what_happened_there(before: str) -> None:
    assert not on_place(view(f"It was rebuilt {before} [San Francisco] by others.", QUAKE))
    assert not on_participant(view(f"It was rebuilt {before} [San Francisco] by others.", QUAKE))


def test_a_person_that_dates_something_is_a_person_still() -> None:
    assert on_participant(view("It was never the same after [Ada Lorne] there.", MURDER))


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


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("He died in the crash of [Kestrian Airways Flight 217].", CRASH),
        ("The failed attack on the [Flight 217] was told.", CRASH),
        ("The conferences in [Old Derrin] were told.", TALKS),
        ("The conference [in Old Derrin] was told.", TALKS),
    ],
)
def test_trigger_outside(text: str, event: EventFacts) -> None:
    assert trigger_outside(view(text, event))


@pytest.mark.parametrize(
    "text",
    [
        "La strage di [Piazza Lorna] fu narrata.",
        "La strage della [Piazza Lorna] fu narrata.",
        "L'attacco contro la [Piazza Lorna] fu narrato.",
    ],
)
def test_trigger_outside_in_italian(text: str) -> None:
    assert trigger_outside(view(text, SQUARE, lang="it"))


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("de", "Der Absturz der [Kestrian 217] war es."),
        ("es", "El accidente del [Kestrian 217] fue."),
        ("fr", "La catastrophe du [Kestrian 217] fut."),
        ("nl", "De ramp van de [Kestrian 217] was."),
        ("pt", "O acidente do [Kestrian 217] foi."),
    ],
)
def test_trigger_outside_in_other_languages(lang: str, text: str) -> None:
    assert trigger_outside(view(text, facts("Kestrian 217", lang), lang=lang))


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("He died in the [crash of Flight 217].", CRASH),
        ("He died in the crash, on [Flight 217], they say.", CRASH),
        ("He died in the crash when [Flight 217] fell.", CRASH),
        ("He died on board of [Flight 217] again.", CRASH),
        ("After the crash of [what was lost] he left.", CRASH),
        ("The crash of [Flight 217 exploded] was told.", CRASH),
        ("It was after the outbreak of [Flight 217] then.", CRASH),
        ("The killings on [Bloody Sunday] were told.", facts("Bloody Sunday (1972)")),
        ("The attacks of [September 11] were told.", TERROR),
        ("The attack on [Bellena 1968] was told.", SONGS),
    ],
)
def test_no_trigger_is_outside(text: str, event: EventFacts) -> None:
    assert not trigger_outside(view(text, event))


def series(title: str) -> EventFacts:
    """An event with others of its name."""
    known = facts(title, location="Bellena")
    return EventFacts.from_json({**known.as_json(), "series": True})


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("She lost a brother in the [earthquake] and never spoke of it.", QUAKE),
        ("He sang at the [Bellena Song Festival] and won.", series("Bellena Song Festival 1968")),
        ("He sang at the [festival] in 1969.", series("Bellena Song Festival 1968")),
        ("She was nominated at [the ceremony].", facts("39th Lantern Awards")),
        ("At the [39 awards] of her life.", facts("39th Lantern Awards")),
        (
            "He led the [festival] from 1964 to 1976, in 1968 too.",
            series("Bellena Song Festival 1968"),
        ),
        ("A francisco san word, the [earthquake].", QUAKE),
    ],
)
def test_unidentified(text: str, event: EventFacts) -> None:
    assert unidentified(view(text, event))


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("In San Francisco she lost a brother in the [earthquake].", QUAKE),
        ("In 1906 she lost a brother in the [earthquake].", QUAKE),
        ("She lived in California until the [earthquake].", QUAKE),
        ("He won at the [39th awards].", facts("39th Lantern Awards")),
        ("He won at the [Lantern Awards] of 1967.", facts("39th Lantern Awards", date="1967")),
        ("He won the [Bellena Song Festival] twice.", SONGS),
        ("In 1968 he sang at the [festival].", series("Bellena Song Festival 1968")),
        ("After [9/11] nobody flew.", TERROR),
        ("After the [floods] of 2002 nobody came.", FIRE),
        ("It was made after the loss of [Flight 217] with all its crew.", CRASH),
    ],
)
def test_identified(text: str, event: EventFacts) -> None:
    assert not unidentified(view(text, event))


TREATY = facts("Treaty of Derrin")


@pytest.mark.parametrize(
    "text",
    [
        "He broke with the terms of the [Treaty of Derrin] at once.",
        "It was forbidden under the [Derrin treaty] of that year.",
        "They saw his renunciation of the [Treaty of Derrin] in time.",
    ],
)
def test_a_treaty_s_text_is_no_event(text: str) -> None:
    assert treaty_text(view(text, TREATY))


def test_a_treaty_s_making_is_an_event() -> None:
    assert not treaty_text(view("The war ended with the [Treaty of Derrin] in 1702.", TREATY))
    assert not treaty_text(view("He was there under the [Siege of Derrin] in 1702.", TREATY))


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

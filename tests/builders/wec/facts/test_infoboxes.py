"""The tables that ship, what a table may not hold, and which pages are events."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from corefmill.builders.wec.facts.infoboxes import EVENT_TYPES, load, load_file, shipped_languages
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.paper import CONFIGURATION
from corefmill.corpora.files.errors import DataError
from tests.commands import shared

TABLE = """
prefixes = ["Infobox"]
[[types]]
name = "Flood"
templates = ["Infobox flood"]
"""


def test_english_has_the_papers_table() -> None:
    """Its 28 infoboxes of 18 names; the configuration has three names more, which no row has."""
    types = load("en").of_name
    assert tuple(dict.fromkeys(kind.name for kind in types.values()))[:18] == EVENT_TYPES[:18]
    rows = {name: row for names in CONFIGURATION.values() for name, row in names.items()}
    others = {"busaccident", "publictransitaccident", "civilconflict"}
    assert len(rows) == 31 and others <= rows.keys()
    for name, row in rows.items():
        assert name in others or types[f"infobox{name}"].name == row


@pytest.mark.parametrize("lang", ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "ro"])
def test_every_table_is_whole(lang: str) -> None:
    table = load(lang)
    assert lang in shipped_languages()
    assert len(table.names) >= 10 and len(table.out) >= 10
    assert {t.name for t in table.of_name.values()} <= set(EVENT_TYPES)
    assert len(table.words.months) == 12 and table.words.ordinals and table.words.suffixes
    for part in ("date", "start", "end", "place", "participants", "recurring"):
        assert getattr(table.fields, part)
    reasons = " ".join(table.out.values())
    assert all(word in reasons for word in ("election", "sport", "wars"))
    assert not any(name in table.names for name in table.out)


def test_a_language_without_a_table() -> None:
    with pytest.raises(DataError, match="no table of event infoboxes for 'xx'; there are de, en"):
        load("xx")
    with pytest.raises(DataError, match="no table"):
        load("../en")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE + 'colour = "red"', "types.0.colour: "),
        (
            TABLE.replace('"Flood"', '"Deluge"'),
            "types.0.name: unknown event type 'Deluge', known are",
        ),
        (TABLE + 'validators = ["x"]', "types.0.validators.0: unknown validator 'x', known are"),
        (
            TABLE + '[[types]]\nname = "Eruption"\ntemplates = ["infobox_Flood"]',
            "infobox 'infoboxflood' is listed twice, under 'Flood' and 'Eruption'",
        ),
        (
            TABLE + '[[out]]\nreason = "r"\ntemplates = ["Infobox flood"]',
            "infobox 'infoboxflood' is listed twice, under 'out' and 'Flood'",
        ),
        (TABLE + '[[out]]\ntemplates = ["a"]', "out.0.reason: "),
        (TABLE + "[fields]\nday = []", "fields.day: "),
        (TABLE + "[words]\nmonths = [[]]", "words.months: "),
        ("x = ", "not TOML"),
    ],
)
def test_what_no_table_may_hold(tmp_path: Path, text: str, message: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(text, "utf-8")
    with pytest.raises(DataError, match=re.escape(message)) as error:
        load_file(own, "en")
    assert str(error.value).startswith(str(own))


def page(text: str, title: str = "A", lang: str = "en", **aliases: str) -> EventPage | None:
    return load(lang).with_redirects(aliases).event_page_of(title, text)


@pytest.mark.parametrize(
    "text",
    [
        *("No infobox.", "<!-- {{Infobox flood}} -->", "<nowiki>{{Infobox flood}}</nowiki>"),
        "{{Infobox flood season|x}}",  # no prefix search
        "{{Infobox person|module={{Infobox flood|x}}}}",
        "{{Infobox settlement|x}}\n{{Infobox flood|x}}",
        "The village.\n== Flood of 1953 ==\n{{Infobox flood|x}}",
        *("{{Infobox election}}", "{{Infobox athletic conference}}"),
    ],
)
def test_no_event(text: str) -> None:
    assert page(text, "Big Ten of 1999") is None


@pytest.mark.parametrize(
    "text",
    [
        *("{{Infobox flood}}", "{{stack|{{Infobox flood|x}}}}"),
        "{{infobox flood\n| name = {{lang|de|x}}\n}}",
        "{{Infobox flood\n| name = x\n\nNever closed.",
        "{{Infobox flood}}\n{{Infobox settlement}}",
    ],
)
def test_a_flood(text: str) -> None:
    found = page(text)
    assert found is not None and found.event_type == "Flood"


def test_template_redirects_are_followed() -> None:
    assert page("{{Flooding|x}}", flooding="deluge", deluge="infoboxflood") is not None
    assert page("{{Flooding|x}}", flooding="deluge") is None
    assert page("{{Loop|x}}", loop="pool", pool="loop") is None
    # A template that was renamed since still counts.
    assert page("{{Inundation box|x}}", infoboxflood="inundationbox") is not None


def test_what_is_out_stays_out_whatever_redirects() -> None:
    # English merged "news event" into "event", which is anything.
    text = "{{Infobox event|date=1 May 1999}}"
    assert page(text, "X of 1999", infoboxnewsevent="infoboxevent") is None
    text = "{{Infobox news event|date=1 May 1999}}"
    assert page(text, "X of 1999", infoboxnewsevent="infoboxevent") is not None
    text = "{{Infobox poll|date=1 May 1999}}"
    assert page(text, "X of 1999", infoboxpoll="infoboxelection") is None


@pytest.mark.parametrize(
    ("lang", "text", "event_type"),
    [
        ("it", "{{Terremoto\n|titolo = x\n}}", "Earthquake"),
        ("ro", "{{Infocaseta Cutremur\n|titlu = x\n}}", "Earthquake"),
        ("it", "{{Incidente|data=1992|tipologia=Attentato dinamitardo}}", "Terrorist Attack"),
        ("it", "{{Incidente|data=9 ottobre 1963}}", "Accident"),
        ("it", "{{Template:Infobox incidente aereo|Data=27 giugno 1980}}", "Airliner Accident"),
        ("de", "{{Vorlage:Infobox Flugunfall|Date=1. Juli 2002}}", "Airliner Accident"),
        ("fr", "{{Infobox Séisme|date=26 décembre 2004}}", "Earthquake"),
        ("fr", "{{Infobox Accident de transport|type=Déraillement}}", "Rail Accident"),
        ("es", "{{Ficha de atentado|fecha=11 de marzo de 2004}}", "Terrorist Attack"),
        ("pt", "{{Info/Sismo|data=1 de novembro de 1755}}", "Earthquake"),
        ("nl", "{{Infobox ramp|datum=13 mei 2000|ramptype=Explosie}}", "Accident"),
        ("pl", "{{Katastrofa infobox|data=2001|rodzaj=katastrofa kolejowa}}", "Rail Accident"),
        ("pl", "{{Katastrofa infobox|data=5 lipca 2001|rodzaj=[[powódź]]}}", "Flood"),
        ("pl", "{{Gala infobox|nazwa=[[Miss Zaleska]] 1997|data=2 maja 1997}}", "Beauty Pageant"),
        ("pl", "{{Wojna infobox|data=1 maja 1997}}", ""),
        ("pl", "{{Festiwal infobox|nazwa=Święto Sów|data=lipiec|aktywność=od 1961}}", ""),
        ("es", "{{Ficha de accidente|causa=Fallo del tren de aterrizaje}}", "Airliner Accident"),
        ("fr", "{{Infobox Accident de transport|type=Train d'atterrissage}}", "Airliner Accident"),
        ("it", "{{Infobox conflitto|Data=1942}}", ""),
        ("it", "{{Bio|Nome=A}}{{Incidente|data=1 maggio 1999}}", ""),
        ("nl", "{{Infobox verkiezingen}}", ""),
    ],
)
def test_other_languages(lang: str, text: str, event_type: str) -> None:
    found = page(text, "Sowa", lang=lang)
    assert (found.event_type if found else "") == event_type


# Real pages: every event of the original's fixtures is an event, nothing that it refuses is.


EVENTS = {
    "accident": "Airliner Accident, Airliner Accident, Airliner Accident, Transit Accident,"
    " Airliner Accident, Airliner Accident",
    "award": "Contest, Awards, Beauty Pageant",
    "civil_attack": "Civilian Attack, Civil Conflict" + 4 * ", Civilian Attack",
    "concrete_general": "Concert, Meetings, Festival" + 4 * ", News Event",
    "disaster": "Earthquake, Earthquake, Flood, Oilspill, Eruption",
    "others": "Solar Eclipse, Weapons Test",
}
REFUSED = {
    **{"reject": 20, "people": 1, "company": 4, "mobileye": 1, "election": 4, "poll": 1},
    **{"sport": 19, "tmp": 1, "many_infobox": 1, "wedding": 1, "extractfrompage": 10},
    **{"time__page_time_extract": 1, "wikinews__colombia": 1},
}


@pytest.mark.parametrize("name", [*EVENTS, *REFUSED])
def test_pages_of_the_originals_fixtures(name: str) -> None:
    file = name if "__" in name else f"wikipedia__{name}"
    entries = json.loads(shared("data", "dumps", "wec-fixtures", f"{file}.json").read_text("utf-8"))
    types = {}
    for entry in entries if isinstance(entries, list) else [entries]:
        title, text = entry.get("title", ""), entry["text"] or entry.get("infobox", "")
        found = load("en").event_page_of(title, text)
        types[title] = found.event_type if found else ""
    expected = EVENTS[name].split(", ") if name in EVENTS else [""] * REFUSED[name]
    assert list(types.values()) == expected

"""The tables that ship, what a table may not hold, and which pages are events."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.wec.facts.infoboxes import EVENT_TYPES, load, load_file, shipped_languages
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.paper import CONFIGURATION
from corefmill.corpora.files.errors import DataError

TABLE = """
prefixes = ["Infobox"]
[[types]]
name = "Flood"
templates = ["Infobox flood"]
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "own.toml"


def refused(own: Path, text: str) -> str:
    own.write_text(text, "utf-8")
    with pytest.raises(DataError) as error:
        load_file(own, "en")
    message = str(error.value)
    assert message.startswith(str(own))
    return message


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
        ("x = ", "not TOML"),
        (TABLE + 'colour = "red"', "types.0.colour: "),
        (
            TABLE.replace('"Flood"', '"Deluge"'),
            "types.0.name: unknown event type 'Deluge', known are",
        ),
        (TABLE + 'validators = ["x"]', "types.0.validators.0: unknown validator 'x', known are"),
        (
            TABLE + '[[types]]\nname = "Eruption"\ntemplates = ["infobox_Flood"]',
            "infobox 'infoboxflood' stands under 'Flood' and 'Eruption'",
        ),
        (
            TABLE + '[[out]]\nreason = "r"\ntemplates = ["Infobox flood"]',
            "infobox 'infoboxflood' stands under 'out' and 'Flood'",
        ),
        (TABLE + '[[out]]\ntemplates = ["a"]', "out.0.reason: "),
        (TABLE + "[fields]\nday = []", "fields.day: "),
        (TABLE + "[words]\nmonths = [[]]", "words.months: "),
    ],
)
def test_what_no_table_may_hold(own: Path, text: str, message: str) -> None:
    assert message in refused(own, text)


def page(text: str, title: str = "A", lang: str = "en", **aliases: str) -> EventPage | None:
    return load(lang).with_redirects(aliases).event_page_of(title, text)


@pytest.mark.parametrize(
    "text",
    [
        "No infobox.",
        "<!-- {{Infobox flood}} -->",
        "<nowiki>{{Infobox flood}}</nowiki>",
        "{{Infobox flood season|x}}",  # no prefix search
        "{{Infobox person|module={{Infobox flood|x}}}}",
        "{{Infobox settlement|x}}\n{{Infobox flood|x}}",
        "The village.\n== Flood of 1953 ==\n{{Infobox flood|x}}",
        "{{Infobox election}}",
        "{{Infobox athletic conference}}",
    ],
)
def test_no_event(text: str) -> None:
    assert page(text, "Big Ten of 1999") is None


@pytest.mark.parametrize(
    "text",
    [
        "{{Infobox flood}}",
        "{{stack|{{Infobox flood|x}}}}",
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


def test_a_template_that_was_renamed_since_still_counts() -> None:
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
        (
            "it",
            "{{Incidente|data=23 maggio 1992|tipologia=Attentato dinamitardo}}",
            "Terrorist Attack",
        ),
        ("it", "{{Incidente|data=9 ottobre 1963}}", "Accident"),
        ("it", "{{Template:Infobox incidente aereo|Data=27 giugno 1980}}", "Airliner Accident"),
        ("de", "{{Vorlage:Infobox Flugunfall|Date=1. Juli 2002}}", "Airliner Accident"),
        ("fr", "{{Infobox Séisme|date=26 décembre 2004}}", "Earthquake"),
        ("fr", "{{Infobox Accident de transport|type=Déraillement}}", "Rail Accident"),
        ("es", "{{Ficha de atentado|fecha=11 de marzo de 2004}}", "Terrorist Attack"),
        ("pt", "{{Info/Sismo|data=1 de novembro de 1755}}", "Earthquake"),
        ("nl", "{{Infobox ramp|datum=13 mei 2000|ramptype=Explosie}}", "Accident"),
        (
            "pl",
            "{{Katastrofa infobox|data=5 lipca 2001|rodzaj=katastrofa kolejowa}}",
            "Rail Accident",
        ),
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

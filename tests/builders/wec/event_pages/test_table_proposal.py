"""`--propose-table` on small Catalan dumps, a language without a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.wec.event_pages.table_proposal import (
    listed_titles,
    propose_table,
    type_by_name,
)
from corefmill.builders.wec.facts.event_list import ListedArticle, ListedEvents
from corefmill.builders.wec.facts.infoboxes import InfoboxTable, load_file
from corefmill.builders.wiki.articles import DumpSource
from corefmill.corpora.errors import DataError
from tests.builders.wiki.dump.dump_writer import dump, page


def box(name: str, date: str = "1931") -> str:
    return f"{{{{{name}\n| nom = Orla\n| data = {date}\n| lloc = Vall\n}}}}\nText."


PAGES = [
    page("Terratrèmol d'Orla", box("Infotaula terratrèmol", "3 de maig de 1931"), number=1),
    page("Terratrèmol de Vesk", box("Infotaula terratrèmol", "2 de juny de 1941"), number=2),
    page("Terratrèmol de Bell", box("infotaula_terratrèmol"), number=3),
    page("Festival d'Orla de 1977", box("Infotaula festival", "1977"), number=4),
    page("Orla", box("Infotaula indret", "abans"), number=5),
    page("Vesk", box("Infotaula indret", "abans"), number=6),
    page("Incendi de Vesk", box("Infotaula indret", "1950"), number=7),
    page("Sisme de Prat", box("Sisme"), number=8),
    page(
        "Template:Sisme",
        "#REDIRECT [[Template:Infotaula terratrèmol]]",
        number=9,
        extra="<ns>10</ns>",
    ),
]
LISTED = {
    "Terratrèmol d'Orla": "Earthquake",
    "Terratrèmol de Vesk": "Earthquake",
    "Sisme de Prat": "Disaster",
    "Incendi de Vesk": "Wildfire",
}


def draft(tmp_path: Path, listed: dict[str, str] | None, pages: list[str] = PAGES) -> str:
    path = tmp_path / "ca.xml"
    path.write_bytes(dump(pages))
    source = DumpSource([path], "ca", trust_lang=True)
    return propose_table(source.chunks(), "ca", listed)


def loaded(tmp_path: Path, text: str) -> InfoboxTable:
    path = tmp_path / "ca.toml"
    path.write_text(text, "utf-8")
    return load_file(path, "ca")


def test_a_list_of_events_is_the_witness(tmp_path: Path) -> None:
    text = draft(tmp_path, LISTED)
    assert (
        "# Infotaula terratrèmol: 3 of 4 pages (Earthquake 2, Disaster 1):"
        " Terratrèmol d'Orla, Terratrèmol de Vesk, Sisme de Prat" in text
    )
    # One page in three is no event's infobox: it is named, and not taken.
    assert "# Infotaula indret: 1 of 3 pages (Wildfire 1): Incendi de Vesk" in text
    table = loaded(tmp_path, text)
    assert {name: t.name for name, t in table.of_name.items()} == {
        "infotaulaterratrèmol": "Earthquake"
    }
    assert (table.prefixes, table.fields.date) == (("infotaula",), ("data",))
    found = table.event_page_of("Terratrèmol de Bell", box("Infotaula terratrèmol"))
    assert found and found.event_type == "Earthquake"


def test_without_a_list_names_are_the_witness(tmp_path: Path) -> None:
    text = draft(tmp_path, None)
    assert "by the words of their names alone" in text
    assert "# Infotaula festival: 1 pages: Festival d'Orla de 1977" in text
    table = loaded(tmp_path, text)
    assert {t.name for t in table.of_name.values()} == {"Festival"}


@pytest.mark.parametrize(
    ("name", "event_type"),
    [
        ("Infotaula festival", "Festival"),
        ("Infocaseta Erupție vulcanică", "Eruption"),
        ("Infotaula accident aeri", "Accident"),
        ("Infocaseta Oraș", ""),
        ("Infotaula persona", ""),
    ],
)
def test_type_by_name(name: str, event_type: str) -> None:
    assert type_by_name(name) == event_type


def test_a_name_in_another_script_is_known_by_its_english_redirect(tmp_path: Path) -> None:
    """No name of the Greek Wikipedia was like one of the tables, which are in Latin script."""
    pages = [
        page("Σεισμός της Ορλας", box("Κουτί σεισμός", "1931"), number=1),
        page("Λευκωσία", box("Πόλη", "0"), number=2),
        page(
            "Template:Infobox earthquake",
            "#REDIRECT [[Template:Κουτί σεισμός]]",
            number=3,
            extra="<ns>10</ns>",
        ),
    ]
    table = loaded(tmp_path, draft(tmp_path, None, pages))
    assert [t.name for t in table.of_name.values()] == ["Earthquake"]
    with pytest.raises(DataError, match=r"compared with those of de, en, .*, nor by a redirect's"):
        draft(tmp_path, None, pages[:2])


def test_nothing_is_like_an_event(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no infobox of the dump is an event's: half of its pages"):
        draft(tmp_path, {"Elsewhere": "Flood"})
    with pytest.raises(DataError, match="no infobox of the dump is an event's by its name"):
        draft(tmp_path, None, PAGES[4:6])


def test_infoboxes_that_end_in_the_word(tmp_path: Path) -> None:
    names = {1: "Sisme caixa", 2: "Sisme caixa", 3: "Indret caixa"}
    pages = [page(f"Sisme {n}", box(name), number=n) for n, name in names.items()]
    text = draft(tmp_path, {"Sisme 1": "Earthquake", "Sisme 2": "Earthquake"}, pages)
    table = loaded(tmp_path, text)
    assert table.endings == ("caixa",) and table.names == {"sismecaixa"}


def test_names_that_no_string_may_hold_are_written(tmp_path: Path) -> None:
    name = 'Sisme "gran"\\x'
    pages = [page("Sisme 1", box(name), number=1)]
    assert len(loaded(tmp_path, draft(tmp_path, {"Sisme 1": "Earthquake"}, pages)).names) == 1


def test_what_acts_on_a_terminal_is_escaped_and_joiners_stay(tmp_path: Path) -> None:
    persian, turned = "Infotaula زمین\u200cلرزه", "Infotaula \u202esisme"
    pages = [page(f"S {n}", box(name), number=n) for n, name in enumerate((persian, turned), 1)]
    text = draft(tmp_path, {"S 1": "Earthquake", "S 2": "Earthquake"}, pages)
    assert persian in text and turned not in text
    assert loaded(tmp_path, text).names == {"infotaulaزمین\u200cلرزه", "infotaulasisme"}


def test_a_list_of_another_language(tmp_path: Path) -> None:
    article = ListedArticle("1931 Orla earthquake", "Q7944", "Earthquake")
    links = tmp_path / "links.tsv"
    links.write_text("Terratrèmol_d'Orla\t1931 Orla_earthquake\n\nVesk\tVesk\n", "utf-8")
    listed = ListedEvents([article])
    assert listed_titles(listed, links) == {"Terratrèmol d'Orla": "Earthquake"}
    assert listed_titles(listed) == {"1931 Orla earthquake": "Earthquake"}


@pytest.mark.parametrize("line", ["one column", "a\tb\tc"])
def test_refused_title_pairs(tmp_path: Path, line: str) -> None:
    links = tmp_path / "links.tsv"
    links.write_text(f"a\tb\n{line}\n", "utf-8")
    with pytest.raises(DataError, match=r"links\.tsv:2: not two columns"):
        listed_titles(ListedEvents([]), links)

"""`--list-infoboxes` on a small dump."""

from __future__ import annotations

from pathlib import Path

from corefmill.builders.wec.infobox_counts import InfoboxCount, list_infoboxes
from corefmill.builders.wiki.articles import DumpSource
from tests.builders.wiki.dump.dump_writer import HEADER, dump, page

FIELDS = "\n| a = 1\n| b = 2\n| c = 3\n}}"


def listed(tmp_path: Path, pages: list[str], lang: str = "en") -> list[InfoboxCount]:
    path = tmp_path / "dump.xml"
    path.write_bytes(dump(pages, HEADER.replace('lang="en"', f'lang="{lang}"')))
    return list_infoboxes(DumpSource([path], lang).chunks(), lang)


def test_counts_examples_and_the_table(tmp_path: Path) -> None:
    floods = [page(f"Flood {n}", "{{Infobox flood|x}}\n" * 2, number=n) for n in range(1, 6)]
    rows = listed(
        tmp_path,
        [
            *floods,
            page("Poll", "{{infobox_election}}", number=6),
            page("Box", "{{Gadget" + FIELDS, number=7),
            page("Other box", "{{gadget" + FIELDS, number=8),
            page("Two lines", "{{Quote\n| a = 1\n| b = 2}}", number=9),
            page("Below", "Text.\n== H ==\n{{Gadget" + FIELDS, number=10),
            page("Nested", "{{Infobox flood|{{Gadget" + FIELDS + "}}", number=11),
            page("Redirect", "#REDIRECT [[Box]] {{Infobox flood}}", number=12),
        ],
    )
    pages = {row.name: row.pages for row in rows}
    assert list(pages.items()) == [("Infobox flood", 6), ("Gadget", 2), ("infobox election", 1)]
    assert rows[0].examples == ["Flood 1", "Flood 2", "Flood 3"]
    assert rows[0].says == "Flood" and rows[1].says == ""
    assert rows[2].says.startswith("out: elections")


def test_redirects_are_counted_with_what_they_lead_to(tmp_path: Path) -> None:
    redirect = "#REDIRECT [[Template:Infobox flood]]"
    pages = [
        page("A", "{{Deluge|x}}" + "{{Inundation" + FIELDS, number=1),
        page("B", "{{Infobox flood}}", number=2),
        page("Template:Inundation", redirect, number=3, extra="<ns>10</ns>"),
    ]
    assert [(row.name, row.pages, row.examples, row.says) for row in listed(tmp_path, pages)] == [
        ("Infobox flood", 2, ["B", "A"], "Flood")
    ]


def test_a_language_without_a_table(tmp_path: Path) -> None:
    rows = listed(tmp_path, [page("A", "{{Πλημμύρα" + FIELDS)], "el")
    assert [row.as_json() for row in rows] == [
        {"template": "Πλημμύρα", "pages": 1, "in_table": "", "examples": ["A"]}
    ]

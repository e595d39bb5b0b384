"""Parsing pages: old dumps, histories, hostile XML, and titles as links write them."""

from __future__ import annotations

import pytest

from corefmill.builders.wiki.dump.chunks import Chunk
from corefmill.builders.wiki.dump.pages import Page, normalise_title, pages
from corefmill.builders.wiki.dump.siteinfo import SiteInfo, parse_siteinfo
from tests.builders.wiki.dump.dump_writer import HEADER, page

SITE = parse_siteinfo(HEADER.encode())


def chunk(*xml: str | bytes, site: SiteInfo = SITE) -> Chunk:
    raw = [x.encode().strip() if isinstance(x, str) else x for x in xml]
    starts = [sum(len(x) + 1 for x in raw[:n]) for n in range(len(raw))]
    return Chunk(site, b"\n".join(raw), tuple(starts), "", ())


def read(*xml: str | bytes, lang: str | None = None) -> tuple[list[Page], list[tuple[str, str]]]:
    rejects: list[tuple[str, str]] = []
    found = list(pages(chunk(*xml), lang, lambda reason, detail: rejects.append((reason, detail))))
    return found, rejects


def test_a_page() -> None:
    found, rejects = read(page("A & B", "''Text'' & <ref>x</ref>", number=12))
    assert found == [Page("A & B", 12, 0, None, "''Text'' & <ref>x</ref>")]
    assert rejects == []


def test_trap_text_stops_at_an_xml_comment() -> None:
    xml = page("A", "one MARK two").replace("MARK", "<!-- real comment --><?pi?><![CDATA[<b>]]>")
    assert read(xml)[0][0].text == "one <b> two"


@pytest.mark.parametrize(
    ("title", "ns"), [("Talk:A", 1), ("Image:A.jpg", 6), ("A: a story", 0), ("A", 0)]
)
def test_trap_old_dumps_have_no_ns(title: str, ns: int) -> None:
    assert read(page(title, extra=""))[0][0].ns == ns


@pytest.mark.parametrize(
    ("text", "lang", "target"),
    [
        ("#REDIRECT [[Computer accessibility]]", "en", "Computer accessibility"),
        ("#redirect:[[a#b|c]] {{R}}", "en", "A"),
        ("#RINVIA [[Roma]]", "it", "Roma"),
        ("#重定向[[上海]]", "zh", "上海"),
        ("#yönlendirme [[izmir]]", "tr", "İzmir"),
        ("#RINVIA [[Roma]]", "en", None),
        ("See #REDIRECT [[A]]", "en", None),
        ("#REDIRECT [[#section]]", "en", None),
        ("#REDIRECT [[{{A}}]]", "en", None),
    ],
)
def test_trap_old_dumps_tell_a_redirect_only_in_the_text(
    text: str, lang: str, target: str | None
) -> None:
    assert read(page("X", text, extra=""), lang=lang)[0][0].redirect == target


def test_a_redirect_element_names_the_target() -> None:
    xml = page("X", "#REDIRECT [[a]]", extra='<ns>0</ns><redirect title="A &amp; B" />')
    assert read(xml)[0][0].redirect == "A & B"


OLD, NEW = "<revision><text>old</text></revision>", "<revision><text>new</text></revision>"
GONE = '<revision><text deleted="deleted" /></revision>'
STUB = '<revision><text id="5" bytes="120" /></revision>'


@pytest.mark.parametrize("revisions", [OLD + NEW, OLD + NEW + GONE])
def test_of_a_history_the_last_revision_counts(revisions: str) -> None:
    assert read(f"<page><title>A</title><id>5</id>{revisions}</page>")[0][0].text == "new"


@pytest.mark.parametrize(
    ("inside", "reject"),
    [
        *((f"<title>A</title><id>5</id>{one}", "no_text A: page id 5") for one in (GONE, STUB, "")),
        (f"<id>9</id>{NEW}", "no_title ?: page id 9"),
    ],
)
def test_reject(inside: str, reject: str) -> None:
    assert read(f"<page>{inside}</page>") == ([], [tuple(reject.split(" ", 1))])


BROKEN = {
    "cut": b"<revision><text>never closed",
    "nesting": b"<a></b></page>",
    "entity": b"&bomb;</page>",
    "control": b"\x01\x0b</page>",
    "reference": b"&#1;</page>",
    "utf8": b"\xff\xfe</page>",
    "doctype": b"<!DOCTYPE a [<!ENTITY b 'c'>]>&b;</page>",
    "deep": b"<a>" * 100_000 + b"</page>",
    "deeper": b"<a>" * 100_000 + b"</a>" * 100_000 + b"</page>",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_reject_malformed_xml_costs_that_page_alone(kind: str) -> None:
    found, rejects = read(page("A"), b"<page><title>Bad</title>" + BROKEN[kind], page("B"))
    assert [p.title for p in found] == ["A", "B"]
    assert [reason for reason, _ in rejects] == ["malformed_xml"]
    assert rejects[0][1].startswith("Bad: ")


def test_no_file_is_read_through_an_entity() -> None:
    evil = b"<!DOCTYPE page [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
    found, _ = read(evil + b"<page><title>&x;</title><revision><text>&x;</text></revision></page>")
    assert all("root:" not in p.title + p.text for p in found)


@pytest.mark.parametrize(
    ("written", "title", "section"),
    [
        ("New_York  City_", "New York City", ""),
        ("New\u00a0York&nbsp;City", "New York City", ""),
        (" :Category: towns ", "Category:Towns", ""),
        ("image:x.jpg", "File:X.jpg", ""),
        ("A#Early_life", "A", "Early life"),
        ("#Early life", "", "Early life"),
        ("AT%26T", "AT&T", ""),
        ("C%E9", "C%E9", ""),
        ("AT&T&copyX", "AT&T&copyX", ""),
        ("Star Trek: voyager", "Star Trek: voyager", ""),
        ("cafe\u0301", "Café", ""),
        ("\u200eapple\u200f", "Apple", ""),
        ("ßa", "ßa", ""),
        ("élan", "Élan", ""),
        ("აბა", "აბა", ""),
        ("", "", ""),
    ],
)
def test_normalise_title(written: str, title: str, section: str) -> None:
    assert normalise_title(written, SITE) == (title, section)


def test_a_case_sensitive_wiki_keeps_the_first_letter() -> None:
    site = SiteInfo("en", "enwiktionary", "case-sensitive", SITE.namespaces)
    assert normalise_title("category:apple", site) == ("Category:apple", "")

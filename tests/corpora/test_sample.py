"""The English sample is well formed, closed under its own links, and varied enough."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lxml import etree

SAMPLE = Path(__file__).parents[2] / "corpora" / "sample" / "en.xml"
NS = "{http://www.mediawiki.org/xml/export-0.11/}"
RED_LINKS = {"Chess", "Physics", "Seismology", "Sollen Bay", "Tolan"}
EVENT_INFOBOXES = {
    "aircraft occurrence",
    "award",
    "civilian attack",
    "concert",
    "earthquake",
    "event",
    "festival",
    "film festival",
    "flood",
    "rail accident",
    "song contest",
    "summit",
    "wildfire",
}


@dataclass(frozen=True)
class Page:
    title: str
    ns: int
    id: int
    redirect: str | None
    text: str


@pytest.fixture(scope="module")
def root() -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.parse(SAMPLE, parser).getroot()


@pytest.fixture(scope="module")
def pages(root: etree._Element) -> list[Page]:
    return [read_page(element) for element in root.iter(NS + "page")]


def read_page(element: etree._Element) -> Page:
    redirect = element.find(NS + "redirect")
    return Page(
        title=element.findtext(NS + "title") or "",
        ns=int(element.findtext(NS + "ns") or ""),
        id=int(element.findtext(NS + "id") or ""),
        redirect=None if redirect is None else redirect.get("title"),
        text=element.findtext(f"{NS}revision/{NS}text") or "",
    )


def link_targets(text: str) -> Iterator[str]:
    """Targets of links to articles, as page titles without section."""
    visible = re.sub(r"<!--.*?-->|<nowiki>.*?</nowiki>", "", text, flags=re.DOTALL)
    for target in re.findall(r"\[\[([^\[\]|#]+)", visible):
        if not target.startswith(("Category:", "File:", "User:")):
            yield target[0].upper() + target[1:]


def test_header_names_an_english_wiki(root: etree._Element) -> None:
    assert root.tag == NS + "mediawiki"
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == "en"
    assert root.findtext(f"{NS}siteinfo/{NS}dbname") == "enwiki"
    keys = {int(n.get("key") or "") for n in root.iter(NS + "namespace")}
    assert keys == {*range(-2, 16), 100, 828}


def test_titles_and_ids_are_unique(pages: list[Page]) -> None:
    assert len({page.title for page in pages}) == len(pages)
    assert len({page.id for page in pages}) == len(pages)
    assert all(page.text for page in pages)


def test_page_counts(pages: list[Page]) -> None:
    by_ns = Counter(page.ns for page in pages if page.redirect is None)
    assert by_ns[0] >= 60
    assert by_ns[10] >= 3
    assert by_ns[1] >= 1
    assert by_ns[14] >= 1
    assert sum("{{Disambiguation" in page.text for page in pages) == 2


def test_redirects_point_to_pages(pages: list[Page]) -> None:
    articles = {page.title for page in pages if page.redirect is None}
    redirects = [page for page in pages if page.redirect is not None]
    assert len(redirects) >= 8
    for page in redirects:
        assert page.redirect in articles, page.title
        assert page.text.startswith(f"#REDIRECT [[{page.redirect}"), page.title


def test_links_between_articles_have_a_page(pages: list[Page]) -> None:
    titles = {page.title for page in pages}
    linked = {link for page in pages if page.ns == 0 for link in link_targets(page.text)}
    assert linked - titles == RED_LINKS


def test_every_kind_of_event_is_present_and_linked(pages: list[Page]) -> None:
    infobox = re.compile(r"^\{\{Infobox ([^|}\n]+)$", re.MULTILINE)
    kinds = {page.title: infobox.findall(page.text) for page in pages if page.ns == 0}
    events = {title for title, found in kinds.items() if set(found) & EVENT_INFOBOXES}
    assert {kind for found in kinds.values() for kind in found} >= EVENT_INFOBOXES
    assert sum(len(found) for found in kinds.values()) >= 60

    canonical = {page.title: page.redirect or page.title for page in pages}
    mentions = Counter(
        canonical[target]
        for page in pages
        for target in set(link_targets(page.text)) & canonical.keys()
        if page.ns == 0 and page.redirect is None and canonical[target] != page.title
    )
    assert {event for event in events if mentions[event] < 2} == set()

"""Parse the pages of a chunk, and normalise titles as a wiki does."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from corefmill.builders.wiki.dump.chunks import Chunk, find_title
from corefmill.builders.wiki.dump.siteinfo import SiteInfo, language

if TYPE_CHECKING:
    from lxml import etree

Reject: TypeAlias = Callable[[str, str], None]
"""Takes the reason, one word, and the detail, a phrase that names the page."""

NO_ID = 0

_SPACES = re.compile(r"[ _\s\u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_DIRECTION_MARKS = re.compile(r"[\u200e\u200f\u202a-\u202e]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a wiki in its newest revision."""

    title: str
    page_id: int
    """The wiki's number of the page, `NO_ID` where the dump gives none."""
    ns: int
    redirect: str | None
    """Title of a redirect's target, without a section; None for other pages."""
    text: str
    """The wikitext, untouched."""


def pages(chunk: Chunk, lang: str | None = None, reject: Reject | None = None) -> Iterator[Page]:
    """Parse the pages of `chunk` in their order; `lang` overrules the dump's header.

    Of a page with its history, the last revision that was not deleted counts. In an old dump
    without `<ns>` the title's prefix gives the namespace; without `<redirect/>` the text shows a
    redirect. A page that cannot be used is passed to `reject` and left out, with the reason
    `malformed_xml` (also for bytes that are not UTF-8, and control characters), `no_title`, or
    `no_text` (all revisions were deleted, or the dump has stubs only).
    """
    from lxml import etree

    site = chunk.site if lang is None else chunk.site.for_language(lang)
    # Large text nodes need huge_tree; the size of a page is bounded by the cutter, entities are
    # never expanded and a page cannot declare any, for no DOCTYPE can stand within an element.
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,
    )
    for number in range(chunk.pages):
        xml = chunk.page(number)
        try:
            element = etree.fromstring(xml, parser)
        except etree.XMLSyntaxError as error:
            reason, detail = "malformed_xml", error.msg
        else:
            page = _page(element, site)
            if isinstance(page, Page):
                yield page
                continue
            reason, detail = page, f"page id {_text(element, 'id') or 'unknown'}"
        if reject is not None:
            reject(reason, f"{find_title(xml)}: {detail}")


def normalise_title(title: str, site: SiteInfo) -> tuple[str, str]:
    """Normalise a link's target to the title as the wiki stores it, and the section or "".

    Entities and percent-encoding are decoded, runs of spaces and underscores become one space, a
    leading colon is removed, a namespace gets the wiki's name for it, and the first letter a
    capital if the wiki's titles have one. "#Life" gives ("", "Life").
    """
    if "&" in title:
        title = _ENTITY.sub(lambda match: html.unescape(match[0]), title)
    if "%" in title:
        decoded = unquote(title, errors="replace")
        # Bytes that are not UTF-8 stand as they are written: no title has U+FFFD.
        title = title if "\ufffd" in decoded else decoded
    title = _DIRECTION_MARKS.sub("", unicodedata.normalize("NFC", title))
    title, _, section = _SPACES.sub(" ", title).partition("#")
    title = title.strip().removeprefix(":").strip()
    _, colon, rest = title.partition(":")
    number = site.namespace(title)
    if colon and number:
        title = f"{site.namespaces[number][0]}:{_capitalise(rest.strip(), site)}"
    else:
        title = _capitalise(title, site)
    return title, section.strip()


def redirect_target(text: str, site: SiteInfo) -> str | None:
    """Read the target of a redirecting `text`; None for any other text."""
    return redirect_link(text, site)[0] or None


def redirect_link(text: str, site: SiteInfo) -> tuple[str, str]:
    """Read the title and the section of a redirecting `text`, "" for a missing one."""
    match = _redirect_pattern(site.lang).match(text)
    return normalise_title(match[1], site) if match else ("", "")


@cache
def _redirect_pattern(lang: str) -> re.Pattern[str]:
    words = "|".join(re.escape(word) for word in language(lang).redirects)
    return re.compile(rf"\s*(?:{words})\s*:?\s*\[\[([^\[\]{{}}|\n]{{1,1000}})", re.IGNORECASE)


def _capitalise(title: str, site: SiteInfo) -> str:
    if site.case == "case-sensitive" or not title:
        return title
    return language(site.lang).capitals.get(title[0], capital_of(title[0])) + title[1:]


def capital_of(letter: str) -> str:
    """Capitalise a title's first letter, as MediaWiki does.

    A letter stays if its capital is two letters (ß) or never begins a name (Georgian).
    """
    capital = letter.upper()
    return capital if len(capital) == 1 and letter != letter.title() else letter


def _page(element: etree._Element, site: SiteInfo) -> Page | str:
    """Make the page of `element`, or return the reject reason."""
    title = " ".join(_text(element, "title").replace("_", " ").split())
    if not title:
        return "no_title"
    text = _newest_text(element)
    if text is None:
        return "no_text"
    target = element.find("redirect")
    redirect = target.get("title") if target is not None else None
    ns = _number(_text(element, "ns"))
    return Page(
        title=title,
        page_id=_number(_text(element, "id")) or NO_ID,
        ns=site.namespace(title) if ns is None else ns,
        redirect=redirect or redirect_target(text, site),
        text=text,
    )


def _newest_text(element: etree._Element) -> str | None:
    """Find the text of the last revision with a text; None if all were deleted."""
    for revision in reversed(element.findall("revision")):
        text = revision.find("text")
        if text is None or text.get("deleted") is not None:
            continue
        content = _content(text)
        # A dump of stubs states the size of a text and leaves the text away.
        if content or text.get("bytes", "0") == "0":
            return content
    return None


def _content(element: etree._Element) -> str:
    """Join all text within an element; `.text` would end where a child begins."""
    return "".join(map(str, element.itertext()))


def _text(element: etree._Element, name: str) -> str:
    child = element.find(name)
    return "" if child is None else _content(child).strip()


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else None

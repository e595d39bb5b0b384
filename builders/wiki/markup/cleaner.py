"""The four passes in order."""

from corefmill.builders.wiki.markup.blocks import blocks
from corefmill.builders.wiki.markup.braces import cut_braces
from corefmill.builders.wiki.markup.marks import strip_marks
from corefmill.builders.wiki.markup.records import CleanPage, Paragraph
from corefmill.builders.wiki.markup.render import SOFT_HYPHEN, render
from corefmill.builders.wiki.markup.settings import MarkupSettings
from corefmill.builders.wiki.markup.tables import cut_links, cut_tables

# Twice the bytes that MediaWiki takes for a page. What is longer is no page but an accident or
# an attack, and is cleaned slice by slice so that it needs no more memory than a page.
SLICE = 4 * 2**20


def clean(wikitext: str, settings: MarkupSettings) -> CleanPage:
    """The paragraphs of one page, its categories and the names of its templates."""
    page = CleanPage([], [], [])
    if "\r" in wikitext:
        wikitext = wikitext.replace("\r\n", "\n").replace("\r", "\n")
    wikitext = strip_marks(wikitext).replace(SOFT_HYPHEN, "")
    heading = ""
    start = 0
    while start < len(wikitext):
        end = len(wikitext)
        if end - start > SLICE:
            newline = wikitext.rfind("\n", start, start + SLICE)
            end = newline + 1 if newline > start else start + SLICE
        heading = _clean_slice(wikitext[start:end], settings, page, heading)
        start = end
    return page


def _clean_slice(wikitext: str, settings: MarkupSettings, page: CleanPage, heading: str) -> str:
    """Add what `wikitext` holds to `page`; the heading it ends under."""
    text, templates = cut_braces(wikitext, settings.templates)
    text, categories = cut_links(cut_tables(text), settings.prefixes)
    page.templates.extend(templates)
    page.categories.extend(categories)
    paragraphs = page.paragraphs
    for kind, block in blocks(text):
        clean_text, links, bold, italic, lost = render(block, settings)
        if not clean_text:
            continue
        if kind == "heading":
            heading = clean_text
        elif kind == "prose" and italic and _is_hatnote(clean_text, italic):
            kind = "indent"
        index = len(paragraphs)
        start = paragraphs[-1].start + len(paragraphs[-1].text) + 1 if paragraphs else 0
        paragraphs.append(
            Paragraph(clean_text, kind, index, heading, links, bold, italic, lost, start)
        )
    return heading


def _is_hatnote(text: str, italic: list[tuple[int, int]]) -> bool:
    """True if all of `text` but its last full stop is in italics."""
    return len(italic) == 1 and italic[0][0] == 0 and italic[0][1] >= len(text.rstrip(".")) > 0

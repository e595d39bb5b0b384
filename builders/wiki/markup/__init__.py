"""The wikitext cleaner: a page's wikitext to paragraphs of clean prose, links kept as spans.

    settings = MarkupSettings("it", file_prefixes=frozenset({"file", "immagine"}), ...)
    page = clean(wikitext, settings)
    for paragraph in page.paragraphs:
        if paragraph.kind == "prose" and not paragraph.lost: ...

Four passes, each one scan of what the one before it left: templates, comments and extension tags
go first, for they hold most of the bytes (`braces`), then tables and pictures (`tables`), then
the lines are gathered (`blocks`) and each block rendered (`render`, `squeeze`). No pass recurses
and every pattern is linear, so no page takes more than its length's share of time and memory.
"""

from corefmill.builders.wiki.markup.cleaner import clean
from corefmill.builders.wiki.markup.records import CleanPage, Kind, Link, Paragraph, Span
from corefmill.builders.wiki.markup.settings import MarkupSettings

__all__ = ["CleanPage", "Kind", "Link", "MarkupSettings", "Paragraph", "Span", "clean"]

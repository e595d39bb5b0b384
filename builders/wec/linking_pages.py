"""Second pass over a dump, first stage: the pages that link to events, as clean articles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from corefmill.builders.run.stages import Context
from corefmill.builders.wec.event_pages.event_index import EventIndex
from corefmill.builders.wec.paper import INFOBOX, PageWithInfobox
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.articles import markup_settings
from corefmill.builders.wiki.dump.chunks import Chunk
from corefmill.builders.wiki.dump.pages import normalise_title, pages
from corefmill.builders.wiki.dump.siteinfo import SiteInfo
from corefmill.builders.wiki.markup import MarkupSettings, clean
from corefmill.builders.wiki.markup.links import make_link
from corefmill.builders.wiki.markup.render import SOFT_HYPHEN

_LINK = re.compile(r"\[\[([^][|\n]++)")


@dataclass(frozen=True, slots=True)
class ReadLinkingPages:
    """Cleans the pages that have a link to an event, and sees whether they have an infobox.

    To clean a page costs a hundred times what a look at its links does. The look is taken at the
    wikitext, in tables, notes and comments too, and must only miss none: what is a link the
    cleaner decides.
    """

    lang: str
    index: EventIndex

    def __call__(self, dump: Iterator[Chunk], context: Context) -> Iterator[Article]:
        """Counts `links` (of all pages) and `pages_cleaned`; rejects are those of `pages`."""
        for chunk in dump:
            site = chunk.site.for_language(self.lang)
            settings = markup_settings(site)
            links = _Links(site, settings)
            for page in pages(chunk, self.lang, reject=context.reject):
                if page.ns != 0 or page.redirect is not None:
                    continue
                titles = links.titles(page.text)
                context.count("links", len(titles))
                if "" not in titles and not self.index.has_any(titles):
                    continue
                context.count("pages_cleaned")
                kind = PageWithInfobox if INFOBOX in page.text else Article
                yield kind(
                    key=f"{self.lang}wiki-{page.page_id}",
                    title=page.title,
                    page_id=page.page_id,
                    paragraphs=clean(page.text, settings).paragraphs,
                    site=site,
                )


class _Links:
    """Brings what stands behind `[[` to the title that it means, as the cleaner does."""

    def __init__(self, site: SiteInfo, settings: MarkupSettings) -> None:
        self._site = site
        self._settings = settings
        self._title = cache(self._title_of)

    def titles(self, text: str) -> list[str]:
        """The titles of the articles that a page links to, "" where only cleaning can tell."""
        found = map(self._title, _LINK.findall(text))
        return [title for title in found if title is not None]

    def _title_of(self, target: str) -> str | None:
        if "<" in target or "{{" in target:
            return ""
        link = make_link(0, 0, target.replace(SOFT_HYPHEN, ""), self._settings)
        if link is None or not link.target:
            return None
        return normalise_title(link.target, self._site)[0] or None

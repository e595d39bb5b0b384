"""The stage that makes articles of the pages that link to events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corefmill.builders.runner.stages import Context
from corefmill.builders.wec.paper import INFOBOX, PageWithInfobox
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.articles import markup_settings
from corefmill.builders.wiki.dump.chunks import Chunk
from corefmill.builders.wiki.dump.pages import pages
from corefmill.builders.wiki.markup import clean


@dataclass(frozen=True, slots=True)
class ReadLinking:
    """Reads the pages of chunks as clean articles, and sees whether they have an infobox."""

    lang: str

    def __call__(self, payloads: Iterator[Chunk], context: Context) -> Iterator[Article]:
        """Counts `pages_cleaned`; rejects are those of `pages`."""
        for chunk in payloads:
            site = chunk.site.for_language(self.lang)
            settings = markup_settings(site)
            for page in pages(chunk, self.lang, reject=context.reject):
                if page.ns != 0 or page.redirect is not None:
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

"""An article as the builders read it, from a dump or from plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corefmill.builders.run.stages import Context
from corefmill.builders.wiki.dump.pages import normalise_title
from corefmill.builders.wiki.dump.siteinfo import SiteInfo
from corefmill.builders.wiki.markup.records import Paragraph


@dataclass(frozen=True, slots=True)
class Article:
    """Clean paragraphs of one page, novel or comment.

    `key` is unique within the input and begins the ids of records built from the article.
    `is_person` says whether the article is about a person, None if unknown; `site` is the wiki of
    the article and its links, None for plain text.
    """

    key: str
    title: str
    page_id: int
    paragraphs: Sequence[Paragraph]
    is_person: bool | None = None
    site: SiteInfo | None = None

    @property
    def prose(self) -> Iterator[Paragraph]:
        """Yield the paragraphs of running text, no headings, lists and quotes."""
        return (paragraph for paragraph in self.paragraphs if paragraph.kind == "prose")

    def title_of(self, target: str) -> str:
        """Resolve a link's target to the title of an article, "" for a section of this one."""
        return target if self.site is None else normalise_title(target, self.site)[0]


@dataclass(frozen=True, slots=True)
class Redirect:
    """A title in place of another one."""

    title: str
    target: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a paragraph to be analysed, from the offset `start` on."""

    article: Article
    paragraph: Paragraph
    start: int
    text: str


def prose(
    items: Iterator[Article | Redirect], context: Context, longest: int | None = None
) -> Iterator[tuple[Article, Paragraph]]:
    """Yield the paragraphs of running text of all articles, and count their characters.

    Paragraphs that lack words are included: each builder decides which of their sentences to drop.

    A paragraph of more than `longest` characters is rejected: it is not prose, and costs memory.
    """
    for item in items:
        if isinstance(item, Redirect):
            continue
        for paragraph in item.prose:
            context.count("paragraphs")
            context.count("characters", len(paragraph.text))
            if paragraph.lost:
                context.count("paragraphs_lacking_words")
            if longest is not None and len(paragraph.text) > longest:
                context.reject("paragraph_too_long")
            else:
                yield item, paragraph

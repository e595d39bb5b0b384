"""From a page's clean paragraphs to the anchors that lead to events.

Only running text counts: lists, indented lines (which are hatnotes, mostly), quotations, headings
and sections such as "References" hold names and pointers, not mentions. Tables, captions, notes
and navigation are gone before: the cleaner leaves none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from corefmill.builders.runner.stages import Context
from corefmill.builders.wec.facts.lexicon import Lexicon
from corefmill.builders.wec.facts.records import Anchor
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.markup.records import Paragraph

Sections = Literal["drop", "named", "keep"]
"""What becomes of links to a section of an event's article, [[Event#Section]]:

drop    none is a mention: a section is about a part of the event, its causes, its aftermath, and
        so mostly is what links to it. The default, since these are few and a false mention costs
        more than a lost one.
named   those whose anchor is the article's title or an alias of it are.
keep    all are.
"""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link leads, redirects followed: an event, and the section of it, None for all."""

    pivot: str
    section: str | None = None


LONGEST_PARAGRAPH = 20_000
"""Characters; what is longer is no prose, and would cost memory."""

PLACES = ("self_link", "not_prose", "back_matter", "hatnote")
"""Why the place of a link stops it; these are no options."""

Resolve = Callable[[str], Target | None]
"""From the title that a link means to the event, None where it leads to none."""


def anchors(
    article: Article, resolve: Resolve, lexicon: Lexicon, context: Context
) -> Iterator[Anchor]:
    """The article's mentions of events, as far as the place of the link tells.

    Counts each link that leads to an event, and rejects for what PLACES has, and what stands in a
    paragraph that is too long. Such a reject is counted alone: each would carry the whole text.
    """
    for paragraph in article.paragraphs:
        too_long = len(paragraph.text) > LONGEST_PARAGRAPH
        # Asked once for all links, of which a paragraph may have any number.
        place = "" if too_long or not paragraph.links else _fault(paragraph, lexicon)
        for link in paragraph.links:
            target = resolve(article.title_of(link.target)) if link.target else None
            if target is None:
                continue
            context.count("links_to_events")
            anchor = Anchor(
                page_title=article.title,
                page_id=article.page_id,
                paragraph=paragraph.index,
                text=paragraph.text,
                start=link.start,
                end=link.end,
                target=target.pivot,
                section=link.section or target.section,
            )
            fault = "self_link" if anchor.target == anchor.page_title else place
            if too_long:
                context.reject("paragraph_too_long")
            elif fault:
                context.reject(fault, rejected(anchor))
            else:
                yield anchor


def _fault(paragraph: Paragraph, lexicon: Lexicon) -> str:
    """Why no link of the paragraph is a mention, "" if any may be."""
    if paragraph.kind != "prose":
        return "not_prose"
    if paragraph.section.casefold() in lexicon.back_matter:
        return "back_matter"
    if paragraph.text.casefold().startswith(lexicon.hatnotes):
        return "hatnote"
    return ""


def rejected(anchor: Anchor) -> dict[str, object]:
    """What --keep-rejects writes of an anchor."""
    return {
        "title": anchor.page_title,
        "page_id": anchor.page_id,
        "text": anchor.text,
        "start": anchor.start,
        "end": anchor.end,
        "mention": anchor.text[anchor.start : anchor.end],
        "target": anchor.target,
    }

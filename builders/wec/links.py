"""From a page's clean paragraphs to its links that lead to events (WEC, section 3.1).

Only running text counts, and what is written like it in lists and indented lines. The rest of these
(hatnotes, mostly), quotations, headings
and sections such as "References" hold names and pointers, not mentions. Tables, captions, notes
and navigation are gone before: the cleaner leaves none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from corefmill.builders.run.stages import Context
from corefmill.builders.wec.event_pages.event_index import LinkTarget
from corefmill.builders.wec.facts.lexicon import EventLexicon, words
from corefmill.builders.wec.filters.link_view import EventLink
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.markup.records import Paragraph

LONGEST_PARAGRAPH = 20_000
"""Characters; what is longer is no prose, and would cost memory."""

LONGEST_POINTER = 300
"""Characters of a paragraph that does no more than point to another page."""
SHORTEST_ITEM = 12
"""Words of a list's item that may be running text."""
_CLOSING = "\"'”’») "
_STOPS = (".", "!", "?", ":", ";")

PLACES = ("self_link", "not_prose", "back_matter", "hatnote")
"""Why the place of a link stops it; these are no options."""

Resolve = Callable[[str], LinkTarget | None]
"""From the title that a link means to the event, None where it leads to none."""


def event_links(
    article: Article, resolve: Resolve, lexicon: EventLexicon, context: Context
) -> Iterator[EventLink]:
    """The article's links to events that may be mentions, as far as their place in it says.

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
            found = EventLink(
                page_title=article.title,
                page_id=article.page_id,
                paragraph=paragraph.index,
                text=paragraph.text,
                start=link.start,
                end=link.end,
                target=target.event,
                section=link.section or target.section,
                listed=paragraph.kind != "prose",
            )
            fault = "self_link" if found.target == found.page_title else place
            if too_long:
                context.reject("paragraph_too_long")
            elif fault:
                context.reject(fault, rejected(found))
            else:
                yield found


def _fault(paragraph: Paragraph, lexicon: EventLexicon) -> str:
    """Why no link of the paragraph is a mention, "" if any may be."""
    if paragraph.kind != "prose" and not _is_written_out(paragraph, lexicon):
        return "not_prose"
    if paragraph.section.casefold() in lexicon.back_matter:
        return "back_matter"
    return "hatnote" if _points_elsewhere(paragraph.text.casefold(), lexicon) else ""


def _points_elsewhere(text: str, lexicon: EventLexicon) -> bool:
    """Whether the paragraph is a pointer: "See also ...", "For the flood of Vesk, see ..."."""
    if text.startswith(lexicon.hatnotes):
        return True
    return len(text) <= LONGEST_POINTER and any(
        text.startswith(f"{word} ") or f", {word} " in text for word in lexicon.pointers
    )


def _is_written_out(paragraph: Paragraph, lexicon: EventLexicon) -> bool:
    """Whether a list's item or an indented line may be a sentence; the pipeline looks for its verb.

    It begins and ends like one, is long enough, is no row of links, and points nowhere.
    """
    text = paragraph.text
    if paragraph.kind not in ("list", "indent") or not (text[0].isupper() or text[0].isdigit()):
        return False
    if not text.rstrip(_CLOSING).endswith(_STOPS) or len(text.split()) < SHORTEST_ITEM:
        return False
    if sum(link.end - link.start for link in paragraph.links) * 2 > len(text):
        return False
    return not any(word in lexicon.pointers for word in words(text))  # "... (see there)"


def rejected(link: EventLink) -> dict[str, object]:
    """What --keep-rejects writes of a link."""
    return {
        "title": link.page_title,
        "page_id": link.page_id,
        "text": link.text,
        "start": link.start,
        "end": link.end,
        "mention": link.text[link.start : link.end],
        "target": link.target,
    }

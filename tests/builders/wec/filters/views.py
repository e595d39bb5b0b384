"""Views of links written as text with the mention in brackets, for tests of filters."""

from __future__ import annotations

from collections.abc import Iterable

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.wec.facts import infoboxes, lexicon
from corefmill.builders.wec.facts.event_facts import EventFacts, collect_facts
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.filters.link_view import EventLink, LinkView, ParagraphWords
from corefmill.builders.wec.filters.reading import read
from corefmill.corpora.words import cut

FILLER = " It was told to the children of the harbour for many years after."


def facts(title: str, lang: str = "en", aliases: Iterable[str] = (), **fields: str) -> EventFacts:
    """What is known of an event with this title and these fields of its infobox."""
    page = EventPage(title, 7, "News Event", "infoboxnewsevent", fields)
    return collect_facts(page, list(aliases), lexicon.load(lang), infoboxes.load(lang).fields)


def view(
    text: str,
    event: EventFacts,
    *,
    lang: str = "en",
    section: str | None = None,
    ner: str = "",
    pos: str = "NOUN",
    lemma: str = "",
    head: int = -1,
    filler: str = FILLER,
) -> LinkView:
    """The view of the words in [brackets]; its head is the word number `head` of the mention.

    `ner` is the label of an entity that covers the mention, `pos` and `lemma` are the head's.
    """
    start = text.index("[")
    end = text.index("]") - 1
    shown = text.replace("[", "").replace("]", "") + filler
    link = EventLink("Page", 1, 0, shown, start, end, event.title, section)
    words = tuple(cut(shown, (start, end)))
    inside = [i for i, word in enumerate(words) if start <= word[0] < end]
    top = inside[head]
    analysis = Analysis(
        text=shown,
        tokens=words,
        sentences=((0, len(shown)),),
        entities=(Entity(start, end, ner),) if ner else (),
        upos=tuple(pos if i == top else "X" for i in range(len(words))),
        head=tuple(top for _ in words),
        lemma=tuple(lemma if i == top else "" for i in range(len(words))),
    )
    known = lexicon.load(lang)
    return LinkView(link, event, known, ParagraphWords(shown, known), read(analysis, start, end))

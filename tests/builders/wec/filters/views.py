"""Views of anchors written as text with the mention in brackets, for tests of filters."""

from __future__ import annotations

from collections.abc import Iterable

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.wec.facts import infoboxes, lexicon
from corefmill.builders.wec.facts.facts import Facts, facts_of
from corefmill.builders.wec.facts.records import Anchor, Pivot
from corefmill.builders.wec.filters.context import read
from corefmill.builders.wec.filters.view import View, Words
from corefmill.corpora.words import cut

FILLER = " It was told to the children of the harbour for many years after."


def facts(title: str, lang: str = "en", aliases: Iterable[str] = (), **fields: str) -> Facts:
    """What is known of an event with this title and these fields of its infobox."""
    pivot = Pivot(title, 7, "News Event", "infoboxnewsevent", fields)
    return facts_of(pivot, list(aliases), lexicon.load(lang), infoboxes.load(lang).fields)


def view(
    text: str,
    event: Facts,
    *,
    lang: str = "en",
    section: str | None = None,
    ner: str = "",
    pos: str = "NOUN",
    lemma: str = "",
    head: int = -1,
    filler: str = FILLER,
) -> View:
    """The view of the words in [brackets]; its head is the word number `head` of the mention.

    `ner` is the label of an entity that covers the mention, `pos` and `lemma` are the head's.
    """
    start = text.index("[")
    end = text.index("]") - 1
    shown = text.replace("[", "").replace("]", "") + filler
    anchor = Anchor("Page", 1, 0, shown, start, end, event.title, section)
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
    return View(anchor, event, known, Words(shown, known), read(analysis, start, end))

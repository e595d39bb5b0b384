"""What speaks for and against a mention in which no word that the lexicon has names an event.

A list of nouns is never whole: "the 2010 gusher", "the tank failure". So a mention is not refused
for its noun alone. For it speaks a date or a name of the event beside the noun, or a noun made of
a verb; against it a foreign name, or a word that marks a part ("the last radio call").
"""

from __future__ import annotations

from collections.abc import Iterable

from corefmill.builders.wec.facts.lexicon import spelled, words
from corefmill.builders.wec.filters.link_view import STEM, LinkView

_NAME, _NOUN = "PROPN", "NOUN"


def suffices(view: LinkView) -> bool:
    """Whether the mention may be taken for the event's name, though its noun is not known."""
    if _pos(view) == _NAME:
        return _is_named(view) or dates_from_place(view)
    if _is_marked(view) or _foreign(view) or is_about_it(view):
        return False
    if own_date(view) or own_name(view):
        return True
    return _head(view).endswith(view.lexicon.nominal) and not _has_complement(view)


def own_date(view: LinkView) -> bool:
    """Whether the mention has a year or number of the event, or a month."""
    facts = view.facts
    given = facts.years | facts.dated | facts.numbers
    if given & set(view.numbers.values()):
        return True
    return any(word in view.lexicon.months for word in view.content)


def own_name(view: LinkView) -> bool:
    """Whether there is beside the head a name of the event or of its place, or one's adjective."""
    return any(_is_own(view, word) for word in _beside(view))


def has_day(view: LinkView) -> bool:
    """Whether it is a name with a day or a season in it, and no date: "Black Sunday"."""
    lexicon = view.lexicon
    named = [word.casefold() for word in _capitals(view.mention)]
    return any(word in lexicon.times for word in named) and any(
        not lexicon.is_date(word) for word in named if word not in lexicon.function
    )


def dates_from_place(view: LinkView) -> bool:
    """Whether the event's place dates something: "since [Tenerife]"."""
    return view.dates_something and all(
        word in view.facts.names | view.facts.places for word in view.content
    )


def is_about_it(view: LinkView) -> bool:
    """Whether the event's name only completes another noun: "the apology for Bloody Sunday".

    What befell a place is written of so, too ("the nightmare of Beslan"): nothing follows there.
    """
    facts, head = view.facts, _head(view)
    if _pos(view) != _NOUN or head in facts.own_words or facts.befalls:
        return False
    return view.has_all_names and not facts.names <= facts.places and _has_complement(view)


def _is_named(view: LinkView) -> bool:
    """A name that the event is not known by: one that dates something, or has a day in it."""
    known = view.facts.participants | view.facts.places
    if all(word in known or word in view.numbers for word in view.content) or _label(view) == "ORG":
        return False
    if view.dates_something and _foreign(view):
        return True
    return has_day(view)


def _is_marked(view: LinkView) -> bool:
    """Whether a word says that a part is meant, or an ordinal that is not the event's number."""
    if any(word in view.lexicon.marks for word in view.content if word not in view.facts.own_words):
        return True
    return any(number.endswith(".") for number in view.numbers.values()) and not view.is_elliptic


def _foreign(view: LinkView) -> bool:
    """Whether the mention has a name that is neither the event's nor its place's."""
    facts, lexicon = view.facts, view.lexicon
    shown = view.mention
    starts = view.link.text[: view.link.start].rstrip()[-1:] in ("", ".", "!", "?")
    return any(
        not (_is_own(view, word) or word in facts.participants or lexicon.is_date(word))
        for word in map(str.casefold, _capitals(shown, but_first=starts))
        if word not in lexicon.function and word not in facts.own_words
    )


def _capitals(text: str, *, but_first: bool = False) -> Iterable[str]:
    return (word for word in spelled(text)[but_first:] if word[0].isupper())


def _is_own(view: LinkView, word: str) -> bool:
    names = (view.facts.all_names | view.facts.places) - view.facts.participants
    if word in names:
        return True
    return len(word) >= STEM and any(
        len(name) >= STEM and name[:STEM] == word[:STEM] for name in names
    )


def _beside(view: LinkView) -> list[str]:
    head = _head(view)
    return [word for word in view.content if word != head]


def _has_complement(view: LinkView) -> bool:
    """Whether a preposition and more stand behind the head: "search for the pilot"."""
    reading = view.reading
    assert reading is not None
    behind = words(view.link.text[reading.head[1] : view.link.end])
    return any(word in view.lexicon.function and behind[at + 1 :] for at, word in enumerate(behind))


def _head(view: LinkView) -> str:
    """The head with what hyphens join to it, in lower case: "pile-up"."""
    assert view.reading is not None
    start, end = view.reading.head
    text = view.link.text
    while start > view.link.start and not text[start - 1].isspace():
        start -= 1
    return text[start:end].casefold()


def _pos(view: LinkView) -> str:
    assert view.reading is not None
    return view.reading.pos


def _label(view: LinkView) -> str:
    assert view.reading is not None
    return view.reading.ner

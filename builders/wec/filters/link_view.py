"""The filters' view of a link to an event: its words, its paragraph, and its event."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile, zip_longest

from corefmill.builders.wec.facts.event_facts import EventFacts, bare
from corefmill.builders.wec.facts.lexicon import EventLexicon, cased_words, words, years
from corefmill.builders.wec.filters.reading import Reading

_STOP = re.compile(r"[.,;:!?()\[\]\"“”„«»–—]")
STEM = 5
"""Letters that a name and its adjective have in common: "Crimea", "Crimean"."""
_BESIDE = 8
"""Words on either side of a mention in which a year most likely belongs to it."""
_LONGEST_MONTH = 31
_REACH = 120
"""Characters that hold as many words."""


@dataclass(frozen=True, slots=True)
class EventLink:
    """A link to an event in a paragraph of clean text; `text[start:end]` is its anchor.

    `target` is the event's title, redirects followed; `section` is the link's section or None.
    `listed` says that the paragraph is an item of a list or an indented line.
    """

    page_title: str
    page_id: int
    paragraph: int
    text: str
    start: int
    end: int
    target: str
    section: str | None
    listed: bool = False


class ParagraphWords:
    """A paragraph's words, found once for all its links."""

    def __init__(self, text: str, lexicon: EventLexicon) -> None:
        self.text = text
        self._lexicon = lexicon

    @cached_property
    def all(self) -> frozenset[str]:
        """The words, in lower case."""
        return frozenset(words(self.text))

    @cached_property
    def capitals(self) -> frozenset[str]:
        """The words written with a capital, in lower case."""
        return frozenset(word.casefold() for word in cased_words(self.text) if word[0].isupper())

    @cached_property
    def stems(self) -> frozenset[str]:
        """First letters of `capitals`, shared by a name and its adjective: "Angola", "Angolan"."""
        return frozenset(word[:STEM] for word in self.capitals if len(word) >= STEM)

    @cached_property
    def years(self) -> frozenset[str]:
        """The years in the text."""
        return years(self.text)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The text's numbers and ordinals, as the lexicon gives them."""
        return frozenset(number for _, number in self._lexicon.numbers(self.text))


@dataclass(frozen=True)
class LinkView:
    """A link in its paragraph; `reading` is the pipeline's, for the filters that need one."""

    link: EventLink
    facts: EventFacts
    lexicon: EventLexicon
    paragraph: ParagraphWords
    reading: Reading | None = None

    @cached_property
    def mention(self) -> str:
        """The link's anchor."""
        return self.link.text[self.link.start : self.link.end]

    @cached_property
    def content(self) -> Sequence[str]:
        """The mention's words, in lower case, without function words."""
        return self.lexicon.content(self.mention)

    @cached_property
    def numbers(self) -> Mapping[str, str]:
        """The mention's numbers, by the words for them."""
        return dict(self.lexicon.numbers(self.mention))

    @cached_property
    def is_title(self) -> bool:
        """Whether the mention is the event's title, but for its qualifier in brackets."""
        return self.content == self.lexicon.content(bare(self.facts.title))

    @cached_property
    def is_form(self) -> bool:
        """Whether the mention is the title or an alias."""
        return any(self.content == self.lexicon.content(form) for form in self.facts.forms)

    @cached_property
    def has_all_names(self) -> bool:
        """Whether the mention has every name in the event's title, as "Eurovision 1968" has."""
        return bool(self.facts.names) and self.facts.names <= frozenset(self.content)

    @cached_property
    def is_of_meeting(self) -> bool:
        """Whether the event's title speaks of a meeting alone: "Yalta Conference"."""
        kinds = self.facts.kinds
        return bool(kinds) and all(map(self.lexicon.is_meeting, kinds))

    @cached_property
    def is_elliptic(self) -> bool:
        """Whether the mention has an ordinal of the event's title or aliases: "the 68th"."""
        own = {n for form in self.facts.forms for _, n in self.lexicon.numbers(form)}
        return any(number.endswith(".") and number in own for number in self.numbers.values())

    @cached_property
    def dates_something(self) -> bool:
        """Whether the words before the mention make a time of it: "since [Tenerife]"."""
        return self._follows(self.lexicon.since)

    @cached_property
    def is_of_text(self) -> bool:
        """Whether words for texts stand before the mention: "the terms of the [Treaty]"."""
        return self._follows(self.lexicon.of_texts)

    def _follows(self, phrases: tuple[str, ...]) -> bool:
        """Whether one of the phrases stands before the mention, with an article or none between."""
        before = words(self.link.text[max(0, self.link.start - 60) : self.link.start])
        said = [f" {' '.join(before)}", f" {' '.join(before[:-1])}"]
        if before and before[-1] not in self.lexicon.function:
            del said[1]
        return any(text.endswith(tuple(f" {phrase}" for phrase in phrases)) for text in said)

    @cached_property
    def is_named_before(self) -> bool:
        """Whether the word for an event stands before the mention: "the crash of [Flight 9]"."""
        lexicon, text = self.lexicon, self.link.text
        before = _STOP.split(text[max(0, self.link.start - _REACH) : self.link.start])[-1]
        opens = takewhile(lexicon.function.__contains__, words(self.mention))
        said = [*words(before), *opens]
        if len(said) > 2 and said[-1] in lexicon.articles and said[-2] in lexicon.ties:
            said.pop()
        if len(said) < 2 or said[-1] not in lexicon.ties:
            return False
        return lexicon.is_happening(said[-2]) or lexicon.is_meeting(said[-2])

    @cached_property
    def tells_itself(self) -> bool:
        """Whether the mention identifies the event by its own words, without the title.

        It does by a noun for events with one of three: a day and month; a year, if the event's year
        is unknown; a name that the title lacks. The name must stand behind "of", but anywhere for
        an event that befell somebody ("raid on Bellena"). Elsewhere a name may mean a part of the
        event: "the Bellena election" of a whole country's.
        """
        if not self.names_event:
            return False
        facts, lexicon = self.facts, self.lexicon
        shown = [w for w in cased_words(self.mention) if w.casefold() not in lexicon.articles]
        folded = [word.casefold() for word in shown]
        # A day and a month: "the 15 October election".
        if any(word in lexicon.months for word in folded) and any(
            (number := lexicon.number(word)) and number <= _LONGEST_MONTH for word in folded
        ):
            return True
        # A year is enough only where no other year is known of the event.
        if not (facts.years or facts.dated or facts.series) and years(self.mention):
            return True
        # A name behind a preposition. An event that befell somebody may have its place behind any
        # preposition; for a held event, only "of" names the whole.
        ties = lexicon.genitive if facts.kinds and not facts.befalls else lexicon.ties
        return any(
            before in ties
            and word[0].isupper()
            and not (low in facts.names or low in lexicon.function or lexicon.is_date(low))
            for before, word, low in zip(folded, shown[1:], folded[1:], strict=False)
        )

    @cached_property
    def year_beside(self) -> str:
        """The year nearest to the mention within a few words of it, "" for none."""
        text, (start, end) = self.link.text, (self.link.start, self.link.end)
        near = zip_longest(
            reversed(words(text[max(0, start - _REACH) : start])[-_BESIDE:]),
            words(text[end : end + _REACH])[:_BESIDE],
            fillvalue="",
        )
        return next((word for pair in near for word in pair if years(word)), "")

    @cached_property
    def says_event(self) -> bool:
        """Whether the mention has a verb or a phrase for events."""
        shown = self.mention.casefold()
        deeds = self.lexicon.deeds
        return any(w in deeds for w in words(shown)) or any(
            phrase in shown for phrase in self.lexicon.phrases
        )

    @cached_property
    def names_event(self) -> bool:
        """Whether a word of the mention, or its lemma where there is one, names a kind of event."""
        lemmas = () if self.reading is None else self.reading.lemmas
        return any(map(self.lexicon.is_event, (*self.content, *map(str.casefold, lemmas))))

"""What a filter sees of an anchor: its words, its paragraph, and the event it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from builders.wec.context import Reading
from builders.wec.facts import Facts, bare
from builders.wec.lexicon import Lexicon, words, years
from builders.wec.records import Anchor


class Words:
    """A paragraph's words, found once for all its anchors."""

    def __init__(self, text: str, lexicon: Lexicon) -> None:
        self.text = text
        self._lexicon = lexicon

    @cached_property
    def all(self) -> frozenset[str]:
        """The words, in lower case."""
        return frozenset(words(self.text))

    @cached_property
    def years(self) -> frozenset[str]:
        """The years that it names."""
        return years(self.text)

    @cached_property
    def numbers(self) -> frozenset[int]:
        """Its numbers and ordinals."""
        return frozenset(number for _, number in self._lexicon.numbers(self.text))


@dataclass(frozen=True)
class View:
    """An anchor in its paragraph; `reading` is what the pipeline says, for filters that need it."""

    anchor: Anchor
    facts: Facts
    lexicon: Lexicon
    paragraph: Words
    reading: Reading | None = None

    @cached_property
    def mention(self) -> str:
        """What the link shows."""
        return self.anchor.text[self.anchor.start : self.anchor.end]

    @cached_property
    def content(self) -> Sequence[str]:
        """The mention's words, in lower case, but those that say nothing."""
        return self.lexicon.content(self.mention)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Those of them that are numbers."""
        return frozenset(word for word, _ in self.lexicon.numbers(self.mention))

    @cached_property
    def is_title(self) -> bool:
        """Whether the mention is the event's title, but for what stands in brackets there."""
        return self.content == self.lexicon.content(bare(self.facts.title))

    @cached_property
    def is_form(self) -> bool:
        """Whether it is the title or an alias."""
        return any(self.content == self.lexicon.content(form) for form in self.facts.forms)

    @cached_property
    def tells_event(self) -> bool:
        """Whether the mention says by a verb or a phrase that something happened."""
        shown = self.mention.casefold()
        deeds = self.lexicon.deeds
        return any(w in deeds for w in words(shown)) or any(
            phrase in shown for phrase in self.lexicon.phrases
        )

    @cached_property
    def names_event(self) -> bool:
        """Whether a word of the mention names a kind of event."""
        return any(self.lexicon.is_event(word) for word in self.content)

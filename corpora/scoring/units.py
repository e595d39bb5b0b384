"""A document as it is scored: its clusters and their mentions, with what decides a score alone."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

BITS = 20
"""Bits for the number of a word, and of an empty node after it: a million of each."""


@dataclass(slots=True, eq=False)  # frozen ones take three times as long to make
class NodeMention:
    """A mention by the places of its nodes, which grow in the order of the document.

    `words` are sorted, `type` is its `etype`, `deps` are the (parent's place, relation) of a zero
    mention's head. Two are never equal, even with the same words: a mention that stands twice is
    there twice.
    """

    words: tuple[int, ...]
    head: int
    zero: bool = False
    deps: frozenset[tuple[int, str]] = frozenset()
    type: str = ""

    @property
    def order(self) -> tuple[int, int, int]:
        """First and last node, and the number of nodes."""
        return self.words[0], self.words[-1], len(self.words)


def place(sentence: int, word: int, empty: int = 0) -> int:
    """The place of a word in a document (sentences from 0, words from 1), or of an empty node."""
    return ((sentence << BITS) + word << BITS) + empty


def sentence_of(place: int) -> int:
    """The number of the sentence that a place is in."""
    return place >> 2 * BITS


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """The entities of a document, in order of appearance.

    Mentions are (first token, token after the last) counted over the document, ids, or
    `NodeMention`. `tokens` is None where the file does not have the tokens. `genre` is what
    the corpus itself says, if it does. `sentences` are the words of each, tabs between, where key
    and response must have the same. `rows` are the lines of CoNLL-U by the place of their
    word, where they were asked for, `lang` is the language's code if it is known.
    """

    name: str
    part: int
    tokens: int | None
    clusters: list[list[Hashable]]
    genre: str | None = None
    sentences: Sequence[str] = ()
    rows: Mapping[int, str] = field(default_factory=dict)
    lang: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """What a response finds it by."""
        return self.name, self.part

    @property
    def title(self) -> str:
        """The document as a table names it."""
        return f"{self.name} part {self.part}" if self.part else self.name

"""Align the key and the response of a document, the input of every metric.

A mention is anything hashable: (first token, token after the last) counted over the document, an
id, or a `NodeMention`.

Rules on mentions that occur twice, as in the reference scorer (CoNLL v8.01):

1. A mention of the key that the response has twice, in two entities or in one, counts at its first
   place: entities in the order in which they open, mentions in the order in which they close. An
   entity that becomes empty is dropped.
   `{a b} {b c}` against the key `{a b c}` is scored as `{a b} {c}`.
2. A mention of the response alone is left as it is: `{x a} {x b}` keeps both x.
3. The key is left as it is. A mention in two of its entities belongs to the last of them, where a
   metric needs the one entity of a mention.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

BITS = 20
"""Bits for the number of a word, and of an empty node after it: a million of each."""


@dataclass(slots=True, eq=False)  # frozen ones take three times as long to make
class NodeMention:
    """A mention by the places of its nodes, numbered in the order of the document.

    `words` are sorted, `deps` are the (parent's place, relation) of a zero mention's head. Two are
    never equal, even with the same words: a mention that stands twice is there twice.
    """

    words: tuple[int, ...]
    head: int
    zero: bool = False
    deps: frozenset[tuple[int, str]] = frozenset()

    @property
    def order(self) -> tuple[int, int, int]:
        """The first and last node, and the number of nodes."""
        return self.words[0], self.words[-1], len(self.words)


def place(sentence: int, word: int, empty: int = 0) -> int:
    """Number a word of a document (sentences from 0, words from 1), or an empty node after it."""
    return ((sentence << BITS) + word << BITS) + empty


def sentence_of(place: int) -> int:
    """Return the number of the sentence of a place."""
    return place >> 2 * BITS


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """The entities of a document, in order of appearance.

    Mentions are (first token, token after the last) counted over the document, ids, or
    `NodeMention`. `tokens` is None where the file does not have the tokens. `genre` is the
    corpus's own, if it has one. `sentences` are the words of each, tabs between, where key
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
        """The name and part, to match key and response."""
        return self.name, self.part

    @property
    def title(self) -> str:
        """The document as a table names it."""
        return f"{self.name} part {self.part}" if self.part else self.name


Entity = Sequence[Hashable]
Clusters = Sequence[Entity]
"""Entities in order of appearance; a mention is anything hashable."""

Cells = Mapping[tuple[int, int], int]
"""Mentions that (entity of the key, entity of the response) share; cells of none are left out."""

M = TypeVar("M", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Alignment:
    """Key and response after rule 1, with the common mentions of their entities.

    `home` maps each mention of the key to its last entity. `cells` counts by `home`; `shared`
    counts the mentions that are in both entities, wherever else the key has them; `repeated`
    counts them as often as the key's entity has them. The three differ only where a mention
    stands twice in the key. `back` are the cells as the response sees them, where that is
    otherwise (see `matching`).
    """

    key: Clusters
    response: Clusters
    home: Mapping[Hashable, int]
    cells: Cells
    shared: Cells
    repeated: Cells
    key_repeats: int
    dropped: int
    back: Cells | None = None

    @property
    def common(self) -> int:
        """The number of mentions of both sides."""
        return sum(self.cells.values())

    @property
    def from_response(self) -> tuple[Cells, Cells]:
        """`cells` and `shared`, as seen from the response."""
        return (self.cells, self.shared) if self.back is None else (self.back, self.back)

    def once(self) -> Alignment:
        """Align anew with every mention only where it stands first, on both sides."""
        mentions = {mention for entity in self.response for mention in entity}
        if not self.key_repeats and len(mentions) == sum(map(len, self.response)):
            return self
        return align(keep_first(self.key), keep_first(self.response))


def align(key: Clusters, response: Clusters) -> Alignment:
    """Align key and response: count the mentions shared by entities, leaving empty entities out."""
    key = [entity for entity in key if entity]
    home = {mention: number for number, entity in enumerate(key) for mention in entity}
    repeats = sum(map(len, key)) - len(home)

    # Rule 1: of a mention of the key that stands twice in the response, the first place counts. A
    # mention of the response alone is no common one, and rule 2 leaves all its places.
    seen: set[Hashable] = set()
    kept: list[Entity] = []
    cells: Counter[tuple[int, int]] = Counter()
    dropped = 0
    for entity in response:
        rest = []
        for mention in entity:
            number = home.get(mention)
            if number is not None:
                if mention in seen:
                    dropped += 1
                    continue
                seen.add(mention)
                cells[number, len(kept)] += 1
            rest.append(mention)
        if rest:
            kept.append(rest)

    # Rule 3: B3 and LEA ask which entities share a mention wherever the key has it, CEAF how often.
    # Without repeats, as in nearly all files, these are the cells.
    shared: Cells = cells
    repeated: Cells = cells
    if repeats:
        place = {mention: r for r, entity in enumerate(kept) for mention in entity}
        shared = Counter(
            (k, place[m]) for k, e in enumerate(key) for m in dict.fromkeys(e) if m in place
        )
        repeated = Counter((k, place[m]) for k, e in enumerate(key) for m in e if m in place)
    return Alignment(key, kept, home, cells, shared, repeated, repeats, dropped)


def keep_first(clusters: Sequence[Sequence[M]]) -> list[list[M]]:
    """Keep every mention where it stands first only; entities left empty vanish."""
    seen: set[Hashable] = set()
    kept = []
    for entity in clusters:
        rest = []
        for mention in entity:
            if mention not in seen:
                seen.add(mention)
                rest.append(mention)
        if rest:
            kept.append(rest)
    return kept


def drop_singletons(clusters: Sequence[Sequence[M]]) -> list[Sequence[M]]:
    """Keep the entities of two mentions or more, before any rule on duplicates."""
    return [entity for entity in clusters if len(set(entity)) > 1]

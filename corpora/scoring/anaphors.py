"""Count found mentions and resolved anaphors by class.

Anaphors are counted as in the anaphor-decomposable score (Zabokrtsky et al. 2022). A mention is an
anaphor unless it is its entity's first mention. It is right if its partner is an anaphor of an
entity that has a partner of one of its antecedents. The paper counts zero anaphors; here a function
gives each mention its class, and the anaphors of every class are counted.

The CoNLL-U columns of the key describe the words of both sides, which are the same. Empty nodes are
not looked up: the two files need not have the same ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from corefmill.corpora.scoring.alignment import BITS, Alignment, Entity, NodeMention, sentence_of
from corefmill.corpora.scoring.matching import NodeAlignment

ClassOf = Callable[[Sequence[NodeMention], int], str]
"""The class of a mention: the n-th, from 0, of those of its entity in the order of the text."""

Counts = dict[str, list[int]]
"""By class the numerator and denominator of recall, then those of precision."""


def count_zeros(pair: Alignment) -> tuple[int, int, int, int]:
    """Right zeros, those of the key that are anaphors, the same, those of the response."""
    assert isinstance(pair, NodeAlignment)
    found = count_resolved(pair, lambda mentions, n: "zero" if mentions[n].zero else "")
    right, in_key, _, in_response = found.get("zero", [0] * 4)
    return right, in_key, right, in_response


def count_resolved(pair: NodeAlignment, class_of: ClassOf) -> Counts:
    """Anaphors by class: right ones, those of the key, right ones, those of the response.

    One of the key counts on the response's side, too, where its partner is of another class.
    """
    counts: Counts = defaultdict(lambda: [0] * 4)
    response = [sort_mentions(entity) for entity in pair.response]
    place = {pair.identity(m): number for number, entity in enumerate(response) for m in entity}
    firsts = {pair.identity(entity[0]) for entity in response}
    covered = set()
    for entity in map(sort_mentions, pair.key):
        antecedents: set[int] = set()
        for number, mention in enumerate(entity):
            own = pair.identity(mention)
            partner = own if own in place else pair.links.get(own)
            if number:
                name = class_of(entity, number)
                counts[name][1] += 1
                if partner is not None and partner not in firsts:
                    right = place[partner] in antecedents
                    counts[name][0] += right
                    counts[name][2] += right
                    counts[name][3] += 1
                covered.add((name, partner))
            if partner is not None:
                antecedents.add(place[partner])
    for entity in response:
        for number, mention in enumerate(entity):
            own = pair.identity(mention)
            if own not in firsts and ((name := class_of(entity, number)), own) not in covered:
                counts[name][3] += 1
    return counts


def count_found(pair: NodeAlignment, class_of: ClassOf) -> Counts:
    """Mentions by class: found ones of the key, all of it, found ones of the response, all of it.

    Their sums over the classes are those of the line `mentions`.
    """
    counts: Counts = defaultdict(lambda: [0] * 4)
    sides = pair.key, pair.response
    names = [
        {pair.identity(m) for entity in side for m in entity if isinstance(m, NodeMention)}
        for side in sides
    ]
    for column, (side, other) in enumerate(zip(sides, reversed(names), strict=True)):
        for entity in map(sort_mentions, side):
            for number, mention in enumerate(entity):
                own = pair.identity(mention)
                row = counts[class_of(entity, number)]
                row[2 * column] += pair.links.get(own, own) in other
                row[2 * column + 1] += 1
    return counts


def sort_mentions(entity: Entity) -> list[NodeMention]:
    """The entity's mentions in the order of the text, of those that begin together the shorter."""
    mentions = [mention for mention in entity if isinstance(mention, NodeMention)]
    return sorted(mentions, key=lambda mention: mention.order)


Rows = Mapping[int, str]
"""Lines of CoNLL-U by the place of their word."""

MentionClass = Literal["class", "type", "distance"]

CLASSES = {"PRON": "pronoun", "DET": "pronoun", "PROPN": "name", "_": "-", "": "-"}
"""Of mentions, by the UPOS of their heads; nominal for any other."""
_DISTANCES = ((0, "same sentence"), (1, "1 sentence"), (2, "2"), (5, "3-5"), (10, "6-10"))
"""Sentences from an anaphor back to its nearest antecedent, up to these numbers."""
_FARTHEST = "11 or more"
_FIRST = "first mention"

ORDER = ("pronoun", "zero", "name", "nominal", _FIRST, *(name for _, name in _DISTANCES), _FARTHEST)
"""Of classes in a table; the others stand behind, by name."""


def class_of(by: MentionClass, rows: Rows) -> ClassOf:
    """What gives mentions their class.

    class: zero where the head is an empty node, pronoun where its UPOS is PRON or DET, name for
    PROPN, `-` where it has none, nominal for all else. type: the mention's own `etype`, `-` where
    it has none. distance: sentences from the nearest antecedent, the entity's mention before it.
    """
    if by == "type":
        return lambda mentions, n: mentions[n].type or "-"

    def by_distance(mentions: Sequence[NodeMention], n: int) -> str:
        if not n:
            return _FIRST
        back = sentence_of(mentions[n].words[0]) - sentence_of(mentions[n - 1].words[0])
        return next((name for most, name in _DISTANCES if back <= most), _FARTHEST)

    def by_head(mentions: Sequence[NodeMention], n: int) -> str:
        if mentions[n].zero:
            return "zero"
        return CLASSES.get(_column(rows, mentions[n].head, 3), "nominal")

    return by_distance if by == "distance" else by_head


def _column(rows: Rows, at: int, number: int) -> str:
    row = rows.get(at)
    return "" if row is None or at % (1 << BITS) else row.split("\t")[number]

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
from collections.abc import Callable, Mapping

from corefmill.corpora.scoring.alignment import Alignment, Entity, NodeMention
from corefmill.corpora.scoring.matching import NodeAlignment

ClassOf = Callable[[NodeMention], str]

Counts = dict[str, list[int]]
"""Numerator and denominator of recall, then those of precision, by class."""


def count_zeros(pair: Alignment) -> tuple[int, int, int, int]:
    """Count right zeros, zero anaphors of the key, right zeros, zero anaphors of the response."""
    assert isinstance(pair, NodeAlignment)
    found = count_resolved(pair, lambda mention: "zero" if mention.zero else "")
    right, in_key, _, in_response = found.get("zero", [0] * 4)
    return right, in_key, right, in_response


def count_resolved(pair: NodeAlignment, class_of: ClassOf) -> Counts:
    """Count anaphors by class: right ones, those of the key, right ones, those of the response.

    One of the key counts on the response's side, too, where its partner is of another class.
    """
    counts: Counts = defaultdict(lambda: [0] * 4)
    # First, each mention of the response: its entity, and whether it is its entity's first.
    response = [sort_mentions(entity) for entity in pair.response]
    place = {pair.identity(m): number for number, entity in enumerate(response) for m in entity}
    firsts = {pair.identity(entity[0]) for entity in response}
    # Second, the anaphors of the key. One is right where its partner is an anaphor of an entity
    # that has the partner of an earlier mention of the key's entity, an antecedent.
    covered = set()
    for entity in map(sort_mentions, pair.key):
        antecedents: set[int] = set()
        for number, mention in enumerate(entity):
            own = pair.identity(mention)
            partner = own if own in place else pair.links.get(own)
            if number:
                name = class_of(mention)
                counts[name][1] += 1
                if partner is not None and partner not in firsts:
                    right = place[partner] in antecedents
                    counts[name][0] += right
                    counts[name][2] += right
                    counts[name][3] += 1
                covered.add((name, partner))
            if partner is not None:
                antecedents.add(place[partner])
    # Third, the anaphors of the response that were not counted beside one of the key's class.
    for entity in response:
        for mention in entity:
            own = pair.identity(mention)
            if own not in firsts and ((name := class_of(mention)), own) not in covered:
                counts[name][3] += 1
    return counts


def count_found(pair: NodeAlignment, class_of: ClassOf) -> Counts:
    """Count mentions by class: found ones and all of the key, then of the response.

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
            for mention in entity:
                own = pair.identity(mention)
                row = counts[class_of(mention)]
                row[2 * column] += pair.links.get(own, own) in other
                row[2 * column + 1] += 1
    return counts


def sort_mentions(entity: Entity) -> list[NodeMention]:
    """Sort the entity's mentions in the order of the text, the shorter of two first."""
    mentions = [mention for mention in entity if isinstance(mention, NodeMention)]
    return sorted(mentions, key=lambda mention: mention.order)


CLASSES = {"PRON": "pronoun", "DET": "pronoun", "PROPN": "name", "_": "-", "": "-"}
"""Classes of mentions by the UPOS of their heads; nominal for any other."""

ORDER = ("pronoun", "zero", "name", "nominal", "-")
"""The order of classes in a table."""


def class_of(mention: NodeMention, rows: Mapping[int, str]) -> str:
    """Return the class of a mention by its head; `rows` are lines of CoNLL-U by their place.

    It is zero where the head is an empty node, pronoun where its UPOS is PRON or DET, name for
    PROPN, `-` where it has none, nominal for all else. An empty node is never looked up.
    """
    if mention.zero:
        return "zero"
    row = rows.get(mention.head)
    return CLASSES.get("" if row is None else row.split("\t")[3], "nominal")

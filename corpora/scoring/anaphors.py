"""Which anaphors were resolved, as the anaphor-decomposable score has it (Zabokrtsky et al. 2022).

A mention is an anaphor unless it is its entity's first mention. It is right where its partner is an
anaphor of an entity that has a partner of one of its antecedents. The paper counts zero anaphors;
here the anaphors of any class are counted, by the class that a function gives each mention.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from corefmill.corpora.scoring.alignment import Alignment, Entity
from corefmill.corpora.scoring.matching import NodeAlignment
from corefmill.corpora.scoring.units import NodeMention

ClassOf = Callable[[Sequence[NodeMention], int], str]
"""The class of a mention: the n-th, from 0, of those of its entity in the order of the text."""

Counts = dict[str, list[int]]
"""By class the numerator and denominator of recall, then those of precision."""


def zeros(pair: Alignment) -> tuple[int, int, int, int]:
    """Right zeros, those of the key that are anaphors, the same, those of the response."""
    assert isinstance(pair, NodeAlignment)
    found = resolved(pair, lambda mentions, n: "zero" if mentions[n].zero else "")
    right, in_key, _, in_response = found.get("zero", [0] * 4)
    return right, in_key, right, in_response


def resolved(pair: NodeAlignment, class_of: ClassOf) -> Counts:
    """Anaphors by class: right ones, those of the key, right ones, those of the response.

    One of the key counts on the response's side, too, where its partner is of another class.
    """
    counts: Counts = defaultdict(lambda: [0] * 4)
    response = [ordered(entity) for entity in pair.response]
    place = {pair.identity(m): number for number, entity in enumerate(response) for m in entity}
    firsts = {pair.identity(entity[0]) for entity in response}
    covered = set()
    for entity in map(ordered, pair.key):
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


def found(pair: NodeAlignment, class_of: ClassOf) -> Counts:
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
        for entity in map(ordered, side):
            for number, mention in enumerate(entity):
                own = pair.identity(mention)
                row = counts[class_of(entity, number)]
                row[2 * column] += pair.links.get(own, own) in other
                row[2 * column + 1] += 1
    return counts


def ordered(entity: Entity) -> list[NodeMention]:
    """The entity's mentions in the order of the text, of those that begin together the shorter."""
    mentions = [mention for mention in entity if isinstance(mention, NodeMention)]
    return sorted(mentions, key=lambda mention: mention.order)

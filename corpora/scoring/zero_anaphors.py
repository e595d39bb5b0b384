"""The anaphor-decomposable score of zeros (Zabokrtsky et al. 2022).

A zero mention is an anaphor unless it is its entity's first mention. It is right where its partner
is an anaphor of an entity that has a partner of one of its antecedents.
"""

from __future__ import annotations

from corefmill.corpora.scoring.alignment import Alignment, Entity
from corefmill.corpora.scoring.matching import NodeAlignment
from corefmill.corpora.scoring.units import NodeMention


def count(pair: Alignment) -> tuple[int, int, int, int]:
    """Right zeros, those of the key that are anaphors, the same, those of the response.

    A zero of the key counts on the response's side, too, where its partner is no zero.
    """
    assert isinstance(pair, NodeAlignment)
    response = [_ordered(entity) for entity in pair.response]
    place = {pair.identity(m): number for number, entity in enumerate(response) for m in entity}
    firsts = {pair.identity(entity[0]) for entity in response}
    right = wrong = missed = 0
    covered = set()
    for entity in pair.key:
        antecedents: set[int] = set()
        for number, mention in enumerate(_ordered(entity)):
            own = pair.identity(mention)
            partner = own if own in place else pair.links.get(own)
            if number and mention.zero:
                if partner is None or partner in firsts:
                    missed += 1
                elif place[partner] in antecedents:
                    right += 1
                else:
                    wrong += 1
                covered.add(partner)
            if partner is not None:
                antecedents.add(place[partner])
    spurious = sum(
        mention.zero and (own := pair.identity(mention)) not in firsts and own not in covered
        for entity in response
        for mention in entity
    )
    return right, right + missed + wrong, right, right + spurious + wrong


def _ordered(entity: Entity) -> list[NodeMention]:
    mentions = [mention for mention in entity if isinstance(mention, NodeMention)]
    return sorted(mentions, key=lambda mention: mention.order)

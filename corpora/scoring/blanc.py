"""BLANC (Recasens and Hovy 2011; Luo et al. 2014 for mentions that a system finds itself).

Every two mentions of a side are a link: a coreference link where an entity has both, a
non-coreference link where two entities have one each. Where a mention stands twice, as the
reference scorer allows (see `alignment`), two mentions can be both, and a mention can be linked to
itself; a link counts once however many entities make it. Links are counted, not listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from itertools import combinations
from math import comb

from corefmill.corpora.scoring.alignment import Alignment, Clusters

Places = Mapping[Hashable, tuple[int, ...]]
"""The entities of every mention that stands more than once, one for each time."""


def count(pair: Alignment) -> tuple[int, int, int, int, int, int, int, int]:
    """Coreference links: right, of the key, right, of the response; the same of the others."""
    repeats = _repeats(pair.key) if pair.key_repeats else {}
    links, others = _right(pair, repeats)
    key_links, key_others = _links(pair.key, repeats)
    response_links, response_others = _links(pair.response, _repeats(pair.response))
    return (links, key_links, links, response_links, others, key_others, others, response_others)


def _repeats(clusters: Clusters) -> Places:
    if len({m for entity in clusters for m in entity}) == sum(map(len, clusters)):
        return {}
    places: dict[Hashable, tuple[int, ...]] = {}
    for number, entity in enumerate(clusters):
        for mention in entity:
            places[mention] = (*places.get(mention, ()), number)
    return {mention: own for mention, own in places.items() if len(own) > 1}


def _links(clusters: Clusters, repeats: Places) -> tuple[int, int]:
    """Coreference and non-coreference links of one side."""
    if repeats:
        sizes = [sum(mention not in repeats for mention in entity) for entity in clusters]
    else:
        sizes = [len(entity) for entity in clusters]
    total = sum(sizes)
    links = sum(comb(size, 2) for size in sizes)
    others = comb(total, 2) - links
    for places in repeats.values():
        entities = set(places)
        links += len(entities) < len(places)  # with itself, within an entity
        others += len(entities) > 1  # with itself, across entities
        mates = sum(sizes[entity] for entity in entities)
        links += mates
        others += total if len(entities) > 1 else total - mates
    for one, two in combinations(repeats.values(), 2):
        links += not set(one).isdisjoint(two)
        others += len({*one, *two}) > 1
    return links, others


def _right(pair: Alignment, repeats: Places) -> tuple[int, int]:
    """Links that both sides have, of either kind; what both have stands once in the response."""
    of_key, of_response = Counter[int](), Counter[int]()
    cells = Counter[tuple[int, int]]() if repeats else Counter(pair.cells)
    place: dict[Hashable, int] = {}
    for number, entity in enumerate(pair.response) if repeats else ():
        for mention in entity:
            if mention in repeats:
                place[mention] = number
            elif (home := pair.home.get(mention)) is not None:
                cells[home, number] += 1
    for (k, r), shared in cells.items():
        of_key[k] += shared
        of_response[r] += shared
    total = sum(of_key.values())
    links = sum(comb(shared, 2) for shared in cells.values())
    others = comb(total, 2) + links
    others -= sum(comb(n, 2) for side in (of_key, of_response) for n in side.values())
    for mention, own in place.items():
        entities = set(repeats[mention])
        links += sum(cells[entity, own] for entity in entities)
        others += total - of_response[own]
        if len(entities) == 1:
            (only,) = entities
            others -= of_key[only] - cells[only, own]
    for (one, own), (two, other) in combinations(place.items(), 2):
        if own == other:
            links += not set(repeats[one]).isdisjoint(repeats[two])
        else:
            others += len({*repeats[one], *repeats[two]}) > 1
    return links, others

"""Compute the metrics of coreference: counts of a document, and scores of summed counts.

A metric is a pure function from an `Alignment` to a row of counts. Rows are summed over documents
and divided once; scores of single documents are never averaged.

A count is a number, or an array with one number per draw of documents. numpy is imported for arrays
alone: its import takes longer than a score of two small files.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, fsum
from typing import TYPE_CHECKING, Any, TypeVar

from corefmill.corpora.files.errors import UsageError, did_you_mean
from corefmill.corpora.scoring import anaphors
from corefmill.corpora.scoring.alignment import Alignment, Clusters, NodeMention, sentence_of
from corefmill.corpora.scoring.matching import best_map

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def count_muc(pair: Alignment) -> tuple[int, int, int, int]:
    """Count right links, links of the key, right links, links of the response.

    An entity of n mentions has n - 1 links, and n mentions that two entities share make n - 1
    right ones.
    """
    right, back = (
        sum(cells.values()) - len(cells) for cells in (pair.cells, pair.from_response[0])
    )
    in_key = sum(len(entity) - 1 for entity in pair.key)
    return right, in_key, back, sum(len(entity) - 1 for entity in pair.response)


def count_b_cubed(pair: Alignment) -> tuple[float, int, float, int]:
    """Sum recall of mentions, mentions of the key, precision, mentions of the response.

    Each of the n mentions that entities K and R share adds n/|K| to recall and n/|R| to precision.
    """
    cells, shared = pair.from_response
    recall = [own * pair.shared[k, r] / len(pair.key[k]) for (k, r), own in pair.cells.items()]
    precision = [own * shared[k, r] / len(pair.response[r]) for (k, r), own in cells.items()]
    in_key = sum(map(len, pair.key))
    return fsum(recall), in_key, fsum(precision), sum(map(len, pair.response))


def count_lea(pair: Alignment) -> tuple[float, int, float, int]:
    """Sum the resolved weight of the key's entities, their mentions, and the response's."""
    pair = pair.once()
    key, response = pair.key, pair.response
    in_key: dict[int, list[tuple[int, int]]] = defaultdict(list)
    in_response: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (k, r), shared in pair.cells.items():
        in_key[k].append((shared, len(response[r])))
    for (k, r), shared in pair.from_response[0].items():
        in_response[r].append((shared, len(key[k])))
    return (
        fsum(len(entity) * _share_of_links(len(entity), in_key[k]) for k, entity in enumerate(key)),
        _mentions(key),
        fsum(len(e) * _share_of_links(len(e), in_response[r]) for r, e in enumerate(response)),
        _mentions(response),
    )


def _share_of_links(size: int, overlaps: Iterable[tuple[int, int]]) -> float:
    """Compute the share of an entity's common links; overlaps are (shared, other size)."""
    if size == 1:
        return float(any(other == 1 for _, other in overlaps))
    return sum(shared * (shared - 1) for shared, _ in overlaps) / (size * (size - 1))


def _mentions(clusters: Clusters) -> int:
    return sum(map(len, clusters))


Places = Mapping[Hashable, tuple[int, ...]]
"""The entities of every mention that stands more than once, one for each time."""


def count_blanc(pair: Alignment) -> tuple[int, int, int, int, int, int, int, int]:
    """Count coreference links (right/key, right/response), then non-coreference links likewise."""
    repeats = _find_repeats(pair.key) if pair.key_repeats else {}
    links, others = _count_right_links(pair, repeats)
    key_links, key_others = _count_links(pair.key, repeats)
    response_links, response_others = _count_links(pair.response, _find_repeats(pair.response))
    return (links, key_links, links, response_links, others, key_others, others, response_others)


def _find_repeats(clusters: Clusters) -> Places:
    """Find the mentions standing more than once, with their entities."""
    if len({m for entity in clusters for m in entity}) == sum(map(len, clusters)):
        return {}
    places: dict[Hashable, tuple[int, ...]] = {}
    for number, entity in enumerate(clusters):
        for mention in entity:
            places[mention] = (*places.get(mention, ()), number)
    return {mention: own for mention, own in places.items() if len(own) > 1}


def _count_links(clusters: Clusters, repeats: Places) -> tuple[int, int]:
    """Count coreference and non-coreference links of one side."""
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


def _count_right_links(pair: Alignment, repeats: Places) -> tuple[int, int]:
    """Count the common links of either kind; common mentions stand once in the response."""
    # First, mentions that stand once in the key. Two of one cell are a right coreference link; two
    # of different entities on both sides, all pairs less those of one entity of either side and
    # plus those of one cell, which were taken off twice, are a right non-coreference link.
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
    # Second, a mention that the key repeats, with those that stand once: it is linked to the
    # mentions of each of its entities, and not linked to those outside of any one of them.
    for mention, own in place.items():
        entities = set(repeats[mention])
        links += sum(cells[entity, own] for entity in entities)
        others += total - of_response[own]
        if len(entities) == 1:
            (only,) = entities
            others -= of_key[only] - cells[only, own]
    # Third, two such mentions with each other.
    for (one, own), (two, other) in combinations(place.items(), 2):
        if own == other:
            links += not set(repeats[one]).isdisjoint(repeats[two])
        else:
            others += len({*repeats[one], *repeats[two]}) > 1
    return links, others


Words = tuple[int, ...]


def count_overlap(pair: Alignment) -> tuple[int, int, int, int]:
    """Count the common words of paired mentions, the key's words, the same, the response's."""
    key, response = _count_words(pair.key), _count_words(pair.response)
    in_key, in_response = (
        sum(len(words) * times for words, times in side.items()) for side in (key, response)
    )
    # Two mentions of the same words are always among the best pairs: no others can share more.
    same = key & response
    shared = sum(len(words) * times for words, times in same.items())
    rest: dict[int, tuple[list[Words], list[Words]]] = defaultdict(lambda: ([], []))
    for number, side in enumerate((key - same, response - same)):
        for words in side.elements():
            rest[sentence_of(words[0])][number].append(words)
    for own, other in rest.values():
        there = [set(words) for words in other]
        shared += round(
            sum(
                best_map(
                    {
                        (row, column): len(found)
                        for row, words in enumerate(own)
                        for column, theirs in enumerate(there)
                        if (found := theirs.intersection(words))
                    }
                )
            )
        )
    return shared, in_key, shared, in_response


def _count_words(clusters: Clusters) -> Counter[Words]:
    """Count the mentions of all entities by their words."""
    found = Counter[Words]()
    for entity in clusters:
        for mention in entity:
            assert isinstance(mention, NodeMention)
            found[mention.words] += 1
    return found


Row = Sequence[float]

N = TypeVar("N", float, "Array")
"""A number, or as many as there are draws."""

Scores = tuple[N, N, N]
"""Recall, precision and F1, each from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A name, the heading of its line, and the score of its counts: `Scores` of a row of them."""

    name: str
    title: str
    score: Callable[[Sequence[Any]], Scores[Any]]


@dataclass(frozen=True, slots=True)
class Metric(Measure):
    """A measure of coreference, with its counts of a document."""

    count: Callable[[Alignment], Row]


def ratios(counts: Sequence[N]) -> Scores[N]:
    """Compute recall, precision and F1 from two numerators and their denominators; 0/0 is 0."""
    recall, precision = divide(counts[0], counts[1]), divide(counts[2], counts[3])
    return recall, precision, divide(2 * recall * precision, recall + precision)


def divide(top: N, bottom: N, otherwise: float = 0.0) -> N:
    """Divide; `otherwise` is the quotient by 0."""
    if isinstance(bottom, float | int):
        return top / bottom if bottom > 0 else otherwise
    import numpy as np

    return np.divide(top, bottom, out=np.full_like(top, otherwise), where=bottom > 0)


def blanc_ratios(counts: Sequence[N]) -> Scores[N]:
    """Compute BLANC of counts of coreference links (the first four) and of the others.

    The mean of the two; where the key has links of one kind only, that kind's; 0 where it has
    none.
    """
    return _mean(counts, counts[1], counts[5])


def blanc_of_either(counts: Sequence[N]) -> Scores[N]:
    """Compute BLANC as corefud-scorer: the mean of the kinds of links of either side."""
    return _mean(counts, counts[1] + counts[3], counts[5] + counts[7])


def _mean(counts: Sequence[N], links: N, others: N) -> Scores[N]:
    """Average the scores of both kinds of links; a kind without links is left out."""
    first, second = divide(links, links), divide(others, others)  # 1, or 0 for none
    recall, precision, f1 = (
        divide(first * one + second * other, first + second)
        for one, other in zip(ratios(counts[:4]), ratios(counts[4:]), strict=True)
    )
    return recall, precision, f1


def count_mentions(pair: Alignment) -> Row:
    """Count the common mentions, whatever their entity."""
    back = sum(pair.from_response[0].values())
    return pair.common, len(pair.home), back, len({m for entity in pair.response for m in entity})


def count_ceafe(pair: Alignment) -> tuple[float, int, float, int]:
    """Count CEAFe: similarity of the best map, entities of the key, the same, of the response."""
    sizes = [len(entity) for entity in pair.key], [len(entity) for entity in pair.response]
    weights = {(k, r): 2 * n / (sizes[0][k] + sizes[1][r]) for (k, r), n in pair.repeated.items()}
    best = fsum(best_map(weights))
    return best, len(pair.key), best, len(pair.response)


def count_ceafm(pair: Alignment) -> tuple[int, int, int, int]:
    """Count CEAFm: mentions shared by the best map, of the key, the same, of the response."""
    best = round(sum(best_map(pair.repeated)))
    return best, sum(map(len, pair.key)), best, sum(map(len, pair.response))


MENTIONS = Metric("mentions", "mentions", ratios, count_mentions)

METRICS = {
    metric.name: metric
    for metric in (
        Metric("muc", "MUC", ratios, count_muc),
        Metric("bcub", "B3", ratios, count_b_cubed),
        Metric("ceafe", "CEAFe", ratios, count_ceafe),
        Metric("ceafm", "CEAFm", ratios, count_ceafm),
        Metric("lea", "LEA", ratios, count_lea),
        Metric("blanc", "BLANC", blanc_ratios, count_blanc),
    )
}
"""By the reference scorer's names."""

NODE_METRICS = METRICS | {
    metric.name: metric
    for metric in (
        Metric("blanc", "BLANC", blanc_of_either, count_blanc),
        Metric("mor", "MOR", ratios, count_overlap),
        Metric("zero", "zero anaphors", ratios, anaphors.count_zeros),
    )
}
"""Those of mentions that are compared by their nodes, by corefud-scorer's names."""

CONLL = ("muc", "bcub", "ceafe")
"""The metrics whose mean F1 is the CoNLL score."""

_ALSO = {"b3": ("bcub",), "bcubed": ("bcub",), "conll": CONLL}


def parse_metrics(names: str, known: Mapping[str, Metric] = METRICS) -> tuple[Metric, ...]:
    """Parse a list such as `muc,b3`, each metric once; raises `UsageError` for another name."""
    found: dict[str, Metric] = {}
    for name in names.lower().replace(",", " ").split():
        for own in known if name == "all" else _ALSO.get(name, (name,)):
            if own not in known:
                raise UsageError(
                    f"unknown metric {own!r}{did_you_mean(own, known)}"
                    if own not in NODE_METRICS
                    else f"the metric {own!r} needs CoNLL-U with --match or --zeros",
                    remedy=f"there are {', '.join((*known, 'conll', 'all'))}",
                )
            found[own] = known[own]
    if not found:
        raise UsageError("no metric is named", remedy=f"there are {', '.join(known)}")
    return tuple(found.values())

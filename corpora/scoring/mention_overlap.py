"""The mention overlap ratio (MOR; Zabokrtsky et al. 2022): how much of the mentions was found.

Mentions of key and response are paired one to one so that they share the most words, whatever their
entities, and however mentions match elsewhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from corefmill.corpora.scoring.alignment import Alignment, Clusters
from corefmill.corpora.scoring.ceaf import best_map
from corefmill.corpora.scoring.units import NodeMention, sentence_of

Words = tuple[int, ...]


def count(pair: Alignment) -> tuple[int, int, int, int]:
    """Words that paired mentions share, words of the key's mentions, the same, the response's."""
    key, response = _words(pair.key), _words(pair.response)
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


def _words(clusters: Clusters) -> Counter[Words]:
    found = Counter[Words]()
    for entity in clusters:
        for mention in entity:
            assert isinstance(mention, NodeMention)
            found[mention.words] += 1
    return found

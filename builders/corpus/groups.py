"""Which examples share a sentence: they belong together wherever a corpus is split or counted."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from corefmill.builders.corpus.split import hashed
from corefmill.corpora.records import MaskedExample

GROUP = "group"
"""The key of `meta` that has the id of the first example of a group; one that shares no sentence
with any other has none."""

Numbers = npt.NDArray[np.int64]


class SentenceHashes:
    """The sentences of examples in their order, as 64 bits each and 16 bits an example."""

    def __init__(self) -> None:
        self._hashes, self._counts = array("Q"), array("H")

    def add(self, text: str, sentences: Iterable[Sequence[int]]) -> None:
        """The sentences of the next example; blanks and case make no difference."""
        before = len(self._hashes)
        self._hashes.extend(hashed(folded(text[start:end])) for start, end in sentences)
        self._counts.append(len(self._hashes) - before)

    def groups(self, dropped: array[int] | None = None) -> array[int]:
        """For each example the number of the first one that it is connected with: two that share a
        sentence are connected, and with them what is connected with either.

        What is `dropped` (not 0) connects nothing and is on its own.
        """
        return array("q", self._connected(dropped).tobytes())

    def united(self, articles: array[int], dropped: array[int] | None = None) -> array[int]:
        """For each example its article, or the first one that shares a sentence with it, directly
        or by way of others."""
        own = np.array(articles, np.uint64)
        return array("Q", own[self._connected(dropped, own)].tobytes())

    def _connected(
        self, dropped: array[int] | None, articles: npt.NDArray[np.uint64] | None = None
    ) -> Numbers:
        counts = np.array(self._counts)
        owners = np.repeat(np.arange(len(counts)), counts)
        keys = np.array(self._hashes)
        if articles is not None:
            owners = np.concatenate([owners, np.arange(len(counts))])
            keys = np.concatenate([keys, articles])
        if dropped is not None:
            alive = (np.array(dropped) == 0)[owners]
            owners, keys = owners[alive], keys[alive]
        return _connected(owners, keys, len(counts))


def folded(text: str) -> str:
    """The text, of which blanks and case are no part."""
    return " ".join(text.split()).casefold()


def _connected(owners: Numbers, keys: npt.NDArray[np.uint64], count: int) -> Numbers:
    """For each of `count` things the first that it is connected with, where `owners[i]` has
    `keys[i]` and two with one key are connected."""
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    ones, others = owners[order[same]], owners[order[same + 1]]
    first = np.arange(count)
    # scipy has this, too, but takes half a second to import.
    while len(ones):
        # Each takes the lower of the two, then the first of that, until it is the first itself.
        np.minimum.at(first, np.maximum(ones, others), np.minimum(ones, others))
        while not np.array_equal(further := first[first], first):
            first = further
        ones, others = first[ones], first[others]
        apart = ones != others
        ones, others = ones[apart], others[apart]
    return first


class GroupNames:
    """Gives each example the id of its group; `groups` are those of its `ExampleVerdicts`.

    All examples of a group must come, or those of the part of the corpus that holds it.
    """

    def __init__(self, groups: array[int]) -> None:
        self._first = np.frombuffer(groups, np.int64)
        self._last = np.zeros(len(groups), np.int64)
        """Of the first of a group, the last."""
        np.maximum.at(self._last, self._first, np.arange(len(groups)))

    def named(self, examples: Iterable[tuple[int, MaskedExample]]) -> Iterator[MaskedExample]:
        """The examples, given with their numbers in their order; only open groups are held."""
        names: dict[int, str] = {}
        for number, example in examples:
            first = int(self._first[number])
            last = self._last[first]
            if last == first:
                yield example
                continue
            name = names.setdefault(first, example.id)
            if number == last:
                del names[first]
            yield replace(example, meta={**example.meta, GROUP: name})

"""The validation split of a masked corpus: whole articles, and examples that share a sentence."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from corefmill.builders.run.stages import seeded
from corefmill.corpora.records import MaskedExample

TRAIN, VALIDATION = "train", "validation"

MOST_VALIDATION, VALIDATION_SHARE = 10_000, 0.05
LEAST_VALIDATION, LARGEST_SHARE = 30, 0.2
"""A share of fewer examples measures nothing; one above a fifth leaves too few to learn from."""
_DRAWS = 1000
"""Of large sources most draws pass a fifth, and a few hundred find those that do not."""


def hashed(text: str) -> int:
    """Hash a text to 64 bits."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def article_of(source: Mapping[str, Any]) -> int:
    """Hash the article of a record's `source` to 64 bits."""
    return hashed(f"{source['page_id']} {source['title']}")


def draw_validation(
    articles: Sequence[int], dropped: Sequence[int], wanted: int | None, seed: int
) -> array[int]:
    """Draw the examples of the validation split: 1 for each of them, see `draw_articles`.

    If `wanted` is None, whole articles are drawn at random until they have 5 % of the examples
    (10,000 at most) and 30 at least. A draw of more than a fifth of all is made anew, whatever the
    articles' sizes, and where none is small enough there is no such split.
    """
    sizes = _sizes(articles, dropped)
    total = sum(sizes.values())
    if wanted is not None:
        return draw_articles(articles, dropped, min(wanted, total), seed)
    least = max(LEAST_VALIDATION, min(MOST_VALIDATION, int(total * VALIDATION_SHARE)))
    most = int(total * LARGEST_SHARE)
    order, random = sorted(sizes), seeded(seed, "validation")
    for _ in range(_DRAWS if least <= most else 0):
        random.shuffle(order)
        ends = accumulate(sizes[article] for article in order)
        count, size = next((n, end) for n, end in enumerate(ends, 1) if end >= least)
        if size <= most:
            drawn = set(order[:count])
            return array("b", (article in drawn for article in articles))
    return array("b", bytes(len(articles)))


def draw_articles(
    articles: Sequence[int], dropped: Sequence[int], wanted: int, seed: int
) -> array[int]:
    """1 for the examples of the articles drawn for validation, at most `wanted` together.

    `articles` has `article_of` each example, `dropped` is not 0 for those that do not count.
    """
    sizes = _sizes(articles, dropped)
    order = sorted(sizes)
    seeded(seed, "validation").shuffle(order)
    drawn: set[int] = set()
    for article in order:
        if sizes[article] <= wanted:
            drawn.add(article)
            wanted -= sizes[article]
        if not wanted:
            break
    return array("b", (article in drawn for article in articles))


def _sizes(articles: Sequence[int], dropped: Sequence[int]) -> Counter[int]:
    """Count the remaining examples of each article."""
    return Counter(article for article, fault in zip(articles, dropped, strict=True) if not fault)


def split_warnings(
    drawn: Sequence[int], dropped: Sequence[int], records: str, validation: int | None
) -> Sequence[str]:
    """Says whether one of the two splits is empty, unless `validation` asks for none.

    `drawn` and `dropped` are as `draw_articles` has them, `records` what the corpus has of them,
    such as examples.
    """
    if validation == 0:
        return ()
    if not any(drawn):
        size = (
            f"{LEAST_VALIDATION} to a fifth of the {records}"
            if validation is None
            else f"at most {validation:,} {records}"
        )
        return (
            f"no validation split, since no whole articles with {size} were found; all {records}"
            " are in train (`train coref` holds out a tenth by itself)",
        )
    if all(one or fault for one, fault in zip(drawn, dropped, strict=True)):
        return (
            f"all {records} are in validation, and none in train (--validation asks for fewer)",
        )
    return ()


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
        """Number each example by the first one connected with it: two that share a
        sentence are connected, and with them what is connected with either.

        What is `dropped` (not 0) connects nothing and is on its own.
        """
        return array("q", self._connect(dropped).tobytes())

    def united(self, articles: array[int], dropped: array[int] | None = None) -> array[int]:
        """For each example its article, or the first one that shares a sentence with it, directly
        or by way of others."""
        own = np.array(articles, np.uint64)
        return array("Q", own[self._connect(dropped, own)].tobytes())

    def _connect(
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
        return _connect(owners, keys, len(counts))


def folded(text: str) -> str:
    """Fold blanks and case of a text."""
    return " ".join(text.split()).casefold()


def _connect(owners: Numbers, keys: npt.NDArray[np.uint64], count: int) -> Numbers:
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

    def add_names(self, examples: Iterable[tuple[int, MaskedExample]]) -> Iterator[MaskedExample]:
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

"""Draw the validation split of a masked corpus; examples with a common sentence stay together."""

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

from corefmill.builders.run.stages import make_random
from corefmill.corpora.records import MaskedExample

TRAIN, VALIDATION = "train", "validation"

MOST_VALIDATION, VALIDATION_SHARE = 10_000, 0.05
LEAST_VALIDATION, LARGEST_SHARE = 30, 0.2
"""A split of fewer examples measures nothing; one above a fifth leaves too few for training."""
_DRAWS = 1000
"""With large sources most draws exceed a fifth; a few hundred find one that does not."""


def hash_text(text: str) -> int:
    """Hash a text to 64 bits."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def hash_article(source: Mapping[str, Any]) -> int:
    """Hash the article of a record's `source` (page and title) to 64 bits."""
    return hash_text(f"{source['page_id']} {source['title']}")


def draw_validation(
    articles: Sequence[int], dropped: Sequence[int], wanted: int | None, seed: int
) -> array[int]:
    """Draw the validation split: return 1 for each of its examples, 0 for all others.

    The arguments are those of `draw_articles`. If `wanted` is None, whole articles are drawn at
    random until they have 5 % of the examples, at most 10,000 and at least 30. A draw of more than
    a fifth of all examples is repeated; if no draw is smaller, the split stays empty.
    """
    sizes = _count_examples(articles, dropped)
    total = sum(sizes.values())
    if wanted is not None:
        return draw_articles(articles, dropped, min(wanted, total), seed)
    least = max(LEAST_VALIDATION, min(MOST_VALIDATION, int(total * VALIDATION_SHARE)))
    most = int(total * LARGEST_SHARE)
    order, random = sorted(sizes), make_random(seed, "validation")
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
    """Draw whole articles for validation, of at most `wanted` examples together.

    `articles` has the hash of each example's article, `dropped` a number other than 0 for examples
    that do not count. Returns 1 for each example of the drawn articles, 0 for all others.
    """
    sizes = _count_examples(articles, dropped)
    order = sorted(sizes)
    make_random(seed, "validation").shuffle(order)
    drawn: set[int] = set()
    for article in order:
        if sizes[article] <= wanted:
            drawn.add(article)
            wanted -= sizes[article]
        if not wanted:
            break
    return array("b", (article in drawn for article in articles))


def _count_examples(articles: Sequence[int], dropped: Sequence[int]) -> Counter[int]:
    """Count the remaining examples of each article."""
    return Counter(article for article, fault in zip(articles, dropped, strict=True) if not fault)


def warn_of_empty_split(
    drawn: Sequence[int], dropped: Sequence[int], records: str, validation: int | None
) -> Sequence[str]:
    """Return a warning if one of the two splits is empty, unless `validation` asks for none.

    `drawn` is the result of `draw_articles`, `dropped` its argument; `records` is the word for the
    corpus's records, such as examples.
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
"""Key of `meta`: the id of the first example of a group with common sentences. An example without
a sentence in common with others lacks the key."""

Numbers = npt.NDArray[np.int64]


class SentenceHashes:
    """Hashes of the sentences of all examples, for finding examples with a common sentence."""

    def __init__(self) -> None:
        self._hashes, self._counts = array("Q"), array("H")

    def add(self, text: str, sentences: Iterable[Sequence[int]]) -> None:
        """Add the sentences of the next example; blanks and case make no difference."""
        before = len(self._hashes)
        self._hashes.extend(hash_text(fold_text(text[start:end])) for start, end in sentences)
        self._counts.append(len(self._hashes) - before)

    def number_groups(self, dropped: array[int] | None = None) -> array[int]:
        """Give each example the number of the first example connected with it.

        Two examples with a common sentence are connected, directly or through others. A `dropped`
        example (not 0) connects nothing and is alone.
        """
        return array("q", self._connect(dropped).tobytes())

    def unite_articles(self, articles: array[int], dropped: array[int] | None = None) -> array[int]:
        """Give each example its article's hash; articles with a common sentence, directly or
        through others, get the hash of the first."""
        own = np.array(articles, np.uint64)
        return array("Q", own[self._connect(dropped, own)].tobytes())

    def _connect(
        self, dropped: array[int] | None, articles: npt.NDArray[np.uint64] | None = None
    ) -> Numbers:
        """Connect examples by their sentences, and by their `articles` if given."""
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


def fold_text(text: str) -> str:
    """Normalise blanks and case of a text, for comparison."""
    return " ".join(text.split()).casefold()


def _connect(owners: Numbers, keys: npt.NDArray[np.uint64], count: int) -> Numbers:
    """Find for each of `count` examples the first one connected with it.

    Example `owners[i]` has the key `keys[i]`; examples with a common key are connected.
    """
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    ones, others = owners[order[same]], owners[order[same + 1]]
    first = np.arange(count)
    # scipy has this, too, but takes half a second to import.
    while len(ones):
        # Each example takes the lowest number of its neighbours, then that number's first.
        np.minimum.at(first, np.maximum(ones, others), np.minimum(ones, others))
        while not np.array_equal(further := first[first], first):
            first = further
        ones, others = first[ones], first[others]
        apart = ones != others
        ones, others = ones[apart], others[apart]
    return first


class GroupNames:
    """Writes the id of its group into each example; `groups` are those of `ExampleVerdicts`.

    The caller must pass all examples of a group, in order.
    """

    def __init__(self, groups: array[int]) -> None:
        self._first = np.frombuffer(groups, np.int64)
        self._last = np.zeros(len(groups), np.int64)
        """The last example of a group, by its first."""
        np.maximum.at(self._last, self._first, np.arange(len(groups)))

    def add_names(self, examples: Iterable[tuple[int, MaskedExample]]) -> Iterator[MaskedExample]:
        """Yield the numbered examples with their groups' ids; holds open groups only."""
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

"""The validation split of a masked corpus: whole articles, drawn with the seed."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from corefmill.builders.run.stages import seeded

TRAIN, VALIDATION = "train", "validation"

MOST_VALIDATION, VALIDATION_SHARE = 10_000, 0.05
LEAST_VALIDATION, LARGEST_SHARE = 30, 0.2
"""A share of fewer examples measures nothing; one above a fifth leaves too few to learn from."""
_DRAWS = 1000
"""Of large sources most draws pass a fifth, and a few hundred find those that do not."""


def hashed(text: str) -> int:
    """64 bits that stand for the text where millions of them are held."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def article_of(source: Mapping[str, Any]) -> int:
    """64 bits for the article that a record's `source` names."""
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
    """Count the examples of each article that are not dropped."""
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

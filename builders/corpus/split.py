"""The validation split of a masked corpus: whole articles, drawn with the seed."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from corefmill.builders.runner.stages import seeded

TRAIN, VALIDATION = "train", "validation"


def hashed(text: str) -> int:
    """64 bits that stand for the text where millions of them are held."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def article_of(source: Mapping[str, Any]) -> int:
    """64 bits for the article that a record's `source` names."""
    return hashed(f"{source['page_id']} {source['title']}")


def draw_articles(
    articles: Sequence[int], dropped: Sequence[int], wanted: int, seed: int
) -> array[int]:
    """1 for the examples of the articles drawn for validation, at most `wanted` together.

    `articles` has `article_of` each example, `dropped` is not 0 for those that do not count.
    """
    sizes: Counter[int] = Counter(
        article for article, fault in zip(articles, dropped, strict=True) if not fault
    )
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
        return (f"too few articles for a validation split; all {records} are in train",)
    if all(one or fault for one, fault in zip(drawn, dropped, strict=True)):
        return (
            f"all {records} are in validation, and none in train (--validation asks for fewer)",
        )
    return ()

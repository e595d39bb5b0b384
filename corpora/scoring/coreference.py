"""Clusters of a response against those of a key, document by document."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal, TypedDict, Unpack

from corefmill.corpora.errors import DataError
from corefmill.corpora.patterns import GENRE, firsts
from corefmill.corpora.scoring import anaphors, columns
from corefmill.corpora.scoring.alignment import Alignment, align, without_singletons
from corefmill.corpora.scoring.anaphors import ClassOf
from corefmill.corpora.scoring.columns import LeftOut, MentionClass
from corefmill.corpora.scoring.matching import Matching, NodeAlignment
from corefmill.corpora.scoring.metrics import MENTIONS, METRICS, Metric, Row
from corefmill.corpora.scoring.table import ScoreTable
from corefmill.corpora.scoring.units import ScoredDocument

Singletons = Literal["keep", "drop"]
Unmatched = Literal["refuse", "ignore"]

_Documents = dict[tuple[str, int], ScoredDocument]
_Classes = dict[str, list[Row]]
"""Of each class of mentions a row of counts of mentions, and one of anaphors."""


class CountingRules(TypedDict, total=False):
    """How clusters are counted: the first of what a rule lists is what holds if it is not given.

    `singletons` is keep, or drop: entities of one mention are taken out of both sides before
    anything else, as if they were not in the files.
    `unmatched` is refuse, which raises `DataError` where the two have not the same documents of the
    same numbers of tokens, or ignore, which does as the reference scorer: a document that the
    response lacks has no entities there, one that only the response has is left out.
    `genre`: A document's genre is its own, else the first group of this (else all of it) where it
    matches the document's name from the start, else `-`.
    `matching` compares the mentions of documents that `nodes` has read; without it two mentions are
    the same if they are equal. Of those alone, `left_out` takes mentions of a guideline out of both
    sides, before singletons, and `by` counts mentions and anaphors by class (see `columns`).
    """

    singletons: Singletons
    unmatched: Unmatched
    genre: re.Pattern[str]
    matching: Matching | None
    left_out: Sequence[LeftOut]
    by: Sequence[MentionClass]


def count(
    key: Iterable[ScoredDocument],
    response: Iterable[ScoredDocument],
    metrics: Sequence[Metric] = tuple(METRICS.values()),
    *,
    paths: tuple[Path | None, Path | None] = (None, None),
    **rules: Unpack[CountingRules],
) -> ScoreTable:
    """Counts of every document of the key, in its order; `paths` name the files in errors.

    Raises `DataError` where the key is empty, and as the rules say.
    """
    own, other = _by_key(key, paths[0]), _by_key(response, paths[1])
    if not own:
        raise DataError(
            "no documents here",
            path=paths[0],
            remedy="documents open with '#begin document (NAME); part 000'",
        )
    if rules.get("unmatched", "refuse") == "refuse":
        _check(own, other, paths)
    every = (MENTIONS, *metrics)
    rows: dict[str, list[Row]] = {metric.name: [] for metric in every}
    classes: dict[str, _Classes] = {one: {} for one in rules.get("by", ())}
    seen: Counter[str] = Counter()
    for pair in _aligned(own, other, rules, classes, seen):
        for metric in every:
            rows[metric.name].append(metric.count(pair))
    return ScoreTable(
        "document",
        [text.title for text in own.values()],
        _genres(list(own.values()), rules.get("genre", GENRE)),
        every,
        rows,
        tuple(_notes(own, other, rules, seen)),
        [text.lang or "-" for text in own.values()],
        classes,
    )


def _aligned(
    key: _Documents,
    response: _Documents,
    rules: CountingRules,
    classes: Mapping[str, _Classes],
    seen: Counter[str],
) -> Iterator[Alignment]:
    """Each document of the key beside the response's; `seen` counts what `_notes` tells of."""
    matching, left_out = rules.get("matching"), rules.get("left_out", ())
    drop = rules.get("singletons") == "drop"
    for name, text in key.items():
        sides = text.clusters, response[name].clusters if name in response else []
        pair: Alignment
        if matching is not None:
            rest = [columns.kept(side, text.rows, left_out) for side in sides]
            lost = zip(chain(*sides), chain(*rest), strict=True)
            seen["left out"] += sum(len(before) - len(after) for before, after in lost)
            pair = matching.align(*rest, without_singletons=drop)
            for one in rules.get("by", ()):
                _add(classes[one], pair, columns.class_of(one, text.rows))
        else:
            pair = align(*(map(without_singletons, sides) if drop else sides))
        seen["repeats"] += pair.key_repeats
        seen["dropped"] += pair.dropped
        yield pair


def _add(classes: _Classes, pair: NodeAlignment, class_of: ClassOf) -> None:
    """Adds a document's mentions to the first row of their class, its anaphors to the second."""
    for row, counts in enumerate(
        (anaphors.found(pair, class_of), anaphors.resolved(pair, class_of))
    ):
        for name, counted in counts.items():
            rows = classes.setdefault(name, [(0.0,) * 4, (0.0,) * 4])
            rows[row] = tuple(map(operator.add, rows[row], counted))


def _by_key(texts: Iterable[ScoredDocument], path: Path | None) -> _Documents:
    found: _Documents = {}
    for text in texts:
        if text.key in found:
            raise DataError(f"document {text.title!r} is there twice", path=path)
        found[text.key] = text
    return found


def _check(key: _Documents, response: _Documents, paths: tuple[Path | None, Path | None]) -> None:
    remedy = "--unmatched ignore scores as the reference scorer does"
    for one, other, said, path in (
        (key, response, "lacks", paths[1]),
        (response, key, "has, and the key has not,", paths[1]),
    ):
        missing = [text for name, text in one.items() if name not in other]
        if missing:
            raise DataError(
                f"the response {said} {len(missing)} of {len(one)} documents, such as "
                f"{missing[0].title!r}",
                path=path,
                remedy=remedy,
            )
    for name, text in key.items():
        tokens = response[name].tokens
        if text.tokens is not None and tokens is not None and text.tokens != tokens:
            raise DataError(
                f"document {text.title!r} has {tokens:,} tokens, and {text.tokens:,} in the key",
                path=paths[1],
                remedy=remedy,
            )
        words = zip(text.sentences, response[name].sentences, strict=False)
        for number, (right, said) in enumerate(words, 1):
            if right != said:
                raise DataError(
                    f"sentence {number} of document {text.title!r} has other words than in the key",
                    path=paths[1],
                    remedy=remedy,
                )


def _genres(texts: Sequence[ScoredDocument], pattern: re.Pattern[str]) -> list[str]:
    found = firsts(pattern, [text.name for text in texts])
    return [
        text.genre or ("-" if name is None else name)
        for text, name in zip(texts, found, strict=True)
    ]


def _notes(
    key: _Documents, response: _Documents, rules: CountingRules, seen: Counter[str]
) -> Iterator[str]:
    if left_out := rules.get("left_out"):
        yield f"{seen['left out']:,} mentions of both sides are {' or '.join(left_out)}"
    if not any(text.clusters for text in key.values()):
        yield "the key has no mentions"
    if lacking := sum(name not in response for name in key):
        yield f"the response lacks {lacking:,} of {len(key):,} documents; they count as empty"
    if more := sum(name not in key for name in response):
        yield f"{more:,} documents of the response are not in the key and were left out"
    if dropped := seen["dropped"]:
        yield (
            f"{dropped:,} mentions of the key stand more than once in the response; "
            "the first counts"
        )
    if repeats := seen["repeats"]:
        how = "the reference scorer counts them"
        if rules.get("matching") is not None:
            how = "corefud-scorer counts them, of their last entity"
        yield f"{repeats:,} mentions stand more than once in the key; they are counted as {how}"

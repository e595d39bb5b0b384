"""Clusters of a response against those of a key, document by document."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal

from corefmill.corpora.errors import DataError
from corefmill.corpora.patterns import GENRE, AnyPattern, firsts
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


def count(
    key: Iterable[ScoredDocument],
    response: Iterable[ScoredDocument],
    metrics: Sequence[Metric] = tuple(METRICS.values()),
    *,
    singletons: Singletons = "keep",
    unmatched: Unmatched = "refuse",
    genre: AnyPattern = GENRE,
    matching: Matching | None = None,
    left_out: Sequence[LeftOut] = (),
    by: Sequence[MentionClass] = (),
    paths: tuple[Path | None, Path | None] = (None, None),
) -> ScoreTable:
    """Counts of every document of the key, in its order.

    `singletons` drop takes entities of one mention out of both sides before anything else, as if
    they were not in the files. `unmatched` refuse raises `DataError` where the two have not the
    same documents of the same numbers of tokens; ignore does as the reference scorer: a document
    that the response lacks has no entities there, one that only the response has is left out.
    A document's genre is its own, else the first group of `genre` (else all of it) where that
    matches its name from the start, else `-`. `matching` compares the mentions of documents
    that `nodes` has read; without it two mentions are the same if they are equal. Of those alone,
    `left_out` takes mentions of a guideline out of both sides, before singletons, and `by` counts
    mentions and anaphors by class (see `columns`). `paths` name the files in errors.
    """
    own, other = _by_key(key, paths[0]), _by_key(response, paths[1])
    if not own:
        raise DataError(
            "no documents here",
            path=paths[0],
            remedy="documents open with '#begin document (NAME); part 000'",
        )
    if unmatched == "refuse":
        _check(own, other, paths)
    every = (MENTIONS, *metrics)
    rows: dict[str, list[Row]] = {metric.name: [] for metric in every}
    classes: dict[str, dict[str, list[Row]]] = {one: {} for one in by}
    repeats = dropped = out = 0
    for name, text in own.items():
        sides = text.clusters, other[name].clusters if name in other else []
        pair: Alignment
        if matching is not None:
            rest = [columns.kept(side, text.rows, left_out) for side in sides]
            out += sum(len(a) - len(b) for a, b in zip(chain(*sides), chain(*rest), strict=True))
            pair = matching.align(*rest, without_singletons=singletons == "drop")
            for one in by:
                _add(classes[one], pair, columns.class_of(one, text.rows))
        else:
            pair = align(*(sides if singletons == "keep" else map(without_singletons, sides)))
        repeats += pair.key_repeats
        dropped += pair.dropped
        for metric in every:
            rows[metric.name].append(metric.count(pair))
    return ScoreTable(
        "document",
        [text.title for text in own.values()],
        _genres(list(own.values()), genre),
        every,
        rows,
        (
            *([f"{out:,} mentions of both sides are {' or '.join(left_out)}"] if left_out else []),
            *_notes(own, other, repeats, dropped, matching),
        ),
        [text.lang or "-" for text in own.values()],
        classes,
    )


def _add(classes: dict[str, list[Row]], pair: NodeAlignment, class_of: ClassOf) -> None:
    """Adds a document's mentions to the first row of their class, its anaphors to the second."""
    for row, counts in enumerate(
        (anaphors.found(pair, class_of), anaphors.resolved(pair, class_of))
    ):
        for name, counted in counts.items():
            rows = classes.setdefault(name, [(0.0,) * 4, (0.0,) * 4])
            rows[row] = tuple(map(operator.add, rows[row], counted))


def _by_key(
    texts: Iterable[ScoredDocument], path: Path | None
) -> dict[tuple[str, int], ScoredDocument]:
    found: dict[tuple[str, int], ScoredDocument] = {}
    for text in texts:
        if text.key in found:
            raise DataError(f"document {text.title!r} is there twice", path=path)
        found[text.key] = text
    return found


def _check(
    key: dict[tuple[str, int], ScoredDocument],
    response: dict[tuple[str, int], ScoredDocument],
    paths: tuple[Path | None, Path | None],
) -> None:
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


def _genres(texts: Sequence[ScoredDocument], pattern: AnyPattern) -> list[str]:
    found = firsts(pattern, [text.name for text in texts])
    return [
        text.genre or ("-" if name is None else name)
        for text, name in zip(texts, found, strict=True)
    ]


def _notes(
    key: dict[tuple[str, int], ScoredDocument],
    response: dict[tuple[str, int], ScoredDocument],
    repeats: int,
    dropped: int,
    matching: Matching | None,
) -> Iterable[str]:
    if not any(text.clusters for text in key.values()):
        yield "the key has no mentions"
    if lacking := sum(name not in response for name in key):
        yield f"the response lacks {lacking:,} of {len(key):,} documents; they count as empty"
    if more := sum(name not in key for name in response):
        yield f"{more:,} documents of the response are not in the key and were left out"
    if dropped:
        yield (
            f"{dropped:,} mentions of the key stand more than once in the response; "
            "the first counts"
        )
    if repeats:
        rules = "the reference scorer counts them"
        if matching is not None:
            rules = "corefud-scorer counts them, of their last entity"
        yield f"{repeats:,} mentions stand more than once in the key; they are counted as {rules}"

"""Decides which mentions of a run stay: repeats, splits, and the quota for equal strings."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import dropwhile

import numpy as np

from corefmill.builders.corpus.split import hashed
from corefmill.builders.run.job import RunResult
from corefmill.builders.wec import splits
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.options import WecOptions
from corefmill.builders.wec.paper import FAULT, FAULTS
from corefmill.builders.wec.splits import DrawnSplit
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import EventMention

CHANNEL = "mentions"

REASONS = (
    "",
    "repeated_paragraph",
    "over_limit",
    "article_in_dev_or_test",
    "article_in_train",
    "article_in_dev",
    "article_in_test",
    "same_string",
    *FAULTS,
)
_NUMBER = {reason: number for number, reason in enumerate(REASONS)}
_APART = tuple(reason for reason in REASONS if reason.startswith("article_in_"))
UNCONTROLLED = (0, *(_NUMBER[reason] for reason in (*_APART, "same_string")))
"""Verdicts of mentions that stood before the quota and the splits."""


@dataclass(frozen=True, slots=True)
class MentionVerdicts:
    """For each mention in order: an index into REASONS, 0 for one that stays, and into SPLITS.

    `drawn` is each split before they were separated by article.
    """

    faults: array[int]
    splits: array[int]
    drawn: Mapping[str, DrawnSplit]

    def rejected(self) -> Counter[str]:
        """Mentions dropped, by reason."""
        return Counter({REASONS[fault]: n for fault, n in Counter(self.faults).items() if fault})


def judge(
    result: RunResult,
    options: Mapping[str, WecOptions],
    *,
    dev: float,
    test: float,
    limit: int | None,
    seed: int,
) -> MentionVerdicts:
    """Decides on every mention; holds some 150 bytes for each, whatever the corpus's size.

    `dev` and `test` are as `splits.size` has them. The quota comes last, so that it counts only
    what stays (clean mode); the original counted what it dropped afterwards, too. `options` are by
    language; quota, mode and filters of all are the same.
    """
    first = next(iter(options.values()))
    paper = first.mode == "paper"
    # First, what the mentions themselves say, one after the other.
    read = _MentionColumns(result, options, limit)
    faults, clusters, articles = read.faults, read.clusters, read.articles
    if paper:
        _apply_quota(faults, read.same, first.quota, every=True)
    # Second, whole clusters are drawn for dev and test.
    drawn = _draw(read.types, clusters, articles, faults, (dev, test), seed, by_price=not paper)
    split = array("b", (drawn[cluster] for cluster in clusters))
    # Third, splits share no article (WEC, section 3.3).
    own = array("b", (-1 if fault else s for fault, s in zip(faults, split, strict=True)))
    homes = splits.homes(articles, own, strict=not paper)
    for index, home in enumerate(homes):
        if home != own[index]:
            reason = f"article_in_{splits.SPLITS[home]}" if own[index] else _APART[0]
            faults[index] = _NUMBER[reason]
    if "same_string" in first.filters:
        _apply_quota(faults, read.same, first.quota, every=False)
    return MentionVerdicts(faults, split, splits.describe_splits(clusters, articles, own, homes))


class _MentionColumns:
    """The mentions' columns for the verdicts, a number each.

    `faults` are those that a mention has by itself or after others. `same` are two columns of which
    either shows which mentions of a cluster are one string; `types` are the clusters'.
    """

    def __init__(
        self, result: RunResult, options: Mapping[str, WecOptions], limit: int | None
    ) -> None:
        self.faults, self.articles = array("b"), array("Q")
        self.same = array("Q"), array("Q")
        clusters, types = array("Q"), array("L")
        names: dict[str, int] = {}
        no_repeats = "repeated_paragraph" in next(iter(options.values())).filters
        places = array("Q")
        for mention in mentions(result):
            clusters.append(hashed(mention.cluster))
            types.append(names.setdefault(mention.event_type, len(names)))
            source = mention.source
            self.articles.append(hashed(f"{mention.lang} {source.page_id} {source.title}"))
            strings = _strings(mention, options[mention.lang])
            for column, string in zip(self.same, strings, strict=True):
                column.append(hashed(string))
            self.faults.append(_NUMBER[mention.meta.get(FAULT, "")])
            if no_repeats:
                text = " ".join(mention.text.split()).casefold()
                places.append(hashed(f"{mention.cluster} {mention.start} {text}"))
        # A cluster's number is its place among them, and its type that of its first mention.
        _, first, number = np.unique(
            np.frombuffer(clusters, np.uint64), return_index=True, return_inverse=True
        )
        places_of = first.argsort()
        rank = np.empty(len(first), np.int32)
        rank[places_of] = np.arange(len(first))
        self.clusters = array("i", rank[number].tobytes())
        known = list(names)
        self.types = [known[types[place]] for place in first[places_of]]
        faults = np.frombuffer(self.faults, np.int8)
        if no_repeats:
            again = np.ones(len(faults), bool)
            again[np.unique(np.frombuffer(places, np.uint64), return_index=True)[1]] = False
            faults[again] = _NUMBER["repeated_paragraph"]
        if limit is not None:
            left = faults == 0
            faults[left & (left.cumsum() > limit)] = _NUMBER["over_limit"]


def _strings(mention: EventMention, options: WecOptions) -> tuple[str, str]:
    """Make two keys of a mention; two mentions that share either are the same string.

    A pipeline may give equal words two lemmas, above all in names.
    """
    shown = mention.text[mention.start : mention.end]
    if options.mode == "paper":
        return (f"{mention.cluster} {shown}",) * 2
    words = shown.casefold().split()
    lemmas = words
    if options.by_lemma:
        lemmas = [str(lemma).casefold() for lemma in mention.meta["lemmas"]]
    function = lexicon.load(options.lang).function
    # "The 1906 earthquake" is "1906 earthquake", in whatever its lemmas or case.
    bare = (list(dropwhile(function.__contains__, own[:-1])) + own[-1:] for own in (words, lemmas))
    first, second = (f"{mention.cluster} {' '.join(own)}" for own in bare)
    return first, second


def _apply_quota(
    faults: array[int], same: tuple[array[int], array[int]], quota: int, *, every: bool
) -> None:
    """Drop the mentions of a string beyond the quota (WEC, section 3.2).

    Where `every`, a mention counts whatever its fault, and the quota's is its first.
    """
    strings, times = np.unique(np.concatenate(same), return_counts=True)
    often = frozenset(strings[times > quota].tolist())  # the others need not be held
    seen: Counter[int] = Counter()
    for index, own in enumerate(zip(*same, strict=True)):
        if faults[index] and not every:
            continue
        counted = often.intersection(own)
        if any(seen[string] >= quota for string in counted):
            faults[index] = _NUMBER["same_string"]
        seen.update(counted)


def _draw(
    types: list[str],
    clusters: array[int],
    articles: array[int],
    faults: array[int],
    wanted: tuple[float, float],
    seed: int,
    *,
    by_price: bool,
) -> list[int]:
    """The split of each cluster; those that have lost all their mentions do not count.

    `wanted` are the sizes of dev and test; price and size matter where clusters go `by_price`.
    """
    left = np.frombuffer(faults, np.int8) == 0
    own = np.frombuffer(clusters, np.int32)[left]
    sizes = np.bincount(own, minlength=len(types))
    alive = np.flatnonzero(sizes)
    of_type = [types[cluster] for cluster in alive]
    if by_price:
        prices = splits.prices(own, np.frombuffer(articles, np.uint64)[left], len(types))
        drawn = splits.draw(
            of_type,
            *wanted,
            seed,
            sizes=sizes[alive].tolist(),
            prices=[prices[cluster] for cluster in alive],
        )
    else:
        drawn = splits.draw(of_type, *wanted, seed)
    found = [0] * len(types)
    for cluster, split in zip(alive, drawn, strict=True):
        found[cluster] = split
    return found


def mentions(result: RunResult) -> Iterator[EventMention]:
    """All mentions of a run in the order of the input."""
    for path in result.files(CHANNEL):
        yield from jsonl.read(path, EventMention)

"""Choose the mentions of a corpus from the finished shards, and write them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import dropwhile
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.corpus.split import hash_text
from corefmill.builders.run.job import RunResult
from corefmill.builders.wec import forms, splits
from corefmill.builders.wec.event_index import EventIndex
from corefmill.builders.wec.facts import event_list, lexicon
from corefmill.builders.wec.facts.event_facts import EVENT_NOTES, EventNote
from corefmill.builders.wec.options import SURFACE, SYNTAX, WecOptions
from corefmill.builders.wec.paper import FAULT, FAULTS, NOT_FOUND
from corefmill.builders.wec.same_event import JOINED
from corefmill.builders.wec.splits import DrawnSplit
from corefmill.builders.wec.stages import PLACES, UNREADABLE
from corefmill.builders.wec.survey import EventSurvey, card_sections
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
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
"""Verdicts of mentions that only the quota or the splits may drop."""


@dataclass(frozen=True, slots=True)
class MentionVerdicts:
    """Indexes into REASONS (0 for a kept mention) and into SPLITS for each mention, in order.

    `drawn` are the indexes of the splits before these were separated by article.
    """

    faults: array[int]
    splits: array[int]
    drawn: Mapping[str, DrawnSplit]

    def count_rejects(self) -> Counter[str]:
        """Count the dropped mentions by reason."""
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
    """Decide on the split or the reject reason of each mention; hold some 150 bytes for each.

    `dev` and `test` are the sizes for `splits.size`. In clean mode the quota comes last, so that it
    counts only mentions that stay; the original also counted mentions that it dropped later.
    `options` are by language; quota, mode and filters are the same for all languages.
    """
    first = next(iter(options.values()))
    paper = first.mode == "paper"
    # First, the faults of single mentions.
    read = _MentionColumns(result, options, limit)
    faults, clusters, articles = read.faults, read.clusters, read.articles
    if paper:
        _apply_quota(faults, read.same, first.quota, every=True)
    # Second, whole clusters are drawn for dev and test.
    drawn = _draw(read.types, clusters, articles, faults, (dev, test), seed, by_price=not paper)
    split = array("b", (drawn[cluster] for cluster in clusters))
    # Third, splits share no article (WEC, section 3.3).
    own = array("b", (-1 if fault else s for fault, s in zip(faults, split, strict=True)))
    homes = splits.assign_splits(articles, own, strict=not paper)
    for index, home in enumerate(homes):
        if home != own[index]:
            reason = f"article_in_{splits.SPLITS[home]}" if own[index] else _APART[0]
            faults[index] = _NUMBER[reason]
    if "same_string" in first.filters:
        _apply_quota(faults, read.same, first.quota, every=False)
    return MentionVerdicts(faults, split, splits.describe_splits(clusters, articles, own, homes))


class _MentionColumns:
    """The mentions' columns for the verdicts, a number each.

    `faults` are the faults of a mention by itself or as a repetition of earlier ones. Mentions with
    an equal number in either column of `same` are one string of a cluster; `types` are the
    clusters' event types.
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
            clusters.append(hash_text(mention.cluster))
            types.append(names.setdefault(mention.event_type, len(names)))
            source = mention.source
            self.articles.append(hash_text(f"{mention.lang} {source.page_id} {source.title}"))
            strings = _strings(mention, options[mention.lang])
            for column, string in zip(self.same, strings, strict=True):
                column.append(hash_text(string))
            self.faults.append(_NUMBER[mention.meta.get(FAULT, "")])
            if no_repeats:
                text = " ".join(mention.text.split()).casefold()
                places.append(hash_text(f"{mention.cluster} {mention.start} {text}"))
        # Number the clusters in order; a cluster has the type of its first mention.
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
    """Make two keys of a mention; mentions with one key in common are the same string.

    Two keys are needed since a pipeline may give equal words two lemmas, above all in names.
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

    If `every`, mentions with other faults count, too, and the quota's fault replaces theirs.
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
    """Draw the split of each cluster; clusters without mentions left do not count.

    `wanted` are the sizes of dev and test. If `by_price`, the draw depends on price and size.
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
    """Yield the mentions of a finished run in the order of the input."""
    for path in result.files(CHANNEL):
        yield from jsonl.read(path, EventMention)


# The chosen mentions, as an assembly wants them.


NOT_MAPPED = "class_not_mapped"
"""Why an article of the user's list is not an event."""


@contextmanager
def choose(
    corpus: Corpus,
    result: RunResult,
    *,
    options: Mapping[str, WecOptions],
    indexes: Mapping[str, Path],
    dev: float,
    test: float,
    unmapped: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[MentionContents]:
    """Choose the mentions by `judge`; `options` and `indexes`, the files of events, are by
    language, `unmapped` has the class of each listed article that is not an event.

    Raises `DataError` if there is no mention, or the input's own error if the input broke off.
    """
    verdicts = judge(
        result, options, dev=dev, test=test, limit=result.job.most_records, seed=corpus.seed
    )
    events = {lang: EventIndex(path) for lang, path in indexes.items()}
    contents = MentionContents(corpus, result, verdicts, events, unmapped)
    if all(verdicts.faults):
        rejects = sum(contents.rejects.values(), Counter[str]())
        known = sum((Counter(one.counts) for one in events.values()), Counter[str]())
        common = ", ".join(f"{reason} {count:,}" for reason, count in rejects.most_common(3))
        raise result.source_error or DataError(
            f"no mention was found of {known['pivots']:,} events, in {known['pages']:,} pages"
            + (f"; links were stopped by {common}" if common else ""),
            remedy="check --lang, name events by --event-list, try more text, another --nlp, or"
            " --without a filter; --list-infoboxes shows which infoboxes the dump has",
        )
    yield contents


class MentionContents:
    """The chosen mentions, in the form of an `Assembly`'s contents."""

    def __init__(
        self,
        corpus: Corpus,
        result: RunResult,
        verdicts: MentionVerdicts,
        indexes: Mapping[str, EventIndex],
        unmapped: Mapping[str, str],
    ) -> None:
        self.result = result
        self.verdicts = verdicts
        self._indexes = indexes
        self._unmapped = unmapped
        self._corpus = corpus
        self._survey = EventSurvey({lang: lexicon.load(lang) for lang in indexes}, corpus.seed)
        self._number = forms.numbering()

    @property
    def warnings(self) -> Sequence[str]:
        """Warn of listed articles without an event, and of empty splits."""
        have = {s for s, f in zip(self.verdicts.splits, self.verdicts.faults, strict=True) if not f}
        missing = [name for number, name in enumerate(splits.SPLITS) if number not in have]
        found = [event_list.warning(self._unmapped)] if self._unmapped else []
        if missing:
            found.append(f"too few clusters: nothing is in {' and '.join(missing)}")
        joined = any(index.counts.get(JOINED) for index in self._indexes.values())
        if len(self._indexes) > 1 and not joined:
            found.append("no event is known in two languages: are these the links of these wikis?")
        return found

    @cached_property
    def rejects(self) -> Mapping[str, Counter[str]]:
        """Count the rejects of the input, of links to events, and of mentions."""
        stages: dict[str, Counter[str]] = {"input": Counter(), "link": Counter()}
        links = {*SURFACE, *SYNTAX, *PLACES, *UNREADABLE, *NOT_FOUND}
        for reason, count in self.result.rejects.items():
            stages["link" if reason in links else "input"][reason] = count
        if self._unmapped:
            stages["list"] = Counter({NOT_MAPPED: len(self._unmapped)})
        refused = Counter(
            reason for index in self._indexes.values() for reason, _ in index.refusals()
        )
        if refused:
            stages["event"] = refused
        return {**stages, "corpus": self.verdicts.count_rejects()}

    def read_rejects(self) -> Iterator[dict[str, Any]]:
        """Yield the mentions dropped here, in the shape of the runner's rejects."""
        for title, event_class in self._unmapped.items():
            yield {"reason": NOT_MAPPED, "record": {"title": title, "class": event_class}}
        for index in self._indexes.values():
            for reason, record in index.refusals():
                yield {"reason": reason, "record": record}
        for mention, fault, _ in self._with_verdicts():
            if fault:
                record = {
                    "id": mention.id,
                    "title": mention.source.title,
                    "text": mention.text,
                    "start": mention.start,
                    "end": mention.end,
                    "mention": mention.text[mention.start : mention.end],
                    "target": mention.cluster_title,
                }
                yield {"reason": REASONS[fault], "record": record}

    def split(self, name: str) -> Iterator[EventMention]:
        """Yield the mentions of one split."""
        number = splits.SPLITS.index(name)
        for mention, fault, split in self._with_verdicts():
            if not fault and split == number:
                yield mention

    def uncontrolled(self) -> Iterator[EventMention]:
        """Yield the mentions before quota and splits; `meta.split` names their cluster's."""
        for mention, fault, split in self._with_verdicts():
            if fault in UNCONTROLLED:
                yield replace(mention, meta={**mention.meta, "split": splits.SPLITS[split]})

    def write(self, out: Path) -> Mapping[str, int]:
        """Write each split in all formats, the mentions before quota and splits, and events."""
        sizes = {}
        for split in splits.SPLITS:
            watched = self._survey.watch(split, self.split(split))
            sizes[split] = forms.write(
                out, split, watched, name=self._corpus.name, number=self._number
            )
        jsonl.write(out / forms.UNCONTROLLED, self.uncontrolled())
        jsonl.write(out / EVENT_NOTES, self._notes())
        return sizes

    def _notes(self) -> Iterator[EventNote]:
        """Yield notes on the events with mentions in a split, by cluster and language."""
        titles = {
            (mention.cluster, mention.lang): mention.cluster_title
            for mention, fault, _ in self._with_verdicts()
            if not fault
        }
        for (cluster, lang), title in sorted(titles.items()):
            text, facts = self._indexes[lang].note(title)
            if text or facts:
                yield EventNote(cluster, lang, title, text, facts)

    def sections(self) -> list[str]:
        """Return the card's sections: the paper's tables and all counts."""
        return card_sections(
            self._survey,
            events=self._types(),
            languages={lang: index.counts for lang, index in self._indexes.items()},
            rejects=self.rejects,
            drawn=self.verdicts.drawn,
        )

    def counts(self) -> Mapping[str, Any]:
        """Count the input of both passes, with the survey's figures."""
        events = dict(sorted(self._types().items()))
        drawn = {name: asdict(split) for name, split in self.verdicts.drawn.items()}
        counts = {"read": self._read(), **self._survey.counts(), "events": events}
        unmapped = Counter(self._unmapped.values())
        return {**counts, "drawn": drawn, **({NOT_MAPPED: dict(unmapped)} if unmapped else {})}

    def _read(self) -> dict[str, int]:
        """Sum the counts of the first pass in all languages and those of the second pass."""
        counts = Counter(self.result.counts)
        for index in self._indexes.values():
            counts.update(index.counts)
        return dict(sorted(counts.items()))

    def _types(self) -> Counter[str]:
        """Count the event pages of all wikis by event type."""
        return sum((index.types for index in self._indexes.values()), Counter())

    def _with_verdicts(self) -> Iterator[tuple[EventMention, int, int]]:
        """Yield each mention, without the entry of paper mode's fault, and its verdicts."""
        verdicts = self.verdicts
        for mention, fault, split in zip(
            mentions(self.result), verdicts.faults, verdicts.splits, strict=True
        ):
            if FAULT in mention.meta:
                kept = {key: value for key, value in mention.meta.items() if key != FAULT}
                yield replace(mention, meta=kept), fault, split
            else:
                yield mention, fault, split

"""Chooses the corpus from the finished shards: repeats, splits, and the quota for equal strings."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import dropwhile
from pathlib import Path
from types import MappingProxyType
from typing import Any

from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.corpus.split import hashed
from corefmill.builders.runner.job import RunResult
from corefmill.builders.wec import card, forms, splits
from corefmill.builders.wec.across.same_event import JOINED
from corefmill.builders.wec.event_pages.event_index import EventIndex
from corefmill.builders.wec.facts import event_list, event_notes, lexicon
from corefmill.builders.wec.facts.event_notes import EventNote
from corefmill.builders.wec.links import PLACES
from corefmill.builders.wec.mentions import UNREADABLE
from corefmill.builders.wec.options import SURFACE, SYNTAX, Same, WecOptions
from corefmill.builders.wec.paper import FAULT, FAULTS, NOT_FOUND
from corefmill.builders.wec.splits import DrawnSplit
from corefmill.builders.wec.survey import EventSurvey
from corefmill.corpora import jsonl
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import EventMention

CHANNEL = "mentions"

NOT_MAPPED = "class_not_mapped"
"""Why an article of the user's list is no event."""

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
_UNCONTROLLED = (0, *(_NUMBER[reason] for reason in (*_APART, "same_string")))


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
    """The mentions that `judge` lets through; `options` and `indexes`, the files of events, are by
    language, `unmapped` has the class of each listed article that is none.

    Raises `DataError` where there is no mention at all, the input's own if it broke off.
    """
    verdicts = judge(
        result,
        options,
        dev=dev,
        test=test,
        limit=result.job.most_records,
        seed=corpus.seed,
    )
    events = {lang: EventIndex(path) for lang, path in indexes.items()}
    contents = MentionContents(corpus, result, verdicts, events, unmapped)
    if all(verdicts.faults):
        raise result.source_error or _empty(sum(contents.rejects.values(), Counter()))
    yield contents


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
    drawn = _drawn(read.types, clusters, articles, faults, (dev, test), seed, by_price=not paper)
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
    return MentionVerdicts(faults, split, splits.drawn(clusters, articles, own, homes))


class _MentionColumns:
    """What the verdicts need to know of all mentions, a number each.

    `faults` are those that a mention has by itself or after others. `same` are two columns of which
    either shows which mentions of a cluster are one string; `types` are the clusters'.
    """

    def __init__(
        self, result: RunResult, options: Mapping[str, WecOptions], limit: int | None
    ) -> None:
        self.faults, self.clusters, self.articles = array("b"), array("l"), array("Q")
        self.same = array("Q"), array("Q")
        self.types: list[str] = []
        numbers: dict[str, int] = {}
        repeats: set[int] | None = None
        if "repeated_paragraph" in next(iter(options.values())).filters:
            repeats = set()
        left = 0
        for mention in mentions(result):
            if mention.cluster not in numbers:
                numbers[mention.cluster] = len(numbers)
                self.types.append(mention.event_type)
            self.clusters.append(numbers[mention.cluster])
            source = mention.source
            self.articles.append(hashed(f"{mention.lang} {source.page_id} {source.title}"))
            strings = _strings(mention, options[mention.lang])
            for column, string in zip(self.same, strings, strict=True):
                column.append(hashed(string))
            fault = _NUMBER[mention.meta.get(FAULT, "")]
            if repeats is not None:
                repeat = hashed(f"{mention.cluster} {mention.start} {_folded(mention.text)}")
                if repeat in repeats:
                    fault = _NUMBER["repeated_paragraph"]
                repeats.add(repeat)
            left += not fault
            if limit is not None and left > limit and not fault:
                fault = _NUMBER["over_limit"]
            self.faults.append(fault)


def _strings(mention: EventMention, options: WecOptions) -> tuple[str, str]:
    """What two mentions of a cluster that are the same string have in common, one or the other.

    A pipeline may give equal words two lemmas, above all in names.
    """
    shown = mention.text[mention.start : mention.end]
    if options.mode == "paper":
        return (f"{mention.cluster} {shown}",) * 2
    words = shown.casefold().split()
    lemmas = words
    if options.same is Same.lemma:
        lemmas = [str(lemma).casefold() for lemma in mention.meta["lemmas"]]
    function = lexicon.load(options.lang).function
    # "The 1906 earthquake" is "1906 earthquake", in whatever its lemmas or case.
    bare = (list(dropwhile(function.__contains__, own[:-1])) + own[-1:] for own in (words, lemmas))
    first, second = (f"{mention.cluster} {' '.join(own)}" for own in bare)
    return first, second


def _apply_quota(
    faults: array[int], same: tuple[array[int], array[int]], quota: int, *, every: bool
) -> None:
    """Drops what is one string more than the quota allows (WEC, section 3.2).

    Where `every`, a mention counts whatever its fault, and the quota's is its first.
    """
    seen: Counter[int] = Counter()
    for index, strings in enumerate(zip(*same, strict=True)):
        if faults[index] and not every:
            continue
        if any(seen[string] >= quota for string in strings):
            faults[index] = _NUMBER["same_string"]
        seen.update(dict.fromkeys(strings, 1))


def _drawn(
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
    own = array("l", (c for c, fault in zip(clusters, faults, strict=True) if not fault))
    sizes = Counter(own)
    alive = sorted(sizes)
    of_type = [types[cluster] for cluster in alive]
    if by_price:
        places = array("Q", (a for a, fault in zip(articles, faults, strict=True) if not fault))
        prices = splits.prices(own, places, len(types))
        drawn = splits.draw(
            of_type,
            *wanted,
            seed,
            sizes=[sizes[cluster] for cluster in alive],
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


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


class MentionContents:
    """The mentions that were chosen, as `Assembly` wants them; read as often as need be."""

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
        """What of the list is no event, and which splits are empty."""
        have = {s for s, f in zip(self.verdicts.splits, self.verdicts.faults, strict=True) if not f}
        missing = [name for number, name in enumerate(splits.SPLITS) if number not in have]
        found = [event_list.warning(self._unmapped)] if self._unmapped else []
        if missing:
            found.append(f"too few clusters: nothing is in {' and '.join(missing)}")
        if len(self._indexes) > 1 and not any(index.counts.get(JOINED) for index in self._events()):
            found.append("no event is known in two languages: are these the links of these wikis?")
        return found

    @cached_property
    def rejects(self) -> Mapping[str, Counter[str]]:
        """What was left out: of the input, of the links to events, of the mentions."""
        stages: dict[str, Counter[str]] = {"input": Counter(), "link": Counter()}
        links = {*SURFACE, *SYNTAX, *PLACES, *UNREADABLE, *NOT_FOUND}
        for reason, count in self.result.rejects.items():
            stages["link" if reason in links else "input"][reason] = count
        if self._unmapped:
            stages["list"] = Counter({NOT_MAPPED: len(self._unmapped)})
        refused = Counter(reason for index in self._events() for reason, _ in index.refused())
        if refused:
            stages["event"] = refused
        return {**stages, "corpus": self.verdicts.rejected()}

    def rejected(self) -> Iterator[dict[str, Any]]:
        """What was dropped here, in the shape of the runner's kept rejects."""
        for title, event_class in self._unmapped.items():
            yield {"reason": NOT_MAPPED, "record": {"title": title, "class": event_class}}
        for index in self._events():
            for reason, record in index.refused():
                yield {"reason": reason, "record": record}
        for mention, fault, _ in self._judged():
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
        """The mentions of one split."""
        number = splits.SPLITS.index(name)
        for mention, fault, split in self._judged():
            if not fault and split == number:
                yield mention

    def uncontrolled(self) -> Iterator[EventMention]:
        """All mentions as they were before quota and splits; `meta.split` names their cluster's."""
        for mention, fault, split in self._judged():
            if fault in _UNCONTROLLED:
                yield replace(mention, meta={**mention.meta, "split": splits.SPLITS[split]})

    def write(self, out: Path) -> Mapping[str, int]:
        """Writes each split in its forms, and the mentions without control."""
        sizes = {}
        for split in splits.SPLITS:
            watched = self._survey.watch(split, self.split(split))
            sizes[split] = forms.write(
                out, split, watched, name=self._corpus.name, number=self._number
            )
        jsonl.write(out / forms.UNCONTROLLED, self.uncontrolled())
        jsonl.write(out / event_notes.NAME, self._notes())
        return sizes

    def _notes(self) -> Iterator[EventNote]:
        """What is known of the events that have mentions in a split, by cluster and language."""
        titles = {
            (mention.cluster, mention.lang): mention.cluster_title
            for mention, fault, _ in self._judged()
            if not fault
        }
        for (cluster, lang), title in sorted(titles.items()):
            text, facts = self._indexes[lang].note(title)
            if text or facts:
                yield EventNote(cluster, lang, title, text, facts)

    def sections(self) -> list[str]:
        """The paper's tables and all counts."""
        return card.sections(
            self._survey,
            read=self._read(),
            events=self._types(),
            languages={lang: index.counts for lang, index in self._indexes.items()},
            rejects=self.rejects,
            drawn=self.verdicts.drawn,
        )

    def counts(self) -> Mapping[str, Any]:
        """What was read by both passes, and the survey's figures."""
        events = dict(sorted(self._types().items()))
        drawn = {name: asdict(split) for name, split in self.verdicts.drawn.items()}
        counts = {"read": self._read(), **self._survey.counts(), "events": events}
        unmapped = Counter(self._unmapped.values())
        return {**counts, "drawn": drawn, **({NOT_MAPPED: dict(unmapped)} if unmapped else {})}

    def _read(self) -> dict[str, int]:
        counts = Counter(self.result.counts)
        for index in self._events():
            counts.update(index.counts)
        return dict(sorted(counts.items()))

    def _types(self) -> Counter[str]:
        """Event pages of all wikis by type."""
        return sum((index.types for index in self._events()), Counter())

    def _events(self) -> Iterable[EventIndex]:
        return self._indexes.values()

    def _judged(self) -> Iterator[tuple[EventMention, int, int]]:
        verdicts = self.verdicts
        yield from zip(
            map(_without_fault, mentions(self.result)),
            verdicts.faults,
            verdicts.splits,
            strict=True,
        )


def _without_fault(mention: EventMention) -> EventMention:
    if FAULT not in mention.meta:
        return mention
    kept = {key: value for key, value in mention.meta.items() if key != FAULT}
    return replace(mention, meta=kept)


def _empty(rejects: Counter[str]) -> DataError:
    common = ", ".join(f"{reason} {count:,}" for reason, count in rejects.most_common(3))
    return DataError(
        f"no mention of an event was found{'; links were stopped by ' + common if common else ''}",
        remedy="is the language right? try more text, another --nlp, or --without FILTER;"
        " --list-infoboxes shows which infoboxes the dump has",
    )

"""Chooses the corpus from the finished shards: repeats, splits, and the quota for equal strings."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from corefmill.builders.corpus.split import article_of, hashed
from corefmill.builders.runner.job import RunResult
from corefmill.builders.wec import splits
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.links import PLACES
from corefmill.builders.wec.mentions import UNREADABLE
from corefmill.builders.wec.options import SURFACE, SYNTAX, Same, WecOptions
from corefmill.builders.wec.paper import FAULT, FAULTS, NOT_FOUND
from corefmill.corpora import jsonl
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import EventMention

CHANNEL = "mentions"

REASONS = (
    "",
    "repeated_paragraph",
    "over_limit",
    "article_in_dev_or_test",
    "article_in_test",
    "same_string",
    *FAULTS,
)
_QUOTA = REASONS.index("same_string")
_UNCONTROLLED = (
    0,
    REASONS.index("article_in_dev_or_test"),
    REASONS.index("article_in_test"),
    _QUOTA,
)


@dataclass(frozen=True, slots=True)
class MentionVerdicts:
    """For each mention in order: an index into REASONS, 0 for one that stays, and into SPLITS."""

    faults: array[int]
    splits: array[int]

    def rejected(self) -> Counter[str]:
        """Mentions dropped, by reason."""
        return Counter({REASONS[fault]: n for fault, n in Counter(self.faults).items() if fault})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseMentions:
    """Decides on the mentions of a finished run; `dev` and `test` are as `splits.size` has them."""

    options: WecOptions
    dev: float
    test: float
    limit: int | None
    seed: int

    @contextmanager
    def __call__(self, result: RunResult) -> Iterator[ChosenMentions]:
        """Raises `DataError` where there is no mention at all, the input's own if it broke off."""
        assembled = ChosenMentions(result, self.judge(result))
        if all(assembled.verdicts.faults):
            if result.source_error is not None:
                raise result.source_error
            raise _empty(sum(assembled.rejects.values(), Counter()))
        yield assembled

    def judge(self, result: RunResult) -> MentionVerdicts:
        """Decides on every mention; holds some 40 bytes for each, whatever the corpus's size.

        The quota comes last, so that it counts only what stays (clean mode); the original counted
        what it dropped afterwards, too.
        """
        paper = self.options.mode == "paper"
        faults, clusters, articles, same = array("b"), array("l"), array("Q"), array("Q")
        numbers: dict[str, int] = {}
        types: list[str] = []
        repeats: set[int] = set()
        left = 0
        for mention in mentions(result):
            if mention.cluster not in numbers:
                numbers[mention.cluster] = len(numbers)
                types.append(mention.event_type)
            clusters.append(numbers[mention.cluster])
            articles.append(
                article_of({"page_id": mention.source.page_id, "title": mention.source.title})
            )
            same.append(hashed(self.same(mention)))
            fault = REASONS.index(mention.meta.get(FAULT, ""))
            if "repeated_paragraph" in self.options.filters:
                place = hashed(f"{mention.cluster} {mention.start} {_folded(mention.text)}")
                if place in repeats:
                    fault = REASONS.index("repeated_paragraph")
                repeats.add(place)
            left += not fault
            if self.limit is not None and left > self.limit and not fault:
                fault = REASONS.index("over_limit")
            faults.append(fault)
        if paper:
            self._quota(faults, same, every=True)
        drawn = self._drawn(types, clusters, faults)
        split = array("b", (drawn[cluster] for cluster in clusters))
        own = [-1 if fault else s for fault, s in zip(faults, split, strict=True)]
        for index, other in enumerate(splits.foreign(articles, own, strict=not paper)):
            if other and not faults[index]:
                reason = "article_in_test" if own[index] == 1 else "article_in_dev_or_test"
                faults[index] = REASONS.index(reason)
        if "same_string" in self.options.filters:
            self._quota(faults, same, every=False)
        return MentionVerdicts(faults, split)

    def same(self, mention: EventMention) -> str:
        """What two mentions of a cluster have in common that are the same string."""
        shown = mention.text[mention.start : mention.end]
        if self.options.mode == "paper":
            return f"{mention.cluster} {shown}"
        if self.options.same is Same.lemma:
            words = [str(lemma).casefold() for lemma in mention.meta["lemmas"]]
        else:
            words = shown.casefold().split()
        function = lexicon.load(self.options.lang).function
        # "The 1906 earthquake" is "1906 earthquake", in whatever its lemmas or case.
        while len(words) > 1 and words[0] in function:
            del words[0]
        return f"{mention.cluster} {' '.join(words)}"

    def _quota(self, faults: array[int], same: array[int], *, every: bool) -> None:
        """Drops what is one string more than the quota allows.

        Where `every`, a mention counts whatever its fault, and the quota's is its first.
        """
        seen: Counter[int] = Counter()
        for index, string in enumerate(same):
            if faults[index] and not every:
                continue
            if seen[string] >= self.options.quota:
                faults[index] = _QUOTA
            seen[string] += 1

    def _drawn(self, types: list[str], clusters: array[int], faults: array[int]) -> list[int]:
        """The split of each cluster; those that have lost all their mentions do not count."""
        alive = sorted({c for c, fault in zip(clusters, faults, strict=True) if not fault})
        drawn = splits.draw([types[c] for c in alive], self.dev, self.test, self.seed)
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


@dataclass(frozen=True, slots=True)
class ChosenMentions:
    """The mentions that were chosen, to be read as often as need be."""

    result: RunResult
    verdicts: MentionVerdicts

    @property
    def warnings(self) -> list[str]:
        """What the user should know of the corpus."""
        have = {s for s, f in zip(self.verdicts.splits, self.verdicts.faults, strict=True) if not f}
        missing = [name for number, name in enumerate(splits.SPLITS) if number not in have]
        return [f"too few clusters: nothing is in {' and '.join(missing)}"] if missing else []

    @property
    def rejects(self) -> dict[str, Counter[str]]:
        """What was left out: of the input, of the links to events, of the mentions."""
        stages: dict[str, Counter[str]] = {"input": Counter(), "link": Counter()}
        links = {*SURFACE, *SYNTAX, *PLACES, *UNREADABLE, *NOT_FOUND}
        for reason, count in self.result.rejects.items():
            stages["link" if reason in links else "input"][reason] = count
        return {**stages, "corpus": self.verdicts.rejected()}

    def rejected(self) -> Iterator[dict[str, Any]]:
        """What was dropped here, in the shape of the runner's kept rejects."""
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

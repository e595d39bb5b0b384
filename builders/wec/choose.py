"""Choose the mentions of a corpus from the finished shards, and write its card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from corefmill.builders.corpus.card import most_first
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.run.job import RunResult
from corefmill.builders.wec import forms, splits
from corefmill.builders.wec.event_index import EventIndex
from corefmill.builders.wec.facts import event_list, lexicon
from corefmill.builders.wec.facts.event_facts import EVENT_NOTES, EventNote
from corefmill.builders.wec.facts.infoboxes import EVENT_TYPES
from corefmill.builders.wec.forms import FILES
from corefmill.builders.wec.options import SURFACE, SYNTAX, WecOptions
from corefmill.builders.wec.paper import FAULT, NOT_FOUND
from corefmill.builders.wec.same_event import JOINED, WITH_ITEM
from corefmill.builders.wec.splits import DrawnSplit
from corefmill.builders.wec.stages import PLACES, UNREADABLE
from corefmill.builders.wec.survey import LEXICAL, TABLE_1, EventSurvey, SplitCounts
from corefmill.builders.wec.verdicts import (
    REASONS,
    UNCONTROLLED,
    MentionVerdicts,
    judge,
    mentions,
)
from corefmill.corpora.card_parts import plain, table
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import EventMention

NOT_MAPPED = "class_not_mapped"
"""Why an article of the user's list is no event."""


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
        rejects = sum(contents.rejects.values(), Counter[str]())
        common = ", ".join(f"{reason} {count:,}" for reason, count in rejects.most_common(3))
        raise result.source_error or DataError(
            "no mention of an event was found"
            + (f"; links were stopped by {common}" if common else ""),
            remedy="is the language right? try more text, another --nlp, or --without FILTER;"
            " --list-infoboxes shows which infoboxes the dump has",
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
        if len(self._indexes) > 1 and not any(index.counts.get(JOINED) for index in self._events()):
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
        refused = Counter(reason for index in self._events() for reason, _ in index.refused())
        if refused:
            stages["event"] = refused
        return {**stages, "corpus": self.verdicts.rejected()}

    def rejected(self) -> Iterator[dict[str, Any]]:
        """Yield the mentions dropped here, in the shape of the runner's rejects."""
        for title, event_class in self._unmapped.items():
            yield {"reason": NOT_MAPPED, "record": {"title": title, "class": event_class}}
        for index in self._events():
            for reason, record in index.refused():
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
        """The mentions of one split."""
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
        """Writes each split in its forms, and the mentions without control."""
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
        """The paper's tables and all counts."""
        return card_sections(
            self._survey,
            read=self._read(),
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
        counts = Counter(self.result.counts)
        for index in self._events():
            counts.update(index.counts)
        return dict(sorted(counts.items()))

    def _types(self) -> Counter[str]:
        """Event pages of all wikis by type."""
        return sum((index.types for index in self._events()), Counter())

    def _events(self) -> Iterable[EventIndex]:
        return self._indexes.values()

    def _with_verdicts(self) -> Iterator[tuple[EventMention, int, int]]:
        """Yield each mention, without the fault that paper mode kept in it, and its verdicts."""
        verdicts = self.verdicts
        for mention, fault, split in zip(
            mentions(self.result), verdicts.faults, verdicts.splits, strict=True
        ):
            if FAULT in mention.meta:
                kept = {key: value for key, value in mention.meta.items() if key != FAULT}
                yield replace(mention, meta=kept), fault, split
            else:
                yield mention, fault, split


# The data card of an event corpus: README.md, with the paper's tables 1, 7 and 8 made for it.


_AROUND = 160
"""Characters shown on each side of a sample's mention."""


def card_sections(
    survey: EventSurvey,
    *,
    read: Mapping[str, int],
    events: Mapping[str, int],
    languages: Mapping[str, Mapping[str, int]],
    rejects: Mapping[str, Mapping[str, int]],
    drawn: Mapping[str, DrawnSplit],
) -> list[str]:
    """The card's lines between its facts and its limits.

    `read` is what was counted, `events` are all event articles of the dumps by type, `languages`
    has what the first pass counted in each, `drawn` are the splits before they were separated.
    """
    sizes = []
    for name, split in survey.splits.items():
        means = (split.ambiguity, split.diversity, split.same_strings)
        numbers = (split.mentions, split.clusters, split.non_singletons)
        sizes.append((name, *numbers, *(f"{float(mean):.1f}" for mean in means)))
    lines = ["", "## Size (the paper's table 1)", "", *table(TABLE_1, sizes)]
    lines += [
        "",
        "Ambiguity: mean number of clusters in which the lemma of a head occurs. Diversity: mean"
        " number of such lemmas in a cluster of two mentions or more. Same string: mean number of"
        " mentions that share their words within a cluster.",
    ]
    if any(JOINED in counts for counts in languages.values()):
        lines += ["", "## Languages", "", *_languages(survey, languages)]
    lines += ["", "## What separating the splits cost", "", *_apart(drawn)]
    lines += ["", "## Event types (table 7)", "", *_types(survey, events)]
    lines += ["", "## Heads (table 8)", "", *_heads(survey)]
    lines += ["", "## What was read", "", *table(("", "number"), read.items())]
    lines += ["", "## What was left out"]
    for stage, counted in rejects.items():
        if counted:
            lines += ["", *table((f"{stage}: reason", "number"), most_first(counted))]
    lines += ["", "## Files", "", *table(("", ""), FILES.items())]
    lines += ["", f"## {len(survey.samples)} clusters drawn at random"]
    for cluster in survey.samples:
        first = cluster[0]
        lines += ["", f"**{plain(first.cluster_title)}** ({first.event_type}, {first.infobox})", ""]
        several = len(languages) > 1
        lines += [
            f"- {f'{one.lang}: ' * several}{show_mention(one)} *{plain(one.source.title)}*"
            for one in cluster
        ]
    return lines


def _languages(survey: EventSurvey, counted: Mapping[str, Mapping[str, int]]) -> list[str]:
    rows = []
    languages = survey.languages
    for lang, counts in counted.items():
        own = languages.get(lang, SplitCounts())
        pages = (counts["pivots"], counts[WITH_ITEM], counts[JOINED])
        rows.append((f"{lang}wiki", *pages, own.clusters, own.mentions))
    head = ("wiki", "event pages", "with an item", "in other languages", "clusters", "mentions")
    lines = table(head, rows)
    if len(counted) > 1:
        spans = [(number, *span) for number, span in survey.spans.items()]
        lines += ["", *table(("languages of a cluster", "clusters", "mentions"), spans)]
    return [
        *lines,
        "",
        "A cluster is called by its Wikidata item (Q76), else by the page of its first article"
        " (enwiki-123); the title of a mention's cluster is the one in its own language. What would"
        " give a cluster two articles of one language, or two items, was not joined, and is counted"
        " under what was left out.",
    ]


def _apart(drawn: Mapping[str, DrawnSplit]) -> list[str]:
    head = ("split", "clusters drawn", "mentions", "of a cluster", "in an article", "left out")
    rows = [
        (
            name,
            split.clusters,
            split.mentions,
            f"{split.mentions / max(1, split.clusters):.1f}",
            f"{split.in_article:.1f}",
            split.left_out,
        )
        for name, split in drawn.items()
    ]
    every = sum(split.mentions for split in drawn.values())
    left_out = sum(split.left_out for split in drawn.values())
    return [
        *table(head, rows),
        "",
        f"No article is in two splits: {left_out:,} of {every:,} mentions"
        f" ({100 * left_out / max(1, every):.1f} of 100) are left out, their articles being another"
        " split's. The table is of the splits as they were drawn; where the means of dev and test"
        " are not train's, they are easier or harder than the corpus. In an article: mentions of"
        " any event in the article of each.",
    ]


def _types(survey: EventSurvey, events: Mapping[str, int]) -> list[str]:
    rows: list[tuple[str, int, int, int]] = []
    types = survey.types
    for name in sorted(events, key=EVENT_TYPES.index):
        kind = types.get(name, SplitCounts())
        rows.append((name, events[name], kind.clusters, kind.mentions))
    pages, found, mentions = (sum(int(row[column]) for row in rows) for column in (1, 2, 3))
    head = ("event type", "event pages", "with mentions", "mentions")
    return table(head, [*rows, ("Total", pages, found, mentions)])


def _heads(survey: EventSurvey) -> list[str]:
    every = sum(survey.lexical.values())
    rows = [
        (name, survey.lexical[name], f"{100 * survey.lexical[name] / max(1, every):.1f}")
        for name in LEXICAL
    ]
    return table(("head", "mentions", "of 100"), rows)


def show_mention(mention: EventMention) -> str:
    """Print the mention in bold with some of its paragraph on each side."""
    text, start, end, around = mention.text, mention.start, mention.end, _AROUND
    left, right = text[max(0, start - around) : start], text[end : end + around]
    before = "…" if start > around else ""
    after = "…" if end + around < len(text) else ""
    return f"{before}{plain(left)}**{plain(text[start:end])}**{plain(right)}{after}"

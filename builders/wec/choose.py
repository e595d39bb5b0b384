"""What a corpus of event mentions holds, chosen from the finished shards, and what it states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.run.job import RunResult
from corefmill.builders.wec import card, forms, splits
from corefmill.builders.wec.across.same_event import JOINED
from corefmill.builders.wec.event_pages.event_index import EventIndex
from corefmill.builders.wec.facts import event_list, event_notes, lexicon
from corefmill.builders.wec.facts.event_notes import EventNote
from corefmill.builders.wec.links import PLACES
from corefmill.builders.wec.mentions import UNREADABLE
from corefmill.builders.wec.options import SURFACE, SYNTAX, WecOptions
from corefmill.builders.wec.paper import FAULT, NOT_FOUND
from corefmill.builders.wec.survey import EventSurvey
from corefmill.builders.wec.verdicts import (
    REASONS,
    UNCONTROLLED,
    MentionVerdicts,
    judge,
    mentions,
)
from corefmill.corpora import jsonl
from corefmill.corpora.errors import DataError
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

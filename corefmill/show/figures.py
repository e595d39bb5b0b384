"""What a page's pictures show: distributions with medians and cut-offs, and counts by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from corefmill.corpora import sentence_weights
from corefmill.corpora.manifest import Manifest
from corefmill.corpora.records import Document, EventMention, MaskedExample, Record
from corefmill.corpora.statistics import Figures, Statistics, median, statistics_of
from corefmill.show import documents
from corefmill.show.corpus import PlacedRecord
from corefmill.show.views import brief, gender_of, source_of

MOST_BINS = 40
_MOST_BARS = 12
_WIDER = 4
"""A cut-off is drawn that is at most so many times as far as the largest value."""


_SAID = {
    "words of a passage": ("Words of a passage, between blanks", "Passages"),
    "words of a mention": ("Words of a mention", "Mentions"),
    "mentions of a cluster": ("Mentions of a cluster", "Clusters"),
    "candidates": ("Candidates of an example", "Examples"),
    "sentences to the one before": ("Sentences from a mention to the one before", "Mentions"),
}
"""What a distribution's picture is called, and what has the values."""


@dataclass(frozen=True, slots=True)
class Bin:
    """The values [low, high] of a histogram, and how many there are."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """A distribution to be drawn, and what has the values (`of`).

    `cut_offs` are the values at which a filter stops.
    """

    title: str
    of: str
    counts: Mapping[int, int]
    cut_offs: tuple[int, ...] = ()
    scale: float = 1.0
    """What a value is multiplied by to be shown: weights are counted in hundredths."""

    @property
    def total(self) -> int:
        """How many values there are."""
        return sum(self.counts.values())

    @property
    def median(self) -> int | None:
        """The value in the middle."""
        return median(self.counts)

    @property
    def range(self) -> tuple[int, int]:
        """The lowest and the highest value drawn; the highest hundredth of all may be beyond."""
        values = sorted(self.counts)
        low, left, high = values[0], self.total // 100, values[-1]
        for value in reversed(values):
            high = value
            left -= self.counts[value]
            if left < 0:
                break
        wide = max(1, high) * _WIDER
        return min([low, *self.cut_offs]), max([high, *(c for c in self.cut_offs if c <= wide)])

    def bins(self) -> list[Bin]:
        """At most `MOST_BINS` of equal width; the last has what is beyond the range, too."""
        low, high = self.range
        width = (high - low) // MOST_BINS + 1
        counts = Counter[int]()
        for value, count in self.counts.items():
            counts[(min(value, high) - low) // width] += count
        return [
            Bin(low + number * width, min(high, low + (number + 1) * width - 1), counts[number])
            for number in range((high - low) // width + 1)
        ]

    def shown(self, value: int) -> str:
        """A value as it is written below the picture."""
        return f"{value:,}" if self.scale == 1.0 else f"{value * self.scale:g}"


@dataclass(frozen=True, slots=True)
class CountBar:
    """A name with its count, and that in per cent of the largest."""

    name: str
    count: int
    length: float


@dataclass(frozen=True, slots=True)
class Bars:
    """Names with their counts, the most frequent first."""

    title: str
    bars: tuple[CountBar, ...]
    others: int = 0
    """Names that are not shown."""


def bars(title: str, counts: Mapping[str, int], most: int = _MOST_BARS) -> Bars:
    """Of the most frequent of them."""
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    largest = max(counts.values(), default=0) or 1
    shown = tuple(
        CountBar(brief(name), count, round(100 * count / largest, 2))
        for name, count in ordered[:most]
    )
    return Bars(title, shown, len(ordered) - len(shown))


class PageSurvey:
    """Counts the records that a page is about, while they pass."""

    def __init__(self, schema: str) -> None:
        self.records = 0
        self._schema = schema
        self._all: Statistics = statistics_of(schema)
        self._by_split: dict[str, Statistics] = {}
        self._sources: Counter[str] = Counter()
        self._genders: Counter[str] = Counter()
        self._types: Counter[str] = Counter()
        self._rules: Counter[str] = Counter()
        self._weights: Counter[int] = Counter()
        self._words: Counter[int] = Counter()

    def watch(self, records: Iterable[PlacedRecord]) -> Iterator[PlacedRecord]:
        """Passes the records on, and counts them."""
        for placed in records:
            self.records += 1
            self._all.add(placed.record)
            if placed.split:
                split = self._by_split.setdefault(placed.split, statistics_of(self._schema))
                split.add(placed.record)
            self._add(placed.record)
            yield placed

    def _add(self, record: Record) -> None:
        if isinstance(record, Document):
            self._rules.update(documents.changes(record))
            self._weights.update(round(100 * one) for one in sentence_weights.of(record) or ())
            return
        if source := source_of(record):
            self._sources[source] += 1
        if gender := gender_of(record):
            self._genders[gender] += 1
        if isinstance(record, EventMention):
            self._types[record.event_type or "of no type"] += 1
        if isinstance(record, MaskedExample):
            self._words[len(record.text.split())] += 1

    def figures(self) -> dict[str, Figures]:
        """As `corefmill stats` has them, by split and of all."""
        columns = self._by_split if len(self._by_split) > 1 else {}
        return {name: one.figures() for name, one in {**columns, "all": self._all}.items()}

    def histograms(self, manifest: Manifest | None) -> list[Histogram]:
        """Those of the kind of record; without those that have no value."""
        named = dict(self._all.distributions())
        if self._words:  # between blanks, as the builders' limits count them
            named["words of a passage"] = self._words
        found = [
            Histogram(
                *_SAID[name], counts, cut_offs(manifest) if name == "words of a passage" else ()
            )
            for name, counts in named.items()
        ]
        if self._weights:
            weighing = _options(manifest).get("weighing")
            least = weighing.get("least") if isinstance(weighing, dict) else None
            cut = (round(100 * least),) if isinstance(least, float) and 0 < least <= 1 else ()
            weights = Histogram("Weight of a sentence", "Sentences", self._weights, cut, scale=0.01)
            found.append(weights)
        return [one for one in found if one.total]

    def bars(self) -> list[Bars]:
        """The counts by name that there are."""
        genders = dict(self._genders)
        if genders and (unknown := self.records - sum(genders.values())):
            genders["not known"] = unknown
        named = {
            "What the rules changed": self._rules,
            "Types of events": self._types,
            "Gender of the answer": genders,
            f"The largest of {len(self._sources):,} sources": self._sources,
        }
        return [bars(title, counts) for title, counts in named.items() if counts]


def cut_offs(manifest: Manifest | None) -> tuple[int, ...]:
    """The shortest and the longest passage, in words between blanks, that the build let pass.

    Of pronoun problems there are two longest: of one sentence, and of a pair.
    """
    builder = _parts(manifest).get("builder")
    filters = _options(manifest).get("filters")
    if builder == "wikicrem" and isinstance(filters, list) and "length" in filters:
        from corefmill.builders.wikicrem.filters import LONGEST, SHORTEST

        return SHORTEST, LONGEST
    if builder == "knowref" and _options(manifest).get("mode") == "clean":
        from corefmill.builders.knowref import sentences

        return sentences.SHORTEST, sentences.LONGEST, sentences.LONGEST_PAIR
    return ()


def _parts(manifest: Manifest | None) -> Mapping[str, Any]:
    parts = manifest.build.get("parts") if manifest else None
    return parts if isinstance(parts, dict) else {}


def _options(manifest: Manifest | None) -> Mapping[str, Any]:
    options = _parts(manifest).get("options")
    return options if isinstance(options, dict) else {}

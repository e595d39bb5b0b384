"""Figures for the card, gathered while the mentions are written: the paper's three tables."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.corpus.card import describe_losses
from corefmill.builders.corpus.split import hash_text
from corefmill.builders.run.stages import HashSample, make_random
from corefmill.builders.wec.facts.infoboxes import EVENT_TYPES
from corefmill.builders.wec.facts.lexicon import EventLexicon
from corefmill.builders.wec.forms import FILES
from corefmill.builders.wec.same_event import JOINED, WITH_ITEM
from corefmill.builders.wec.splits import DrawnSplit
from corefmill.corpora.card_parts import plain, table
from corefmill.corpora.records import EventMention

TABLE_1 = (
    *("split", "mentions", "clusters", "non-singleton"),
    *("ambiguity", "diversity", "same string"),
)
"""The head of the paper's table 1, of which a split's counts are a row."""
LEXICAL = ("Verbs", "Proper nouns", "Nominalizations", "Other common nouns", "Other")
"""The rows of the paper's table 8, and a row for all others."""

_CLUSTER, _LEMMA, _FOLDED, _WORDS = range(4)
_SAMPLES, _OF_EACH = 3, 3


class SplitCounts:
    """A row of table 1, for a split or any other part of a corpus.

    It holds 32 bytes of each mention: hashes of its cluster, its head's lemma, the lemma in lower
    case, and its words. It holds nothing of the mentions in its `parts`.
    """

    def __init__(self, parts: Iterable[SplitCounts] = ()) -> None:
        self._own = array("Q"), array("Q"), array("Q"), array("Q")
        self._parts = tuple(parts)

    def add(self, mention: EventMention) -> None:
        """Count one mention."""
        lemma = mention.lemma or ""
        words = mention.text[mention.start : mention.end]
        values = mention.cluster, lemma, lemma.lower(), words
        for column, value in zip(self._own, values, strict=True):
            column.append(hash_text(value))

    def _column(self, number: int) -> NDArray[np.uint64]:
        """Return a column of hashes of all parts, by its number."""
        own = np.array(self._own[number])
        return np.concatenate([own, *(part._column(number) for part in self._parts)])

    @property
    def mentions(self) -> int:
        """Count the mentions."""
        return len(self._own[0]) + sum(part.mentions for part in self._parts)

    @property
    def clusters(self) -> int:
        """Count the clusters."""
        return len(self.sizes()[0])

    @property
    def non_singletons(self) -> int:
        """Count the clusters of two mentions or more."""
        return int((self.sizes()[1] > 1).sum())

    def sizes(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Count the mentions of each cluster, in the order of the clusters' hashes."""
        return np.unique(self._column(_CLUSTER), return_counts=True)

    @property
    def ambiguity(self) -> Fraction:
        """Average the clusters of a head's lemma, whatever its case."""
        folded = self._column(_FOLDED)
        found = _distinct(folded, self._column(_CLUSTER))
        return _ratio(len(found), len(np.unique(folded)))

    @property
    def diversity(self) -> Fraction:
        """Average the lemmas of heads in a cluster of two mentions or more."""
        own, sizes = self.sizes()
        repeated = own[sizes > 1]
        found = _distinct(self._column(_CLUSTER), self._column(_LEMMA))
        return _ratio(int(np.isin(found, repeated).sum()), len(repeated))

    @property
    def same_strings(self) -> Fraction:
        """Average the mentions of one string within a cluster."""
        own, sizes = self.sizes()
        found = _distinct(self._column(_CLUSTER), self._column(_WORDS))
        strings = np.unique(found, return_counts=True)[1]  # in the order of the clusters
        sums = (Fraction(int(sizes[strings == n].sum()), int(n)) for n in np.unique(strings))
        return sum(sums, Fraction(0)) / max(1, len(own))

    def counts(self) -> dict[str, float]:
        """Return the counts of the split for the manifest."""
        return {
            "mentions": self.mentions,
            "clusters": self.clusters,
            "non_singleton_clusters": self.non_singletons,
            "ambiguity": round(float(self.ambiguity), 2),
            "diversity": round(float(self.diversity), 2),
            "same_string": round(float(self.same_strings), 2),
        }


def _distinct(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the first of each pair, in order, equal pairs once."""
    order = np.lexsort((other, one))
    one, other = one[order], other[order]
    begins = np.ones(len(one), bool)
    begins[1:] = (one[1:] != one[:-1]) | (other[1:] != other[:-1])
    return one[begins]


def _ratio(total: int, number: int) -> Fraction:
    return Fraction(total, number) if number else Fraction(0)


class SpanCounts(NamedTuple):
    """Clusters by the number of their languages."""

    clusters: int
    mentions: int


@dataclass
class EventSurvey:
    """All splits together: tables 1, 7 and 8, and clusters drawn at random."""

    lexicons: Mapping[str, EventLexicon]
    """By language."""
    seed: int
    lexical: Counter[str] = field(default_factory=Counter)
    articles: set[tuple[str, int]] = field(default_factory=set)
    _parts: dict[str, dict[tuple[str, str], SplitCounts]] = field(default_factory=dict)
    """Counts of each split, by language and type of event."""
    _drawn: HashSample[str, list[EventMention]] = field(
        default_factory=lambda: HashSample(4 * _SAMPLES)
    )

    def watch(self, split: str, mentions: Iterable[EventMention]) -> Iterator[EventMention]:
        """Pass on the mentions of a split, and count them for the card."""
        parts = self._parts.setdefault(split, {})
        for mention in mentions:
            of = mention.lang, mention.event_type
            parts.setdefault(of, SplitCounts()).add(mention)
            self.lexical[lexical_type(mention, self.lexicons[mention.lang])] += 1
            self.articles.add((mention.lang, mention.source.page_id))
            chance = make_random(self.seed, "sample", mention.cluster).random()
            drawn = self._drawn.offer(chance, mention.cluster, [])
            if drawn is not None:
                # A sample shows four mentions of a cluster; of several languages, two of each.
                if len(self.lexicons) == 1:
                    is_shown = len(drawn) < _OF_EACH
                else:
                    is_shown = sum(one.lang == mention.lang for one in drawn) < 2
                if is_shown:
                    drawn.append(mention)
            yield mention

    @property
    def splits(self) -> dict[str, SplitCounts]:
        """Sum each split, in the order of watching."""
        return {split: SplitCounts(parts.values()) for split, parts in self._parts.items()}

    @property
    def languages(self) -> dict[str, SplitCounts]:
        """Sum each language over all splits."""
        return self._by(0)

    @property
    def types(self) -> dict[str, SplitCounts]:
        """Sum each type of event over all splits."""
        return self._by(1)

    def _by(self, place: int) -> dict[str, SplitCounts]:
        """Sum the counts of all splits by language (`place` 0) or event type (1)."""
        found: dict[str, list[SplitCounts]] = defaultdict(list)
        for parts in self._parts.values():
            for of, part in parts.items():
                found[of[place]].append(part)
        return {name: SplitCounts(own) for name, own in found.items()}

    @property
    def spans(self) -> dict[int, SpanCounts]:
        """Count clusters and mentions by the number of a cluster's languages."""
        languages = self.languages.values()
        found = [np.empty(0, np.uint64), *(one.sizes()[0] for one in languages)]
        own = np.unique(np.concatenate(found), return_counts=True)[1]
        sizes = SplitCounts(languages).sizes()[1]
        return {
            int(n): SpanCounts(int((own == n).sum()), int(sizes[own == n].sum()))
            for n in np.unique(own)
        }

    @property
    def samples(self) -> list[list[EventMention]]:
        """Clusters drawn at random with some of their mentions, first those with two or more."""
        drawn = sorted(self._drawn.values(), key=lambda mentions: len(mentions) < 2)
        return drawn[:_SAMPLES]

    def counts(self) -> dict[str, object]:
        """Return all figures for the manifest."""
        counts: dict[str, object] = {
            "splits": {name: split.counts() for name, split in self.splits.items()},
            "event_types": {
                name: {"event_pages": kind.clusters, "mentions": kind.mentions}
                for name, kind in sorted(self.types.items())
            },
            "lexical_types": {name: self.lexical[name] for name in LEXICAL},
            "articles_with_mentions": len(self.articles),
        }
        if len(self.lexicons) > 1:
            counts["languages"] = {lang: own.counts() for lang, own in self.languages.items()}
            spans = {str(number): span._asdict() for number, span in self.spans.items()}
            counts["clusters_by_languages"] = spans
        return counts


def lexical_type(mention: EventMention, lexicon: EventLexicon) -> str:
    """Return the row of table 8 for a mention, by the part of speech of its head.

    The paper's authors judged nominalizations by eye; here the table of event nouns decides.
    """
    head = mention.text[slice(*mention.head)] if mention.head else ""
    if mention.pos in ("VERB", "AUX"):
        return "Verbs"
    if mention.pos == "PROPN":
        return "Proper nouns"
    if mention.pos == "NOUN":
        known = {head.casefold(), (mention.lemma or "").casefold()}
        return "Nominalizations" if any(map(lexicon.is_happening, known)) else "Other common nouns"
    return "Other"


# The data card of an event corpus: README.md, with the paper's tables 1, 7 and 8 made for it.


_AROUND = 160
"""Characters shown on each side of a sample's mention."""

_TYPES = 5
"""Rows of table 7; manifest.json has all types."""


def card_sections(
    survey: EventSurvey,
    *,
    events: Mapping[str, int],
    languages: Mapping[str, Mapping[str, int]],
    rejects: Mapping[str, Mapping[str, int]],
    drawn: Mapping[str, DrawnSplit],
) -> list[str]:
    """Write the card's lines on sizes, splits, types and rejects.

    `events` are the numbers of event articles in the dumps by type, `languages` the counts of the
    first pass by language, `drawn` the splits before they were separated.
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
    lines += describe_losses(rejects)
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
    """Write the card's tables of event pages and clusters by language."""
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
    """Write the card's table of mentions lost by separating the splits."""
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
    """Write the card's table of clusters and mentions by event type."""
    rows: list[tuple[str, int, int, int]] = []
    types = survey.types
    for name in sorted(events, key=EVENT_TYPES.index):
        kind = types.get(name, SplitCounts())
        rows.append((name, events[name], kind.clusters, kind.mentions))
    rows.sort(key=lambda row: -row[3])
    shown, rest = rows[:_TYPES], rows[_TYPES:]
    sums = [(f"{len(rest)} other types", rest)] * bool(rest) + [("Total", rows)]
    for name, summed in sums:
        pages, found, mentions = (sum(int(row[column]) for row in summed) for column in (1, 2, 3))
        shown.append((name, pages, found, mentions))
    return table(("event type", "event pages", "with mentions", "mentions"), shown)


def _heads(survey: EventSurvey) -> list[str]:
    """Write the card's table of mentions by the part of speech of their heads."""
    every = sum(survey.lexical.values())
    rows = [
        (name, survey.lexical[name], f"{100 * survey.lexical[name] / max(1, every):.1f}")
        for name in LEXICAL
    ]
    return table(("head", "mentions", "of 100"), rows)


def show_mention(mention: EventMention) -> str:
    """Format the mention in bold, with some of its paragraph on each side."""
    text, start, end, around = mention.text, mention.start, mention.end, _AROUND
    left, right = text[max(0, start - around) : start], text[end : end + around]
    before = "…" if start > around else ""
    after = "…" if end + around < len(text) else ""
    return f"{before}{plain(left)}**{plain(text[start:end])}**{plain(right)}{after}"

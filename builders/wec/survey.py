"""What a card states of the mentions, gathered while they are written: the paper's three tables."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.corpus.split import hashed
from corefmill.builders.run.stages import HashSample, seeded
from corefmill.builders.wec.facts.lexicon import EventLexicon
from corefmill.corpora.records import EventMention

TABLE_1 = (
    *("split", "mentions", "clusters", "non-singleton"),
    *("ambiguity", "diversity", "same string"),
)
"""The head of the paper's table 1, of which a split's counts are a row."""
LEXICAL = ("Verbs", "Proper nouns", "Nominalizations", "Other common nouns", "Other")
"""The rows of the paper's table 8, and what is none of them."""

_CLUSTER, _LEMMA, _FOLDED, _WORDS = range(4)
_SAMPLES, _OF_EACH = 10, 4


class SplitCounts:
    """A row of table 1: that of a split, or of any other part of a corpus.

    Of each mention it holds 32 bytes: what stands for its cluster, its head's lemma, the lemma
    whatever its case, and its words. Of its parts' mentions it holds nothing.
    """

    def __init__(self, parts: Iterable[SplitCounts] = ()) -> None:
        self._own = array("Q"), array("Q"), array("Q"), array("Q")
        self._parts = tuple(parts)

    def add(self, mention: EventMention) -> None:
        """Counts one mention."""
        lemma = mention.lemma or ""
        words = mention.text[mention.start : mention.end]
        values = mention.cluster, lemma, lemma.lower(), words
        for column, value in zip(self._own, values, strict=True):
            column.append(hashed(value))

    def _column(self, number: int) -> NDArray[np.uint64]:
        """One of the four, of all parts."""
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
        """What stands for each cluster, in order, and how many mentions each has."""
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
        """For the manifest."""
        return {
            "mentions": self.mentions,
            "clusters": self.clusters,
            "non_singleton_clusters": self.non_singletons,
            "ambiguity": round(float(self.ambiguity), 2),
            "diversity": round(float(self.diversity), 2),
            "same_string": round(float(self.same_strings), 2),
        }


def _distinct(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The first of each pair, in order, of pairs that are equal one."""
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
    """Of each split, by language and type of event."""
    _drawn: HashSample[str, list[EventMention]] = field(
        default_factory=lambda: HashSample(4 * _SAMPLES)
    )

    def watch(self, split: str, mentions: Iterable[EventMention]) -> Iterator[EventMention]:
        """Passes the mentions of a split on, and counts them."""
        parts = self._parts.setdefault(split, {})
        for mention in mentions:
            of = mention.lang, mention.event_type
            parts.setdefault(of, SplitCounts()).add(mention)
            self.lexical[lexical_type(mention, self.lexicons[mention.lang])] += 1
            self.articles.add((mention.lang, mention.source.page_id))
            chance = seeded(self.seed, "sample", mention.cluster).random()
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
        """The figures for the manifest."""
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
    """The row of table 8: by the head's part of speech, nouns of events apart from others.

    The paper's authors judged by eye what is a nominalization; here the language's table of event
    nouns does.
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

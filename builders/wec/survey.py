"""What a card states of the mentions, gathered while they are written: the paper's three tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from corefmill.builders.runner.sampling import Lowest
from corefmill.builders.runner.stages import seeded
from corefmill.builders.wec.facts.lexicon import EventLexicon
from corefmill.corpora.records import EventMention

TABLE_1 = (
    *("split", "mentions", "clusters", "non-singleton"),
    *("ambiguity", "diversity", "same string"),
)
"""The head of the paper's table 1, of which a split's counts are a row."""
LEXICAL = ("Verbs", "Proper nouns", "Nominalizations", "Other common nouns", "Other")
"""The rows of the paper's table 8, and what is none of them."""

_SAMPLES, _OF_EACH = 10, 4


@dataclass
class SplitCounts:
    """One split's row of table 1."""

    mentions: int = 0
    clusters: Counter[str] = field(default_factory=Counter)
    lemmas: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Of each cluster the lemmas of its mentions' heads."""
    strings: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, mention: EventMention) -> None:
        """Counts one mention."""
        self.mentions += 1
        self.clusters[mention.cluster] += 1
        self.lemmas[mention.cluster].add(mention.lemma or "")
        self.strings[mention.cluster].add(mention.text[mention.start : mention.end])

    @property
    def repeated(self) -> list[str]:
        """The clusters with more than one mention."""
        return [cluster for cluster, size in self.clusters.items() if size > 1]

    @property
    def ambiguity(self) -> Fraction:
        """In how many clusters a head's lemma occurs on average, whatever its case."""
        found: dict[str, set[str]] = defaultdict(set)
        for cluster, lemmas in self.lemmas.items():
            for lemma in lemmas:
                found[lemma.lower()].add(cluster)
        return _mean([len(clusters) for clusters in found.values()])

    @property
    def diversity(self) -> Fraction:
        """How many lemmas of heads a cluster of two mentions or more has on average."""
        return _mean([len(self.lemmas[cluster]) for cluster in self.repeated])

    @property
    def same_strings(self) -> Fraction:
        """How many mentions share a string within a cluster on average."""
        sizes = [Fraction(n, len(self.strings[c])) for c, n in self.clusters.items()]
        return Fraction(sum(sizes), len(sizes)) if sizes else Fraction(0)

    def counts(self) -> dict[str, float]:
        """For the manifest."""
        return {
            "mentions": self.mentions,
            "clusters": len(self.clusters),
            "non_singleton_clusters": len(self.repeated),
            "ambiguity": round(float(self.ambiguity), 2),
            "diversity": round(float(self.diversity), 2),
            "same_string": round(float(self.same_strings), 2),
        }


def _mean(numbers: list[int]) -> Fraction:
    return Fraction(sum(numbers), len(numbers)) if numbers else Fraction(0)


class SpanCounts(NamedTuple):
    """Clusters whose mentions are in equally many languages."""

    clusters: int
    mentions: int


@dataclass
class EventSurvey:
    """All splits together: tables 1, 7 and 8, and clusters drawn at random."""

    lexicons: Mapping[str, EventLexicon]
    """By language."""
    seed: int
    splits: dict[str, SplitCounts] = field(default_factory=dict)
    types: dict[str, SplitCounts] = field(default_factory=dict)
    lexical: Counter[str] = field(default_factory=Counter)
    articles: set[tuple[str, int]] = field(default_factory=set)
    languages: dict[str, SplitCounts] = field(default_factory=dict)
    _drawn: Lowest[str, list[EventMention]] = field(default_factory=lambda: Lowest(4 * _SAMPLES))

    def watch(self, split: str, mentions: Iterable[EventMention]) -> Iterator[EventMention]:
        """Passes the mentions of a split on, and counts them."""
        survey = self.splits.setdefault(split, SplitCounts())
        for mention in mentions:
            survey.add(mention)
            self.types.setdefault(mention.event_type, SplitCounts()).add(mention)
            self.languages.setdefault(mention.lang, SplitCounts()).add(mention)
            self.lexical[lexical_type(mention, self.lexicons[mention.lang])] += 1
            self.articles.add((mention.lang, mention.source.page_id))
            hashed = seeded(self.seed, "sample", mention.cluster).random()
            drawn = self._drawn.offer(hashed, mention.cluster, [])
            if drawn is not None and self._is_shown(mention, drawn):
                drawn.append(mention)
            yield mention

    def _is_shown(self, mention: EventMention, drawn: Sequence[EventMention]) -> bool:
        """Of several languages each shows two mentions of a cluster."""
        if len(self.lexicons) == 1:
            return len(drawn) < _OF_EACH
        return sum(one.lang == mention.lang for one in drawn) < 2

    @property
    def spans(self) -> dict[int, SpanCounts]:
        """Clusters and mentions by the number of languages that a cluster's mentions are in."""
        own: Counter[str] = Counter()
        sizes: Counter[str] = Counter()
        for counts in self.languages.values():
            own.update(counts.clusters.keys())
            sizes.update(counts.clusters)
        clusters = Counter(own.values())
        mentions: Counter[int] = Counter()
        for cluster, number in own.items():
            mentions[number] += sizes[cluster]
        return {
            number: SpanCounts(clusters[number], mentions[number]) for number in sorted(clusters)
        }

    @property
    def samples(self) -> list[list[EventMention]]:
        """Clusters drawn at random with some of their mentions, first those with two or more."""
        drawn = sorted(self._drawn.values(), key=lambda mentions: len(mentions) < 2)
        return drawn[:_SAMPLES]

    def counts(self) -> dict[str, object]:
        """The figures for the manifest."""
        return {
            "splits": {name: split.counts() for name, split in self.splits.items()},
            "event_types": {
                name: {"event_pages": len(kind.clusters), "mentions": kind.mentions}
                for name, kind in sorted(self.types.items())
            },
            "lexical_types": {name: self.lexical[name] for name in LEXICAL},
            "articles_with_mentions": len(self.articles),
            **(self._by_language() if len(self.lexicons) > 1 else {}),
        }

    def _by_language(self) -> dict[str, object]:
        return {
            "languages": {lang: counts.counts() for lang, counts in self.languages.items()},
            "clusters_by_languages": {
                str(number): span._asdict() for number, span in self.spans.items()
            },
        }


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

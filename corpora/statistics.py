"""Count the parts of a corpus in one pass, with memory for distributions only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from corefmill.corpora.catalogue import SPLITS
from corefmill.corpora.files import disk
from corefmill.corpora.formats import registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import Document, EventMention, MaskedExample, Mention
from corefmill.corpora.splits import make_relative, split_of

Figures = dict[str, float | int | None]
"""Figures by name, in the order in which they are shown; None where there is nothing to count."""

# Penn tags of what pronouns are; PRON, Stanford's and others' begin alike.
_XPOS = ("PRP", "WP", "PRON")


class Statistics(Protocol):
    """Take the records of a corpus in turn."""

    def add(self, record: Any) -> None:
        """Add a record."""

    def figures(self) -> Figures:
        """Return the figures of all added records."""


def make_statistics(schema: str) -> Statistics:
    """Make an empty counter for records of a schema."""
    made: dict[str, type[Statistics]] = {
        "masked-example/1": MaskedStatistics,
        "event-mention/1": EventStatistics,
        "document/1": DocumentStatistics,
    }
    return made[schema]()


@cache
def pronouns(lang: str) -> frozenset[str]:
    """Return the pronouns of a language, lower case; none where the table has none."""
    return frozenset(
        disk.read_package_table(__file__, "pronouns").get(lang.split("-")[0].lower(), ())
    )


class DocumentStatistics:
    """Of documents: sizes, clusters, mentions and how far they lie from one another.

    Distances are those of a mention to the one before it in its cluster, in sentences, and in
    mentions of any cluster (1: no other begins between them). A mention is a pronoun where its one
    word is, by UPOS, else by XPOS, else by the language's table.
    """

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()
        self._sizes: Counter[int] = Counter()
        self._lengths: Counter[int] = Counter()
        self._sentences: Counter[int] = Counter()
        self._mentions: Counter[int] = Counter()
        self._judged = self._pronouns = 0

    def add(self, record: Document) -> None:
        """Count one document, or a part of one."""
        self._count["documents"] += 1
        self._count["sentences"] += len(record.sentences)
        self._count["tokens"] += sum(len(sentence.tokens) for sentence in record.sentences)
        rank = {
            place: number
            for number, place in enumerate(
                sorted({_place(mention) for cluster in record.clusters for mention in cluster})
            )
        }
        table = pronouns(record.lang)
        for cluster in record.clusters:
            self._sizes[len(cluster)] += 1
            for mention in cluster:
                self._count_mention(record, mention, table)
            ordered = sorted(cluster, key=_place)
            for one, other in pairwise(ordered):
                self._sentences[other.sentence - one.sentence] += 1
                self._mentions[rank[_place(other)] - rank[_place(one)]] += 1

    def _count_mention(self, record: Document, mention: Mention, table: frozenset[str]) -> None:
        """Count a mention: its kind, its length in words, and if it is a pronoun."""
        if mention.zero:
            self._count["zero"] += 1
            return
        if mention.parts:
            self._count["discontinuous"] += 1
        pieces = mention.parts or ((mention.start, mention.end),)
        words = last = 0
        for start, end in sorted(pieces):  # which may overlap
            words += max(0, end - max(start, last))
            last = max(last, end)
        self._lengths[words] += 1
        token = record.sentences[mention.sentence].tokens[mention.start]
        if not (token.upos or token.xpos or table):
            return
        self._judged += 1
        if words > 1:
            return
        if token.upos:
            self._pronouns += token.upos == "PRON"
        elif token.xpos:
            self._pronouns += token.xpos.startswith(_XPOS)
        else:
            self._pronouns += token.form.lower() in table

    def figures(self) -> Figures:
        """Return the counts and means by name; shares are between 0 and 1."""
        mentions = sum(size * count for size, count in self._sizes.items())
        clusters = sum(self._sizes.values())
        count = self._count
        return {
            "documents": count["documents"],
            "sentences": count["sentences"],
            "tokens": count["tokens"],
            "mentions": mentions,
            "mentions per 100 tokens": _share(100 * mentions, count["tokens"]),
            "zero mentions": count["zero"],
            "discontinuous mentions": count["discontinuous"],
            "pronouns, share of mentions": _share(self._pronouns, self._judged),
            "clusters": clusters,
            "clusters of one": self._sizes[1],
            "clusters of one, share": _share(self._sizes[1], clusters),
            **_spread("mentions of a cluster", self._sizes),
            **_spread("words of a mention", self._lengths),
            **_spread("sentences to the one before", self._sentences),
            "in the same sentence, share": _share(
                self._sentences[0], sum(self._sentences.values())
            ),
            **_spread("mentions to the one before", self._mentions),
        }


def _place(mention: Mention) -> tuple[int, int, int]:
    return mention.sentence, mention.start, -mention.end


class EventStatistics:
    """Of event mentions: clusters, and how hard they are to distinguish (WEC's table 1).

    Ambiguity is the mean number of clusters that a head lemma occurs in, lemmas in lower case.
    Diversity is the mean number of different head lemmas, as they are written, of the clusters of
    two mentions and more. The same string's share is the mean over all clusters of mentions for
    each different string. Mentions without a lemma count in none of the first two.
    """

    def __init__(self) -> None:
        self._sizes: Counter[str] = Counter()
        self._lemmas: dict[str, set[str]] = defaultdict(set)
        self._strings: dict[str, set[str]] = defaultdict(set)
        self._types: Counter[str] = Counter()
        self._articles: set[tuple[str, int]] = set()
        self._lengths: Counter[int] = Counter()
        self._contexts: Counter[int] = Counter()
        self._without = self._discontinuous = 0

    def add(self, record: EventMention) -> None:
        """Count one event mention."""
        self._sizes[record.cluster] += 1
        string = record.text[record.start : record.end]
        self._strings[record.cluster].add(string)
        if record.lemma:
            self._lemmas[record.cluster].add(record.lemma)
        else:
            self._without += 1
        self._types[record.event_type] += 1
        self._articles.add((record.source.title, record.source.page_id))
        self._lengths[len(string.split())] += 1
        self._contexts[len(record.text.split())] += 1
        self._discontinuous += bool(record.parts)

    def figures(self) -> Figures:
        """Return counts and means by name, then event types as `type NAME`, the frequent first."""
        clusters = Counter(self._sizes.values())
        heads = Counter(
            lemma
            for lemmas in self._lemmas.values()
            for lemma in sorted({lemma.lower() for lemma in lemmas})
        )
        diverse = [len(self._lemmas[name]) for name, size in self._sizes.items() if size > 1]
        repeated = sum(self._sizes[name] / len(kinds) for name, kinds in self._strings.items())
        return {
            "mentions": sum(self._sizes.values()),
            "discontinuous mentions": self._discontinuous,
            "articles": len(self._articles),
            "clusters": len(self._sizes),
            "clusters of one": clusters[1],
            "clusters of one, share": _share(clusters[1], len(self._sizes)),
            **_spread("mentions of a cluster", clusters),
            "ambiguity (clusters of a head lemma)": _share(sum(heads.values()), len(heads)),
            "diversity (head lemmas of a cluster)": _share(sum(diverse), len(diverse)),
            "mentions of the same string": _share(repeated, len(self._strings)),
            "mentions without a lemma": self._without,
            **_spread("words of a mention", self._lengths),
            **_spread("words of a passage", self._contexts),
            **{f"type {name}": count for name, count in self._types.most_common() if name},
        }


class MaskedStatistics:
    """Of masked examples: labels, candidates, lengths.

    Words are the tokens of `meta["tokens"]`, else what stands between blanks.
    """

    def __init__(self) -> None:
        self._labels: Counter[int | None] = Counter()
        self._candidates: Counter[int] = Counter()
        self._words: Counter[int] = Counter()
        self._sentences: Counter[int] = Counter()
        self._mentions: Counter[int] = Counter()
        self._articles: set[tuple[str, int]] = set()
        self._pronouns = self._judged = 0

    def add(self, record: MaskedExample) -> None:
        """Count one masked example."""
        self._labels[record.label] += 1
        self._candidates[len(record.candidates)] += 1
        self._words[len(record.meta.get("tokens") or record.text.split())] += 1
        self._sentences[len(record.sentences)] += 1
        self._mentions[len(record.mentions)] += 1
        if record.source.title or record.source.page_id:
            self._articles.add((record.source.title, record.source.page_id))
        if table := pronouns(record.lang):
            self._judged += 1
            self._pronouns += record.text[slice(*record.target)].lower() in table

    def figures(self) -> Figures:
        """Return the counts and means by name; labels are `label N`, counted from 1."""
        examples = sum(self._labels.values())
        labelled = examples - self._labels[None]
        return {
            "examples": examples,
            "without a label": self._labels[None],
            **{
                f"label {number + 1}, share": _share(self._labels[number], labelled)
                for number in sorted(label for label in self._labels if label is not None)
            },
            "pronoun as target, share": _share(self._pronouns, self._judged),
            "articles": len(self._articles) or None,
            **_spread("candidates", self._candidates),
            **_spread("mentions of candidates", self._mentions),
            **_spread("sentences of a passage", self._sentences),
            **_spread("words of a passage", self._words),
        }


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _spread(name: str, counts: Mapping[int, int]) -> Figures:
    """Compute mean, median and largest of a distribution."""
    total = sum(counts.values())
    mean = _share(sum(value * count for value, count in counts.items()), total)
    return {
        f"{name}, mean": mean,
        f"{name}, median": _median(counts),
        f"{name}, most": max((value for value, count in counts.items() if count), default=None),
    }


def _median(counts: Mapping[int, int]) -> int | None:
    """Find the median of counted values: the lower of two, None without any."""
    left = (sum(counts.values()) + 1) // 2
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0 < counts[value]:
            return value
    return None


def count_by_split(
    paths: Sequence[Path],
    form: Format | None = None,
    lang: str = "en",
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> dict[str, dict[str, Figures]]:
    """Compute the figures of files and folders by schema and split; `all` is all splits together.

    A split stands beside `all` only where there are several. `form` None detects each file's
    format. Raises what `registry.find_files` does, and `DataError` for what cannot be read.
    """
    made: dict[str, dict[str, Statistics]] = {}
    for path, own in registry.find_files(paths, form).items():
        columns = made.setdefault(own.schema, {})
        names = ("all", split) if (split := split_of(make_relative(path, paths))) else ("all",)
        for name in names:
            columns.setdefault(name, make_statistics(own.schema))
        for _, record in watch(own.read(path, lang)):
            for name in names:
                columns[name].add(record)
    return {
        schema: {
            name: columns[name].figures()
            for name in sorted(columns, key=SPLITS.index)
            if len(columns) > 2 or name == "all"
        }
        for schema, columns in made.items()
    }

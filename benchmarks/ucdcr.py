"""uCDCR's baseline: mentions of one head lemma are one cluster, by subtopic; the mean CoNLL F1.

As its makers have it, without Perl: singletons are left out, lemmas are taken as they stand, and
the score of a corpus is the mean of its subtopics' scores.

    python -m benchmarks.ucdcr test/event_mentions.json
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from pathlib import Path

from corefmill.corpora.formats import cross_document
from corefmill.corpora.records import EventMention
from corefmill.corpora.scoring import coreference
from corefmill.corpora.scoring.metrics import METRICS, named
from corefmill.corpora.scoring.units import ScoredDocument


def main() -> None:
    """Prints a line a file: mentions, subtopics, and the mean F1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    print("| file | mentions | subtopics | CoNLL F1 |\n|---|---:|---:|---:|")
    for path in options.files:
        used, scores = baseline(mention for _, mention in cross_document.UCDCR.read(path, "en"))
        print(f"| {path.name} | {used:,} | {len(scores)} | {sum(scores) / len(scores):.2f} |")


def baseline(mentions: Iterable[EventMention]) -> tuple[int, list[float]]:
    """How many mentions are scored, and each subtopic's CoNLL F1 in percent."""
    kept = [mention for mention in mentions if not mention.meta["ucdcr"].get("is_singleton")]
    # A chain counts where a subtopic or a topic has two of its mentions.
    sizes = Counter(
        (mention.cluster, level, mention.meta[level])
        for mention in kept
        for level in ("subtopic", "topic")
    )
    chains = {cluster for (cluster, _, _), size in sizes.items() if size > 1}
    groups: dict[str, list[EventMention]] = defaultdict(list)
    for mention in kept:
        if mention.cluster in chains:
            groups[mention.meta["subtopic"]].append(mention)
    scored = [group for group in groups.values() if len(group) > 1]
    return sum(map(len, scored)), [_conll(group) for group in scored]


def _conll(mentions: list[EventMention]) -> float:
    sides = ([m.cluster for m in mentions], [m.lemma for m in mentions])
    key, response = (ScoredDocument("subtopic", 0, None, _clusters(side)) for side in sides)
    return 100 * coreference.count([key], [response], named("conll", METRICS)).conll


def _clusters(names: Iterable[Hashable]) -> list[list[Hashable]]:
    clusters: dict[Hashable, list[Hashable]] = defaultdict(list)
    for number, name in enumerate(names):
        clusters[name].append(number)
    return list(clusters.values())


if __name__ == "__main__":
    main()

"""Scores of names: right is what has the gold standard's very span and label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corefmill.builders.nlp import labels
from corefmill.builders.nlp.analysis import Entity
from corefmill.builders.nlp.counts import NONE, MatchCounts


@dataclass(frozen=True, slots=True)
class NameScores:
    """Counts by label and of all; names of labels that the gold standard lacks are left out."""

    by_label: dict[str, MatchCounts]
    left_out: dict[str, int]

    @property
    def all(self) -> MatchCounts:
        whole = NONE
        for counts in self.by_label.values():
            whole = whole.plus(counts)
        return whole


def evaluate(
    sentences: Iterable[tuple[Iterable[Entity], Iterable[Entity]]],
    mapped: Mapping[str, str] | None = None,
) -> NameScores:
    """Compares gold and system names, sentence by sentence.

    Labels of both sides become the project's (labels.toml), and then what `mapped` makes of those;
    a label that is mapped to "" is not looked at.
    """
    right, found, due = Counter[str](), Counter[str](), Counter[str]()
    for gold, system in sentences:
        ours, theirs = _known(gold, mapped or {}), _known(system, mapped or {})
        due.update(name.label for name in ours)
        found.update(name.label for name in theirs)
        right.update(name.label for name in ours & theirs)
    by_label = {label: MatchCounts(right[label], found[label], due[label]) for label in sorted(due)}
    left_out = {label: found[label] for label in sorted(found) if label not in due}
    return NameScores(by_label, left_out)


def _known(names: Iterable[Entity], mapped: Mapping[str, str]) -> set[Entity]:
    known = set()
    for name in names:
        label = labels.ours(name.label)
        if label := mapped.get(label, label):
            known.add(Entity(name.start, name.end, label))
    return known

"""Mentions and anaphors by class, against their definitions over sets."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.corefud import pair
from corefmill.corpora.scoring import anaphors, columns
from corefmill.corpora.scoring.alignment import Clusters
from corefmill.corpora.scoring.anaphors import ClassOf, Counts
from corefmill.corpora.scoring.matching import Matching, NodeAlignment
from corefmill.corpora.scoring.metrics import MENTIONS
from corefmill.corpora.scoring.nodes import read
from tests.corpora.scoring.corefud_cases import conllu

Anaphor = tuple[tuple[int, ...], str, list[tuple[int, ...]]]
"""Words, class, and the words of the antecedents."""


@pytest.fixture(scope="module")
def alignments(tmp_path_factory: pytest.TempPathFactory) -> list[NodeAlignment]:
    """Documents of random pairs in which no mention stands twice."""
    folder, draw, found = tmp_path_factory.mktemp("pairs"), random.Random(4), []
    for _ in range(60):
        paths = folder / "key.conllu", folder / "response.conllu"
        for path, text in zip(paths, pair(draw), strict=True):
            path.write_text(text, encoding="utf-8")
        for key, response in zip(*map(read, paths), strict=True):
            one = Matching("exact", "linear").align(key.clusters, response.clusters)
            sides = [
                [m.words for e in side for m in anaphors.ordered(e)]
                for side in (one.key, one.response)
            ]
            if all(len(set(words)) == len(words) for words in sides):
                found.append(one)
    assert len(found) > 20
    return found


def each(clusters: Clusters, class_of: ClassOf) -> Iterator[Anaphor]:
    for entity in map(anaphors.ordered, clusters):
        words = [mention.words for mention in entity]
        for number in range(1, len(entity)):
            yield words[number], class_of(entity, number), words[:number]


def by_definition(one: NodeAlignment, class_of: ClassOf) -> Counts:
    key, response = (list(each(side, class_of)) for side in (one.key, one.response))
    homes = [{m.words for m in anaphors.ordered(entity)} for entity in one.response]
    anaphoric = {words for words, _, _ in response}
    counts: Counts = {}
    for words, name, before in key:
        home = next((home for home in homes if words in home and words in anaphoric), set())
        right = bool(home & set(before))
        own = counts.setdefault(name, [0] * 4)
        for place, add in enumerate((right, 1, right, bool(home))):
            own[place] += add
    known = {(words, name) for words, name, _ in key}
    for words, name, _ in response:
        if (words, name) not in known:
            counts.setdefault(name, [0] * 4)[3] += 1
    return counts


@pytest.mark.parametrize("by", ["class", "distance"])
def test_anaphors_are_those_of_the_definition(alignments: list[NodeAlignment], by: str) -> None:
    class_of = columns.class_of(by, {})  # type: ignore[arg-type]
    seen: Counter[str] = Counter()
    for one in alignments:
        found = anaphors.resolved(one, class_of)
        assert found == by_definition(one, class_of)
        for name, (right, in_key, *_) in found.items():
            seen.update({name: in_key, f"{name} right": right})
    assert min(seen["zero right"], seen["-"]) > 5 if by == "class" else len(seen) >= 6


def test_sums_over_classes_are_the_line_of_mentions(alignments: list[NodeAlignment]) -> None:
    for one in alignments:
        found = anaphors.found(one, columns.class_of("distance", {}))
        sums = [sum(column) for column in zip(*found.values(), strict=True)]
        assert sums == list(MENTIONS.count(one)) or not found


def test_zeros_are_the_class_zero(alignments: list[NodeAlignment]) -> None:
    for one in alignments:
        found = anaphors.resolved(one, columns.class_of("class", {}))
        assert anaphors.zeros(one) == tuple(found.get("zero", [0] * 4))


def test_the_distance_is_counted_from_the_nearest_antecedent(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    lines = [
        "a(e1--1) b(e1--1)",
        "c",
        "d(e1--1)",
        *"efghij",
        "k(e1--1)",
        *"lmnopqrstuv",
        "w(e1--1)",
    ]
    path.write_text(conllu("\n".join(lines)), encoding="utf-8")
    (document,) = read(path)
    (entity,) = map(anaphors.ordered, document.clusters)
    class_of = columns.class_of("distance", {})
    assert [class_of(entity, number) for number in range(len(entity))] == [
        *("first mention", "same sentence", "2", "6-10", "11 or more")
    ]

"""What a pipeline's meta.json says of its scores."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corefmill.builders.nlp import measured, shipped
from corefmill.builders.nlp.catalogue import scores_of

OURS = {
    "names_f1": {"narrative": {"PER": 0.9}, "WikiNEuRal, 10 %": {"PER": 0.8805, "LOC": 0.5}},
    "trees_f1": {"sentences": {"UPOS": 0.954, "LAS": 0.8048}, "text": {"UPOS": 0.1, "LAS": 0.1}},
}


def test_ours_are_told_with_where_they_come_from() -> None:
    said = measured.summary({"performance": OURS})
    assert said == (
        "PER 88.0, UPOS 95.4, LAS 80.5 (held out; names of WikiNEuRal, trees with sentences given)"
    )


def test_theirs_are_told_as_theirs() -> None:
    theirs = {"ents_per_type": {"PER": {"f": 0.9}}, "pos_acc": 0.97, "dep_las": 0.88}
    assert measured.summary({"performance": theirs}) == (
        "PER 90.0, tags 97.0, LAS 88.0 (by its makers)"
    )


def test_zeros_by_type_give_way_to_the_score_of_all_names() -> None:
    theirs = {"ents_per_type": {"PER": {"f": 0.0}, "LOC": {"f": 0.0}}, "ents_f": 0.814}
    assert measured.summary({"performance": theirs}) == "names 81.4 (by its makers)"


@pytest.mark.parametrize(
    "said", [None, [], 3, {}, {"names_f1": 3}, {"ents_per_type": {"PER": 2}}, {"dep_las": "x"}]
)
def test_what_is_not_said_or_malformed_is_nothing(said: Any) -> None:
    assert measured.summary({"performance": said}) == ""


@pytest.mark.parametrize("name", shipped.names())
def test_whatever_ships_has_its_scores(name: str) -> None:
    meta = json.loads((shipped.path(name) / "meta.json").read_text(encoding="utf-8"))
    assert scores_of(name) == measured.summary(meta) != ""

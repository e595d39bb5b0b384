"""Accuracy on masked examples: parts, ties, what is left out."""

from __future__ import annotations

import pytest

from corefmill.coref_model.evaluation.masked import score_choices
from corefmill.corpora.files.errors import DataError
from tests.coref_model.evaluation.answering import Written, example, placed, split

ANN = example("Ann met Eve when she left.", ("Ann", "Eve"), 0, "a")
EVE = example("Ann met Eve when she left.", ("Ann", "Eve"), 1, "b")


def test_the_likeliest_candidate_is_the_answer() -> None:
    (row,) = score_choices(placed(ANN, EVE), Written({"Ann": -1.0, "Eve": -2.0}), split("dpr"))
    assert (row.score, row.n, row.metric) == (50.0, 2, "accuracy")
    assert row.low is not None and row.high is not None and row.low < 50.0 < row.high


def test_a_tie_is_counted_and_never_right() -> None:
    (row,) = score_choices(placed(ANN, EVE), Written({}), split("dpr"))
    assert (row.score, row.counts["tied"]) == (0.0, 2)


def test_what_is_cut_is_counted_and_scored() -> None:
    model = Written({"Ann": 0.0}, cut=("a",))
    (row,) = score_choices(placed(ANN), model, split("dpr"))
    assert (row.score, row.counts["cut"], row.low) == (100.0, 1, None)


def test_examples_without_a_label_are_left_out_and_counted() -> None:
    none = example("Ann met Eve when she left.", ("Ann", "Eve"), None, "c")
    (row,) = score_choices(placed(ANN, none), Written({"Ann": 0.0}), split("x"))
    assert (row.n, row.counts["unlabelled"]) == (1, 1)


def test_a_split_without_answers_is_refused() -> None:
    none = example("Ann met Eve when she left.", ("Ann", "Eve"), None)
    with pytest.raises(DataError, match="none of 1 examples of test has a label"):
        score_choices(placed(none), Written({}), split("wnli"))


def test_winobias_is_told_by_type_and_side() -> None:
    items = [
        *placed(ANN, file="anti_stereotyped_type1.txt.dev"),
        *placed(EVE, file="pro_stereotyped_type2.txt.dev"),
    ]
    found = score_choices(items, Written({"Ann": 0.0}), split("winobias"))
    assert {row.group: row.score for row in found} == {"": 50.0, "T1a": 100.0, "T2p": 0.0}
    assert "'s" in found[0].note


def test_winogender_is_told_by_gender() -> None:
    she = example("Ann met Eve when she left.", ("Ann", "Eve"), 0, "nurse.visitor.0.female.txt")
    he = example("Ann met Eve when he left.", ("Ann", "Eve"), 1, "nurse.visitor.1.male.txt", "he")
    found = score_choices(placed(she, he), Written({"Ann": 0.0}), split("winogender"))
    assert {row.group: row.score for row in found} == {"": 50.0, "female": 100.0, "male": 0.0}

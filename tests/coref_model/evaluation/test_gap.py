"""GAP's counts, with its own names or with those that a pipeline finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pytest

from corefmill.coref_model.evaluation.masked import score_gap
from corefmill.coref_model.evaluation.rows import FOUND_NAMES, TextNames
from corefmill.corpora.files.errors import DataError
from tests.coref_model.evaluation.answering import Written, example, placed, split

SHE = example("Ann met Eve when she left.", ("Ann", "Eve"), 0, "1")
HIS = example("Bo met Al near his house.", ("Bo", "Al"), 1, "2", "his")
NEITHER = example("Ann met Eve when she left.", ("Ann", "Eve"), None, "3")


def finds(*names: str) -> TextNames:
    def found(texts: Iterable[str]) -> Iterator[Sequence[str]]:
        for text in texts:
            assert " _ " in text  # the pronoun is hidden from the pipeline
            yield [name for name in names if name in text]

    return found


def test_of_two_names_one_is_true() -> None:
    said: dict[str, bool] = {}
    model = Written({"Ann": -1.0, "Eve": -2.0, "Al's": -1.0, "Bo's": -2.0})
    found = score_gap(placed(SHE, HIS), model, split("gap"), on_right=said.__setitem__)
    assert {row.group: row.score for row in found if row.metric == "F1"} == {
        "": 100.0,
        "M": 100.0,
        "F": 100.0,
    }
    assert [row.score for row in found if row.metric == "bias"] == [1.0]
    assert said == {"1": True, "2": True}
    assert [(row.group, row.n) for row in found] == [("", 2), ("M", 1), ("F", 1), ("", 2)]


def test_a_name_is_true_where_no_found_name_is_likelier() -> None:
    model = Written({"Ann": -2.0, "Eve": -3.0, "Zoe": -1.0})
    zoe = example("Ann met Eve and Zoe when she left.", ("Ann", "Eve"), 0, "1")
    found = score_gap(
        placed(zoe),
        model,
        split("gap"),
        persons=finds("Ann", "Eve", "Zoe"),
    )
    assert found[0].score == 0.0 and found[0].protocol == FOUND_NAMES


def test_a_name_that_is_not_found_is_a_false_negative() -> None:
    said: dict[str, bool] = {}
    found = score_gap(
        placed(SHE),
        Written({"Ann": -1.0}),
        split("gap"),
        persons=finds("Ann"),
        on_right=said.__setitem__,
    )
    # Nobody but Ann is named: she is TRUE unasked. Eve has no answer, which counts against recall.
    assert said == {"1": False}
    assert found[0].counts["names not found"] == 1
    assert found[0].score == pytest.approx(200 / 3)


def test_a_tie_makes_neither_true() -> None:
    none = example("Ann met Eve when she left.", ("Ann", "Eve"), None, "2")
    said: dict[str, bool] = {}
    found = score_gap(
        placed(SHE, none),
        Written({}),
        split("gap"),
        on_right=said.__setitem__,
    )
    assert said == {"1": False, "2": True} and found[0].counts["tied"] == 2


def test_candidates_of_his_have_the_genitive() -> None:
    model = Written({})
    score_gap(placed(HIS), model, split("gap"))
    assert model.asked[0].candidates == ("Bo's", "Al's")


def test_a_pronoun_that_is_not_gaps_is_refused_with_its_place() -> None:
    it = example("Ann met Eve when it left.", ("Ann", "Eve"), 0, target="it")
    with pytest.raises(DataError, match=r"test\.txt:1: 1: 'it' is no row of GAP's"):
        score_gap(placed(it), Written({}), split("gap"))

"""Masked examples: choices, GAP with its own names or found ones, WNLI, and rows of the rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.coref_model.evaluation.masked import (
    score_choices,
    score_corpus,
    score_gap,
    score_wnli,
)
from corefmill.coref_model.evaluation.rows import (
    FOUND_NAMES,
    EvaluationOptions,
    Parser,
    ScoreRow,
    TextNames,
)
from corefmill.corpora import find
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.record_meta import SpanSyntax, Step
from corefmill.corpora.records import Span
from tests.coref_model.evaluation.answering import Written, example, placed, split

ANN = example("Ann met Eve when she left.", ("Ann", "Eve"), 0, "a")
EVE = example("Ann met Eve when she left.", ("Ann", "Eve"), 1, "b")
NONE = example("Ann met Eve when she left.", ("Ann", "Eve"), None, "c")


@pytest.mark.parametrize(
    ("model", "score", "tied"),
    [
        (Written({"Ann": -1.0, "Eve": -2.0}), 50.0, 0),
        (Written({}), 0.0, 2),  # a tie is never right
    ],
)
def test_the_likeliest_candidate_is_the_answer(model: Written, score: float, tied: int) -> None:
    (row,) = score_choices(placed(ANN, EVE), model, split("dpr"))
    assert (row.score, row.n, row.metric, row.counts["tied"]) == (score, 2, "accuracy", tied)
    assert row.low is not None and row.high is not None
    assert row.low < 50.0 < row.high if score else row.low == row.high == 0.0


def test_what_is_cut_is_counted_and_scored_and_what_has_no_label_left_out() -> None:
    model = Written({"Ann": 0.0}, cut=("a",))
    (row,) = score_choices(placed(ANN, NONE), model, split("dpr"))
    assert (row.score, row.n, row.counts["cut"], row.low) == (100.0, 1, 1, None)
    assert row.counts["unlabelled"] == 1


def test_a_split_without_answers_is_refused() -> None:
    with pytest.raises(DataError, match="none of 1 examples of test has a label"):
        score_choices(placed(NONE), Written({}), split("wnli"))


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


# GAP.

SHE = example("Ann met Eve when she left.", ("Ann", "Eve"), 0, "1")
HIS = example("Bo met Al near his house.", ("Bo", "Al"), 1, "2", "his")


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
    assert said == {"1": True, "2": True} and found[-1].metric == "bias"
    assert [(row.group, row.n, row.score) for row in found] == [
        *(("", 2, 100.0), ("M", 1, 100.0), ("F", 1, 100.0), ("", 2, 1.0))
    ]


def test_a_name_is_true_where_no_found_name_is_likelier() -> None:
    model = Written({"Ann": -2.0, "Eve": -3.0, "Zoe": -1.0})
    zoe = example("Ann met Eve and Zoe when she left.", ("Ann", "Eve"), 0, "1")
    found = score_gap(placed(zoe), model, split("gap"), persons=finds("Ann", "Eve", "Zoe"))
    assert found[0].score == 0.0 and found[0].protocol == FOUND_NAMES


def test_a_found_name_is_asked_for_as_it_is_written_first() -> None:
    model = Written({})
    she = example("Ann met Eve and EVE when she left.", ("Ann", "Eve"), 0, "1")
    score_gap(placed(she), model, split("gap"), persons=finds("Ann", "Eve", "EVE"))
    assert [one.candidates for one in model.asked] == [("Ann", "Eve"), ("Eve", "Ann")]


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
    said: dict[str, bool] = {}
    found = score_gap(placed(SHE, NONE), Written({}), split("gap"), on_right=said.__setitem__)
    assert said == {"1": False, "c": True} and found[0].counts["tied"] == 2


def test_candidates_of_his_have_the_genitive() -> None:
    model = Written({})
    score_gap(placed(HIS), model, split("gap"))
    assert model.asked[0].candidates == ("Bo's", "Al's")


def test_a_pronoun_that_is_not_gaps_is_refused_with_its_place() -> None:
    it = example("Ann met Eve when it left.", ("Ann", "Eve"), 0, target="it")
    with pytest.raises(DataError, match=r"test\.txt:1: 1: 'it' is not a row of GAP: each has"):
        score_gap(placed(it), Written({}), split("gap"))


# WNLI.

TEXT = "The cup fell off the shelf and it broke."
CUP = example(TEXT, ("The cup", "it"), 0, "10", "it")
SHELF = example(TEXT, ("the shelf", "it"), 1, "9", "it")


def nouns(texts: Iterable[str]) -> Iterator[Sequence[str]]:
    for _ in texts:
        yield ["cup", "shelf"]


def test_entailed_is_what_no_other_noun_beats(tmp_path: Path) -> None:
    path = tmp_path / "WNLI.tsv"
    model = Written({"The cup": -1.0, "shelf": -2.0, "the shelf": -2.0, "cup": -1.0})
    (row,) = score_wnli(placed(CUP, SHELF), model, split("wnli"), nouns=nouns, glue=path)
    assert row.score == 100.0
    assert path.read_text("utf-8") == "9\t0\n10\t1\n"
    assert model.asked[0].candidates == ("The cup", "shelf")


@pytest.mark.parametrize(
    ("found", "aligned", "score", "count"),
    [
        (["cup", "shelf"], False, 0.0, "not aligned"),
        (["cup"], True, 100.0, "without another noun"),
        (["cup", "shelf"], True, 0.0, "tied"),
    ],
)
def test_an_item_without_a_likeliest_choice(
    found: list[str], aligned: bool, score: float, count: str
) -> None:
    one = placed(replace(CUP, meta={"aligned": aligned}))
    (row,) = score_wnli(one, Written({}), split("wnli"), nouns=lambda _: iter([found]))
    assert (row.score, {name for name, n in row.counts.items() if n}) == (score, {count})


def test_a_split_without_labels_must_be_written() -> None:
    bare = placed(replace(CUP, label=None))
    with pytest.raises(DataError, match="--wnli FILE"):
        score_wnli(bare, Written({}), split("wnli"), nouns=nouns)


# The rules.

STONE = example("Ann met Eve Stone when she left.", ("Ann", "Eve Stone"), 0)


def roles(texts: Iterable[tuple[str, Sequence[Span]]]) -> Iterator[list[SpanSyntax | None]]:
    """The first word is the subject, and so is the target."""
    for _, spans in texts:
        yield [
            SpanSyntax(
                "subject" if start in (0, spans[0][0]) else "object",
                1,
                (Step(start // 4, "dep", ""),),
            )
            for start, _ in spans
        ]


def rows(folder: Path, options: EvaluationOptions) -> list[ScoreRow]:
    jsonl.write(folder / "test.jsonl", [STONE])
    model: Any = Written({"Ann": 0.0})
    return score_corpus(model, find.open_corpus(folder), "test", options)


def test_every_rule_has_a_row_with_its_name(tmp_path: Path) -> None:
    parsed = Parser("en_test 1", roles, lambda mentions: iter(mentions))
    found = rows(tmp_path, EvaluationOptions(parser=lambda _: parsed))
    assert {row.by: row.score for row in found} == {
        "the model": 100.0,
        "nearest candidate": 0.0,
        "first candidate": 100.0,
        "shortest candidate": 100.0,
        "same role, en_test 1": 100.0,
    }
    assert len({row.protocol for row in found}) == 1


def test_where_there_is_no_pipeline_the_row_says_so(tmp_path: Path) -> None:
    *_, last = rows(tmp_path, EvaluationOptions())
    assert last.by == "same role, no pipeline" and math.isnan(last.score) and last.n == 0
    assert "no pipeline was given" in last.note and last.as_json()["score"] is None

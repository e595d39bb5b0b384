"""Rows of the rules that learn nothing, beside a model's on masked examples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import pytest

pytest.importorskip("torch")

from corefmill.coref_model.evaluation import choices
from corefmill.coref_model.evaluation.masked import by_rules
from corefmill.coref_model.evaluation.rows import EvaluationOptions, Parser, ScoredSplit, ScoreRow
from corefmill.coref_model.masked.answers import Answerer
from corefmill.corpora.record_meta import SpanSyntax, Step
from corefmill.corpora.records import Span
from tests.coref_model.evaluation.answering import Written, example, placed

ANN = example("Ann met Eve Stone when she left.", ("Ann", "Eve Stone"), 0)
SCORED = ScoredSplit(corpus="dpr", split="test", seed=0)


def rows(rule: Answerer, scored: ScoredSplit) -> list[ScoreRow]:
    return choices.evaluate(rule, placed(ANN), **scored)


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


def test_every_rule_has_a_row_with_its_name() -> None:
    (model,) = rows(Written({"Ann": 0.0}), SCORED)
    parsed = Parser("en_test 1", roles, lambda mentions: iter(mentions))
    found = list(by_rules(rows, model, SCORED, lambda _: parsed, "en"))
    assert {row.by: row.score for row in found} == {
        "nearest candidate": 0.0,
        "first candidate": 100.0,
        "shortest candidate": 100.0,
        "same role, en_test 1": 100.0,
    }
    assert {row.protocol for row in found} == {model.protocol} and model.by == "the model"


def test_where_there_is_no_pipeline_the_row_says_so() -> None:
    (model,) = rows(Written({"Ann": 0.0}), SCORED)
    *_, last = by_rules(rows, model, SCORED, EvaluationOptions().parsed, "en")
    assert last.by == "same role, no pipeline" and math.isnan(last.score) and last.n == 0
    assert "no pipeline was given" in last.note and last.as_json()["score"] is None

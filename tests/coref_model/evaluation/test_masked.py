"""Rows of the rules that learn nothing, beside a model's on masked examples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from corefmill.coref_model.evaluation.masked import rows_of
from corefmill.coref_model.evaluation.rows import EvaluationOptions, Parser, ScoreRow
from corefmill.corpora import find
from corefmill.corpora.files import jsonl
from corefmill.corpora.record_meta import SpanSyntax, Step
from corefmill.corpora.records import Span
from tests.coref_model.evaluation.answering import Written, example

ANN = example("Ann met Eve Stone when she left.", ("Ann", "Eve Stone"), 0)


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
    jsonl.write(folder / "test.jsonl", [ANN])
    model: Any = Written({"Ann": 0.0})
    return rows_of(model, find.open_corpus(folder), "test", options)


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

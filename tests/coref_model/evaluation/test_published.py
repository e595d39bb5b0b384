"""Published tables: each column is of a corpus of the catalogue, and stands under our rows."""

from __future__ import annotations

import pytest

from corefmill.coref_model.evaluation import published
from corefmill.coref_model.evaluation.rows import ScoreRow
from corefmill.corpora import catalogue
from corefmill.corpora.files.errors import UsageError

OURS = ScoreRow("gap", "validation", "gold candidates", "", "F1", 51.25, 48.0, 54.0, 454)


@pytest.mark.parametrize("name", ["wikicrem", "wec", "ontonotes-it"])
def test_every_column_is_of_a_known_corpus(name: str) -> None:
    of = published.paper(name)
    assert set(of.corpora) <= catalogue.entries().keys()


def test_a_row_of_another_split_says_so() -> None:
    line = published.cells(published.paper("wikicrem"), [OURS])[0]
    assert line[:5] == (
        "gap",
        "",
        "F1",
        "51.2",
        "validation, n 454, gold candidates (another split)",
    )
    assert line[5:] == ("50.0", "55.1", "59.0", "78.0", "test, n 2,000")


def test_a_column_without_a_row_is_there() -> None:
    lines = published.cells(published.paper("wikicrem"), [])
    assert len(lines) == 13 and lines[3][3:] == (
        "not here",
        "",
        "0.90",
        "0.89",
        "0.95",
        "1.04",
        "test, n 2,000",
    )


def test_an_unknown_paper_is_refused() -> None:
    with pytest.raises(UsageError, match="no paper 'bert'"):
        published.paper("bert")

"""The sample of documents holds nothing that `corefmill check` finds."""

from __future__ import annotations

from pathlib import Path

from corefmill.corpora.check.checker import Checker

FOLDER = Path(__file__).parents[3] / "corpora" / "sample" / "documents"


def test_nothing_is_found_by_check() -> None:
    checker = Checker()
    assert list(checker.check([FOLDER])) == []
    assert {path.name: n for path, n in checker.read.items()} == {
        "train.conll": 24,
        "validation.conll": 6,
    }

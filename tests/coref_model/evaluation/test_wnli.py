"""WNLI's items as choices, and GLUE's file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.coref_model.evaluation import wnli
from corefmill.corpora.files.errors import DataError
from tests.coref_model.evaluation.answering import Written, example, placed

TEXT = "The cup fell off the shelf and it broke."
CUP = example(TEXT, ("The cup", "it"), 0, "10", "it")
SHELF = example(TEXT, ("the shelf", "it"), 1, "9", "it")


def nouns(texts: Iterable[str]) -> Iterator[Sequence[str]]:
    for _ in texts:
        yield ["cup", "shelf"]


def test_entailed_is_what_no_other_noun_beats(tmp_path: Path) -> None:
    path = tmp_path / "WNLI.tsv"
    model = Written({"The cup": -1.0, "shelf": -2.0, "the shelf": -2.0, "cup": -1.0})
    (row,) = wnli.evaluate(
        model,
        placed(CUP, SHELF),
        corpus="wnli",
        split="validation",
        seed=0,
        nouns=nouns,
        glue=path,
    )
    assert row.score == 100.0
    assert path.read_text("utf-8") == "9\t0\n10\t1\n"
    assert model.asked[0].candidates == ("The cup", "shelf")


def test_what_does_not_align_is_not_entailed() -> None:
    lost = replace(CUP, meta={"aligned": False})
    told, counts, right = wnli.answer(Written({}), placed(lost), nouns)
    assert (told[0].entailed, counts["not aligned"], right) == (False, 1, [False])


def test_without_another_noun_it_is_entailed() -> None:
    told, counts, _ = wnli.answer(Written({}), placed(CUP), lambda texts: iter([["cup"]]))
    assert (told[0].entailed, counts["without another noun"]) == (True, 1)


def test_a_tie_is_not_entailed() -> None:
    told, counts, _ = wnli.answer(Written({}), placed(CUP), nouns)
    assert (told[0].entailed, counts["tied"]) == (False, 1)


def test_a_split_without_labels_must_be_written() -> None:
    bare = replace(CUP, label=None)
    with pytest.raises(DataError, match="--wnli FILE"):
        wnli.evaluate(Written({}), placed(bare), corpus="wnli", split="test", seed=0, nouns=nouns)

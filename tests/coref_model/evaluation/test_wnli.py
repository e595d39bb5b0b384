"""WNLI's items as choices, and GLUE's file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.coref_model.evaluation.masked import score_wnli
from corefmill.corpora.files.errors import DataError
from tests.coref_model.evaluation.answering import Written, example, placed, split

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

"""13-grams, intervals, and files of answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.overlap.run import (
    OverlapRow,
    find_copies,
    make_copy_query,
    split_copy_words,
)
from corefmill.builders.overlap.search import SentenceHit
from corefmill.builders.overlap.split import Accuracy, CutoffSplit, read_answers, split_by_cutoff
from corefmill.builders.run.stages import Context
from corefmill.corpora.files import sheets
from corefmill.corpora.files.errors import DataError
from tests.corpora.test_records import EXAMPLE

SCORES = (("a", 8.0), ("a", 5.0), ("a", 4.0), ("b", 9.0), ("b", 7.0), ("b", 3.0))
LONG = "Ann called Eve at noon because she had not heard from her for a whole week."


def found(tmp_path: Path, item: str, *paragraphs: Sequence[str]) -> dict[str, Any]:
    """The copy of an item in a file of these paragraphs."""
    path = tmp_path / "00000.paragraphs.jsonl"
    records = [{"title": "book", "sentences": list(one)} for one in paragraphs]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    outs = find_copies(make_copy_query([item]), iter([path]), Context(0, 0))
    return next((dict(out.record) for out in outs), {})


def test_words_of_copies_have_no_signs_of_emphasis_and_an_end() -> None:
    assert split_copy_words("couldn't could n’t") == ["could", "not"] * 2
    assert split_copy_words("_Ann_ said: “l'été” 彼は " + "b" * 200) == [
        *("ann", "said", "l", "été", "彼", "は"),
        "b" * 128,
    ]


def test_thirteen_words_in_a_row_are_a_copy(tmp_path: Path) -> None:
    told = found(tmp_path, LONG, ["No.", f"He said: {LONG[:-12]} month."])
    assert told["value"] == 13
    assert told["sentence"].startswith("He said")
    # Twelve are not.
    words = LONG.split()
    assert not found(tmp_path, LONG, [" ".join(words[:12]), " ".join(words[13:])])


def test_a_run_may_cross_sentences_but_no_paragraphs(tmp_path: Path) -> None:
    first, second = LONG[:30], LONG[31:]
    assert found(tmp_path, LONG, [first, second])
    assert not found(tmp_path, LONG, [first], [second])


def test_of_an_item_of_eight_to_twelve_words_all_must_be_there(tmp_path: Path) -> None:
    eight = "Ann called Eve because she was so ill"
    assert found(tmp_path, eight, [f"Then {eight.lower()}, they say."])["value"] == 8
    assert not found(tmp_path, eight, [eight.replace("so", "very")])


def test_the_best_sentences_of_all_sources_are_told_the_best_first() -> None:
    hits = [(name, SentenceHit(0, score, "t", "s", ())) for name, score in SCORES]
    row = OverlapRow("wsc", EXAMPLE, None, best=hits)
    told = [(one["source"], one["score"]) for one in row.as_json()["best"]]
    assert told == [("b", 9.0), ("a", 8.0), ("b", 7.0), ("a", 5.0), ("a", 4.0)]


def test_items_are_split_by_what_is_over_the_cutoff() -> None:
    found = split_by_cutoff([0, 1, 2, 3], [True, False, True, True], 1)
    assert (found.over, found.rest) == (Accuracy(2, 2), Accuracy(1, 2))
    assert found.difference == 0.5
    # Wilson's: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), with p = 8/10 and z = 1.959964
    assert Accuracy(8, 10).interval == pytest.approx((0.490162, 0.943318), abs=1e-6)


def test_differences_of_accuracy_are_tested() -> None:
    # The paper's BERT on WSC, table 5: 79.2 % of 53 over the cut-off, 69.5 % of 220.
    found = CutoffSplit(0, Accuracy(42, 53), Accuracy(153, 220))
    assert found.difference == pytest.approx(0.097, abs=5e-4)
    assert found.test is not None
    # 273 (42·67 - 11·153)² / (53·220·195·78) = 1.9691, of one degree of freedom.
    assert found.test == ("chi-squared", pytest.approx(0.16055, abs=1e-5))
    low, high = found.interval or (0, 0)
    assert low < 0 < found.difference < high
    # Few items are tested exactly. Fisher's tea: 3 of 4 against 1 of 4, p = (16 + 16 + 1 + 1) / 70.
    found = CutoffSplit(0, Accuracy(3, 4), Accuracy(1, 4))
    assert found.test == ("exact", pytest.approx(34 / 70))


ITEMS = [("dpr", "1"), ("dpr", "2"), ("wsc", "1"), ("wsc", "1")]


def answer_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_answers_are_matched_by_corpus_id_and_order(tmp_path: Path) -> None:
    path = answer_file(tmp_path, "corpus,id,correct\nwsc,1,0\ndpr,2,1\nwsc,1,1\nother,9,1\n")
    assert read_answers(path, ITEMS) == [None, True, False, True]
    # A corpus need not be named where the ids tell it.
    path = answer_file(tmp_path, "id,correct\n2,0\n")
    assert read_answers(path, ITEMS) == [None, False, None, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file has no columns id and correct"),
        ("id,right\n1,1\n", "the file has no columns id and correct"),
        ("id,correct\n2,yes\n", "answers.csv:2: expected 2 cells, with 0 or 1"),
        ("id,correct\n2\n", "answers.csv:2: expected 2 cells, with 0 or 1"),
        ('id,correct\n"2,1\n', "not CSV"),
        ("id,correct,correct\n2,1,0\n", "answers.csv:1: two columns have the same name"),
        ("id,correct\n1,1\n", "dpr and wsc"),
        ("id,correct\n7,1\n", "none of 4 items, such as dpr 1"),
        ("corpus,id,correct\nwsc,1,1\n", "1 answers to item 1, which wsc has 2"),
    ],
)
def test_what_is_no_file_of_answers_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_answers(answer_file(tmp_path, text), ITEMS)


def test_an_id_that_evaluate_wrote_as_a_harmless_cell_is_found(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    sheets.write(path, [("corpus", "id", "correct"), ("dpr", "=1+1", 1), ("dpr", "\x1b", 0)])
    assert "'=1+1" in path.read_text("utf-8")
    assert read_answers(path, [("dpr", "\x1b"), ("dpr", "=1+1")]) == [False, True]

"""Spreadsheets go out and come back; what is wrong with one is said with its line."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.annotate import judgements, spreadsheets
from corefmill.annotate.questions import read_items
from corefmill.builders.corpus.ballots import Ballot, count_votes
from corefmill.corpora.files import jsonl, sheets
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample, Source
from tests.corefmill.annotate import event_corpus
from tests.corefmill.annotate.event_corpus import event

TEXT = "Ann left Bo,\nbut she slept."
ONE = MaskedExample("t", "en", TEXT, ((0, 27),), (17, 20), ("Ann", "Bo"), (), None, Source("", 0))
EXAMPLES = [replace(ONE, id=f"t-{number}") for number in range(12)]


def written(folder: Path, *examples: MaskedExample, raters: int = 3, seed: int = 1) -> Path:
    jsonl.write(folder / "corpus.jsonl", examples)
    path = folder / f"{seed}.csv"
    spreadsheets.write_examples(path, examples, raters=raters, limit=None, seed=seed)
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(path: Path, answers: list[dict[str, str]], delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, answers[0], delimiter=delimiter)
        writer.writeheader()
        writer.writerows(answers)


def gathered(path: Path) -> dict[str, Ballot]:
    corpus = path.with_name("corpus.jsonl")
    names = {one.id: one.candidates for one in jsonl.read(corpus, MaskedExample)}
    found = judgements.gather_answers(corpus, [path])
    return count_votes(judgements.read_votes(found.raters), names)


def test_a_masked_name_is_hidden(tmp_path: Path) -> None:
    """It once stood in brackets: the rater read the answer."""
    masked = replace(ONE, text="Ann met Bo. Ann slept.", sentences=((0, 11), (12, 22)))
    path = written(tmp_path, replace(masked, target=(12, 15), label=0))
    assert {row["passage"] for row in rows(path)} == {"Ann met Bo. [MASK] slept."}


def test_each_rater_gets_each_item_once_in_an_own_order(tmp_path: Path) -> None:
    path = written(tmp_path, *EXAMPLES)
    found = rows(path)
    orders = [[row["item"] for row in found if row["rater"] == rater] for rater in "123"]
    assert orders[0] != orders[1]
    assert [sorted(one) for one in orders] == [sorted(one.id for one in EXAMPLES)] * 3
    assert found[0]["passage"] == "Ann left Bo, but [she] slept."
    assert {row["option_a"] for row in found[:12]} == {"Ann", "Bo"}
    assert written(tmp_path, *EXAMPLES, seed=2).read_bytes() != path.read_bytes()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_answers_are_letters_words_or_x(tmp_path: Path, delimiter: str) -> None:
    path = written(tmp_path, ONE, raters=4)
    found = rows(path)
    found[0]["answer"] = " A " if found[0]["option_a"] == "Ann" else "b"
    found[1]["answer"] = "ANN"
    found[2]["answer"] = "x"
    fill(path, found, delimiter)
    assert gathered(path) == {"t": Ballot((2, 0), 1)}  # the fourth has not answered


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": ""}, r"1\.csv: the file holds no answer yet \(.* a column `answer`"),
        ({"answer": "c"}, r"1\.csv:2: the answer 'c' is none of a, b, x"),
        ({"item": "t-99"}, r"1\.csv:2: the corpus has no item 't-99' \(name the corpus"),
        ({"option_a": "Cyd"}, r"1\.csv:2: 'Cyd' is not an answer to the question answer about 't'"),
        ({"rater": " "}, r"1\.csv:2: rater is empty"),
        ({"rater": "2"}, r"1\.csv:3: rater 2 answered t already, at 1\.csv:2 \(remove one"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, change: dict[str, str], message: str) -> None:
    path = written(tmp_path, ONE, raters=2)
    first, second = rows(path)
    answer = "a" if change.get("rater") == "2" else ""
    fill(path, [first | {"answer": "a"} | change, second | {"answer": answer}])
    with pytest.raises(DataError, match=message):
        gathered(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"item,rater\n", r":1: the spreadsheet has no column 'answer' \(give a file that"),
        (b"item,rater,answer\nt,1\n", r":2: the row has only 2 fields"),
        (b"item,rater,answer\n\xff,1,a\n", r"not UTF-8 \(save it"),
        (b'item,rater,answer\n"t"x,1,a\n', r":2: not CSV"),
    ],
)
def test_what_is_no_sheet_of_ours(tmp_path: Path, content: bytes, message: str) -> None:
    path = written(tmp_path, ONE)
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        gathered(path)


def test_too_many_candidates_have_no_letters(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="24 candidates, and letters can name 23"):
        written(tmp_path, replace(ONE, candidates=tuple(map(str, range(24)))))


def test_no_cell_is_a_formula_and_answers_come_back(tmp_path: Path) -> None:
    names = ("=cmd|'/C calc'!A0", "@SUM(A1)\x1b[31m")
    path = written(tmp_path, replace(ONE, id=" =1+1 ", candidates=names), raters=2)
    found = rows(path)
    for row in found:
        assert not any(cell.strip().startswith(("=", "+", "-", "@")) for cell in row.values())
        assert "\x1b" not in "".join(row.values())
    found[0]["answer"], found[1]["answer"] = found[0]["option_a"], "b"
    fill(path, found)
    ((item, ballot),) = gathered(path).items()
    assert (item, sum(ballot.votes)) == (" =1+1 ", 2)


def test_mentions_there_and_back(tmp_path: Path) -> None:
    mentions = [event(f"={n}", "1", "=A1: the\n1987 flood.", "1987 flood") for n in range(5)]
    corpus, path = event_corpus.write(tmp_path / "own", {"test": mentions}), tmp_path / "m.csv"
    assert spreadsheets.write_mentions(path, list(read_items(corpus)), raters=1) == 5
    head, *found = [row for _, row in sheets.read(path)]
    assert found[0][:6] == ["=0", "1", "Event 1", "Flood", "Town", "=A1: the [1987 flood]."]
    said = [("Y", "", ""), ("no", "boundary", "cut"), ("i", "", ""), ("", "metonym", "")]
    sheets.write(path, [head, *([*row[:6], *one] for row, one in zip(found, said, strict=False))])
    assert [
        (one.item, one.answer, one.reason, one.remark)
        for one in judgements.gather_answers(corpus, [path]).raters
    ] == [
        ("=0", "yes", "", ""),
        ("=1", "no", "boundary", "cut"),
        ("=2", "no", "unidentified", ""),
        ("=3", "no", "metonym", ""),
    ]
    for wrong in (("maybe", "", ""), ("yes", "b", ""), ("no", "ugly", "")):
        sheets.write(path, [head, [*found[0][:6], *wrong]])
        with pytest.raises(DataError, match=r"m\.csv:2: the answer .* is none of y, yes, n, no \("):
            judgements.gather_answers(corpus, [path])

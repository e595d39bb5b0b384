"""Tasks go out and come back; what is wrong with a file is said with its line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from corefmill.builders.corpus import tasks
from corefmill.builders.corpus.tasks import Ballot
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample, Source


def example(number: int) -> MaskedExample:
    text = f"Ann left Bo,\nbut she slept {number}."
    names = ("Ann", "Bo")
    return MaskedExample(
        f"t-{number}", "en", text, ((0, len(text)),), (17, 20), names, (), None, Source("", 0)
    )


EXAMPLES = [example(number) for number in range(12)]
CANDIDATES = {one.id: one.candidates for one in EXAMPLES}


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.csv"
    assert tasks.write(path, EXAMPLES, raters=3, seed=1) == 36
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def answered(path: Path, answers: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, answers[0])
        writer.writeheader()
        writer.writerows(answers)
    return path


def test_each_rater_gets_each_item_once(sheet: Path) -> None:
    for rater in "123":
        own = [row["item"] for row in rows(sheet) if row["rater"] == rater]
        assert sorted(own) == sorted(CANDIDATES)
    assert rows(sheet)[0]["passage"].startswith("Ann left Bo, but [she] slept ")


def test_orders_differ_by_rater_and_depend_on_the_seed(sheet: Path, tmp_path: Path) -> None:
    found = rows(sheet)
    assert [row["item"] for row in found[:12]] != [row["item"] for row in found[12:24]]
    assert {row["option_a"] for row in found[:12]} == {"Ann", "Bo"}
    again, other = tmp_path / "again.csv", tmp_path / "other.csv"
    tasks.write(again, EXAMPLES, raters=3, seed=1)
    tasks.write(other, EXAMPLES, raters=3, seed=2)
    assert again.read_bytes() == sheet.read_bytes() != other.read_bytes()


def test_answers_are_letters_words_or_x(sheet: Path) -> None:
    found = [row for row in rows(sheet) if row["item"] == "t-3"]
    found[0]["answer"] = "a" if found[0]["option_a"] == "Ann" else " B "
    found[1]["answer"] = "ANN"
    found[2]["answer"] = "x"
    got = tasks.ballots(tasks.placed([answered(sheet, found)]), CANDIDATES)
    assert got == {"t-3": Ballot((2, 0), 1)}
    assert (got["t-3"].label, got["t-3"].strength, got["t-3"].raters) == (0, 2, 3)


def test_an_empty_answer_is_none(sheet: Path) -> None:
    assert tasks.ballots(tasks.placed([sheet]), CANDIDATES) == {}


@pytest.mark.parametrize(
    ("votes", "none", "label", "strength"),
    [((3, 2), 0, 0, 3), ((2, 2), 1, None, 2), ((1, 2), 2, None, 2), ((0, 0), 3, None, 3)],
)
def test_a_label_needs_a_majority(
    votes: tuple[int, int], none: int, label: int | None, strength: int
) -> None:
    ballot = Ballot(votes, none)
    assert (ballot.label, ballot.strength) == (label, strength)


def test_one_fault_a_line(sheet: Path, tmp_path: Path) -> None:
    good = rows(sheet)[0] | {"answer": "a"}
    for change, message in (
        ({"answer": "c"}, r"tasks\.csv:2: the answer 'c' is none of a, b and x"),
        ({"item": "t-99"}, r"tasks\.csv:2: no item 't-99' in the corpus \(were the tasks"),
        ({"option_a": "Cyd"}, r"tasks\.csv:2: 'Cyd' is no candidate of t-"),
    ):
        answered(sheet, [good | change])
        with pytest.raises(DataError, match=message):
            tasks.ballots(tasks.placed([sheet]), CANDIDATES)
    answered(sheet, [good, good])
    with pytest.raises(DataError, match=r"tasks\.csv:3: rater 1 answered t-\d+ already, at .*:2"):
        tasks.ballots(tasks.placed([sheet]), CANDIDATES)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r":1: no column 'item' \(it must be a file that"),
        (b"item;rater;answer\n", r":1: no column 'item'"),
        (b"item,rater,option_a,option_b,answer\nt-1,1\n", r":2: only 2 fields"),
        (b"item,rater,option_a,option_b,answer\n\xff,1,a,b,c\n", r"not UTF-8 \(save it"),
        (b'item,rater,option_a,option_b,answer\n"t-1"x,1,a,b,c\n', r":2: not CSV"),
    ],
)
def test_what_is_no_task_file(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        tasks.ballots(tasks.placed([path]), CANDIDATES)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.csv: cannot be opened"):
        tasks.ballots(tasks.placed([tmp_path / "none.csv"]), CANDIDATES)


def test_too_many_candidates_have_no_letters(tmp_path: Path) -> None:
    many = MaskedExample(
        "m", "en", "She.", ((0, 4),), (0, 3), tuple(map(str, range(24))), (), None, Source("", 0)
    )
    with pytest.raises(DataError, match="24 candidates, which letters cannot name"):
        tasks.write(tmp_path / "tasks.csv", [many], raters=1, seed=0)


def test_alpha_by_hand() -> None:
    # Two raters, answers AA BB AB: n = 6, A 3, B 3; D_o = 2, D_e = 36 - 18 = 18; 1 - 5 * 2 / 18.
    found = [Ballot((2, 0), 0), Ballot((0, 2), 0), Ballot((1, 1), 0)]
    assert tasks.alpha(found) == pytest.approx(1 - 10 / 18)
    assert tasks.alpha([Ballot((2, 0), 0), Ballot((0, 0), 2)]) == 1.0
    assert tasks.alpha([Ballot((2, 0), 0)]) is None
    assert tasks.alpha([Ballot((1, 0), 0)]) is None


def test_no_cell_is_a_formula_and_answers_come_back(tmp_path: Path) -> None:
    names = ("=cmd|'/C calc'!A0", "@SUM(A1)\x1b[31m")
    hostile = MaskedExample(
        " =1+1 ", "en", "-2+3 she", ((0, 8),), (5, 8), names, (), None, Source("", 0)
    )
    path = tmp_path / "tasks.csv"
    tasks.write(path, [hostile], raters=2, seed=1)
    found = rows(path)
    for row in found:
        assert not any(cell.strip().startswith(("=", "+", "-", "@")) for cell in row.values())
        assert "\x1b" not in "".join(row.values())
    found[0]["answer"] = found[0]["option_a"]
    found[1]["answer"] = "b"
    (ballot,) = tasks.ballots(tasks.placed([answered(path, found)]), {hostile.id: names}).items()
    assert ballot[0] == hostile.id
    assert sum(ballot[1].votes) == 2


def test_a_file_without_end_is_one_line() -> None:
    with pytest.raises(DataError, match="/dev/zero: a device, neither a file"):
        tasks.ballots(tasks.placed([Path("/dev/zero")]), CANDIDATES)

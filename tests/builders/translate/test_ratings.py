from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.translate import judgement, ratings
from corefmill.builders.translate.ratings import Ratings, RatingSample, UtteranceToRate
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.records import Document, Sentence, Token

HARD = "Precipitevolissimevolmente internazionalizzazione"
EASY = ("Va.", "Chi sa?", "Io no.", "Tu sì.", "-Ah.")


def item(text: str, value: float, number: int = 0) -> UtteranceToRate:
    return UtteranceToRate(text, value, "d", 0, number)


def pool() -> list[UtteranceToRate]:
    easy = [item(text, 100, number) for number, text in enumerate(EASY)]
    return [*easy, item(HARD, -90), item("Va.", 100)]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(path: Path, answers: dict[str, tuple[str, str]], delimiter: str = ",") -> None:
    """Answers by utterance; what is not named stays empty."""
    found = rows(path)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, found[0], delimiter=delimiter)
        writer.writeheader()
        for row in found:
            row["grammatical"], row["acceptable"] = answers.get(row["utterance"], ("", ""))
            writer.writerow(row)


def test_draws_each_class_and_counts_like_texts_once() -> None:
    sample = ratings.draw(pool(), 3, seed=1)
    levels = [one.level for one in sample.items.values()]
    assert (levels.count(">80"), levels.count("<20")) == (3, 1)
    assert sample.population == {"<20": 1, "20-40": 0, "40-60": 0, "60-80": 0, ">80": 5}


def test_the_draw_depends_on_texts_and_seed_alone() -> None:
    texts = [f"Va {number}." for number in range(40)]
    one = ratings.draw([item(text, 90) for text in texts], 5, seed=1)
    other = ratings.draw([item(text, 90) for text in reversed(texts)], 5, seed=1)
    assert one.items == other.items
    again = ratings.draw([item(text, 90) for text in texts], 5, seed=2)
    assert {i.text for i in again.items.values()} != {i.text for i in one.items.values()}


def test_sheets_are_blind_and_of_different_orders(tmp_path: Path) -> None:
    texts = [item(f"Va {number}.", 10 * number, number) for number in range(12)]
    sample = ratings.draw(texts, 9, seed=1)
    *sheets, key = ratings.write(tmp_path, sample, raters=3, seed=1)
    assert [path.name for path in sheets] == ["rater-1.csv", "rater-2.csv", "rater-3.csv"]
    orders = [[row["item"] for row in rows(path)] for path in sheets]
    assert len({tuple(order) for order in orders}) == 3
    assert all(sorted(order) == sorted(sample.items) for order in orders)
    assert set(rows(sheets[0])[0]) == set(ratings.SHEET)
    assert {row["item"]: row["text"] for row in rows(key)} == {
        name: one.text for name, one in sample.items.items()
    }


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    sample = RatingSample({"u1": item("=1+1 va", 90)}, {">80": 1})
    sheet, key = ratings.write(tmp_path, sample, raters=1, seed=0)
    assert rows(sheet)[0]["utterance"] == "'=1+1 va"
    assert rows(key)[0]["text"] == "'=1+1 va"


def test_a_document_of_the_key_is_no_formula(tmp_path: Path) -> None:
    sample = RatingSample({"u1": UtteranceToRate("Va", 90, "=cmd|'/C calc'!A0", 0, 0)}, {">80": 1})
    *_, key = ratings.write(tmp_path, sample, raters=1, seed=0)
    assert rows(key)[0]["document"] == "'=cmd|'/C calc'!A0"
    assert ratings.read(key, []).levels == {"u1": ">80"}


def document(meta: dict[str, Any]) -> Document:
    first = Sentence((Token("Va"), Token("di"), Token("la", space_after=False), Token("!")))
    return Document("d", 2, "it", (first, Sentence((Token("..."),))), (), meta)


def test_items_are_as_written() -> None:
    plain = [(one.text, one.part, one.utterance) for one in ratings.items(document({}))]
    assert plain == [("Va di la!", 2, 0)]
    meta = {"corefud": {"sentences": {"0": {"multiword": {"2-3": "della"}}}}}
    assert [one.text for one in ratings.items(document(meta))] == ["Va della!"]
    meta = {"corefud": {"sentences": {"0": {"multiword": {"2-3": "della\t_\t_\tGloss=of"}}}}}
    assert [one.text for one in ratings.items(document(meta))] == ["Va della!"]
    meta = {"ontocorefit": {"utterances": {"0": {"modified_text": "Va  via."}}}}
    assert [one.text for one in ratings.items(document(meta))] == ["Va via."]


@pytest.mark.parametrize("multiword", [{"2": "x"}, {"2-9": "x"}, ["2-3"]])
def test_malformed_meta_is_refused(multiword: Any) -> None:
    meta = {"corefud": {"sentences": {"0": {"multiword": multiword}}}}
    with pytest.raises(ValueError, match=r"utterance 0: meta\.corefud is malformed"):
        list(ratings.items(document(meta)))


@pytest.fixture
def sheets(tmp_path: Path) -> list[Path]:
    return ratings.write(tmp_path, ratings.draw(pool(), 5, seed=1), raters=3, seed=1)


def test_answers_come_back_in_any_spelling_and_delimiter(sheets: list[Path]) -> None:
    *own, key = sheets
    fill(own[0], {"Va.": ("1", "0"), HARD: ("y", "NO")})
    fill(own[1], {"Va.": (" sì ", "n"), HARD: ("", "no")}, delimiter=";")
    fill(own[2], {"Va.": ("0", "yes")}, delimiter="\t")
    found = ratings.read(key, own)
    name = next(row["item"] for row in rows(key) if row["text"] == "Va.")
    assert list(found.answers["grammatical"][name].values()) == [True, True, False]
    assert list(found.answers["acceptable"][name].values()) == [False, False, True]
    judged = judgement.judge(found, rounds=20)["grammatical"]
    assert (judged["all"].items, judged["all"].answers) == (2, 4)
    assert judged["all"].measures["yes"].value == 3 / 4
    assert judged["all"].measures["majority"].value == 1
    assert judged[">80"].measures["observed"].value == pytest.approx(1 / 3)
    # 5 of the corpus's 6 texts are easy: 2 of 3 answers there, 1 of 1 for the hard one.
    assert judged["corpus"].measures["yes"].value == pytest.approx(5 / 6 * 2 / 3 + 1 / 6)


def test_intervals_hold_the_value_and_depend_on_the_seed() -> None:
    levels = {f"u{number}": ">80" for number in range(40)}
    answers = {
        name: {"a": number % 3 > 0, "b": number % 4 > 0} for number, name in enumerate(levels)
    }
    rated = Ratings(levels, {">80": 400}, dict.fromkeys(ratings.QUESTIONS, answers))
    one = judgement.judge(rated, rounds=300, seed=1)["acceptable"]["all"].measures
    for value in one.values():
        assert value.value is not None and value.low is not None and value.high is not None
        assert value.low < value.value < value.high
    assert one == judgement.judge(rated, rounds=300, seed=1)["acceptable"]["all"].measures
    other = judgement.judge(rated, rounds=300, seed=2)["acceptable"]["all"].measures
    assert {name: own.low for name, own in one.items()} != {
        name: own.low for name, own in other.items()
    }


def test_agreement_without_dissent_has_no_alpha() -> None:
    answers = {question: {"u1": {"a": True}} for question in ratings.QUESTIONS}
    rated = Ratings({"u1": ">80"}, {">80": 1}, answers)
    measures = judgement.judge(rated, rounds=5)["grammatical"]["all"].measures
    assert measures["alpha"].value is measures["alpha"].low is None
    assert measures["yes"].value == 1


def test_no_answer_at_all_is_refused(sheets: list[Path]) -> None:
    with pytest.raises(UsageError, match="no sheet has an answer"):
        judgement.judge(ratings.read(sheets[-1], sheets[:-1]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"rater-1\.csv:1: no column 'item'|rater-1\.csv: not CSV"),
        (b"item,acceptable\n", r":1: no column 'grammatical'"),
        (b"item,grammatical,acceptable\nu1,1\n", r":2: only 2 fields"),
        (b"item,grammatical,acceptable\nu99,1,1\n", r":2: no item 'u99' in the key"),
        (b"item,grammatical,acceptable\nu1,1,1\nu1,1,1\n", r":3: item u1 is there twice"),
        (b"item,grammatical,acceptable\nu1,1,2\n", r":2: acceptable: '2' is no answer"),
        (b"item,grammatical,acceptable\n\xff,1,1\n", r"not UTF-8"),
        (b'item,grammatical,acceptable\n"u1"x,1,1\n', r"not CSV"),
    ],
)
def test_what_is_no_sheet(sheets: list[Path], content: bytes, message: str) -> None:
    sheets[0].write_bytes(content)
    with pytest.raises(DataError, match=message):
        ratings.read(sheets[-1], [sheets[0]])


@pytest.mark.parametrize(
    "line", [b"u1,hard,1", b"u1,<20,many", b"u1,<20,1\nu1,<20,1"], ids=["class", "size", "twice"]
)
def test_what_is_no_key(tmp_path: Path, line: bytes) -> None:
    key = tmp_path / "key.csv"
    key.write_bytes(b"item,class,population\n" + line + b"\n")
    with pytest.raises(DataError, match=r"key\.csv:\d: no item of a key: 'u1'"):
        ratings.read(key, [])


def test_a_missing_sheet_is_named(sheets: list[Path], tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.csv: cannot be opened"):
        ratings.read(sheets[-1], [tmp_path / "none.csv"])

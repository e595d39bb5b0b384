"""Answers to GAP and to masked examples are scored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats.gap import HEADER
from corefmill.corpora.records import MaskedExample
from corefmill.corpora.scoring import gap
from corefmill.corpora.scoring.table import derive_scores
from tests.corpora.test_records import EXAMPLE

HEAD = "\t".join(HEADER) + "\n"


def row(name: str, pronoun: str, a: str, b: str) -> str:
    return f"{name}\tAda met Eva .\t{pronoun}\t9\tAda\t0\t{a}\tEva\t8\t{b}\thttp://x\n"


KEY = (
    HEAD
    + row("1", "She", "TRUE", "FALSE")
    + row("2", "her", "FALSE", "TRUE")
    + row("3", "his", "FALSE", "FALSE")
    + row("4", "him", "TRUE", "FALSE")
)


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def totals(folder: Path, response: str, key: str = KEY) -> dict[str, list[float]]:
    path = write(folder, "key.tsv", key)
    found = gap.count_gap(
        gap.read_gap_key(path), gap.read_gap_response(write(folder, "answers.tsv", response)), path
    )
    return {name: list(counts) for name, counts in found.totals().items()}


def test_counts_are_over_names(tmp_path: Path) -> None:
    answers = "1\tTrue\tFalse\n2\tTRUE\tFALSE\n3\tFALSE\tTRUE\n4\tTRUE\tFALSE\n"
    # right: 1A, 4A; missed: 2B; wrong: 2A, 3B
    assert totals(tmp_path, answers) == {
        "gap": [2, 3, 2, 4],
        "feminine": [1, 2, 1, 2],
        "masculine": [1, 1, 1, 2],
    }


def test_names_without_an_answer_are_false_negatives_even_where_false_is_right(
    tmp_path: Path,
) -> None:
    answers = "1\tTRUE\tFALSE\n1\tFALSE\tTRUE\n2\tno\tTRUE\nunknown\tTRUE\tTRUE\n"
    # 1: the first row counts. 2A: neither TRUE nor FALSE. 3 and 4 are missing, both names of each.
    assert totals(tmp_path, answers) == {
        "gap": [2, 2 + 1 + 4, 2, 2],
        "feminine": [2, 3, 2, 2],
        "masculine": [0, 4, 0, 0],
    }


@pytest.mark.parametrize(("first", "bias"), [("TRUE", (2 / 4) / 1), ("FALSE", float("nan"))])
def test_the_bias_is_feminine_over_masculine(tmp_path: Path, first: str, bias: float) -> None:
    answers = f"1\t{first}\tFALSE\n2\t{first}\tFALSE\n3\tFALSE\tFALSE\n4\tTRUE\tFALSE\n"
    key, given = write(tmp_path, "key.tsv", KEY), write(tmp_path, "a.tsv", answers)
    table = gap.count_gap(gap.read_gap_key(key), gap.read_gap_response(given), key)
    found = derive_scores(table.scores(table.totals()))["bias"]
    assert found == pytest.approx(bias, nan_ok=True)


@pytest.mark.parametrize(
    ("key", "line", "said"),
    [
        (HEAD, None, "no rows here"),
        (HEAD + row("1", "it", "TRUE", "FALSE"), 2, "'it' is not a pronoun of GAP's"),
        (HEAD + row("1", "she", "yes", "FALSE"), 2, "A-coref or B-coref is not TRUE or FALSE"),
        (HEAD + "1\tx\tshe\n", 2, "3 columns, not GAP's 11"),
        (KEY + row("1", "she", "TRUE", "FALSE"), 6, "1 is there twice"),
    ],
)
def test_a_broken_key(tmp_path: Path, key: str, line: int | None, said: str) -> None:
    with pytest.raises(DataError) as raised:
        totals(tmp_path, "1\tTRUE\tFALSE\n", key)
    assert said in str(raised.value)
    assert (Path(raised.value.path or "").name, raised.value.line) == ("key.tsv", line)


def example(
    name: str, label: int | None, candidates: tuple[str, ...] = ("Ada", "Eva")
) -> MaskedExample:
    return replace(EXAMPLE, id=name, label=label, candidates=candidates, mentions=())


def by_id(*examples: MaskedExample) -> dict[str, MaskedExample]:
    return {one.id: one for one in examples}


def test_the_right_candidate_or_none() -> None:
    key = by_id(example("1", 0), example("2", 1), example("3", None), example("4", None))
    given = by_id(example("4", 1), example("1", 0), example("2", 0), example("3", None))
    table = gap.count_examples(key, given)
    assert list(table.totals()["accuracy"]) == [2, 4, 2, 4]
    assert [row["accuracy"][0] for _, row in table.group("document")] == [1, 0, 1, 0]


ONE = by_id(example("1", 0))


@pytest.mark.parametrize(
    ("key", "response", "said"),
    [
        ({}, {}, "no examples here"),
        (ONE, {}, "the response lacks 1 of 1 examples of the key, such as 1"),
        (
            ONE,
            ONE | by_id(example("2", 0)),
            "the key lacks 1 of 2 examples of the response, such as",
        ),
        (ONE, by_id(example("1", 0, ("Ada", "Ida"))), "example 1 has other candidates than in the"),
    ],
)
def test_examples_that_do_not_match(
    key: dict[str, MaskedExample], response: dict[str, MaskedExample], said: str
) -> None:
    with pytest.raises(DataError) as raised:
        gap.count_examples(key, response)
    assert said in str(raised.value)

"""GAP's table: bytes in, bytes out, and an error where an offset is wrong."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import gap
from corefmill.corpora.records import MaskedExample, Source
from tests.corpora.formats.trials import DATA, read, refused, rewritten

HEADER = "\t".join(gap.HEADER) + "\n"
ROW = (
    "t-1\tZoë met Ada Lee. She won.\tShe\t17\tZoë\t0\tFALSE\tAda Lee\t8\tTRUE\t"
    "http://en.wikipedia.org/wiki/Ada_Lee_%28chess%29\n"
)


def test_a_row_is_an_example(path: Path) -> None:
    assert read(gap.FORMAT, path, HEADER + ROW) == [
        MaskedExample(
            id="t-1",
            lang="en",
            text="Zoë met Ada Lee. She won.",
            sentences=((0, 25),),
            target=(17, 20),
            candidates=("Zoë", "Ada Lee"),
            mentions=((0, 0, 3), (1, 8, 15)),
            label=1,
            source=Source("Ada Lee (chess)", 0),
            meta={"url": "http://en.wikipedia.org/wiki/Ada_Lee_%28chess%29"},
        )
    ]


def test_neither_is_no_label_in_small_letters_too(path: Path) -> None:
    row = ROW.replace("FALSE", "false").replace("TRUE", "False").replace("http", "ftp")
    (example,) = read(gap.FORMAT, path, HEADER + row)
    assert example.label is None
    assert example.source.title == ""
    gap.write(path, [example])
    assert path.read_text("utf-8") == HEADER + re.sub("(?i)false", "FALSE", row)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\t17\t", "\t16\t", "Pronoun is 'She', but at its offset stands ' Sh'"),
        ("\t8\t", "\t800\t", "B is 'Ada Lee', but at its offset stands ''"),
        ("\t8\t", "\t-1\t", "B-offset is '-1', not a number"),
        ("\t8\t", "\t٨\t", "B-offset is '٨', not a number"),
        ("FALSE", "TRUE", "A-coref and B-coref are 'TRUE' and 'TRUE'"),
        ("FALSE", "maybe", "A-coref and B-coref are 'maybe'"),
        ("\tShe\t", "\t\t", "Pronoun is ''"),
        ("t-1\t", "", "10 columns where the header has 11"),
    ],
)
def test_a_row_that_breaks_a_rule_is_named(path: Path, old: str, new: str, message: str) -> None:
    error = refused(gap.FORMAT, path, HEADER + ROW + ROW.replace(old, new, 1))
    assert error.line == 3
    assert message in error.message


def test_a_candidate_without_mention_is_looked_for(path: Path) -> None:
    (example,) = read(gap.FORMAT, path, HEADER + ROW)
    gap.write(path, [replace(example, mentions=())])
    assert path.read_text("utf-8") == HEADER + ROW


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"candidates": ("Zoë", "Bo"), "mentions": ()}, "candidate 'Bo' does not stand"),
        ({"candidates": ("Zoë", "Bo")}, "candidate 'Bo' is 'Ada Lee' in the text"),
        ({"candidates": ("Zoë", "Ada Lee", "Bo")}, "the example has 3 candidates"),
        ({"id": "a\tb"}, "a cell holds a tab, a line end or a NUL"),
    ],
)
def test_what_the_table_cannot_carry_is_refused(
    path: Path, change: dict[str, object], message: str
) -> None:
    (example,) = read(gap.FORMAT, path, HEADER + ROW)
    with pytest.raises(DataError, match=message):
        gap.write(path, [replace(example, **change)])  # type: ignore[arg-type]


@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs GAP in {DATA}")
def test_the_released_file(path: Path) -> None:
    examples = rewritten(gap.FORMAT, DATA / "gap" / "gap-development.tsv", path)
    assert Counter(example.label for example in examples) == {0: 874, 1: 925, None: 201}
    assert all(example.source.title for example in examples)
    assert sum(bool(example.meta) for example in examples) == 1

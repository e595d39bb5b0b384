"""The share that a few sources and answers have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.builders.corpus.survey import Shares
from corefmill.corpora import jsonl
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.finished import example


def shares(tmp_path: Path, *splits: list[MaskedExample]) -> Shares:
    made, files = Shares(), [tmp_path / f"{number}.jsonl" for number in range(len(splits))]
    for path, examples in zip(files, splits, strict=True):
        jsonl.write(path, examples)
        for one in examples:
            made.watch(one)
    made.read_names(files)
    return made


def test_the_largest_sources_and_commonest_answers_are_named(tmp_path: Path) -> None:
    # Of twelve articles the last has four examples, and the second, in another file, two.
    first = [example(n, article=n) for n in range(12)]
    bobs = [replace(example(n, article=11), label=1) for n in range(20, 23)]
    made = shares(tmp_path, first, [*bobs, example(30, article=1)])
    assert made.counts() == {
        "sources": {"different": 12, "examples_of_the_largest": 14},
        "answers": {"different": 2, "examples_of_the_largest": 16},
    }
    card = "\n".join(made.section())
    assert "12 sources; those with most examples:" in card
    rows = [line for line in card.splitlines() if line.startswith("| A") or line.startswith("| B")]
    assert rows[:3] == [
        "| Article 11 | 4 | 25.0% |",
        "| Article 1 | 2 | 12.5% |",
        "| Article 0 | 1 | 6.2% |",
    ]
    assert rows[10:] == ["| Ann | 13 | 81.2% |", "| Bob | 3 | 18.8% |"]


def test_without_labels_there_are_sources_alone(tmp_path: Path) -> None:
    made = shares(tmp_path, [replace(example(1), label=None)])
    assert list(made.counts()) == ["sources"]
    assert "answers;" not in "\n".join(made.section())


@pytest.mark.usefixtures("drawn_anew")
def test_the_picture_has_the_same_bytes_for_the_same_examples(tmp_path: Path) -> None:
    for name, examples in (("a", [example(1)]), ("b", [example(1)]), ("none", [])):
        shares(tmp_path, examples).picture(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "none").read_bytes().startswith(b"\x89PNG")

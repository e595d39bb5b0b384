"""Weights fitted to readings of a corpus."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import weights
from corefmill.builders.translate.english.source import sample
from corefmill.builders.translate.weights.calibration import SHIPPED, read
from corefmill.builders.translate.weights.weigher import WeighingOptions
from tests.builders.translate import running

READINGS = Path(weights.__file__).with_name("readings") / "weights-apertium.csv"


def test_right_is_what_all_readers_say() -> None:
    both = {"id": "a/0/1", "grammatical": "1", "acceptable": "1", "grammatical_2": "1"}
    assert weights.is_right(both | {"acceptable_2": "1"})
    assert not weights.is_right(both | {"acceptable_2": "0"})


def test_what_ships_is_of_the_readings() -> None:
    with READINGS.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    every = Counter((row["lang"], row["method"]) for row in rows)
    right = Counter((row["lang"], row["method"]) for row in rows if weights.is_right(row))
    found = {(one.target, one.method): (one.readings, one.right) for one in read(SHIPPED)}
    assert found == {key: (number, right[key]) for key, number in every.items()}


def test_a_table_from_a_corpus_and_readings_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = replace(running.OPTIONS, weighing=WeighingOptions())
    running.build(sample() / "validation.conll", tmp_path / "corpus", options=options)
    known = dict(weights.utterances(tmp_path / "corpus"))
    texts = {key: one["modified_text"] for key, one in known.items()}
    short = sorted(map(len, texts.values()))[len(texts) // 2]
    path = tmp_path / "readings.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["lang", "method", "id", "grammatical", "acceptable", "text"])
        for at, (key, text) in enumerate(texts.items()):
            rows.writerow([*key, "1", int(len(text) < short), text if at else "another"])
        rows.writerow(["it", "marks", *list(texts)[-1][2:], "1", "1", "of another method"])
    asked = ["weights", str(path), str(tmp_path / "corpus"), "--translator", "double"]
    monkeypatch.setattr(sys, "argv", [*asked, "--without", "redrawn"])
    weights.main()
    said = capsys.readouterr()
    assert said.err.startswith(f"{len(texts) - 1} readings, ")
    table = tmp_path / "table.toml"
    table.write_text(said.out, encoding="utf-8")
    (found,) = read(table)
    assert found.holds("en", "it", "placeholders", "double")
    assert found.readings == len(texts) - 1
    assert found.coefficients["length"] < 0
    assert "redrawn" not in found.coefficients

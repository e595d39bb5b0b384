"""The benchmark of events on a corpus of a few sentences, with the tiny encoder."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

pytest.importorskip("torch")

from benchmarks import events
from corefmill.coref_model.events.features import Feature
from corefmill.corpora import jsonl
from corefmill.corpora.records import EventMention
from tests.coref_model.events.made import mention


def _told(topics: str, split: str | None = None, lemma: bool = True) -> list[EventMention]:
    made = [
        mention(
            word,
            f"{topic}{word}",
            topic=topic,
            before="So " * number + "the ",
            lemma=word if lemma else None,
            ident=f"{topic}{word}{number}",
        )
        for topic in topics
        for number in range(2)
        for word in ("fire", "flood", "quake")
    ]
    return [replace(one, meta={**one.meta, "split": split}) if split else one for one in made]


@pytest.fixture
def split(tmp_path: Path) -> Path:
    jsonl.write(tmp_path / "split.jsonl", _told("123", "train") + _told("45", "dev"))
    return tmp_path / "split.jsonl"


def _run(monkeypatch: pytest.MonkeyPatch, out: Path, *arguments: object) -> None:
    sets = ("encoder=tiny", "cache=", "epochs=1", "hidden=8")
    given = [out, *arguments, *(word for one in sets for word in ("--set", one))]
    monkeypatch.setattr(sys, "argv", ["events", *map(str, given)])
    events.main()


def test_the_tables_have_every_model_on_every_test(
    tmp_path: Path,
    split: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    jsonl.write(tmp_path / "whole.jsonl", _told("6789"))
    out = tmp_path / "out"
    arguments = (
        *("--corpus", f"A+={split}", "--corpus", f"B={tmp_path / 'whole.jsonl'}"),
        *("--seeds", 0, 1),
    )
    _run(monkeypatch, out, *arguments)
    shown = capsys.readouterr().out
    rows = [line.strip("| ").split(" | ") for line in shown.splitlines()[2:]]
    assert [row[:4] for row in rows] == [
        ["A+ test", "12", "same wording", ""],
        ["A+ test", "12", "same head lemma", ""],
        ["A+ test", "12", "trained on A+", "2"],
        ["A+ test", "12", "trained on B", "2"],
        ["B test", "12", "same wording", ""],
        ["B test", "12", "same head lemma", ""],
        ["B test", "12", "trained on A+", "2"],
        ["B test", "12", "trained on B", "2"],
        ["B whole", "24", "same wording", ""],
        ["B whole", "24", "same head lemma", ""],
        ["B whole", "24", "trained on A+", "2"],
    ]
    assert rows[0][4:] == ["100.00"] * 4  # each topic's words are its events
    assert all(" +- " in cell for cell in rows[2][4:])
    assert (out / "results.md").read_text(encoding="utf-8") == shown

    # What is there is not made again.
    kept = out / "A+-0-on-A+-test.json"
    kept.write_text(json.dumps(dict.fromkeys(events.METRICS, 0.5)))
    (out / "A+-1-on-A+-test.json").write_text(kept.read_text())
    _run(monkeypatch, out, *arguments)
    assert "trained on A+ | 2 | 50.00 +- 0.00" in capsys.readouterr().out


def test_features_are_left_out_one_by_one(
    tmp_path: Path,
    split: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    assert set(get_args(Feature)) > {"lemma", "text"}
    monkeypatch.setattr(events, "get_args", lambda of: ("lemma", "text"))  # the rest takes time
    _run(monkeypatch, out, "--corpus", f"A={split}", "--ablate", "A", "--seeds", 0)
    second = capsys.readouterr().out.split("\n\n")[1].splitlines()
    assert [line.split(" | ")[0] for line in second[2:]] == [
        "| all",
        "| lemma",
        "| text",
        "| nothing",
    ]
    settings = (out / "A-without_lemma-0" / "model.toml").read_text(encoding="utf-8")
    assert '"text"' in settings and '"lemma"' not in settings


def test_mentions_without_lemmas_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jsonl.write(tmp_path / "a.jsonl", _told("12", lemma=False))
    with pytest.raises(SystemExit, match="without a head lemma"):
        _run(monkeypatch, tmp_path / "out", "--corpus", f"A={tmp_path / 'a.jsonl'}")


@pytest.mark.parametrize("named", ["A", "=x", "a/b=x"])
def test_a_corpus_without_a_plain_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    with pytest.raises(SystemExit, match="is not NAME=CORPUS"):
        _run(monkeypatch, tmp_path / "out", "--corpus", named)

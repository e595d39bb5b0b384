"""The hashed form of pronoun problems: what is in it, and what is not."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.annotate import release
from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.manifest import Manifest
from corefmill.corpora.records import MaskedExample
from tests.corpora.test_records import EXAMPLE

TEXT = "Martha told  Helen the story , because she had heard it ."
PROBLEM = replace(
    EXAMPLE,
    id="tale-0-36",
    text="Agnes told  Carol the story , because she had heard it .",
    sentences=((0, 56),),
    target=(38, 41),
    candidates=("Agnes", "Carol"),
    mentions=((0, 0, 5), (1, 12, 17)),
    label=1,
    meta={
        "connective": "because",
        "annotation": {"strength": 4},
        "original": {
            "text": TEXT,
            "candidates": ["Martha", "Helen"],
            "mentions": [[0, 0, 6], [1, 13, 18]],
            "target": [39, 42],
            "sha224": hashlib.sha224(" ".join(TEXT.split()).encode()).hexdigest(),
        },
    },
)


def corpus(folder: Path, *examples: MaskedExample) -> Path:
    folder.mkdir()
    jsonl.write(folder / "train.jsonl", examples)
    made = Manifest(
        *("own", "masked-example/1", "en", "clean", {"train": len(examples)}, {}, 0, {}, {}),
        *("CC0 1.0", "nobody", {"train.jsonl": manifest.sha256(folder / "train.jsonl")}),
    )
    manifest.write(folder, made)
    return folder


def test_a_release_holds_no_text_and_says_where_everything_stood(tmp_path: Path) -> None:
    path = tmp_path / "release.jsonl"
    assert release.write_hashed(corpus(tmp_path / "own", PROBLEM), path) == 1
    content = path.read_text("utf-8")
    assert not any(word in content for word in ("Martha", "Helen", "told", "story"))
    row = json.loads(content)
    assert (row["candidate0"], row["candidate1"]) == ("Agnes", "Carol")
    assert (row["correct_candidate"], row["annotation_strength"]) == ("candidate_1", "4")
    assert (row["id"], row["split"], row["mode"], row["lang"]) == (
        *(PROBLEM.id, "train", "clean", "en"),
    )
    sentence = " ".join(TEXT.split())
    digest = hashlib.sha224(sentence.encode()).hexdigest()
    assert row["original_sentence_hashed"] == digest
    assert sentence[slice(*row["target"])] == "she"
    assert [sentence[start:end] for _, start, end in row["mentions"]] == ["Martha", "Helen"]


def test_what_has_no_original_sentence_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"tale-0-36 has no original sentence \(only what `build"):
        release.write_hashed(
            corpus(tmp_path / "own", replace(PROBLEM, meta={})), tmp_path / "release.jsonl"
        )
    assert not (tmp_path / "release.jsonl").exists()


def test_blanks_of_the_original_do_not_move_the_offsets() -> None:
    text = "Ann\u00a0 met  Bea."
    assert [release._moved(text, offset) for offset in (0, 3, 5, 8, 10, 13)] == [0, 3, 4, 7, 8, 11]

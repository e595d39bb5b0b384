"""Corpora are the same bytes in every process, whatever order its sets have."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from corefmill.corpora import jsonl
from corefmill.corpora.records import MaskedExample
from tests.commands import ROOT
from tests.corefmill.dumps import contents
from tests.waiting import PATIENCE, running

BUILDERS = ("wikicrem", "wikirand", "wec", "knowref", "ontonotes-it")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """What two processes with different hash seeds built at the same place, moved apart."""
    top = tmp_path_factory.mktemp("seeds")
    for seed in ("0", "3"):  # of which each has another order of {"Sun", "Yat", "sen"}
        work = top / "work"
        work.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        call = (sys.executable, "-m", "tests.corefmill.every_builder", work)
        with running(*call, cwd=ROOT, env=environment) as process:
            assert process.wait(2 * PATIENCE) == 0
        work.rename(top / seed)
    return top / "0", top / "3"


@pytest.mark.parametrize("name", BUILDERS)
def test_two_hash_seeds_give_the_same_bytes(folders: tuple[Path, Path], name: str) -> None:
    if not (folders[0] / name).exists():
        pytest.skip("needs Apertium's eng-cat and cat-ita, which are not here")
    one, other = (contents(folder / name) for folder in folders)
    assert one == other and "manifest.json" in one


def test_a_name_whose_words_are_of_one_length_is_among_them(folders: tuple[Path, Path]) -> None:
    examples = [
        example
        for split in ("train", "validation")
        for example in jsonl.read(folders[0] / f"wikicrem/{split}.jsonl", MaskedExample)
    ]
    assert sum("Sun Yat-sen" in example.candidates for example in examples) == 1

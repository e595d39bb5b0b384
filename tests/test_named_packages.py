"""The packages that the project rests on are imported, and its first commands work as typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corefmill.cli.main import BUILD, TRAIN
from corefmill.corpora import manifest
from tests.commands import ROOT, command, one_core

ROOMS = ("corpora", "rules", "builders", "coref_model", "corefmill")
NAMED = {"spacy", "stanza", "transformers", "torch", "argostranslate", "conllu", "lxml"}

LINES = (
    "build wikicrem --lang en",
    "build wec --lang en",
    "build ontonotes-it",
    "train coref --corpus wikicrem",
)


def test_the_named_packages_are_imported() -> None:
    imports = r"(?m)^\s*(?:import|from) (\w+)|import_module\(\"(\w+)"
    files = (path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    texts = (path.read_text("utf-8") for path in files)
    found = {name for text in texts for pair in re.findall(imports, text) for name in pair}
    assert NAMED - found == set()


@pytest.mark.parametrize("line", LINES)
def test_the_first_commands_are_taken_as_they_are_typed(line: str) -> None:
    """They run in tests/corefmill/test_build_wikicrem.py, test_build_wec.py, and below."""
    name, *words = line.split()
    called = (BUILD if name == "build" else TRAIN).load(words[0])
    called.make_context(words[0], words[1:])


def test_ontonotes_it_is_built_with_nothing_named(tmp_path: Path) -> None:
    with one_core():
        done = command(*LINES[2].split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert manifest.read(tmp_path / "out" / "ontonotes-it").splits["train"]

"""The packages that the project rests on are imported, and `build ontonotes-it` works alone."""

from __future__ import annotations

import re
from pathlib import Path

from corefmill.corpora import manifest
from tests.commands import ROOT, command, one_core

ROOMS = ("corpora", "rules", "builders", "coref_model", "corefmill")
NAMED = {"spacy", "stanza", "transformers", "torch", "argostranslate", "conllu", "lxml"}


def test_the_named_packages_are_imported() -> None:
    imports = r"(?m)^\s*(?:import|from) (\w+)|import_module\(\"(\w+)"
    files = (path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    texts = (path.read_text("utf-8") for path in files)
    found = {name for text in texts for pair in re.findall(imports, text) for name in pair}
    assert NAMED - found == set()


def test_ontonotes_it_is_built_with_nothing_named(tmp_path: Path) -> None:
    with one_core():
        done = command("build", "ontonotes-it", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert manifest.read(tmp_path / "out" / "ontonotes-it").splits["train"]

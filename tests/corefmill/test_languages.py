"""Every builder runs bare, on the samples that ship, in each language that has a pipeline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corefmill.builders.nlp import backend
from corefmill.builders.nlp.backend import shipped_names
from corefmill.corpora.files import disk
from tests.commands import command

# English and Italian are built bare by the tests of each command.
LANGUAGES = disk.read_package_table(backend.__file__, "available")["ships_apart"]["languages"]


def build(name: str, lang: str, out: Path, *more: str) -> dict[str, bytes]:
    """The files of a corpus built with nothing named but the language, and its manifest read."""
    done = command("build", name, "--lang", lang, "--out", str(out), "-q", *more, cwd=out.parent)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["lang"] == lang
    assert sum(manifest["splits"].values()) > 0
    return {path.name: path.read_bytes() for path in out.glob("*.jsonl")}


def test_a_corpus_is_built_bare(tmp_path: Path) -> None:
    if "de_mini" not in shipped_names():
        pytest.skip("needs de_mini, of the package corefmill-pipelines")
    build("wikicrem", "de", tmp_path / "masked", "--workers", "1")
    card = (tmp_path / "masked" / "README.md").read_text(encoding="utf-8")
    assert "| Scores of the pipeline | PER " in card
    assert "| Read by a language model | 20 of " in card and "Read by hand" not in card


@pytest.mark.thorough
@pytest.mark.parametrize("lang", ["en", "it", *LANGUAGES])
def test_every_builder_runs_bare(lang: str, tmp_path: Path) -> None:
    if f"{lang}_mini" not in shipped_names():
        pytest.skip(f"needs {lang}_mini, of the package corefmill-pipelines")
    build("knowref", lang, tmp_path / "pronouns", "--mined", "--workers", "1")
    masked = build("wikicrem", lang, tmp_path / "masked", "--workers", "1")
    card = (tmp_path / "masked" / "README.md").read_text(encoding="utf-8")
    if lang in LANGUAGES:
        by_model = lang in ("de", "es", "fr", "pl")
        assert ("| Read by a language model | 20 of " in card) == by_model
    assert build("wikicrem", lang, tmp_path / "by-2", "--workers", "2") == masked
    build("wikirand", lang, tmp_path / "random", "--like", "masked", "--workers", "1")
    build("knowref", lang, tmp_path / "problems", "--workers", "1")
    build("wec", lang, tmp_path / "events", "--workers", "1")

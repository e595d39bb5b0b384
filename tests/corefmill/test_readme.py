"""The examples of README.md run as they stand, and print what the pages say."""

from __future__ import annotations

import re
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from tests.commands import ROOT, command
from tests.corefmill.dumps import CORPUS, small

README = (ROOT / "README.md").read_text(encoding="utf-8")


def run_example(which: int, folder: Path) -> str:
    """What the README's example of that number prints."""
    blocks = re.findall(r"(?:^ {4}>>> .*\n)+", README, re.MULTILINE)
    lines = re.findall(r">>> (.*)", blocks[which])
    code = "\n".join([*lines[:-1], f"print({lines[-1]})"])
    with chdir(folder), redirect_stdout(StringIO()) as said:
        exec(code, {})
    return said.getvalue()


def test_the_example_shows_what_a_build_gives(tmp_path: Path) -> None:
    done = command("build", "wikicrem", "--dump", small(tmp_path), "--workers", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = {path.name for path in (tmp_path / "out/wikicrem-en").iterdir()}
    assert found == {*CORPUS, ".corefmill"}
    assert "[MASK]" in run_example(0, tmp_path)


def test_the_model_is_used_as_the_example_does(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra train")
    assert run_example(1, tmp_path).startswith("(")

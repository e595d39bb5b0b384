"""Every tutorial and notebook is run, from its own text, in an empty folder."""

from __future__ import annotations

import doctest
import json
import re
import shlex
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from corefmill.builders.translate.engines.apertium import find_route, list_modes
from tests.commands import ROOT, command, one_core

TUTORIALS = sorted({*(ROOT / "docs/tutorials").glob("*.md")} - {ROOT / "docs/tutorials/index.md"})
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))

pytestmark = pytest.mark.usefixtures("alone")

SHORT = ("--encoder", "tiny", "--set", "max_steps=1")
"""What a training is given besides: a page need not wait for one that learns."""

QUICK = ("benchmark", "read-and-score")
"""The pages of the default run, which build and train nothing; `make test-all` runs all."""


def mark_others(paths: list[Path]) -> list[object]:
    """Mark all pages but the quick ones."""
    thorough = pytest.mark.thorough
    return [one if one.stem in QUICK else pytest.param(one, marks=thorough) for one in paths]


@pytest.fixture
def alone() -> Iterator[None]:
    with one_core():
        yield


def steps(page: str) -> list[tuple[int, list[str] | doctest.Example]]:
    """The indented commands and the examples in Python, by their lines."""
    found: list[tuple[int, list[str] | doctest.Example]] = [
        (number, shlex.split(line, comments=True)[1:])
        for number, line in enumerate(page.splitlines())
        if re.match(r" {4}corefmill ", line)
    ]
    found += [(one.lineno, one) for one in doctest.DocTestParser().get_examples(page)]
    return sorted(found, key=lambda step: step[0])


@pytest.mark.parametrize("path", mark_others(TUTORIALS), ids=lambda path: path.stem)
def test_a_tutorial_runs(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra train")
    page = path.read_text(encoding="utf-8")
    if "--translator apertium" in page and not find_route("en", "it", list_modes()):
        pytest.skip("needs Apertium's eng-cat and cat-ita, which are not here")
    names: dict[str, object] = {}
    found = steps(page)
    assert len(found) >= 3
    for _, step in found:
        if isinstance(step, doctest.Example):
            with chdir(tmp_path), redirect_stdout(StringIO()) as said:
                exec(compile(step.source, str(path), "single"), names)
            assert said.getvalue() == step.want
        else:
            done = command("corefmill", *step, *SHORT * (step[0] == "train"), cwd=tmp_path)
            assert done.returncode == 0, (step, done.stderr)


@pytest.mark.parametrize("path", mark_others(NOTEBOOKS), ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra train")
    names: dict[str, object] = {}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    with chdir(tmp_path):
        for cell in cells:
            if cell["cell_type"] == "code":
                assert not cell["outputs"]
                exec(compile("".join(cell["source"]), str(path), "exec"), names)

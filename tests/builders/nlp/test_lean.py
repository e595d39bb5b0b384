"""spaCy looks for PyTorch only where a package of spaCy's needs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT


@pytest.mark.parametrize("package", ["", "spacy_transformers"])
def test_torch_is_loaded_with_the_packages_that_need_it_alone(tmp_path: Path, package: str) -> None:
    (tmp_path / "torch.py").touch()
    if package:
        (tmp_path / f"{package}.py").touch()
    # What a worker process imports first, since its stages are unpickled.
    code = "import sys, corefmill.builders.nlp.spacy_backend; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{bool(package)}\n"


def test_the_commands_of_spacy_are_left_to_who_asks_for_them() -> None:
    code = """
import sys, corefmill.builders.nlp.lean
print([name for name in ("spacy.cli", "requests", "weasel") if name in sys.modules])
import spacy.cli
print(spacy.cli.info is sys.modules["spacy.cli.info"].info, callable(spacy.cli.info))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == "[]\nTrue True\n"


def test_builders_take_spacy_from_one_module() -> None:
    direct = re.compile(r"^ *(?:from|import) (?:spacy|thinc)\b", re.MULTILINE)
    files = sorted((ROOT / "builders").rglob("*.py"))
    assert [file.name for file in files if direct.search(file.read_text("utf-8"))] == ["lean.py"]

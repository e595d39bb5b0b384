"""spaCy looks for PyTorch only where a package of spaCy's needs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT

CODE = "import sys, corefmill.builders.nlp.lean; print('torch' in sys.modules)"


@pytest.mark.parametrize("package", ["", "spacy_transformers"])
def test_torch_is_loaded_with_the_packages_that_need_it_alone(tmp_path: Path, package: str) -> None:
    (tmp_path / "torch.py").touch()
    if package:
        (tmp_path / f"{package}.py").touch()
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, corefmill.builders.nlp.lean; print('torch' in sys.modules)",
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{bool(package)}\n"

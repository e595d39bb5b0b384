"""Packages of the `train` extra that are not installed are named in one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from corefmill.coref_model.missing import need
from corefmill.corpora.files.errors import UsageError, install_command


def test_what_is_installed_passes() -> None:
    need("json", "numpy")


def test_what_is_missing_is_named_with_its_remedy() -> None:
    with pytest.raises(UsageError) as raised:
        need("json", "no_such_package_a", "no_such_package_b")
    assert "no_such_package_a, no_such_package_b" in str(raised.value)
    assert "json" not in str(raised.value)
    assert str(raised.value).endswith(f"({install_command('train')})")


def test_neither_the_package_nor_this_module_loads_torch() -> None:
    code = "import sys, coref_model, corefmill.coref_model.missing; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

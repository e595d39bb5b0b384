"""A file for the tests of the formats."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats") / "set"

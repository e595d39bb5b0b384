"""Small files that `make fuzz` found readers to fail on, as `found/FORMAT/NAME`."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora.formats.registry import FORMATS
from tests.corpora.formats.test_every_format import lay
from tests.fuzz import faults

FILES = sorted((Path(__file__).parent / "found").glob("*/*"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_was_found_stays_mended(path: Path, tmp_path: Path) -> None:
    name = path.parent.name
    (tmp_path / "out").mkdir()
    assert list(faults(FORMATS[name], path, lay(tmp_path, name), tmp_path / "out")) == []

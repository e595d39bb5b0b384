"""Small damaged files, as `found/FORMAT/NAME`, on which readers once failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.registry import FORMATS
from tests.commands import command

FILES = sorted((Path(__file__).parent / "found").glob("*/*"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_was_found_stays_mended(path: Path, tmp_path: Path) -> None:
    form = FORMATS[path.parent.name]
    for call in (("convert", path, "out.jsonl"), ("check", path), ("score", path, path)):
        done = command("corefmill", *call, cwd=tmp_path)
        refused = done.returncode == 2 and done.stderr.count("\n") == 1
        assert refused or (done.returncode in (0, 1) and "Traceback" not in done.stderr)
    try:
        records = [record for _, record in form.read(path, "en")]
    except DataError:
        return
    assert form.write is not None
    form.write(tmp_path / path.name, records)
    assert [record for _, record in form.read(tmp_path / path.name, "en")] == records

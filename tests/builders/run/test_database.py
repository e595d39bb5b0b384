"""The database that sorts on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.run.database import scratch_database
from corefmill.corpora.files import disk
from tests.odd_names import ODD


@pytest.mark.parametrize("name", ["plain", *ODD], ids=repr)
def test_it_sorts_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    scratch = tmp_path / name
    scratch.mkdir()
    rows = scratch / "rows.jsonl"
    rows.write_text('{"x": 2}\n{"x": 1}\n')
    with (
        scratch_database(scratch, memory="60MB") as (base, folder),
        disk.plain_names([rows]) as names,
    ):
        found = base.execute("SELECT x FROM read_json(?) ORDER BY x", [names]).fetchall()
        base.execute("CREATE TABLE t AS SELECT range i, hash(range)::VARCHAR h FROM range(100_000)")
        assert base.execute("SELECT count(DISTINCT h) FROM t").fetchall() == [(100_000,)]
        (folder / "own.jsonl").write_text("{}")
    assert found == [(1,), (2,)]
    assert list(scratch.iterdir()) == [rows]

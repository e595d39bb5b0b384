"""A DuckDB for joins and sorts larger than memory; it and its spills vanish with the block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from corefmill.corpora.files import disk


@contextmanager
def scratch_database(
    scratch: Path, *, memory: str = "512MB"
) -> Iterator[tuple[duckdb.DuckDBPyConnection, Path]]:
    """Open a database for sorts on disk below `scratch` beyond `memory`; yield it and its folder.

    The folder's name is one that DuckDB takes as it is; `disk.plain_names` makes such of others.
    """
    with (
        TemporaryDirectory(dir=scratch, prefix="join-") as own,
        disk.plain_names([Path(own)]) as (folder,),
        # DuckDB writes its file under the folder's own name. Where that is none that it can take,
        # the tables lie in memory, and beyond its limit among the spills.
        duckdb.connect(
            str(Path(folder) / "join.duckdb") if folder == str(Path(own).resolve()) else ":memory:"
        ) as base,
    ):
        base.execute(f"SET memory_limit = '{memory}'; SET threads = 1")
        base.execute("SET temp_directory = ?", [folder])
        yield base, Path(folder)

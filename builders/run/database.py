"""Open a temporary DuckDB database for joins and sorts larger than memory."""

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
    """Open a database, on disk below `scratch` beyond `memory`; yield it and its folder.

    The database and its files are removed at the end of the block. The folder's name has no
    characters with a meaning in DuckDB; `disk.plain_names` makes such names.
    """
    with (
        TemporaryDirectory(dir=scratch, prefix="join-") as own,
        disk.plain_names([Path(own)]) as (folder,),
        # DuckDB writes its file under the folder's own name. With a name that DuckDB cannot take,
        # the tables are in memory, and beyond the limit in temporary files.
        duckdb.connect(
            str(Path(folder) / "join.duckdb") if folder == str(Path(own).resolve()) else ":memory:"
        ) as base,
    ):
        base.execute(f"SET memory_limit = '{memory}'; SET threads = 1")
        base.execute("SET temp_directory = ?", [folder])
        yield base, Path(folder)

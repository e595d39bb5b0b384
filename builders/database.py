"""A DuckDB for joins and sorts that outgrow memory; it and its spills vanish with the block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb


@contextmanager
def scratch_database(
    scratch: Path, *, memory: str = "512MB"
) -> Iterator[tuple[duckdb.DuckDBPyConnection, Path]]:
    """A database that sorts on disk below `scratch` beyond `memory`, and its folder."""
    with (
        TemporaryDirectory(dir=scratch, prefix="join-") as folder,
        duckdb.connect(str(Path(folder) / "join.duckdb")) as base,
    ):
        base.execute(f"SET memory_limit = '{memory}'; SET threads = 1")
        base.execute("SET temp_directory = ?", [folder])
        yield base, Path(folder)

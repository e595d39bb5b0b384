"""Parquet tables by DuckDB: connections to files, and rows of any table as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError

BATCH = 500
"""Rows that are in memory at once when a table is read."""


def open_duckdb() -> Any:
    """Open DuckDB with one thread, which keeps records in order without buffering them."""
    import duckdb

    return duckdb.connect(config={"threads": 1, "memory_limit": "1GB"})


@contextmanager
def connect(
    path: Path, fault: str = "not a Parquet table", remedy: str | None = None
) -> Iterator[tuple[Any, str]]:
    """Connect to DuckDB; yields the connection and the file's name for it, in quotes.

    Raises `DataError`, which begins with `fault`, for what DuckDB cannot read within the block.
    """
    import duckdb

    if not path.is_file():
        raise DataError("there is no such file", path=path)
    with open_duckdb() as connection, disk.plain_names([path]) as (name,):
        try:
            yield connection, quote(name)
        except duckdb.Error as error:
            raise make_fault(fault, error, path, remedy) from None


def make_fault(what: str, error: Exception, path: Path, remedy: str | None = None) -> DataError:
    return DataError(f"{what}: {str(error).splitlines()[0][:200]}", path=path, remedy=remedy)


def quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def read_as_json(path: Path) -> Iterator[tuple[int, str]]:
    """Stream the rows of any Parquet table as objects of JSON, each with its number."""
    with connect(path) as (connection, name):
        found = connection.execute(f"SELECT to_json(row)::VARCHAR FROM read_parquet({name}) AS row")
        batches = iter(lambda: found.fetchmany(BATCH), [])
        for number, (row,) in enumerate(chain.from_iterable(batches), 1):
            yield number, row

"""Records of each kind as Parquet tables, for Hugging Face's `datasets` and others.

1. A table has a column for each field of the record, in its order; spans are lists of whole
   numbers, `source`, tokens and mentions are structs. `load_dataset("parquet", data_files=...)`
   reads it as it is.
2. `meta` is a column of JSON text, since its keys differ from record to record.
   `json.loads(row["meta"])` has it back.
3. The file's metadata name the schema, `{"corefmill.schema": "masked-example/1"}`. A table without
   it is read too, if it has the columns of rule 1 with their types, in any order; further columns
   are an error, since nothing could keep them. `source` may lack `start` and `end`, a table of
   documents `text` and `offsets`.
4. Reading gives the same records, in order. Whole numbers outside of 64 bits (page ids) are an
   error when written; meta may hold them.
5. Metadata or columns tell the kind of a table; of one without them the suffix does:
   `.masked.parquet`, `.events.parquet`, `.documents.parquet`. Tables of other columns may be of
   another format, whose reader takes a row as an object of JSON (`read_as_json`).
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from itertools import chain
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.parquet_tables import BATCH, connect, make_fault, open_duckdb, quote
from corefmill.corpora.files.writing import replacing
from corefmill.corpora.formats.form import Format, Located
from corefmill.corpora.formats.native import check_kind
from corefmill.corpora.formats.rows import PARQUET, first_keys
from corefmill.corpora.records import IF_KNOWN, SCHEMAS, Record

_SCHEMA = "corefmill.schema"
_BARE_SOURCE = "STRUCT(title VARCHAR, page_id BIGINT, paragraph BIGINT)"
_PLAIN = {str: "VARCHAR", int: "BIGINT", bool: "BOOLEAN"}


def _column(kind: Any) -> str:
    """Return DuckDB's type for a field of a record (rules 1 and 2)."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if get_origin(kind) is dict:
        return "VARCHAR"
    if is_dataclass(kind):
        held = ", ".join(f'"{name}" {own}' for name, own in _columns(kind).items())
        return f"STRUCT({held})"
    inner = next(one for one in get_args(kind) if one is not NoneType)
    return f"{_column(inner)}[]" if get_origin(kind) is tuple else _column(inner)


def _columns(kind: Any) -> dict[str, str]:
    hints = get_type_hints(kind)
    return {field.name: _column(hints[field.name]) for field in fields(kind)}


_COLUMNS = {schema: _columns(kind) for schema, kind in SCHEMAS.items()}


def describe(path: Path) -> str:
    """Describe a Parquet table for `Format.suits`: its columns and their types, as JSON.

    A column `corefmill.schema` has the schema. Only the mark where the table cannot be read.
    """
    try:
        with connect(path) as (connection, name):
            columns = _read_columns(connection, name)
            schema = _read_schema(connection, name)
    except DataError:  # the reader says what is wrong
        return PARQUET
    # What is within a column of objects is named as `first_keys` has it.
    shown: dict[str, Any] = {
        name: dict.fromkeys(re.findall(r"[(,] ?([\w.]+) ", kind), "")
        if kind.startswith("STRUCT(") and not kind.endswith("[]")
        else kind
        for name, kind in columns.items()
    }
    return PARQUET + json.dumps(shown | ({_SCHEMA: schema} if schema else {}))


def _read_columns(connection: Any, name: str) -> dict[str, str]:
    rows = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({name})").fetchall()
    return {row[0]: row[1].replace('"', "") for row in rows}


def _read_schema(connection: Any, name: str) -> str | None:
    """Read the schema from a table's metadata."""
    named = connection.execute(
        f"SELECT value FROM parquet_kv_metadata({name}) WHERE key = {quote(_SCHEMA)}"
    ).fetchone()
    return named[0].decode(errors="replace") if named else None


def _make_format(name: str, schema: str, what: str) -> Format:
    """Make the Parquet format of a schema."""
    kind, columns = SCHEMAS[schema], _COLUMNS[schema]
    suffix = f".{name.partition('-')[2]}.parquet"

    def write(path: Path, records: Iterable[Record]) -> int:
        """Write records as a Parquet table, by way of JSON Lines, and return their number."""
        import duckdb

        count = longest = 0
        with replacing(path) as out, tempfile.TemporaryDirectory(dir=path.parent) as folder:
            rows = Path(folder) / "rows.jsonl"
            with rows.open("wb") as file:
                for record in check_kind(records, kind, path):
                    made = json.loads(jsonl.dumps(record))
                    made["meta"] = json.dumps(made["meta"], ensure_ascii=False)  # rule 2
                    longest = max(longest, file.write(json.dumps(made).encode() + b"\n"))
                    count += 1
            # DuckDB sets aside twice the size of the longest line.
            types = ", ".join(f'"{name}": {quote(own)}' for name, own in columns.items())
            size = max(longest, 1 << 20)
            like = f"'newline_delimited', maximum_object_size = {size}, columns = {{{types}}}"
            with disk.plain_names((rows, Path(out.name))) as (source, target):
                named = f"{{{quote(_SCHEMA)}: {quote(schema)}}}"
                options = f"COMPRESSION zstd, USE_TMP_FILE false, KV_METADATA {named}"
                copied = f"COPY (SELECT * FROM read_json({quote(source)}, format = {like}))"
                with open_duckdb() as connection:
                    try:
                        connection.execute(
                            f"{copied} TO {quote(target)} (FORMAT parquet, {options})"
                        )
                    except duckdb.Error as error:
                        raise make_fault("cannot be written as Parquet", error, path) from None
        return count

    def read(path: Path, lang: str = "en") -> Located:
        """Stream the records of a Parquet table, each with the number of its row."""
        with connect(path) as (connection, name):
            columns = _check_columns(connection, path, name, schema)
            plain = ", ".join(f'"{name}" := "{name}"' for name in columns if name != "meta")
            # to_json ends in "}", before which the meta goes as the JSON that it is.
            found = connection.execute(
                f"SELECT to_json(struct_pack({plain}))::VARCHAR, meta FROM read_parquet({name})"
            )
            batches = iter(lambda: found.fetchmany(BATCH), [])
            for number, (row, meta) in enumerate(chain.from_iterable(batches), 1):
                if row is None or meta is None:
                    raise DataError("the row has no meta", path=path, line=number)
                line = f'{row[:-1]},"meta":{meta}}}'
                yield number, jsonl.loads(line, kind, path=path, number=number)

    def suits(file: str, head: str) -> bool:
        """Recognize the table by its schema, its columns or its name (rule 5)."""
        if not head.startswith(PARQUET):
            return False
        keys = first_keys(head)
        if _SCHEMA in keys:
            return keys[_SCHEMA].startswith(f'"{schema}"')
        there = {key for key in keys if "." not in key}
        return file.endswith(suffix) or columns.keys() - {*IF_KNOWN} == there - {*IF_KNOWN}

    return Format(
        name=name,
        schema=schema,
        summary=f"{what} as a Parquet table, for Hugging Face's datasets and others",
        suffix=suffix,
        read=read,
        write=write,
        suits=suits,
    )


def _check_columns(connection: Any, path: Path, name: str, schema: str) -> Iterable[str]:
    """Return the columns of a table by rule 3. Raises `DataError` for other columns."""
    named, there = _read_schema(connection, name), _read_columns(connection, name)
    if named and named != schema:
        raise DataError(f"the table holds {named[:40]}, not {schema}", path=path)
    wanted = {name: kind.replace('"', "") for name, kind in _COLUMNS[schema].items()}
    if there.get("source") == _BARE_SOURCE:
        wanted["source"] = _BARE_SOURCE
    if schema == "document/1":
        wanted = {key: kind for key, kind in wanted.items() if key in there or key not in IF_KNOWN}
    if there != wanted:
        wrong = min(
            name for name in there.keys() | wanted.keys() if there.get(name) != wanted.get(name)
        )
        raise DataError(
            f"column {wrong!r} has the type {there.get(wrong, 'missing')}",
            path=path,
            remedy=f"{schema} has it as {wanted.get(wrong, 'no column')}",
        )
    return wanted


MASKED = _make_format("parquet-masked", "masked-example/1", "masked examples")
EVENTS = _make_format("parquet-events", "event-mention/1", "event mentions")
DOCUMENTS = _make_format("parquet-documents", "document/1", "documents with clusters")

"""Rows of a data set's items, from whichever file they were saved to, under one set of names.

1. A file is a table (cells between tabs, commas or semicolons under a header), JSON Lines, a JSON
   array, pandas' object of columns, or Parquet. The content decides, not the suffix.
2. A column is known by its name or an alias. Case, `-`, `_`, `.` and blanks do not count:
   `Pronoun-offset` is `pronoun_offset`. A value within an object has a name like
   `target.span1_text`.
3. pandas' index is no column: one without a name, `Unnamed: 0`, `__index_level_0__`.
   Columns that a set does not have go to `meta["other"]`; no writer of these sets has them.
4. Cells of a table between tabs are as they stand, as GAP's maker wrote them. They are in quotes
   only where the header is (or has an index, which shows that pandas wrote it), and one by one
   where a cell is in quotes and has others doubled within. Between commas they may always be.
5. A row without an id has the file's name and its own number from 1: `train-7`.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from corefmill.corpora.files import disk, parquet_tables
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import json_records

PARQUET = "PAR1"
"""What a Parquet file begins with."""

_FOLD = re.compile(r"[\W_]+")
_INDEX = re.compile(r"(?:unnamed|indexlevel)\d+|")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_INDENTED = re.compile(r"\{[ \t\r]*\n")
_STRINGS = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]')
TRUTHS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}

Row = dict[str, Any]


@dataclass(frozen=True)
class Columns:
    """Columns of a data set by the names of its released file, `optional` ones among them.

    `aliases` are other names of a column. The first column is the id. A table without a header
    may have the first `bare` columns alone.
    """

    names: tuple[str, ...]
    optional: tuple[str, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bare: int = 0

    def find(self, header: Iterable[str]) -> dict[str, str]:
        """Map each of the columns that a header has to its name there."""
        there: dict[str, str] = {}
        for name in header:
            there.setdefault(_fold(name), name)
        own = {
            name: next((there[one] for one in map(_fold, spelt) if one in there), None)
            for name in self.names
            for spelt in [(name, *self.aliases.get(name, ()))]
        }
        return {name: found for name, found in own.items() if found is not None}

    def missing(self, header: Iterable[str]) -> list[str]:
        """List the columns that must be in a header and are not."""
        found = self.find(header)
        return [name for name in self.names if name not in found and name not in self.optional]

    def suit(self, head: str) -> bool:
        """Say by a file's head (for Parquet its columns, see the registry) whether it has them."""
        keys = list(first_keys(head)) or _choose_header(head.partition("\n")[0], self)[1]
        return not self.missing(keys)


def _fold(name: str) -> str:
    return _FOLD.sub("", name).casefold()


@lru_cache(maxsize=2)
def first_keys(head: str) -> dict[str, str]:
    """Map the keys of a file's first JSON object to the beginnings of their values.

    The keys of an object within have names like `outer.inner`. A key "" says that the head ends
    before the object does. Empty where the file does not begin as JSON.
    """
    head = head.removeprefix("\ufeff").removeprefix(PARQUET).lstrip()
    found: dict[str, str] = {}
    if head[:1] not in ("{", "["):
        return found
    depth, outer = "", ""
    for token in _TOKEN.finditer(head):
        sign = token[0]
        if sign in ("{", "["):
            depth += sign
        elif sign in ("}", "]"):
            depth = depth[:-1]
            if depth in ("", "[") and sign == "}":
                return found
        elif depth.lstrip("[") in ("{", "{{") and len(depth) - len(depth.lstrip("[")) < 2:
            rest = head[token.end() : token.end() + 80].lstrip()
            if rest.startswith(":"):
                name = sign[1:-1]
                if depth.endswith("{{"):
                    name = f"{outer}.{name}"
                else:
                    outer = name
                found[name] = "".join(rest[1:].split())
    return {**found, "": ""}


def read_json(path: Path) -> Iterator[tuple[int, str]]:
    """Stream the objects of JSON Lines, an array or Parquet as JSON, with their lines.

    Objects with an indent, as `json.dump(..., indent=2)` writes them, follow each other.
    Of Parquet the number of the row stands for the line. Raises `DataError`.
    """
    start = disk.read_head(path, 1 << 10).lstrip()
    if start.startswith(PARQUET):
        yield from parquet_tables.read_as_json(path)
    elif start.startswith("[") or _INDENTED.match(start):
        read = json_records.read_array if start.startswith("[") else json_records.read_stream
        for line, found in read(path):
            yield line, json.dumps(found)
    else:
        yield from disk.read_lines(path)


def read_rows(path: Path, columns: Columns) -> Iterator[tuple[int, Row | DataError]]:
    """Stream the rows of a file under the names of `columns`, None for what is not there.

    `other` has the values of further columns. A broken row is a `DataError` among them; without
    a column that must be there it is raised.
    """
    start = disk.read_head(path, 1 << 10).lstrip()[:4]
    made = start.startswith(("{", "[", PARQUET))
    rows = _read_objects(path) if made else _read_table(path, columns)
    header: tuple[str, ...] = ()
    found, wanting = dict[str, str](), list[str]()
    for count, (number, row) in enumerate(rows, 1):
        if isinstance(row, DataError):
            yield number, row
            continue
        if header != tuple(row):
            header, found, wanting = tuple(row), columns.find(row), columns.missing(row)
        if wanting:
            what = f"no {', '.join(wanting)}"
            remedy = f"the names are {', '.join(columns.names)}"
            yield number, DataError(what, path=path, line=number, remedy=remedy)
            continue
        taken = set(found.values())
        own: Row = {name: row[found[name]] if name in found else None for name in columns.names}
        if is_missing(own[columns.names[0]]):
            own[columns.names[0]] = make_name(path, count)
        own["other"] = {
            name: value
            for name, value in row.items()
            if name not in taken and not _INDEX.fullmatch(_fold(name))
        }
        yield number, own


def make_name(path: Path, number: int) -> str:
    """Name a record without a name of its own by file and number (rule 5)."""
    return f"{disk.show_name(path.stem)}-{number}"


def _read_objects(path: Path) -> Iterator[tuple[int, Row | DataError]]:
    """Stream the objects of a file, values within objects under names like `outer.inner`."""
    for number, text in read_json(path):
        try:
            made = json_records.parse_line(text)
        except ValueError as error:
            yield number, DataError(str(error), path=path, line=number)
            continue
        values = list(made.values())
        if values and all(isinstance(value, dict) for value in values):  # pandas' columns
            for key in values[0]:
                yield number, {name: column.get(key) for name, column in made.items()}
            continue
        if values and all(isinstance(value, list) for value in values):  # the Hub's
            for row in zip(*values, strict=False):
                yield number, dict(zip(made, row, strict=True))
            continue
        flat: Row = {}
        for name, value in made.items():
            if isinstance(value, dict):
                flat |= {f"{name}.{inner}": one for inner, one in value.items()}
            else:
                flat[name] = value
        yield number, flat


def _choose_header(line: str, columns: Columns) -> tuple[str, list[str]]:
    """Choose the sign between a table's cells: the fewest columns missing, else the most cells."""
    try:
        cut = [(sign, next(csv.reader([line], delimiter=sign), [])) for sign in "\t,;"]
    except csv.Error:  # a NUL, or a cell of 128 Ki characters
        return "\t", []
    return min(cut, key=lambda one: (len(columns.missing(one[1])), -len(one[1])))


def _read_table(path: Path, columns: Columns) -> Iterator[tuple[int, Row | DataError]]:
    """Stream the rows below a table's header (rule 4). Raises `DataError` for another header."""
    lines = disk.read_lines(path)
    number, line = next(lines, (0, ""))
    if not number:
        raise DataError("an empty file, without the header", path=path)
    disk.check_row(line, path, number)
    sign, header = _choose_header(line, columns)
    if len(header) == columns.bare and columns.missing(header):
        lines = (row for row in chain([(number, line)], lines) if row[1])
        header = list(columns.names[: columns.bare])
    if columns.missing(header) or len(set(header)) < len(header):
        raise DataError(
            f"the header is {' '.join(line.split(sign))[:200]!r}",
            path=path,
            line=number,
            remedy=f"columns separated by tabs were expected: {' '.join(columns.names)}"
            + (f"; the first {columns.bare} need no header" if columns.bare else ""),
        )
    quoted = sign != "\t" or '"' in line or any(_INDEX.fullmatch(_fold(name)) for name in header)
    cut = _cut_quoted if quoted else _cut_cells
    for number, cells in cut(lines, path, sign):
        if isinstance(cells, list) and len(cells) != len(header):
            cells = DataError(
                f"{len(cells)} columns where the header has {len(header)}",
                path=path,
                line=number,
                remedy="columns are separated by single tabs, and no line is empty",
            )
        yield (
            number,
            cells if isinstance(cells, DataError) else dict(zip(header, cells, strict=True)),
        )


def _cut_cells(
    lines: Iterator[tuple[int, str]], path: Path, sign: str
) -> Iterator[tuple[int, list[str] | DataError]]:
    for number, line in lines:
        disk.check_row(line, path, number)
        cells = line.split(sign)
        if '""' in line:
            cells = [
                cell[1:-1].replace('""', '"')
                if '""' in cell[1:-1] and _QUOTED.fullmatch(cell)
                else cell
                for cell in cells
            ]
        yield number, cells


def _cut_quoted(
    lines: Iterator[tuple[int, str]], path: Path, sign: str
) -> Iterator[tuple[int, list[str] | DataError]]:
    """Cut rows whose cells may be in quotes and go on over several lines."""
    first = last = 0

    def pass_on() -> Iterator[str]:
        nonlocal first, last
        for number, line in lines:
            disk.check_row(line, path, number)
            first, last = first or number, number
            yield line + "\n"

    reader = csv.reader(pass_on(), delimiter=sign, strict=True)
    while True:
        first = 0
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield first, DataError(f"not a row of a table: {error}", path=path, line=first)
            return  # an open quote has taken the rest of the file
        if cells is None:
            return
        yield first, cells


def is_missing(value: object) -> bool:
    """Say whether a cell is empty: null, no text, or not a number."""
    return value is None or value == "" or value != value


def text_of(row: Row, name: str) -> str:
    """Return the string of a column. Raises `ValueError` for another value."""
    value = row[name]
    if not isinstance(value, str):
        raise ValueError(f"{name} is {str(value)[:20]!r}, not a string")
    return value


def number_of(row: Row, name: str) -> int:
    """Return the whole number of a column: 7, 7.0 or "7". Raises `ValueError` for another value."""
    value = row[name]
    match = re.fullmatch(r"([0-9]{1,9})(?:\.0)?", "" if isinstance(value, bool) else str(value))
    if match is None or not match[1].isascii():
        raise ValueError(f"{name} is {str(value)[:20]!r}, not a number")
    return int(match[1])


def truth_of(row: Row, name: str) -> bool | None:
    """Return the truth of a column: true, "TRUE", 1 or "1.0"; None where it is missing or -1.

    Raises `ValueError` for another value.
    """
    value = row[name]
    if is_missing(value) or str(value) in ("-1", "-1.0"):
        return None
    if str(value).lower() not in TRUTHS:
        raise ValueError(f"{name} is {str(value)[:20]!r}, neither 1 nor 0, true nor false")
    return TRUTHS[str(value).lower()]


def list_of(row: Row, name: str) -> list[str]:
    """Return the strings of a column, a list or a list as Python or NumPy prints it."""
    value = row[name]
    if isinstance(value, str) and value.startswith(("[", "array(")):
        pairs = (match.groups() for match in _STRINGS.finditer(value))
        value = [re.sub(r"\\(.)", r"\1", one or other or "") for one, other in pairs]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"{name} is {str(value)[:40]!r}, not a list of strings")
    return value


def find_span(row: Row, name: str, offset: str, text: str) -> tuple[int, int]:
    """Return the span of a column's string, which stands at its offset in the text.

    Raises `ValueError` where another string stands there.
    """
    string, start = text_of(row, name), number_of(row, offset)
    found = text[start : start + len(string)]
    if not string or found != string:
        raise ValueError(f"{name} is {string[:40]!r}, but at its offset stands {found[:40]!r}")
    return start, start + len(string)

"""Read the tables that Wikimedia publishes beside a dump, as mysqldump's INSERT statements.

    table = open_table(Path("enwiki-latest-langlinks.sql.gz"))
    for page, lang, title in table.rows("ll_from", "ll_lang", "ll_title"): ...

1. A statement is one line, `INSERT INTO `langlinks` VALUES (1,'it','Terra'),(2,...);`, or has a row
   on each line, as newer servers write it. Within a value a line end is `\\n`.
2. A value is a number, NULL, or a string in single quotes with `\\` before quotes within it;
   `_binary` may stand before a string.
3. CREATE TABLE or the statement names the columns; otherwise they are those of MediaWiki's tables.
4. Nothing is executed, and anything else in the file is skipped. A line has at most 64 MiB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from corefmill.builders.wiki.dump.compression import open_lines
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError

LONGEST_LINE = 64 << 20
_MOST_COLUMNS = 100

COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "langlinks": ("ll_from", "ll_lang", "ll_title"),
        "page_props": ("pp_page", "pp_propname", "pp_value", "pp_sortkey"),
    }
)
"""MediaWiki's tables that are read here."""

_SQL = (b"--", b"/*", b"DROP TABLE", b"CREATE TABLE", b"INSERT INTO", b"SET ", b"LOCK ")
_DATABASE = re.compile(rb"-- Host: .{0,200}?\bDatabase: (\w{1,100})")
_CREATE = re.compile(rb"CREATE TABLE (?:IF NOT EXISTS )?`?(\w{1,100})`? *\(")
_COLUMN = re.compile(rb"\s*`(\w{1,100})` ")
_INSERT = re.compile(
    rb"INSERT (?:IGNORE )?INTO `?(\w{1,100})`? *(?:\(([\w`, ]{1,2000})\) *)?VALUES\s*"
)
_VALUE = rb"(?:NULL|[-+.0-9eE]++|(?:_binary )?'(?:[^'\\]++|\\.|'')*+')"
_ESCAPE = re.compile(rb"\\(.)|''", re.DOTALL)
_ESCAPED = {b"0": b"\0", b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"Z": b"\x1a"}

Row = tuple[bytes, ...]
"""The wanted values: the bytes of strings and numbers, b"" for NULL."""


def is_sql(path: Path) -> bool:
    """Check whether a file, packed or not, begins as an SQL dump. Raises `DataError`."""
    line = next((line for _, line in packed_lines(path)), b"")
    return line.lstrip(b"\xef\xbb\xbf").startswith(_SQL)


def packed_lines(path: Path, longest: int = LONGEST_LINE) -> Iterator[tuple[int, bytes]]:
    """Read the lines of a file, plain or packed, each with its number from 1.

    Raises `DataError` for a file not regular, empty, damaged or cut off, and for a line of
    more than `longest` bytes.
    """
    disk.require_file(path)
    with open_lines(path) as file:
        number = 0
        while line := file.readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise DataError(
                    f"the line is longer than {longest:,} bytes", path=path, line=number,
                    remedy="is this the right file?",
                )  # fmt: skip
            yield number, line


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table's dump: its head, and its rows on request."""

    path: Path
    name: str
    database: str
    """The wiki, such as `enwiki`, "" if the file does not name it."""
    columns: tuple[str, ...]

    def rows(self, *wanted: str) -> Iterator[Row]:
        """Read the values of these columns row by row; raises `DataError` naming the line."""
        pattern, groups = self._pattern(self.columns, wanted)
        known = self.columns
        inside = False
        number = 0
        for number, line in packed_lines(self.path):
            position, end = 0, len(line.rstrip())
            if not inside:
                begun = _INSERT.match(line)
                if begun is None or begun[1].decode() != self.name:
                    continue
                named = self.columns
                if begun[2]:
                    named = tuple(one.strip(b" `").decode() for one in begun[2].split(b","))
                if named != known:
                    known, (pattern, groups) = named, self._pattern(named, wanted)
                inside, position = True, begun.end()
            while inside and position < end:
                found = pattern.match(line, position)
                if found is None:
                    raise DataError(
                        f"no valid row of {self.name} at byte {position + 1} of the line",
                        path=self.path,
                        line=number,
                        remedy="download the file again; rows must be as mysqldump writes them",
                    )
                yield tuple([plain(found[group]) for group in groups])
                position = found.end()
                inside = found[found.re.groups] is None
        if inside:
            raise DataError(
                "the file is cut off: it ends within an SQL statement", path=self.path, line=number,
                remedy="download it again",
            )  # fmt: skip

    def _pattern(
        self, columns: Sequence[str], wanted: Sequence[str]
    ) -> tuple[re.Pattern[bytes], list[int]]:
        """Compile the pattern of a row, and the group of each wanted column."""
        if missing := [name for name in wanted if name not in columns]:
            raise DataError(
                f"the table lacks the column {missing[0]}; it has {', '.join(columns)}",
                path=self.path,
            )
        values = (b"(" + _VALUE + b")" if name in wanted else _VALUE for name in columns)
        # The last group says that the statement ends with the row.
        ends = rb"\)\s*+(?:,|(;))\s*+"
        there = [name for name in columns if name in wanted]
        pattern = re.compile(rb"\(" + b",".join(values) + ends, re.DOTALL)
        return pattern, [there.index(name) + 1 for name in wanted]


def open_table(path: Path) -> SqlTable:
    """Open the table of an SQL dump; raises `DataError` for a table that is not in COLUMNS."""
    database, name, columns = "", "", list[str]()
    for _, line in packed_lines(path):
        if found := _DATABASE.match(line):
            database = found[1].decode()
        elif found := _CREATE.match(line):
            name = found[1].decode()
        elif found := _INSERT.match(line):
            name = name or found[1].decode()
            break
        elif name and (found := _COLUMN.match(line)):
            columns.append(found[1].decode())
            if len(columns) > _MOST_COLUMNS:
                raise DataError(f"the table has over {_MOST_COLUMNS} columns", path=path)
    if name not in COLUMNS:
        raise DataError(
            f"the file holds {'the table ' + name if name else 'no table'},"
            f" not {' or '.join(COLUMNS)}",
            path=path,
            remedy="such as enwiki-latest-langlinks.sql.gz or enwiki-latest-page_props.sql.gz",
        )
    return SqlTable(path, name, database, tuple(columns) or COLUMNS[name])


def plain(value: bytes) -> bytes:
    """Decode an SQL value to its bytes."""
    if not value.endswith(b"'"):
        return b"" if value == b"NULL" else value
    inner = value[value.index(b"'") + 1 : -1]
    if b"\\" not in inner and b"'" not in inner:
        return inner
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]) if found[1] else b"'", inner)

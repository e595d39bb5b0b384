"""Answers that stand in tables of anybody's design become judgements, by a description in TOML.

The description says of each file which columns are item, rater and question, and whether a person
or a model answered; benchmarks/readings/answers.toml is one, with every key explained.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from corefmill.annotate.judgements import Judgement
from corefmill.corpora import disk, jsonl, sheets
from corefmill.corpora.errors import DataError, naming

_SAID = {"1": "yes", "0": "no"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTable:
    """One [[file]] of a description: which judgements its rows hold.

    `item` and `rater` are templates, $column standing for a cell; `raters` gives raters another
    name; `only` keeps rows with these cells. `questions` maps a question to its column, or to
    several that must all say yes. `always` maps a question to the answer of every row.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    name: str
    item: str
    rater: str
    person: bool
    questions: dict[str, str | list[str]] = field(default_factory=dict)
    always: dict[str, str] = field(default_factory=dict)
    raters: dict[str, str] = field(default_factory=dict)
    only: dict[str, str] = field(default_factory=dict)
    reason: str = ""
    remark: str = ""
    when: str = ""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row by its columns, with where it stands."""

    cells: Mapping[str, str]
    path: Path
    line: int

    def __getitem__(self, column: str) -> str:
        if column not in self.cells:
            raise DataError(
                f"no column {column!r}; there are {', '.join(self.cells)}", path=self.path
            )
        return self.cells[column]

    def filled(self, template: str) -> str:
        """The template with the row's cells in it."""
        try:
            return Template(template).substitute(self.cells)
        except KeyError as error:
            return self[error.args[0]]  # says which columns there are
        except ValueError:
            raise DataError(
                f"{template[:80]!r} is no template", remedy="$column stands for a cell, $$ for $"
            ) from None


def read(description: Path) -> Iterator[tuple[str, list[Judgement]]]:
    """Yields each file's name with its judgements; files lie beside the description.

    Several entries of one name are one file's. Cells 1 and 0 are yes and no, an empty one is no
    answer. Raises `DataError` for a bad description, a missing column, or a row that is none.
    """
    by_name: dict[str, list[AnswerTable]] = {}
    for entry in _entries(description):
        by_name.setdefault(entry.name, []).append(entry)
    for name, entries in by_name.items():
        found: list[Judgement] = []
        rows = list(_rows(description.parent / name))
        for entry in entries:
            for row in rows:
                found += _judgements(entry, row)
        yield name, found


def _entries(path: Path) -> list[AnswerTable]:
    with disk.opened(path) as file:
        content = file.read()
    try:
        described: dict[str, Any] = tomllib.loads(content.decode())
        # By way of JSON, in which a table is one even to a strict reader, and a date is a text.
        tables = json.dumps(described.get("file", []), default=str)
        entries = TypeAdapter(list[AnswerTable]).validate_json(tables)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"not TOML: {error}", path=path) from None
    except ValidationError as error:
        raise DataError(f"[[file]] {jsonl.first_fault(error)}", path=path) from None
    if not entries or set(described) != {"file"}:
        raise DataError("has to hold [[file]] tables, and nothing else", path=path)
    for one in entries:
        if one.name != Path(one.name).name or not one.name.endswith(".csv"):
            raise DataError(f"{one.name!r} is no name of a CSV file beside it", path=path)
    return entries


def _rows(path: Path) -> Iterator[_Row]:
    head: Sequence[str] | None = None
    for line, cells in sheets.read(path):
        if head is None:
            head = cells
            if len(set(head)) < len(head):
                raise DataError("a column's name is there twice", path=path, line=line)
        elif len(cells) != len(head):
            raise DataError(f"{len(cells)} cells for {len(head)} columns", path=path, line=line)
        else:
            yield _Row(dict(zip(head, cells, strict=True)), path, line)


def _judgements(table: AnswerTable, row: _Row) -> Iterator[Judgement]:
    if any(row[column] != value for column, value in table.only.items()):
        return
    rater = row.filled(table.rater)
    for question, answer in _answers(table, row):
        with naming(row.path, row.line):
            yield Judgement(
                item=row.filled(table.item),
                rater=table.raters.get(rater, rater),
                person=table.person,
                question=question,
                answer=answer,
                reason=row[table.reason] if table.reason else "",
                remark=row[table.remark] if table.remark else "",
                when=table.when,
            )


def _answers(table: AnswerTable, row: _Row) -> Iterator[tuple[str, str]]:
    yield from table.always.items()
    for question, column in table.questions.items():
        cells = [row[one] for one in ([column] if isinstance(column, str) else column)]
        if isinstance(column, list):
            if all(cells):
                yield question, "yes" if all(one == "1" for one in cells) else "no"
        elif cells[0]:
            yield question, _SAID.get(cells[0], cells[0])

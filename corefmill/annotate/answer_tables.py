"""Answers that stand in tables of anybody's design become judgements, by a description in TOML.

The description says of each file which columns are item, rater and question, and whether a person
or a model answered; benchmarks/readings/answers.toml is one, with every key explained.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import ClassVar

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

    def read_row(self, row: Mapping[str, str]) -> Iterator[Judgement]:
        """Yield the judgements of a row; raises `KeyError` for a column that is not there.

        Cells 1 and 0 are yes and no, an empty one is no answer.
        """
        if any(row[column] != value for column, value in self.only.items()):
            return
        said = dict(self.always)
        for question, columns in self.questions.items():
            cells = [row[one] for one in ([columns] if isinstance(columns, str) else columns)]
            if isinstance(columns, str):
                said[question] = _SAID.get(cells[0], cells[0])
            elif all(cells):
                said[question] = "yes" if set(cells) == {"1"} else "no"
        rater = Template(self.rater).substitute(row)
        for question, answer in said.items():
            if answer:
                yield Judgement(
                    item=Template(self.item).substitute(row),
                    rater=self.raters.get(rater, rater),
                    person=self.person,
                    question=question,
                    answer=answer,
                    reason=row[self.reason] if self.reason else "",
                    remark=row[self.remark] if self.remark else "",
                    when=self.when,
                )


def read(description: Path) -> Iterator[tuple[str, list[Judgement]]]:
    """Yields each file's name with its judgements; files lie beside the description.

    Several entries of one name are one file's. Raises `DataError` for a bad description, a missing
    column, or a row that is none.
    """
    by_name: dict[str, list[AnswerTable]] = {}
    for entry in _entries(description):
        by_name.setdefault(entry.name, []).append(entry)
    for name, entries in by_name.items():
        path = description.parent / name
        rows = list(sheets.read(path))
        head = rows[0][1] if rows else []
        if len(set(head)) < len(head):
            raise DataError("a column's name is there twice", path=path, line=1)
        found: list[Judgement] = []
        for entry in entries:
            for line, cells in rows[1:]:
                if len(cells) != len(head):
                    said = f"{len(cells)} cells for {len(head)} columns"
                    raise DataError(said, path=path, line=line)
                try:
                    with naming(path, line):
                        found += entry.read_row(dict(zip(head, cells, strict=True)))
                except KeyError as error:
                    said = f"no column {error.args[0]!r}; there are {', '.join(head)}"
                    raise DataError(said, path=path) from None
        yield name, found


def _entries(path: Path) -> list[AnswerTable]:
    with disk.opened(path) as file:
        content = file.read()
    try:
        described = tomllib.loads(content.decode())
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

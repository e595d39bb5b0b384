"""Checks files of any format; here a finding, and the catalogue of codes (codes.toml)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from corefmill.corpora.files import disk

SEVERITIES = {"E": "error", "W": "warning"}
"""The severity that a code's first letter says."""


@dataclass(frozen=True, slots=True)
class Code:
    """The words of a finding's code; `mends` where `check --fix` has one right answer."""

    code: str
    title: str
    explanation: str
    mends: bool = False

    @property
    def severity(self) -> str:
        """`error` or `warning`."""
        return SEVERITIES[self.code[0]]


@cache
def codes() -> dict[str, Code]:
    """Read the catalogue of the checker's codes, in the order of their numbers."""
    table = disk.read_package_table(__file__, "codes")
    return {
        code: Code(code, **entry)
        for code, entry in sorted(table.items(), key=lambda item: item[0][1:])
    }


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong in line `line` (from 1) of a file; None where it is the file as a whole."""

    code: str
    path: Path
    line: int | None
    message: str

    @property
    def severity(self) -> str:
        """`error` or `warning`."""
        return codes()[self.code].severity

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else f"{self.path}"
        return f"{where}: {self.severity} {self.code} {self.message}"

    def as_json(self) -> dict[str, Any]:
        """Return the finding's fields as JSON has them."""
        return {
            "path": disk.show_name(self.path),
            "line": self.line,
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
        }


Checked = Iterator[Finding | tuple[int, Any]]
"""The output of a tolerant reader: findings, and each record it could read with its line."""


def quote(text: str, length: int = 40) -> str:
    """Quote a piece of data within a message: one line, quoted, not too long."""
    return repr(text if len(text) <= length else text[: length - 1] + "…")

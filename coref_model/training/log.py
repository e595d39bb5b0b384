"""log.csv: a line for every step. A resumed training first cuts it back to the step it resumes."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

from corefmill.corpora.atomic import write_whole
from corefmill.corpora.errors import DataError

LOG = "log.csv"

COLUMNS = ("step", "epoch", "items", "loss", "gradient", "dev")
"""`loss` is the mean of the step's items, `gradient` the norm before clipping, `dev` the metric
where it was taken after the step. The learning rate of each group follows."""

_LONGEST = 1 << 16
"""Bytes of a line at most."""


class Log:
    """The file, open at the line after step `step`; it has no times, so equal runs are equal."""

    def __init__(self, path: Path, groups: Sequence[str], step: int) -> None:
        head = [*COLUMNS, *(f"lr {name}" for name in groups)]
        rows = _rows(path, step, len(head)) if step else []
        write_whole(path, "".join(",".join(row) + "\n" for row in (head, *rows)))
        self._file = path.open("a", encoding="utf-8", newline="")
        self._csv = csv.writer(self._file, lineterminator="\n")

    def write(
        self,
        step: int,
        epoch: int,
        items: int,
        loss: float | None,
        gradient: float,
        dev: float | None,
        rates: Sequence[float],
    ) -> None:
        """Adds a step, numbered from 1; a float has the digits that make it again."""
        self._csv.writerow(
            [step, epoch, items, _cell(loss), _cell(gradient), _cell(dev), *map(_cell, rates)]
        )

    def sync(self) -> None:
        """Puts the lines on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


def _cell(number: float | None) -> str:
    return "" if number is None else repr(float(number))


def _rows(path: Path, step: int, width: int) -> list[list[str]]:
    """The lines of the first steps; what a crash left behind them does not matter."""
    remedy = "begin again with --overwrite"
    try:
        with path.open("rb") as file:
            lines = [file.readline(_LONGEST) for _ in range(step + 1)][1:]
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", path=path, remedy=remedy) from None
    rows = []
    for number, line in enumerate(lines, 1):
        row = line.decode("utf-8", "replace").rstrip("\n").split(",")
        if row[0] != str(number) or len(row) != width or not all(map(_is_number, row)):
            raise DataError(
                f"lacks lines of the {step} steps that were done", path=path, remedy=remedy
            )
        rows.append(row)
    return rows


def _is_number(cell: str) -> bool:
    try:
        float(cell or 0)
    except ValueError:
        return False
    return True

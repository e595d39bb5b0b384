"""Reads a file past its faults: yields findings, and every record that could be read.

The formats' own readers stop at the first fault; a checker should report them all.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from corefmill.corpora import jsonl, lines
from corefmill.corpora.check.conll import conll
from corefmill.corpora.check.finding import Checked, Finding
from corefmill.corpora.check.five_lines import five_lines
from corefmill.corpora.check.gap import gap
from corefmill.corpora.check.wec import wec
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import SCHEMAS

MOST = 100
"""Lines that are left out of a file before its reading is given up."""


def tolerant(path: Path, form: Format, lang: str) -> Checked:
    """Findings and records of a file; raises `DataError` only where it cannot be opened."""
    if form.name.startswith("native-") and path.is_file():
        yield from _native(path, form)
    elif form.name in _WHOLE:
        try:
            yield from _WHOLE[form.name](path, lang)
        except DataError as error:  # a line out of all measure
            yield Finding("E201", path, error.line, error.message)
    else:
        bad = set()
        for finding in _RAW[form.name](path) if form.name in _RAW else ():
            yield finding
            if finding.severity == "error" and finding.line:
                bad.add(finding.line)
        yield from (_lines(path, form, lang, bad) if form.by_line else _strict(path, form, lang))


_WHOLE: dict[str, Callable[[Path, str], Checked]] = {
    "five-line": five_lines,
    "dpr": five_lines,
    "conll2012": conll,
}
_RAW: dict[str, Callable[[Path], Iterator[Finding]]] = {"gap": gap, "wec-json": wec}


def _native(path: Path, form: Format) -> Checked:
    kind = SCHEMAS[form.schema]
    number = 0
    try:
        for number, line in lines.read(path):
            try:
                yield number, jsonl.loads(line, kind, path=path, number=number)
            except DataError as error:
                yield Finding("E202", path, number, error.message)
    except DataError as error:
        yield Finding("E201", path, error.line or number or None, error.message)


def _strict(path: Path, form: Format, lang: str) -> Checked:
    try:
        yield from form.read(path, lang)
    except DataError as error:
        # A folder's reader names the file.
        where = Path(error.path) if error.path else path
        yield Finding("E201", where, error.line, error.message)


def _lines(path: Path, form: Format, lang: str, bad: set[int]) -> Checked:
    """Reads the file without its bad lines; each that the reader finds more is left out in turn."""
    left_out = sorted(bad)
    given = 0
    with tempfile.TemporaryDirectory() as folder:
        # The name stays: some formats make ids of it.
        copy = Path(folder) / path.name
        while True:
            _copy(path, copy, left_out)
            try:
                for line, record in form.read(copy, lang):
                    line = _original(line, left_out)
                    if line > given:
                        given = line
                        yield line, record
                return
            except DataError as error:
                if error.line is None:
                    yield Finding("E201", path, None, error.message)
                    return
                line = _original(error.line, left_out)
                if line == 1 or len(left_out) - len(bad) >= MOST:
                    yield Finding("E201", path, line, error.message)
                    return
                yield Finding("E202", path, line, error.message)
                given = max(given, line)
                left_out = sorted({*left_out, line})


def _copy(path: Path, copy: Path, left_out: list[int]) -> None:
    skip = set(left_out)
    with copy.open("wb") as out:
        out.writelines(raw for number, raw in lines.raw(path) if number not in skip)


def _original(line: int, left_out: list[int]) -> int:
    """The line of the file that is this one where lines are left out."""
    for other in left_out:
        if other <= line:
            line += 1
    return line

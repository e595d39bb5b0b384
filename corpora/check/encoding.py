"""Checks the bytes of a text file: encoding, line ends, letters that were decoded wrongly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from corefmill.corpora import disk, lines
from corefmill.corpora.check.finding import Finding, shown

_BOM = b"\xef\xbb\xbf"
# What one UTF-8 letter becomes in Windows-1252 or Latin-1: its first byte's letter, then those of
# the bytes that follow. Western letters and quotes betray themselves at once; of others there must
# be two in a row, since É… or Ö” may well stand in a text.
_NEXT = "[\u0080-\u00bf\u0152-\u017e\u0192\u02c6\u02dc\u2013-\u2122]"
_LATIN = re.compile(
    f"(?:[\u00c2\u00c3]{_NEXT}|\u00e2{_NEXT}{{2}})"
    f"|(?:[\u00c4-\u00df]{_NEXT}|[\u00e0-\u00ef]{_NEXT}{{2}}|[\u00f0-\u00f4]{_NEXT}{{3}}){{2,}}"
)


def encoding(path: Path) -> Iterator[Finding]:
    """The findings E101 to E107 of a text file; raises `DataError` where it cannot be opened."""
    returns = 0
    first = None
    for number, raw in _lines(path):
        if number == 1 and raw.startswith(_BOM):
            yield Finding("W103", path, 1, "the file begins with a byte order mark")
            raw = raw.removeprefix(_BOM)
        if len(raw) > lines.LONGEST:
            yield Finding("E107", path, number, f"a line of over {lines.LONGEST // 2**20} MiB")
            return
        if raw.endswith(b"\r\n"):
            returns, first = returns + 1, first or number
        if b"\0" in raw:
            yield Finding("E102", path, number, f"{raw.count(0):,} NUL bytes")
        if raw.isascii():
            continue
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            yield Finding("E101", path, number, f"not UTF-8 at byte {error.start + 1} of the line")
            continue
        if "\ufffd" in line:
            around = line[max(0, line.index("\ufffd") - 15) :].strip()
            yield Finding("W106", path, number, f"U+FFFD in {shown(around, 30)}")
        for wrong, right in _mojibake(line):
            yield Finding("W105", path, number, f"{shown(wrong)} was {shown(right)} once")
            break
    if first:
        yield Finding("W104", path, first, f"{returns:,} lines end in CR LF, this one first")


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with disk.opened(path) as file:
        number = 0
        while raw := file.readline(lines.LONGEST + 1):
            number += 1
            yield number, raw


def _mojibake(line: str) -> Iterator[tuple[str, str]]:
    for match in _LATIN.finditer(line):
        try:
            yield match[0], b"".join(map(_byte, match[0])).decode()
        except UnicodeError:
            continue


def _byte(letter: str) -> bytes:
    # Windows-1252 has no letter for five bytes, which programs pass on as Latin-1 does.
    return letter.encode("latin-1") if ord(letter) < 0xA0 else letter.encode("cp1252")

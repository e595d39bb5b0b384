"""Makes texts of anybody fit to be shown: control codes escaped in all that is printed, or left out
of one line."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

STDOUT, STDERR = "standard output", "standard error"
"""What an error in writing to them has for a file name."""

# Control codes but for newline and tab, marks that turn the direction of writing, ends of line
# that only some programs know, and the halves of pairs that stand for bytes that are no UTF-8.
_UNSHOWN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_NOT_ASCII = re.compile("[^\0-\x7f]")

# How tqdm moves between bars, each in a write of its own.
_BAR_MOVES = re.compile("(\x1b\\[A)+")


def printable(text: str) -> str:
    r"""The text with what acts on a terminal, or cannot be encoded, as \uXXXX.

    JSON knows that escape, so that printed JSON stays what it is.
    """
    return _UNSHOWN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """A text without line breaks, control characters and half surrogate pairs, which are blanks
    now, and without marks that have no width (soft hyphens, joiners, directions)."""
    cleaned = "".join(c if c.isprintable() else _blank(c) for c in text)
    return " ".join(cleaned.split())


def _blank(character: str) -> str:
    return "" if unicodedata.category(character) == "Cf" else " "


def shown(text: str, most: int = 60) -> str:
    """A text in an error's line."""
    return repr(text if len(text) <= most else text[: most - 3] + "...")


def guard_streams(*, escapes: bool = True) -> tuple[PrintableStream, PrintableStream]:
    """Takes control codes out of whatever this process prints from now on, by whatever library."""
    streams = (
        PrintableStream(sys.stdout, STDOUT, bars=False, escapes=escapes),
        PrintableStream(sys.stderr, STDERR, bars=True, escapes=escapes),
    )
    sys.stdout, sys.stderr = (cast(TextIO, stream) for stream in streams)
    return streams


def write_styled(text: str) -> None:
    """Writes to standard output what is `printable` but for colours that were put around it."""
    stream = sys.stdout
    if not isinstance(stream, PrintableStream) or not stream.escapes:
        stream.write(text)
        return
    stream.escapes = False
    try:
        stream.write(text)
    finally:
        stream.escapes = True


class PrintableStream:
    """A standard stream that shows no control codes; an error in writing names the stream.

    It is as the stream itself until `escapes` is set. `bars` lets those of tqdm through, which
    begin with a carriage return.
    """

    def __init__(self, stream: TextIO, name: str, *, bars: bool, escapes: bool = True) -> None:
        self._stream = stream
        self._name = name
        self._bars = bars
        self.escapes = escapes

    def write(self, text: str) -> int:
        """Writes, and returns how many characters it was given."""
        shown = self._shown(text) if self.escapes else text
        with self._named():
            try:
                self._stream.write(shown)
            except UnicodeEncodeError:  # such as an arrow in ASCII
                self._stream.write(_NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], shown))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Writes each."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Writes what the stream holds back."""
        with self._named():
            self._stream.flush()

    def _shown(self, text: str) -> str:
        if self._bars and _BAR_MOVES.fullmatch(text):
            return text
        start = "\r" if self._bars and text.startswith("\r") else ""
        return start + printable(text.removeprefix(start))

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            error.filename = error.filename or self._name
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

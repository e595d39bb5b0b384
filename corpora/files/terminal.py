"""Print safely: escape control codes in all output, and show progress."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from tqdm import tqdm

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


@cache
def warn_once(message: str) -> None:
    """Warn of what a reader finds, once a message: a conversion reads its input twice."""
    logging.getLogger(__name__).warning("%s", message)


def printable(text: str) -> str:
    r"""Escape control characters, and those without an encoding, as \uXXXX.

    JSON knows that escape, so that printed JSON stays what it is.
    """
    return _UNSHOWN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """Join a text to one line: control codes and half surrogate pairs become blanks, marks without
    width (soft hyphens, joiners, directions) nothing."""
    blanks = ((c, "" if unicodedata.category(c) == "Cf" else " ") for c in text)
    return " ".join("".join(c if c.isprintable() else blank for c, blank in blanks).split())


def shorten(text: str, most: int = 60) -> str:
    """Quote and shorten a text for an error's line."""
    return repr(text if len(text) <= most else text[: most - 3] + "...")


def guard_streams(*, escapes: bool = True) -> None:
    """Replace sys.stdout and sys.stderr by streams that, if `escapes`, escape control codes."""
    sys.stdout = cast(TextIO, PrintableStream(sys.stdout, STDOUT, bars=False, escapes=escapes))
    sys.stderr = cast(TextIO, PrintableStream(sys.stderr, STDERR, bars=True, escapes=escapes))


def write_styled(text: str) -> None:
    """Write coloured text to standard output without escaping; its content must be `printable`."""
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
    """A standard stream with escaped control codes and its name in errors.

    Passes text through unless `escapes` is set. `bars` lets tqdm's carriage returns through.
    """

    def __init__(self, stream: TextIO, name: str, *, bars: bool, escapes: bool = True) -> None:
        self._stream = stream
        self._name = name
        self._bars = bars
        self.escapes = escapes

    def write(self, text: str) -> int:
        """Write text and return its length."""
        shown = text
        if self.escapes and not (self._bars and _BAR_MOVES.fullmatch(text)):
            start = "\r" if self._bars and text.startswith("\r") else ""
            shown = start + printable(text.removeprefix(start))
        with self._name_errors():
            try:
                self._stream.write(shown)
            except UnicodeEncodeError:  # such as an arrow in ASCII
                self._stream.write(_NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], shown))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each line."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Flush the stream."""
        with self._name_errors():
            self._stream.flush()

    @contextmanager
    def _name_errors(self) -> Iterator[None]:
        """Name this stream as the file of any `OSError` in the block."""
        try:
            yield
        except OSError as error:
            error.filename = error.filename or self._name
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


_EVERY = 10.0
"""Seconds between two lines, and before the first."""


@cache
def _line_bar() -> type[tqdm[Any]]:
    """Define the bar for logs, which writes a line for each of its states."""
    from tqdm import tqdm

    class Lines(tqdm):  # type: ignore[type-arg]
        """A bar with a line for each of its states, for logs."""

        def __init__(self, *args: Any, **options: Any) -> None:
            self._next = time.monotonic() + _EVERY
            # Each update looks at the clock: a step may take longer than all before it.
            super().__init__(
                *args, **{**options, "miniters": 1, "mininterval": 1.0, "delay": 0, "ascii": True}
            )

        def display(self, msg: str | None = None, pos: int | None = None) -> None:
            """Write the state, where it is time."""
            now = time.monotonic()
            if now >= self._next and msg != "":
                self._next = now + _EVERY
                print(str(self).strip(), file=self.fp, flush=True)

        def close(self) -> None:
            """End without a last line; the command prints its own."""
            if not self.disable:
                self.disable = True
                self._decr_instances(self)  # type: ignore[attr-defined]

    return Lines


_never = False


def hide_progress(hidden: bool) -> None:
    """Hide the bars that are made from now on, or show them, as a command's options say."""
    global _never
    _never = hidden


def progress_bar(
    items: Iterable[Any] | None = None,
    *,
    hidden: bool | None = None,
    delay: float = 2.0,
    **how: Any,
) -> tqdm[Any]:
    """Make a bar on standard error for work of more than `delay` seconds; `how` is tqdm's.

    Off a terminal it writes lines; where `hidden` is None it shows nothing there.
    """
    from tqdm import tqdm  # takes a tenth of the time of a help

    hidden = _never or hidden
    lines = hidden is False and not sys.stderr.isatty()
    make = _line_bar() if lines else tqdm
    bar: tqdm[Any] = make(
        items, disable=hidden, delay=delay, file=sys.stderr, **{"leave": False, **how}
    )
    return bar

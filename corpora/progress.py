"""Progress of whatever takes long: a bar on a terminal, elsewhere a line each ten seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm

_EVERY = 10.0
"""Seconds between two lines, and before the first."""


class _Lines(tqdm):  # type: ignore[type-arg]
    """A bar that writes each of its states as a line of its own, for logs."""

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
        """End without a last line; the command says what it did."""
        if not self.disable:
            self.disable = True
            self._decr_instances(self)  # type: ignore[attr-defined]


def progress_bar(
    items: Iterable[Any] | None = None,
    *,
    hidden: bool | None = None,
    delay: float = 2.0,
    **how: Any,
) -> tqdm[Any]:
    """Make a bar on standard error for what takes longer than `delay` seconds; `how` is tqdm's.

    Off a terminal it writes lines; where `hidden` is None it shows nothing there.
    """
    lines = hidden is False and not sys.stderr.isatty()
    make = _Lines if lines else tqdm
    bar: tqdm[Any] = make(
        items, disable=hidden, delay=delay, file=sys.stderr, **{"leave": False, **how}
    )
    return bar

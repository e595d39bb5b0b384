"""Python's search for cycles among objects, spared where there are none or where all stays."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_search_for_cycles() -> Iterator[None]:
    """For what makes many objects that stay: to seek cycles takes up to a third of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def leave_out_what_is_loaded() -> None:
    """No search goes through what is there by now, a few 100,000 objects of libraries, until the
    process ends: duckdb complains of what is not freed then.

    For a process that has loaded what it needs, and is not its caller's: nothing of that is freed
    before. A process that has left out something already is left as it is.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        atexit.register(gc.unfreeze)

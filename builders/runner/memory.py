"""Memory that the C library keeps with the process, or gives back to the system.

It gives what is free at the end of the heap back to the system, which must then fill it with zeros
again for the next layer of a network: a tenth of what it takes to read names. What is free between
things in use it keeps for ever.
"""

from __future__ import annotations

import ctypes
import gc
from typing import Any

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_FROM_HEAP = 32 << 20
"""Bytes; smaller matrices are taken from the heap. glibc takes no larger number."""
_KEPT = 256 << 20
"""Free bytes at the end of the heap that are not given back: with 64 MiB nearly all still are."""


def keep_freed() -> bool:
    """Whether memory that is given back stays with the process from now on: in glibc, whose
    thresholds these are, and in no other C library."""
    limits = ((_MMAP_THRESHOLD, _FROM_HEAP), (_TRIM_THRESHOLD, _KEPT))
    mallopt = _of_glibc("mallopt")
    return mallopt is not None and all(mallopt(which, size) == 1 for which, size in limits)


def give_back() -> None:
    """Gives all that is free back to the system; for the end of a long work, since it takes a
    moment. Does no more than collect what nothing refers to where the C library is not glibc."""
    gc.collect()
    trim = _of_glibc("malloc_trim")
    if trim is not None:
        trim(0)


def _of_glibc(name: str) -> Any:
    try:
        return getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):  # musl, macOS, Windows
        return None

"""Keeps with the process the memory that networks take and give back at each layer.

The C library gives what is free at the end of the heap back to the system, which must then fill it
with zeros again for the next layer: a tenth of what it takes to read names.
"""

from __future__ import annotations

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_FROM_HEAP = 32 << 20
"""Bytes; smaller matrices are taken from the heap. glibc takes no larger number."""
_KEPT = 256 << 20
"""Free bytes at the end of the heap that are not given back: with 64 MiB nearly all still are."""


def keep_freed() -> bool:
    """Whether memory that is given back stays with the process from now on: in glibc, whose
    thresholds these are, and in no other C library."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # musl, macOS, Windows
        return False
    limits = ((_MMAP_THRESHOLD, _FROM_HEAP), (_TRIM_THRESHOLD, _KEPT))
    return all(mallopt(which, size) == 1 for which, size in limits)

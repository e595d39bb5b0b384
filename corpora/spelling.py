"""Suggest the known name that is nearest to an unknown one, for errors."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LIKE = 0.7  # `nope` is not to be taken for `not_prose`


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`, did you mean NEAR?` with the nearest of the known names, or nothing where none is near."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=_LIKE)
    return f", did you mean {near[0]}?" if near else ""

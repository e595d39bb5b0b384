"""Checks names that come from data before any of them becomes a path."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_PLAIN = re.compile(r"\w[\w.-]{0,99}")
_LONGEST = 1000
"""Characters of a relative path."""


def is_plain(name: str) -> bool:
    """Whether a name is like an identifier: letters, digits, _, and inside it - and . too.

    At most 100 characters, so that with an ending it is a file's name everywhere. What a split is
    called must be so.
    """
    return _PLAIN.fullmatch(name) is not None


def is_below(name: str) -> bool:
    """Whether a name is that of a file in or below the folder that it is looked for in.

    Links are not looked at: whoever laid out the folder made them, and not who wrote the name.
    """
    parts = PurePosixPath(name).parts
    return (
        len(name) <= _LONGEST
        and name.isprintable()
        and name == "/".join(parts)
        and bool(parts)
        and not {"..", "/"} & set(parts)
        and all(len(part.encode()) <= 255 for part in parts)
    )

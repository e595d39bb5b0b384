r"""Matches regular expressions that a user or a model's file gives, in linear time.

Python's own engine takes time without end for (a+)+$ on a name of thirty letters. RE2 never does;
it lacks back-references and look-around, and its \w, \d and \s are those of ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

GENRE = re.compile("([^/]+)/")
"""The first part of a document's name, where it is a path such as nw/wsj/00/wsj_0037."""

LONGEST = 1_000
"""Characters of an expression."""


def given(source: str) -> re.Pattern[str]:
    """Compile somebody's expression by RE2; raises `ValueError` that says why it is none."""
    if source == GENRE.pattern:
        return GENRE
    if len(source) > LONGEST:
        raise ValueError(f"over {LONGEST:,} characters long")
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(source, options)  # type: ignore[no-any-return]
    except (re2.error, UnicodeError) as error:
        said = error.args[0].decode() if isinstance(error.args[0], bytes) else error
        raise ValueError(f"{said}; look-around and back-references are not known here") from None


def firsts(pattern: re.Pattern[str], names: Sequence[str]) -> list[str | None]:
    """Of each name what the first group matches from its start (all, without a group), or None."""
    # RE2 takes no half surrogate pairs.
    matches = (pattern.match(name.encode("utf-8", "replace").decode()) for name in names)
    number = 1 if pattern.groups else 0
    return [None if match is None else match[number] or "" for match in matches]

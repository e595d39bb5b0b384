r"""Matches regular expressions that a user or a model's file gives, in linear time.

Python's own engine takes time without end for (a+)+$ on a name of thirty letters. RE2, which comes
with DuckDB, never does; it lacks back-references and look-around, which are refused in one line,
and its \w, \d and \s are those of ASCII.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # takes longer to import than a score without such an expression
    import duckdb

GENRE = re.compile("([^/]+)/")
"""The first part of a document's name, where it is a path such as nw/wsj/00/wsj_0037."""

LONGEST = 1_000
"""Characters of an expression."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """An expression that both Python and RE2 take; `groups` is how many it has."""

    source: str
    groups: int


AnyPattern = re.Pattern[str] | Pattern
"""One of ours, which is known to be harmless, or one that somebody gave."""


def given(source: str) -> AnyPattern:
    """The expression that somebody gave; raises `ValueError` that says why it is none."""
    if source == GENRE.pattern:
        return GENRE
    if not source:
        return re.compile(source)
    import duckdb

    if len(source) > LONGEST:
        raise ValueError(f"over {LONGEST:,} characters long")
    try:
        made = Pattern(source, re.compile(source).groups)
    except RecursionError:
        raise ValueError("brackets in brackets without end") from None
    except (re.error, OverflowError) as error:
        raise ValueError(str(error)) from None
    try:
        _matches(made, ("",))
    except duckdb.Error as error:
        said = str(error).partition("Error: ")[2] or str(error)
        raise ValueError(
            f"{' '.join(said.split())}; look-around and back-references are not known here"
        ) from None
    return made


def firsts(pattern: AnyPattern, names: Sequence[str]) -> list[str | None]:
    """Of each name what the first group matches from its start (all, without a group), or None."""
    if isinstance(pattern, Pattern):
        found = _matches(pattern, tuple(dict.fromkeys(names)))
        return [found[name] for name in names]
    matches = map(pattern.match, names)
    number = 1 if pattern.groups else 0
    return [None if match is None else match[number] or "" for match in matches]


@lru_cache(maxsize=1 << 14)
def _matches(pattern: Pattern, names: Iterable[str]) -> dict[str, str | None]:
    # Half a surrogate pair cannot be handed over.
    plain = [name.encode("utf-8", "replace").decode() for name in names]
    rows = (
        _base(os.getpid())
        .execute(
            "SELECT regexp_matches(name, $pattern), regexp_extract(name, $pattern, $number)"
            " FROM (SELECT unnest($names::VARCHAR[]) AS name)",
            {
                "pattern": rf"\A(?:{pattern.source})",
                "number": 1 if pattern.groups else 0,
                "names": plain,
            },
        )
        .fetchall()
    )
    return {name: text if there else None for name, (there, text) in zip(names, rows, strict=True)}


@lru_cache(maxsize=1)
def _base(process: int) -> duckdb.DuckDBPyConnection:
    """A database in memory; a process that was forked takes its own."""
    import duckdb

    return duckdb.connect(config={"threads": 1, "preserve_insertion_order": True})

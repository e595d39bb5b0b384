"""Finds the fields that a record has lost by being written in a format and read again.

`convert.run` counts them, so that a user learns what the format could not carry.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any


def lost(before: Any, after: Any) -> set[str]:
    """The fields that held something before and hold something else, or nothing, after.

    Named as a user knows them: `text`, `source.title`, `sentences.tokens.lemma`, `meta.tokens`.
    Clusters and the mentions in them are compared without their order, which says nothing.
    """
    return {name.removeprefix(".") for name in _lost(before, after, "")}


def _lost(before: Any, after: Any, name: str) -> Iterator[str]:
    if before == after or _nothing(before):
        return
    if is_dataclass(before) and type(before) is type(after):
        for field in fields(before):
            old, new = getattr(before, field.name), getattr(after, field.name)
            yield from _lost(old, new, f"{name}.{field.name}")
    elif isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            yield from _lost(value, after.get(key), f"{name}.{key}")
    elif name.endswith(".clusters"):
        if {frozenset(cluster) for cluster in before} != {frozenset(c) for c in after or ()}:
            yield name
    elif (
        isinstance(before, tuple)
        and isinstance(after, tuple)
        and len(before) == len(after)
        and is_dataclass(before[0])
    ):
        for old, new in zip(before, after, strict=True):
            yield from _lost(old, new, name)
    else:
        yield name


def _nothing(value: Any) -> bool:
    return value is None or value in ("", (), [], {})

"""The TOML tables of the languages."""

from __future__ import annotations

from functools import cache
from typing import Any

from corefmill.corpora import beside


@cache
def table(lang: str, name: str) -> dict[str, Any]:
    """The table NAME.toml of a language's folder."""
    return beside.table(__file__, f"{lang}/{name}")

"""The TOML tables of the languages, each read once."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def table(lang: str, name: str) -> dict[str, Any]:
    """The table NAME.toml of a language's folder; it is shared, so nobody changes it."""
    file = resources.files(f"corefmill.rules.{lang}").joinpath(f"{name}.toml")
    return tomllib.loads(file.read_text("utf-8"))

"""Read the TOML tables that lie beside the code, which a linguist edits: words, labels, codes."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def table(module: str, name: str) -> dict[str, Any]:
    """The table NAME.toml in the folder of a module, whose `__file__` is given.

    It is read once and shared, so nobody changes it.
    """
    return tomllib.loads((Path(module).parent / f"{name}.toml").read_text("utf-8"))

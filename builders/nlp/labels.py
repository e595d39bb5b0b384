"""The names of the kinds of entity: each pipeline and corpus has its own, the project has one."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources


@cache
def _table() -> dict[str, str]:
    text = resources.files("corefmill.builders.nlp").joinpath("labels.toml").read_text("utf-8")
    return {label: ours for ours, theirs in tomllib.loads(text).items() for label in theirs}


def ours(label: str) -> str:
    """The project's label for a pipeline's or a corpus's; one that is not listed stays."""
    return _table().get(label, label)

"""Options, declared once: the command line, Python's keywords and the card read the same fields.

A command or a builder annotates a parameter or a field with `Option` or `Argument`. This module
imports nothing heavy, so that a help is shown at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

Complete: TypeAlias = Callable[[str], Iterable[str]]
"""Values that begin with the text typed so far."""


class Option:
    """What a command line has to know of an option besides its type and default.

    `names` replace the name of the field. `check` takes the value and returns it, or raises
    `UsageError`; `parse` makes it of the text typed. `default` is the default in words.
    """

    def __init__(
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        default: str | None = None,
        panel: str | None = None,
        complete: Complete | None = None,
        check: Callable[[Any], Any] | None = None,
        parse: Callable[[str], Any] | None = None,
    ) -> None:
        self.names, self.help, self.metavar, self.default = names, help, metavar, default
        self.min, self.max, self.panel = min, max, panel
        self.complete, self.check, self.parse = complete, check, parse


class Argument(Option):
    """The same of a value that stands without a name."""


def split_names(text: str) -> list[str]:
    """Split a list of names at its commas."""
    return [name.strip() for name in text.split(",") if name.strip()]

"""Imports what prints a help, without what rich needs for Markdown and for tracebacks.

`typer.rich_utils` imports both, which takes twice as long as all else of a help; no help here is
Markdown, and `corefmill.cli.shell` says what went wrong.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from types import ModuleType

_UNUSED = ("rich.markdown", "rich.traceback")


class _Unused(ModuleType):
    """Stands for a module of which a class is imported and not used."""

    def __getattr__(self, name: str) -> type:
        return type(name, (), {})


def import_help() -> None:
    """Imports `typer.rich_utils`; whoever imports the two modules later gets them as they are."""
    absent = [name for name in _UNUSED if name not in sys.modules]
    sys.modules.update({name: _Unused(name) for name in absent})
    try:
        with suppress(ImportError):  # typer without rich
            import typer.rich_utils  # noqa: F401
    finally:
        for name in absent:
            del sys.modules[name]

"""How every command ends: an error of the user's is one line and exit code 2."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, cast

import typer

from corpora.errors import CorefmillError

# A command line that does not parse. Typer names one sort of it only, and brings its own click.
_Unparsable = cast(type[Exception], typer.BadParameter.__base__)


def run(load: Callable[[], typer.Typer], name: str) -> None:
    """Runs a command line; exits with 0, 2 for what the user can mend, 130 when interrupted.

    `load` gives the command: what takes long to import is imported where Ctrl-C is minded.
    """
    try:
        code = load()(prog_name=name, standalone_mode=False)
    except _Unparsable as error:
        _explain(error, name)
        sys.exit(2)
    except CorefmillError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(getattr(error, "exit_code", 2))
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    if code == 130:  # typer catches Ctrl-C
        print(f"{name}: interrupted", file=sys.stderr)
    sys.exit(code)


def _explain(error: Any, name: str) -> None:
    """One line, but for a command alone, which shows its help."""
    said = error.format_message().strip()
    if type(error).__name__ != "NoArgsIsHelpError":
        where = name if error.ctx is None else error.ctx.command_path
        said = f"{name}: {' '.join(said.split()).rstrip('.')} ({where} --help explains)"
    if said:
        print(said, file=sys.stderr)

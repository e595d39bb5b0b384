"""How every command ends: an error of the user's is one line and exit code 2."""

from __future__ import annotations

import os
import sys

import typer

from corpora.errors import CorefmillError


def run(app: typer.Typer, name: str) -> None:
    """Runs a command line; exits with 0, 2 for what the user can mend, 130 when interrupted."""
    try:
        app(prog_name=name)
    except CorefmillError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(getattr(error, "exit_code", 2))
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)

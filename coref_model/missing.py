"""Says in one line which packages of the `train` extra are not installed."""

from __future__ import annotations

from importlib.util import find_spec

from corefmill.corpora.files.errors import UsageError, install_command

TRAINING = ("torch", "transformers", "safetensors", "accelerate", "tomli_w")
"""Packages that no training, evaluation or prediction by command does without."""


def need(*packages: str) -> None:
    """Raise UsageError for missing `packages` (import names); imports none."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise UsageError(
            f"this needs {', '.join(missing)}, not installed here",
            remedy=install_command("train"),
        )

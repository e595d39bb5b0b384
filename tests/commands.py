"""Runs the console scripts as a user would, and finds the real data where there is some."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"


def command(
    name: str, *arguments: str | Path, cwd: Path | None = None, **more: object
) -> subprocess.CompletedProcess[str]:
    """Runs an installed console script; its output is captured as text."""
    script = Path(sys.executable).with_name(name)
    return subprocess.run(
        [str(script), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=600,
        check=False,
        **more,  # type: ignore[call-overload]
    )


def shared(*parts: str) -> Path:
    """A path below ../shared; skips the test, with the reason, where it is missing."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(('../shared', *parts))}, which is not here")
    return path

"""How corefmill was installed, and so how pip adds the packages of an extra to it."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit


def install_command(extra: str) -> str:
    """Write the command that installs the packages of `extra` beside the corefmill that runs."""
    checkout = Path(__file__).parents[2]
    if (checkout / "pyproject.toml").is_file():
        return f"{_pip()} install -e {shlex.quote(f'{checkout}[{extra}]')}"
    return f"{_pip()} install {shlex.quote(_requirement(extra))}"


def _pip() -> str:
    """Name the pip of this Python: a shell may find that of another one, or none."""
    found = shutil.which("pip")
    if found and Path(found).parent == Path(sys.executable).parent:
        return "pip"
    return f"{shlex.quote(sys.executable)} -m pip"


def _requirement(extra: str) -> str:
    name = f"corefmill[{extra}]"
    try:
        # pip leaves this file where a wheel, a folder or a repository was named, not an index.
        origin = json.loads(distribution("corefmill").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    url = urlsplit(origin.get("url", ""))
    if url.scheme == "file":
        path = Path(unquote(url.path))
        return f"{path if path.exists() else path.name}[{extra}]"  # a name to look for, if it went
    if url.scheme:
        vcs = origin.get("vcs_info", {}).get("vcs")
        return f"{name} @ {f'{vcs}+' if vcs else ''}{url.geturl()}"
    return name

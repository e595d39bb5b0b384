"""Programs of Apertium's names that are ours, and a data folder whose one direction they make."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

_ECHO = """
import sys
rest, number = b"", 0
while data := sys.stdin.buffer.read1(1 << 16):
    *texts, rest = (rest + data).split(b"\\0")
    for text in texts:
        number += 1
        {body}
        sys.stdout.buffer.write(text.replace(b"dog", b"cane") + b"\\0")
    sys.stdout.buffer.flush()
"""
MODE = "lt-proc $1 'a b.bin' | apertium-pretransfer $2\n"


def program(folder: Path, name: str, body: str = "pass") -> None:
    """Puts a program below `folder` that does `body` to each text, and dog is cane."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{_ECHO.format(body=body)}", "utf-8")
    path.chmod(0o755)


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str = "pass") -> Path:
    """A data folder with one direction, en to it, by programs of ours; the second does `body`."""
    for name in ("lt-proc", "apertium-tagger"):
        program(folder, name)
    program(folder, "apertium-pretransfer", body)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    (folder / "modes").mkdir()
    (folder / "a b.bin").write_bytes(b"data")
    (folder / "modes" / "eng-ita.mode").write_text(MODE)
    (folder / "modes" / "eng-ita_variant.mode").write_text("lt-proc\n")
    return folder

"""What is wrong with how an attack ended."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
import stat
from pathlib import Path

from tests.attacks.attack import Attack, Result

# Control codes but for tab and newline, C1 codes, and the marks that turn the direction of text.
_ON_TERMINAL = re.compile(
    "[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_BAR = re.compile(r"\r[^\r\n]*(it/s|s/it|B/s|\?|%|\d+:\d\d)[^\r\n]*")
_HALF = re.compile(r"^\.?.*\.(tmp|partial)$")  # .part of a download is gone on with
_LONGEST = 2500

Snapshot = dict[str, tuple[object, ...]]


def snapshot(base: Path) -> Snapshot:
    """All below a folder: what it is, its rights, and its bytes."""
    found: Snapshot = {}
    for folder, folders, files in os.walk(base):  # order: a dictionary by path
        for name in (*folders, *files):
            path = Path(folder, name)
            there = path.lstat()
            kind = stat.S_IFMT(there.st_mode)
            held: object = ""
            if stat.S_ISREG(kind):
                held = (
                    hashlib.sha256(path.read_bytes()).hexdigest()
                    if there.st_size < 1 << 22
                    else (there.st_size, there.st_mtime_ns)
                )
            elif stat.S_ISLNK(kind):
                held = str(path.readlink())
            found[os.path.relpath(path, base)] = (kind, stat.S_IMODE(there.st_mode), held)
    return found


def complaints(attack: Attack, result: Result, before: Snapshot, after: Snapshot) -> list[str]:
    """Everything that is wrong, none where the attack was survived."""
    said = [result.fate] if result.fate else []
    text = result.text
    if not result.fate and result.code not in attack.codes:
        said.append(f"exit code {result.code}")
    if "Traceback (most recent call last)" in text or "Exception ignored" in text:
        said.append("traceback")
    if "internal error" in text:
        said.append("internal error")
    if found := _ON_TERMINAL.search(text):
        said.append(f"on the terminal: {found[0]!r}")
    elif "\r" in _BAR.sub("", text):
        said.append("on the terminal: '\\r'")
    said += _refusal(attack, result)
    return said + changed(attack, before, after, killed=result.code < 0)


def _refusal(attack: Attack, result: Result) -> list[str]:
    """A refusal is a line that begins with the command's name; a command alone shows its help."""
    if result.code != 2 or result.fate or len(attack.argv) == 1:
        return []
    lines = result.err.decode("utf-8", "backslashreplace").splitlines()
    name = "" if attack.argv[0] == "python" else attack.argv[0]
    if not lines or not lines[-1].startswith(name):
        return ["exit code 2 without a line"]
    return ["a line without end"] if max(map(len, lines)) > _LONGEST else []


def changed(
    attack: Attack, before: Snapshot, after: Snapshot, *, killed: bool = False
) -> list[str]:
    """What was written or lost that had to stay, and what was left half-written."""
    said = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old == new or name.startswith("home") or name == "tmp/said":
            continue
        if old is not None and not _allowed(attack, name):
            said.append(f"{'removed' if new is None else 'replaced'}: {name}")
        elif old is None and killed and ("/.out" in name or name.startswith("tmp/")):
            continue  # a draft beside what was to be written
        elif old is None and not _allowed(attack, name):
            said.append(f"written outside of its output: {name}")
        elif old is None and not killed and _is_half_written(Path(name)):
            said.append(f"half-written: {name}")
    return [ascii(one)[1:-1] for one in said[:3]]


def _is_half_written(path: Path) -> bool:
    return _HALF.match(path.name) is not None and ".corefmill" not in path.parts


def _allowed(attack: Attack, name: str) -> bool:
    return any(
        fnmatch.fnmatchcase(name, f"at/{pattern}") or fnmatch.fnmatchcase(name, f"at/{pattern}/*")
        for pattern in attack.writes
    )

"""Apertium's directions: where they are installed, and the programs of each, which are checked."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corefmill.corpora import beside
from corefmill.corpora.errors import UsageError
from corefmill.corpora.printable import shown

INSTALL = "sudo apt-get install apertium-eng-cat apertium-cat-ita"
FOLDERS = (Path("/usr/share/apertium"), Path("/usr/local/share/apertium"))


@dataclass(frozen=True, slots=True)
class ApertiumMode:
    """One installed direction: its languages as ISO 639-1 where they have it, and its file.

    Modes name languages by ISO 639-3 today, by 639-1 in older packages.
    """

    source: str
    target: str
    path: Path

    @property
    def folder(self) -> Path:
        """The data folder that it belongs to, in whose `modes` it lies."""
        return self.path.parent.parent


@dataclass(frozen=True, slots=True)
class Program:
    """One program of a mode, which answers each NUL-ended text with one of its own.

    `files` are the data that it reads. One that does not `forget` answers otherwise after other
    texts, so it must be started anew for each.
    """

    command: tuple[str, ...]
    files: tuple[Path, ...]
    forgets: bool


def modes(folder: Path | None = None) -> list[ApertiumMode]:
    """The plain directions (no variants) below a data folder, or where Apertium installs them."""
    named = os.environ.get("APERTIUM_DATADIR")
    codes = {long: short for short, long in beside.table(__file__, "languages")["iso639_3"].items()}
    found: dict[tuple[str, str], ApertiumMode] = {}
    for place in [folder] if folder else [*([Path(named)] if named else []), *FOLDERS]:
        for path in sorted((place / "modes").glob("*.mode")):
            pair = path.stem.split("-")
            if len(pair) == 2 and all(code.isalpha() for code in pair) and path.is_file():
                source, target = (codes.get(code, code) for code in pair)
                found.setdefault((source, target), ApertiumMode(source, target, path))
    return list(found.values())


def route(source: str, target: str, there: Sequence[ApertiumMode]) -> list[ApertiumMode]:
    """The shortest chain of directions from one language to another, empty where there is none."""
    ways: dict[str, list[ApertiumMode]] = {source: []}
    for known in range(len(there) + 1):
        if target in ways or known == len(ways):
            break
        for language, way in list(ways.items()):
            for mode in there:
                if mode.source == language and mode.target not in ways:
                    ways[mode.target] = [*way, mode]
    return ways.get(target, [])


def programs(mode: ApertiumMode, marks: str) -> list[Program]:
    """The programs of a direction in their order.

    A mode is a line of shell that may come from anywhere, so nothing of it is run but programs of
    the table, with options of the table and files of the mode's own data folder.

    Args:
        marks: the option of lt-proc that stands for $1: -g (unknown words are marked) or -n.

    Raises:
        UsageError: the mode cannot be read, asks for more than that, or needs a program or a file
            that is not there.
    """
    parts: list[list[str]] = [[]]
    try:
        words = shlex.shlex(mode.path.read_text("utf-8"), posix=True, punctuation_chars="|")
        words.whitespace_split, words.commenters = True, ""
        for word in words:
            if word == "|":
                parts.append([])
            elif word != "$2":
                parts[-1].append(marks if word == "$1" else word)
    except ValueError as error:
        raise _wrong(mode, f"cannot be read: {error}") from error
    return [_program(mode, part) for part in parts]


def _program(mode: ApertiumMode, words: Sequence[str]) -> Program:
    if not words:
        raise _wrong(mode, "has an empty place for a program")
    name, *arguments = words
    known = beside.table(__file__, "apertium")["programs"].get(name)
    if known is None:
        raise _wrong(mode, f"names {shown(name)}, which is no program of Apertium's")
    options = [word for word in arguments if word.startswith("-")]
    for option in options:
        if not re.fullmatch(f"-[{known['options']}]+", option):
            raise _wrong(mode, f"gives {name} the option {shown(option)}, which it may not")
    files = tuple(_file(mode, word) for word in arguments if not word.startswith("-"))
    if len(files) != known["files"]:
        raise _wrong(mode, f"gives {name} {len(files)} files, which takes {known['files']}")
    if shutil.which(name) is None:
        raise _wrong(mode, f"needs {name}, which is not there", f"install it: {INSTALL}")
    forgets = known.get("forgets_with", "")
    return Program(
        (name, "-z", *options, *map(str, files)),
        files,
        not forgets or any(forgets in option for option in options),
    )


def _file(mode: ApertiumMode, word: str) -> Path:
    """A file of data, by its whole name without links, which must not lead out of the folder."""
    try:
        path = (mode.folder / word).resolve()
        inside = path.is_relative_to(mode.folder.resolve())
        if inside and path.is_file():
            return path
    except (OSError, ValueError, RuntimeError) as error:  # a loop of links, a name too long
        raise _wrong(mode, f"names {shown(word)}, which cannot be read") from error
    raise _wrong(
        mode,
        f"names {shown(word)}, which is not there"
        if inside
        else f"names {shown(word)}, which is not in its folder {mode.folder}",
    )


def _wrong(mode: ApertiumMode, what: str, remedy: str = "install the pair anew") -> UsageError:
    return UsageError(what, path=mode.path, remedy=remedy)

"""Apertium, by the pairs that are installed, over a third language where no pair is direct."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from builders.nlp import digest
from builders.translation.coprocess import Broken, Coprocess
from builders.translation.pieces import by_pieces
from builders.translation.protocol import as_many, one_line, shown
from corpora.errors import DataError, UsageError

INSTALL = "sudo apt-get install apertium-eng-cat apertium-cat-ita"
FOLDERS = (Path("/usr/share/apertium"), Path("/usr/local/share/apertium"))

# What the stream between Apertium's programs reserves, escaped as apertium-destxt does.
_RESERVED = re.compile(r"[\[\]{}^$/\\@<>]")
# A tilde would wake the post-generator, so it goes through as a blank does.
_ESCAPED = re.compile(r"\\(.)|\[(~)\]")
# An unknown word (*), one without a translation (@) or without the form that was asked for (#).
_MARK = re.compile(r"(?<!\\)[*@#](?=\w)")
# The only programs that a mode, which may come from anywhere, is let start.
_PROGRAM = re.compile(r"apertium(-[a-z0-9]+)+|[a-z]+-proc[0-9]?")
_PIECE = 2000
"""Code points that go at once: some programs of the chain take quadratic time."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One installed direction: its languages as ISO 639-1 where they have it, and its programs."""

    source: str
    target: str
    path: Path


def modes(folder: Path | None = None) -> list[Mode]:
    """The plain directions (no variants) below a data folder, or where Apertium installs them."""
    named = os.environ.get("APERTIUM_DATADIR")
    table = tomllib.loads(
        resources.files("builders.translation").joinpath("apertium.toml").read_text("utf-8")
    )
    codes = {long: short for short, long in table.items()}
    found: dict[tuple[str, str], Mode] = {}
    for place in [folder] if folder else [*([Path(named)] if named else []), *FOLDERS]:
        for path in sorted((place / "modes").glob("*.mode")):
            pair = path.stem.split("-")
            if len(pair) == 2 and all(code.isalpha() for code in pair):
                source, target = (codes.get(code, code) for code in pair)
                found.setdefault((source, target), Mode(source, target, path))
    return list(found.values())


def route(source: str, target: str, there: Sequence[Mode]) -> list[Mode]:
    """The shortest chain of directions from one language to another, empty where there is none."""
    ways: dict[str, list[Mode]] = {source: []}
    for known in range(len(there) + 1):
        if target in ways or known == len(ways):
            break
        for language, way in list(ways.items()):
            for mode in there:
                if mode.source == language and mode.target not in ways:
                    ways[mode.target] = [*way, mode]
    return ways.get(target, [])


class Apertium:
    """Translates by coprocesses that live as long as the object; nothing runs before it is asked.

    `model` is a data folder with `modes` in it. Raises `UsageError` where no chain of installed
    directions leads from `source` to `target`, or a program of one is missing.
    """

    def __init__(
        self,
        source: str = "en",
        target: str = "it",
        *,
        model: Path | None = None,
        patience: float = 120,
    ) -> None:
        way = route(source, target, modes(model))
        if not way:
            raise UsageError(
                f"apertium has no way from {source!r} to {target!r}"
                + (f" below {model}" if model else ""),
                remedy=f"install one: {INSTALL}"
                if (source, target) == ("en", "it")
                else "`apertium -l` lists what is installed",
            )
        self.source, self.target = source, target
        self.name = "apertium " + " ".join(mode.path.stem for mode in way)
        self._plain = [Coprocess(commands(mode, "-n"), patience=patience) for mode in way]
        self._marking = [Coprocess(commands(mode, "-g"), patience=patience) for mode in way]
        files = {path for mode in way for path in _files(mode)}
        self.fingerprint = "apertium " + digest.of_files(
            (path.name, path) for path in sorted(files)
        )

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it; a text of more than 2,000 code points goes in pieces."""
        lines = [one_line(text) for text in texts]
        found = [_unescaped(piece) for piece in self._through(self._plain, lines)]
        return as_many(self.name, lines, found)

    def unknown(self, texts: Sequence[str]) -> list[int]:
        """How many words of each text the first pair of the chain does not know."""
        marked = self._through(self._marking[:1], [one_line(text) for text in texts])
        return [len(_MARK.findall(piece)) for piece in marked]

    def close(self) -> None:
        """Ends the programs; they start anew when something is to be translated."""
        for coprocess in [*self._plain, *self._marking]:
            coprocess.close()

    def _through(self, chain: Sequence[Coprocess], lines: Sequence[str]) -> list[str]:
        def translate(pieces: list[str]) -> list[str]:
            escaped = [_escaped(piece) for piece in pieces]
            for coprocess in chain:
                escaped = self._one(coprocess, escaped)
            return escaped

        return by_pieces(lines, _PIECE, translate)

    def _one(self, coprocess: Coprocess, pieces: Sequence[str]) -> list[str]:
        """The pieces (escaped) after one direction."""
        found: list[str] = []
        alone = False
        while len(found) < len(pieces):
            # After a failure the text that was due goes alone, to tell whether it is to blame.
            last = len(found) + 1 if alone else len(pieces)
            asked = [_closed(piece, place) for place, piece in enumerate(pieces)][len(found) : last]
            try:
                for answer in coprocess.ask(asked):
                    found.append(_opened(answer, len(found)))
                alone = False
            except Broken as broken:
                if len(asked) == 1:
                    raise DataError(
                        f"apertium fails on {shown(_unescaped(pieces[len(found)]))}: {broken}",
                        remedy="leave the text out, or translate with another (--translator)",
                    ) from broken
                alone = True
        return found


def _escaped(piece: str) -> str:
    return _RESERVED.sub(r"\\\g<0>", piece).replace("~", "[~]")


def _closed(piece: str, number: int) -> bytes:
    # As apertium-destxt: a full stop ends the last sentence, and what is in brackets goes through
    # as a blank; here it is a number, by which the answer is known to be this text's.
    return f"{piece}.[{number}]".encode()


def _opened(answer: bytes, number: int) -> str:
    if not answer:
        raise Broken("one of its programs gave up")
    text = answer.decode("utf-8", "replace")
    end = f"[{number}]"
    if not text.endswith(end):
        raise Broken("an answer came that is another text's")
    return text.removesuffix(end).rstrip().removesuffix(".").strip()


def _unescaped(piece: str) -> str:
    return one_line(_ESCAPED.sub(lambda match: match[1] or match[2], piece))


def commands(mode: Mode, marks: str) -> list[list[str]]:
    """The programs of a direction with their arguments, each to flush at a NUL.

    `marks` is lt-proc's -g (unknown words marked) or -n. Raises `UsageError` where one is missing,
    or is not Apertium's.
    """
    found: list[list[str]] = [[]]
    words = shlex.shlex(mode.path.read_text("utf-8"), posix=True, punctuation_chars="|")
    words.whitespace_split, words.commenters = True, ""
    try:
        for word in words:
            if word == "|":
                found.append([])
            elif word != "$2":
                found[-1].append(marks if word == "$1" else word)
    except ValueError as error:
        raise UsageError(
            f"{mode.path}: cannot be read: {error}", remedy="install the pair anew"
        ) from error
    for command in found:
        if command and not _PROGRAM.fullmatch(command[0]):
            raise UsageError(
                f"{mode.path}: names {command[0]!r}, which is no program of Apertium's",
                remedy="install the pair anew",
            )
        if not command or shutil.which(command[0]) is None:
            raise UsageError(
                f"{mode.path}: needs {''.join(command[:1]) or 'a program'}, which is not there",
                remedy=f"install it: {INSTALL}",
            )
        command.insert(1, "-z")
    return found


def _files(mode: Mode) -> list[Path]:
    """The mode and the data files that its programs read."""
    named = {Path(word) for command in commands(mode, "-n") for word in command[2:]}
    return [mode.path, *sorted(path for path in named if path.is_file())]

"""Apertium, by the installed pairs, over a third language if no pair is direct."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from corefmill.builders.translate.engines.command import Broken, Coprocess, NotStarted, ask_each
from corefmill.builders.translate.engines.protocol import translate_lines
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import shorten

INSTALL = "sudo apt-get install apertium-eng-cat apertium-cat-ita"
FOLDERS = (Path("/usr/share/apertium"), Path("/usr/local/share/apertium"))

# What the stream between Apertium's programs reserves, escaped as apertium-destxt does.
_RESERVED = re.compile(r"[\[\]{}^$/\\@<>]")
# A tilde would wake the post-generator, so it goes through as a blank does.
_ESCAPED = re.compile(r"\\(.)|\[(~)\]")
_PIECE = 2000
"""Code points that go at once: some programs of the chain take quadratic time."""


@dataclass(frozen=True, slots=True)
class ApertiumMode:
    """One installed direction of translation: its two languages and its mode file.

    Modes name languages by ISO 639-3 today, by 639-1 in older packages.
    """

    source: str
    target: str
    path: Path

    @property
    def folder(self) -> Path:
        """The data folder above its `modes`."""
        return self.path.parent.parent


@dataclass(frozen=True, slots=True)
class Program:
    """One program of a translation mode, with one answer for each NUL-ended text.

    `files` are the data that it reads. A program that does not `forget` answers differently after
    other texts, so it must be restarted for each text.
    """

    command: tuple[str, ...]
    files: tuple[Path, ...]
    forgets: bool


class Apertium:
    """Translator by Apertium's programs, which start with the first text.

    `model` is a data folder with `modes` in it. Raises `UsageError` if no chain of installed
    directions leads from `source` to `target`, if a program of the chain is missing, or if a mode
    file is refused (see `read_programs`).
    """

    def __init__(
        self, source: str = "en", target: str = "it", *, model: Path | None = None
    ) -> None:
        way = find_route(source, target, list_modes(model))
        if not way:
            raise UsageError(
                f"no installed Apertium packages translate from {source!r} to {target!r}"
                + (f" in the data folder {model}" if model else ""),
                remedy=f"install one: {INSTALL}"
                if (source, target) == ("en", "it")
                else "`apertium -l` lists what is installed",
            )
        self.source, self.target = source, target
        self.name = "apertium " + " ".join(mode.path.stem for mode in way)
        plain = [read_programs(mode) for mode in way]
        # Neighbouring programs that `forget` run on as one chain; the others restart for each text.
        self._links = [
            [
                Coprocess([program.command for program in group], lasting=forgets)
                for forgets, group in groupby(direction, attrgetter("forgets"))
            ]
            for direction in plain
        ]
        files = {file for direction in plain for program in direction for file in program.files}
        self.fingerprint = "apertium " + disk.hash_files(
            (path.name, path) for path in sorted(files | {mode.path for mode in way})
        )

    def translate(self, texts: Sequence[str]) -> list[str | DataError]:
        """Translate as the protocol says; a text of more than 2,000 code points goes in pieces."""
        return translate_lines(self.name, texts, _PIECE, self._translate)

    def close(self) -> None:
        """End the programs; the next translation starts them anew."""
        for direction in self._links:
            for link in direction:
                link.close()

    def _translate(self, pieces: list[str]) -> list[str]:
        """Send pieces of text through each direction's programs, protecting reserved characters."""
        escaped = [_RESERVED.sub(r"\\\g<0>", piece).replace("~", "[~]") for piece in pieces]
        for direction in self._links:
            # As apertium-destxt: a full stop ends the last sentence, and text in brackets goes
            # through as a blank: here the text's checksum, which identifies the answer.
            texts = [f"{piece}.".encode() for piece in escaped]
            closed = [text + b"[%d]" % zlib.crc32(text) for text in texts]
            for link in direction:
                closed = _ask_programs(link, closed, pieces)
            answers = [one.removesuffix(_mark(one)).decode("utf-8", "replace") for one in closed]
            escaped = [answer.rstrip().removesuffix(".").strip() for answer in answers]
        return [_ESCAPED.sub(lambda match: match[1] or match[2], answer) for answer in escaped]


def _ask_programs(link: Coprocess, closed: Sequence[bytes], pieces: Sequence[str]) -> list[bytes]:
    """Send texts through a chain of programs, naming the piece of input in each error."""

    def ask(asked: Sequence[bytes]) -> Iterator[bytes]:
        """Yield answers with the checksum of their question; raise `Broken` for any other."""
        for question, answer in zip(asked, link.ask(asked), strict=True):
            if not answer:
                raise Broken("a program of Apertium gave no answer")
            if not answer.endswith(_mark(question)):
                raise Broken("the answer belongs to another text")
            yield answer

    found: list[bytes] = []
    try:
        for piece, answer in zip(pieces, ask_each(link, closed, ask), strict=True):
            if isinstance(answer, Broken):
                raise DataError(
                    f"apertium fails on {shorten(piece)}: {answer}",
                    remedy="leave the text out, or name another translator by --translator",
                ) from answer
            found.append(answer)
    except NotStarted as broken:
        raise UsageError(
            f"apertium fails: {broken}", remedy="repair Apertium and repeat the command"
        ) from broken
    return found


def _mark(closed: bytes) -> bytes:
    """Add a checksum to the end of a text; every program passes it on unchanged."""
    return closed[closed.rindex(b"[") :]


def list_modes(folder: Path | None = None) -> list[ApertiumMode]:
    """List the installed directions (without variants) of a data folder, or of Apertium's own."""
    named = os.environ.get("APERTIUM_DATADIR")
    codes = {
        long: short
        for short, long in disk.read_package_table(__file__, "languages")["iso639_3"].items()
    }
    found: dict[tuple[str, str], ApertiumMode] = {}
    for place in [folder] if folder else [*([Path(named)] if named else []), *FOLDERS]:
        for path in sorted((place / "modes").glob("*.mode")):
            pair = path.stem.split("-")
            if len(pair) == 2 and all(code.isalpha() for code in pair) and path.is_file():
                source, target = (codes.get(code, code) for code in pair)
                found.setdefault((source, target), ApertiumMode(source, target, path))
    return list(found.values())


def find_route(source: str, target: str, there: Sequence[ApertiumMode]) -> list[ApertiumMode]:
    """Find the shortest chain of directions from one language to another, else an empty list."""
    ways: dict[str, list[ApertiumMode]] = {source: []}
    for known in range(len(there) + 1):
        if target in ways or known == len(ways):
            break
        for language, way in list(ways.items()):
            for mode in there:
                if mode.source == language and mode.target not in ways:
                    ways[mode.target] = [*way, mode]
    return ways.get(target, [])


def read_programs(mode: ApertiumMode) -> list[Program]:
    """Read the programs of a direction from its mode file.

    A mode is a line of shell that may come from anywhere. So only programs of the table are run,
    with options of the table and files of the mode's own data folder.

    Raises `UsageError` for a mode that cannot be read, names anything else, or needs a program or a
    file that does not exist.
    """
    parts: list[list[str]] = [[]]
    try:
        words = shlex.shlex(mode.path.read_text("utf-8"), posix=True, punctuation_chars="|")
        words.whitespace_split, words.commenters = True, ""
        for word in words:
            if word == "|":
                parts.append([])
            elif word != "$2":
                # $1 is lt-proc's: unknown words are left unmarked.
                parts[-1].append("-n" if word == "$1" else word)
    except ValueError as error:
        raise _make_error(mode, f"cannot be read: {error}") from error
    return [_check_program(mode, part) for part in parts]


def _check_program(mode: ApertiumMode, words: Sequence[str]) -> Program:
    """Check the words of a program in a mode file: a known name, allowed options, own files."""
    if not words:
        raise _make_error(mode, "has an empty command beside a pipe")
    name, *arguments = words
    known = disk.read_package_table(__file__, "apertium")["programs"].get(name)
    if known is None:
        raise _make_error(mode, f"names {shorten(name)}, which is none of Apertium's programs")
    options = [word for word in arguments if word.startswith("-")]
    for option in options:
        if not re.fullmatch(f"-[{known['options']}]+", option):
            raise _make_error(
                mode, f"gives {name} the option {shorten(option)}, which is not allowed there"
            )
    files = tuple(_resolve_file(mode, word) for word in arguments if not word.startswith("-"))
    if len(files) != known["files"]:
        raise _make_error(mode, f"gives {name} {len(files)} files instead of {known['files']}")
    if shutil.which(name) is None:
        raise _make_error(
            mode, f"needs the program {name}, which is not installed", f"install it: {INSTALL}"
        )
    forgets = known.get("forgets_with", "")
    return Program(
        (name, "-z", *options, *map(str, files)),
        files,
        not forgets or any(forgets in option for option in options),
    )


def _resolve_file(mode: ApertiumMode, word: str) -> Path:
    """Resolve the path of a data file, refusing files outside the mode's folder."""
    try:
        path = (mode.folder / word).resolve()
        inside = path.is_relative_to(mode.folder.resolve())
        if inside and path.is_file():
            return path
    except (OSError, ValueError, RuntimeError) as error:  # a loop of links, a name too long
        raise _make_error(mode, f"names {shorten(word)}, which cannot be read") from error
    place = "there" if inside else f"in its folder {mode.folder}"
    raise _make_error(mode, f"names {shorten(word)}, which is not {place}")


def _make_error(mode: ApertiumMode, what: str, remedy: str = "install the pair anew") -> UsageError:
    return UsageError(what, path=mode.path, remedy=remedy)

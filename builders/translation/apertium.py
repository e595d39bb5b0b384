"""Apertium, by the pairs that are installed, over a third language where no pair is direct."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from corefmill.builders.nlp import digest
from corefmill.builders.translation.coprocess import Broken, Coprocess, NotStarted, each
from corefmill.builders.translation.modes import INSTALL, Program, modes, programs, route
from corefmill.builders.translation.pieces import by_pieces
from corefmill.builders.translation.protocol import as_many
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.printable import one_line, shown

# What the stream between Apertium's programs reserves, escaped as apertium-destxt does.
_RESERVED = re.compile(r"[\[\]{}^$/\\@<>]")
# A tilde would wake the post-generator, so it goes through as a blank does.
_ESCAPED = re.compile(r"\\(.)|\[(~)\]")
# An unknown word (*), one without a translation (@) or without the form that was asked for (#).
_MARK = re.compile(r"(?<!\\)[*@#](?=\w)")
_PIECE = 2000
"""Code points that go at once: some programs of the chain take quadratic time."""


class Apertium:
    """Translates by coprocesses that live as long as the object; nothing runs before it is asked.

    `model` is a data folder with `modes` in it. Raises `UsageError` where no chain of installed
    directions leads from `source` to `target`, where a program of one is missing, or where a mode
    asks for more than it may.
    """

    def __init__(
        self, source: str = "en", target: str = "it", *, model: Path | None = None
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
        plain = [programs(mode, "-n") for mode in way]
        self._plain = [_links(direction) for direction in plain]
        self._marking = [_links(programs(way[0], "-g"))]
        files = {file for direction in plain for program in direction for file in program.files}
        self.fingerprint = "apertium " + digest.of_files(
            (path.name, path) for path in sorted(files | {mode.path for mode in way})
        )

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it; a text of more than 2,000 code points goes in pieces."""
        lines = [one_line(text) for text in texts]
        found = [_unescaped(piece) for piece in self._through(self._plain, lines)]
        return as_many(self.name, lines, found)

    def unknown(self, texts: Sequence[str]) -> list[int]:
        """How many words of each text the first pair of the chain does not know."""
        marked = self._through(self._marking, [one_line(text) for text in texts])
        return [len(_MARK.findall(piece)) for piece in marked]

    def close(self) -> None:
        """Ends the programs; they start anew when something is to be translated."""
        for direction in [*self._plain, *self._marking]:
            for link in direction:
                link.close()

    def _through(self, way: Sequence[Sequence[Coprocess]], lines: Sequence[str]) -> list[str]:
        def translate(pieces: list[str]) -> list[str]:
            escaped = [_escaped(piece) for piece in pieces]
            for direction in way:
                closed = [_closed(piece) for piece in escaped]
                for link in direction:
                    closed = _one(link, closed, pieces)
                escaped = [_opened(piece) for piece in closed]
            return escaped

        return by_pieces(lines, _PIECE, translate)


def _links(direction: Sequence[Program]) -> list[Coprocess]:
    """A direction's programs: those side by side that forget run on, the others text by text."""
    return [
        Coprocess([program.command for program in group], lasting=forgets)
        for forgets, group in groupby(direction, attrgetter("forgets"))
    ]


def _one(link: Coprocess, closed: Sequence[bytes], pieces: Sequence[str]) -> list[bytes]:
    """The texts after some programs of one direction; `pieces` are what they were in the first."""

    def ask(asked: Sequence[bytes]) -> Iterator[bytes]:
        for question, answer in zip(asked, link.ask(asked), strict=True):
            if not answer:
                raise Broken("one of its programs gave up")
            if not answer.endswith(_mark(question)):
                raise Broken("an answer came that is another text's")
            yield answer

    found: list[bytes] = []
    try:
        for piece, answer in zip(pieces, each(link, closed, ask), strict=True):
            if isinstance(answer, Broken):
                raise DataError(
                    f"apertium fails on {shown(piece)}: {answer}",
                    remedy="leave the text out, or translate with another (--translator)",
                ) from answer
            found.append(answer)
    except NotStarted as broken:
        raise UsageError(
            f"apertium fails: {broken}", remedy="repair that, and give the same command again"
        ) from broken
    return found


def _escaped(piece: str) -> str:
    return _RESERVED.sub(r"\\\g<0>", piece).replace("~", "[~]")


def _closed(piece: str) -> bytes:
    # As apertium-destxt: a full stop ends the last sentence, and what is in brackets goes through
    # as a blank; here it is the text's sum, by which the answer is known to be this text's.
    text = f"{piece}.".encode()
    return text + b"[%d]" % zlib.crc32(text)


def _mark(closed: bytes) -> bytes:
    """The sum at the end of a text, which every program gives on as it is."""
    return closed[closed.rindex(b"[") :]


def _opened(answer: bytes) -> str:
    text = answer.removesuffix(_mark(answer)).decode("utf-8", "replace")
    return text.rstrip().removesuffix(".").strip()


def _unescaped(piece: str) -> str:
    return one_line(_ESCAPED.sub(lambda match: match[1] or match[2], piece))

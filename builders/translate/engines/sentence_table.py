"""Translations that were made elsewhere: tables of texts and their translations, and what lacks."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from corefmill.builders.translate.engines.protocol import NotAnswered, TranslatorRequest, translated
from corefmill.corpora import lines
from corefmill.corpora.atomic import ensure_folder, write_whole
from corefmill.corpora.errors import DataError
from corefmill.corpora.printable import one_line, shown

_LONGEST = 1 << 20
"""Bytes of a line: a text and its translation."""
_KEYS = ("text", "translation")


class SentenceTable:
    """Looks texts up; see `AnsweringTranslator`. What lacks is `NotAnswered`, and noted down.

    Raises `DataError` for a table that cannot be read, or that answers one text in two ways.
    """

    def __init__(self, asked: TranslatorRequest) -> None:
        self._pairs = _pairs(asked.table)
        self.source, self.target = asked.source, asked.target
        told = json.dumps(sorted(self._pairs.items())).encode("utf-8", "replace")
        self.fingerprint = f"table {hashlib.blake2b(told, digest_size=8).hexdigest()}"
        self.name = " ".join(["table", *(path.name for path in asked.table)])
        self._folder = asked.missing and asked.missing / self.fingerprint.split()[1]
        self._noted: set[str] = set()
        self._owner = 0

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it."""
        return translated(self, texts)

    def answers(self, texts: Sequence[str]) -> Iterator[tuple[str, str | DataError]]:
        """As the protocol has it."""
        self._note([text for text in texts if text not in self._pairs])
        for text in texts:
            found = self._pairs.get(text)
            yield text, found or NotAnswered(f"no table translates {shown(text)}")

    def missing(self) -> list[str]:
        """What was asked for in vain, by this or any process with the same request; sorted."""
        found = set()
        if self._folder is not None and self._folder.is_dir():
            for path in sorted(self._folder.iterdir()):
                for line in path.read_bytes().split(b"\n"):
                    with suppress(ValueError):  # a kill may have cut one; it is asked for again
                        found.add(json.loads(line))
        return sorted(found)

    def _note(self, texts: Sequence[str]) -> None:
        """Adds texts to this process's own file, so that none waits for another."""
        if self._owner != os.getpid():
            self._owner = os.getpid()
            self._noted = set()
        new = sorted(set(texts) - self._noted)
        if self._folder is None or not new:
            return
        self._noted |= set(new)
        ensure_folder(self._folder)
        with (self._folder / f"{socket.gethostname()}-{os.getpid()}").open("ab") as out:
            # A process of this number that was killed may have left half a line.
            out.write("".join(f"\n{json.dumps(text)}" for text in new).encode())


def write_texts(path: Path, texts: Sequence[str]) -> None:
    """Texts to be translated: as JSON Lines where the name says so, else with a tab after each."""
    as_json = path.suffix in (".jsonl", ".json")
    rows = [
        json.dumps({"text": text}, ensure_ascii=False) if as_json else f"{text}\t" for text in texts
    ]
    write_whole(path, "".join(f"{row}\n" for row in rows))


def _pairs(tables: Sequence[Path]) -> dict[str, str]:
    """Texts and translations of all tables; a text without translation is not in it."""
    found: dict[str, tuple[str, Path, int]] = {}
    for path in tables:
        for number, line in lines.read(path, _LONGEST):
            if not line.strip():
                continue
            text, translation = map(one_line, _cells(line, path, number))
            if not text:
                raise DataError("a translation without its text", path=path, line=number)
            if not translation:
                continue
            before, other, at = found.setdefault(text, (translation, path, number))
            if before != translation:
                raise DataError(
                    f"{shown(text)} is translated otherwise than in line {at}"
                    + (f" of {other}" if other != path else ""),
                    path=path,
                    line=number,
                    remedy="remove one of both lines",
                )
    return {text: translation for text, (translation, _, _) in found.items()}


def _cells(line: str, path: Path, number: int) -> tuple[str, str]:
    """A text and its translation, "" where there is none yet."""
    if not line.startswith("{") or "\t" in line:
        cells = line.split("\t")
        if len(cells) != 2:
            raise DataError(
                f"{len(cells)} cells where a text and its translation belong",
                path=path,
                line=number,
                remedy="put one tab between both, or write JSON Lines",
            )
        return cells[0], cells[1]
    try:
        held = json.loads(line)
    except (ValueError, RecursionError):
        raise DataError("is no JSON", path=path, line=number) from None
    values = [held.get(key) or "" for key in _KEYS]
    if not set(held) <= set(_KEYS) or not all(isinstance(value, str) for value in values):
        raise DataError(
            'is not {"text": ..., "translation": ...}, both of them texts', path=path, line=number
        )
    return values[0], values[1]

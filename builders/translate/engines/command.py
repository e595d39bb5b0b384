"""A program of the user's that reads a text a line and writes its translation, a line."""

from __future__ import annotations

import hashlib
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from corefmill.builders.nlp import digest
from corefmill.builders.translate.engines.coprocess import Broken, Coprocess, NotStarted, each
from corefmill.builders.translate.engines.protocol import TranslatorRequest, translated
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.printable import one_line, shown

_AT_ONCE = 16
"""Texts between two times that it is given its first one."""
_STUBBORN = 3
"""Texts that may fail one after the other before the program is taken to be broken."""


class CommandTranslator:
    """Runs the program as long as it is asked; see `AnsweringTranslator`.

    After every few texts it is given its first one again: where it said something besides
    translations, such as a greeting, each answer since would be another text's. Raises `UsageError`
    where there is no such program.
    """

    def __init__(self, asked: TranslatorRequest) -> None:
        words = words_of(asked.command or "")
        program = shutil.which(words[0])
        if program is None:
            raise UsageError(
                f"no program {shown(words[0])}", remedy="name one that is there by --command"
            )
        self.source, self.target = asked.source, asked.target
        self.name = f"command {Path(words[0]).name}"
        files = [Path(word) for word in (program, *words[1:]) if Path(word).is_file()]
        others = [word for word in words[1:] if not Path(word).is_file()]
        told = hashlib.blake2b(shlex.join(others).encode("utf-8", "replace"), digest_size=8)
        held = digest.of_files((str(place), path) for place, path in enumerate(files))
        self.fingerprint = f"{self.name} {told.hexdigest()} {held}"
        self._link = Coprocess([[program, *words[1:]]], end=b"\n", patience=asked.timeout)
        self._answered = False
        self._first = b""
        self._known: bytes | None = None

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it."""
        return translated(self, texts)

    def answers(self, texts: Sequence[str]) -> Iterator[tuple[str, str | DataError]]:
        """As the protocol has it."""
        failed = 0
        lines = [text.encode() for text in texts]
        try:
            for text, answer in zip(texts, each(self._link, lines, self._ask), strict=True):
                why = str(answer) if isinstance(answer, Broken) else "it answers an empty line"
                made = (
                    ""
                    if isinstance(answer, Broken)
                    else one_line(answer.decode("utf-8", "replace"))
                )
                if made:
                    failed, self._answered = 0, True
                    yield text, made
                    continue
                failed += 1
                if failed == _STUBBORN or not self._answered:
                    raise UsageError(
                        f"{self.name} fails on {shown(text)}: {why}",
                        remedy="it must answer each line with one line, at once (flush)",
                    )
                yield text, DataError(f"{self.name} fails on {shown(text)}: {why}")
        except NotStarted as broken:
            raise UsageError(f"{self.name} fails: {broken}", remedy="see --command") from broken

    def _ask(self, lines: Sequence[bytes]) -> Iterator[bytes]:
        for start in range(0, len(lines), _AT_ONCE):
            batch = lines[start : start + _AT_ONCE]
            if not self._link.running:
                self._first, self._known = batch[0], None
            *answers, again = self._link.ask([*batch, self._first])
            known = self._known or answers[0]
            if again != known:
                said = " and ".join(shown(one.decode("utf-8", "replace")) for one in (known, again))
                raise Broken(f"it answers one text with {said}")
            self._known = known
            yield from answers


def words_of(command: str) -> list[str]:
    """The words of a command, in which those that are files have their whole path.

    Raises `UsageError` for none, and for a quotation that does not end.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--command cannot be read: {error}") from error
    if not words or any("\0" in word for word in words):
        raise UsageError("--command names no program", remedy="such as 'python -u translate.py'")
    return [str(Path(word).absolute()) if Path(word).is_file() else word for word in words]

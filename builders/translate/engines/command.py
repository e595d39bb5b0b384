"""Run programs with one answer a text, and the user's program as translator."""

from __future__ import annotations

import hashlib
import os
import select
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import one_line, shorten

# The one locale that is there wherever programs read UTF-8; the user's may not be installed.
_LOCALE = {"LC_ALL": "C.UTF-8", "LANGUAGE": ""}
_LONGEST_ANSWER = 1 << 26
"""Bytes of an answer: a program that says more than this does not come to an end."""
_LAST_WORDS = 300
_PATIENCE = 120.0
"""Seconds that an answer may take after the one before it."""


class Broken(Exception):
    """The programs died, hung or gave too many answers; the next question starts them anew."""


class NotStarted(Broken):
    """A program cannot be started at all."""


class Coprocess:
    """Programs joined by pipes, each flushed at `end`, the byte after a text.

    The programs start at the first question, in the process that asks. Programs that are not
    `lasting` are ended after each answer, so that no answer depends on earlier texts. An answer may
    take `patience` seconds after the previous one, two minutes by default.
    """

    def __init__(
        self,
        commands: Sequence[Sequence[str]],
        *,
        lasting: bool = True,
        end: bytes = b"\0",
        patience: float | None = None,
    ) -> None:
        self._commands = commands
        self._lasting = lasting
        self._end = end
        self._patience = patience
        self._running: list[subprocess.Popen[bytes]] = []
        self._owner = 0
        self._said: list[IO[bytes]] = []

    @property
    def running(self) -> bool:
        """Whether this process has started the programs and not closed them."""
        return bool(self._running) and self._owner == os.getpid()

    def ask(self, texts: Sequence[bytes]) -> Iterator[bytes]:
        """Send texts to the programs and yield one answer for each, as soon as it comes.

        Raises `Broken`.
        """
        if self._lasting:
            yield from self._ask(texts)
            return
        for text in texts:
            yield from self._ask([text])
            self.close()

    def _ask(self, texts: Sequence[bytes]) -> Iterator[bytes]:
        """Send texts to the started programs, and stop the programs unless all answers came."""
        if not texts:
            return
        if not self.running:
            self._start()
        elif (pipe := self._running[-1].stdout) and select.select([pipe], [], [], 0)[0]:
            raise Broken("the program ended, or answered before it got a text")
        # A thread of its own, since the chain stops reading when nobody reads from it.
        writer = threading.Thread(target=self._write, args=(self._end.join([*texts, b""]),))
        writer.start()
        finished = False
        try:
            yield from self._answers(len(texts))
            finished = True
        finally:
            # Also if the caller stopped: an unread answer would be taken for the next text's.
            if not finished:
                self.close()
            writer.join()

    def _start(self) -> None:
        """Start the programs, joined by pipes, each with a temporary file for its messages."""
        # Programs that a fork inherited belong to its parent and are not touched.
        self._running = []
        self._owner = os.getpid()
        self._said = [tempfile.TemporaryFile() for _ in self._commands]  # noqa: SIM115
        source: int | IO[bytes] = subprocess.PIPE
        try:
            for command, said in zip(self._commands, self._said, strict=True):
                process = subprocess.Popen(
                    command,
                    stdin=source,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    env={**os.environ, **_LOCALE},
                    # Ctrl-C is for the builder, which then ends them.
                    start_new_session=True,
                )
                if not isinstance(source, int):
                    source.close()
                self._running.append(process)
                assert process.stdout is not None
                source = process.stdout
        except OSError as error:
            self.close()
            raise NotStarted(f"{command[0]} does not start: {error.strerror}") from error

    def _write(self, data: bytes) -> None:
        """Write the texts to the first program, from a thread of its own."""
        pipe = self._running[0].stdin
        assert pipe is not None
        # A chain that has ended is seen by the reader, who says so.
        with suppress(OSError, ValueError):
            pipe.write(data)
            pipe.flush()

    def _answers(self, due: int) -> Iterator[bytes]:
        """Read as many answers as are due; raise `Broken` if one is late, endless or too many."""
        pipe = self._running[-1].stdout
        assert pipe is not None
        rest: list[bytes] = []
        size = 0
        patience = self._patience or _PATIENCE
        deadline = time.monotonic() + patience
        while due:
            left = max(0, deadline - time.monotonic())
            if not left or not select.select([pipe], [], [], left)[0]:
                raise Broken(f"no answer for {patience:g} seconds")
            read = os.read(pipe.fileno(), 1 << 16)
            if not read:
                raise Broken(self._last_words())
            first, *others = read.split(self._end)
            rest.append(first)
            size += len(first)
            if size > _LONGEST_ANSWER:
                raise Broken("an answer does not end within 64 MiB")
            for other in others:
                if not due:
                    raise Broken("the program wrote more answers than it got texts")
                due -= 1
                yield b"".join(rest)
                rest, size = [other], len(other)
                # The caller may take its time with an answer.
                deadline = time.monotonic() + patience
        if rest != [b""] and any(rest):
            raise Broken("the program wrote more after its last answer")

    def _last_words(self) -> str:
        """Describe the program that ended: its exit code and its last line of messages."""
        deadline = time.monotonic() + 3
        codes = [process.poll() for process in self._running]
        while None in codes and not any(codes) and time.monotonic() < deadline:
            time.sleep(0.01)
            codes = [process.poll() for process in self._running]
        # A program that dies takes those before it along, by a broken pipe.
        ended = [at for at, code in enumerate(codes) if code]
        at = ended[-1] if ended else -1
        told = f"{self._commands[at][0]} ended with {codes[at]}" if ended else "the program ended"
        end = self._said[at].seek(0, os.SEEK_END)
        self._said[at].seek(max(0, end - _LAST_WORDS))
        said = self._said[at].read()
        last = said.decode("utf-8", "replace").strip().splitlines()
        return ", ".join([told, *(shorten(line) for line in last[-1:])])

    def close(self) -> None:
        """End the programs, if this process started them."""
        if self._owner != os.getpid():
            return
        for process in self._running:
            process.kill()
        for process in self._running:
            for pipe in (process.stdout, process.stdin):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            process.wait()
        self._running = []
        for said in self._said:
            said.close()
        self._said = []

    def __del__(self) -> None:
        self.close()


def ask_each(
    link: Coprocess,
    texts: Sequence[bytes],
    ask: Callable[[Sequence[bytes]], Iterator[bytes]] | None = None,
) -> Iterator[bytes | Broken]:
    """Yield an answer for each text, or a `Broken` for a text that also fails alone.

    After a failure the next text goes alone to new programs, to see whether it is to blame: a text
    must not fail because of its neighbours or an accident. Raises `NotStarted`.
    """
    done, alone = 0, False
    while done < len(texts):
        asked = texts[done : done + 1] if alone else texts[done:]
        try:
            for answer in (ask or link.ask)(asked):
                done += 1
                yield answer
            alone = False
        except NotStarted:
            raise
        except Broken as broken:
            link.close()
            if alone:
                done += 1
                yield broken
            alone = not alone


_AT_ONCE = 16
"""Texts after which the program gets its first text again."""


class CommandTranslator:
    """Translator by the user's program, which is started once and reads a text a line.

    After every few texts the program gets its first text again. If the answer differs, the program
    wrote something besides translations, such as a greeting, and the answers since belong to other
    texts. Raises `UsageError` if there is no such program.
    """

    def __init__(self, asked: TranslatorRequest) -> None:
        words = split_command(asked.command or "")
        program = shutil.which(words[0])
        if program is None:
            raise UsageError(
                f"there is no program {shorten(words[0])}", remedy="name another by --command"
            )
        self.source, self.target = asked.source, asked.target
        self.name = f"command {Path(words[0]).name}"
        files = [Path(word) for word in (program, *words[1:]) if Path(word).is_file()]
        others = [word for word in words[1:] if not Path(word).is_file()]
        told = hashlib.blake2b(shlex.join(others).encode("utf-8", "replace"), digest_size=8)
        held = disk.hash_files((str(place), path) for place, path in enumerate(files))
        self.fingerprint = f"{self.name} {told.hexdigest()} {held}"
        self._link = Coprocess([[program, *words[1:]]], end=b"\n", patience=asked.timeout)
        self._answered = False
        self._first = b""
        self._known: bytes | None = None

    def answers(self, texts: Sequence[str]) -> Iterator[tuple[str, str | DataError]]:
        """Yield each text with the program's answer, or an error."""
        remedy = "the program must answer each line with one line, and flush its output"
        lines = [text.encode() for text in texts]
        try:
            for text, answer in zip(texts, ask_each(self._link, lines, self._ask), strict=True):
                why, made = str(answer), ""
                if not isinstance(answer, Broken):
                    why, made = "the answer is an empty line", answer.decode("utf-8", "replace")
                if made := one_line(made):
                    self._answered = True
                    yield text, made
                    continue
                message = f"{self.name} fails on {shorten(text)}: {why}"
                # It dies or hangs at its very first text: the program is at fault, not the text.
                if not self._answered and isinstance(answer, Broken):
                    raise UsageError(message, remedy=remedy)
                yield text, DataError(message, remedy=remedy)
        except NotStarted as broken:
            raise UsageError(
                f"{self.name} fails: {broken}", remedy="check the program of --command"
            ) from broken

    def _ask(self, lines: Sequence[bytes]) -> Iterator[bytes]:
        """Ask for batches of lines, each followed by the first line, to detect shifted answers."""
        for start in range(0, len(lines), _AT_ONCE):
            batch = lines[start : start + _AT_ONCE]
            if not self._link.running:
                self._first, self._known = batch[0], None
            *answers, again = self._link.ask([*batch, self._first])
            known = self._known or answers[0]
            if again != known:
                said = " and ".join(
                    shorten(one.decode("utf-8", "replace")) for one in (known, again)
                )
                raise Broken(f"the program answers the same text with {said}")
            self._known = known
            yield from answers


def split_command(command: str) -> list[str]:
    """Split a command into words, with the absolute paths of files.

    Raises `UsageError` for an empty command, and for a quotation that does not end.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--command cannot be read: {error}") from error
    if not words or any("\0" in word for word in words):
        raise UsageError(
            "--command names no program", remedy="name one, as 'python -u translate.py'"
        )
    return [str(Path(word).absolute()) if Path(word).is_file() else word for word in words]

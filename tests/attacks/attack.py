"""What an attack is, where it takes place, and what came of it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

DONE = (0,)
REFUSED = (2,)
EITHER = (0, 2)
FOUND = (0, 1, 2)
"""Exit codes that are right; 1 is `check`'s alone."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended: `code` is negative for a signal, `fate` says why it was killed."""

    code: int
    out: bytes
    err: bytes
    fate: str = ""
    seconds: float = 0.0

    @property
    def text(self) -> str:
        """All that it wrote."""
        return (self.out + self.err).decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a command is started with.

    `stdin` None is a closed one. `stdout` is "kept", "full" (a full disk), "closed" or "gone" (a
    pipe that nobody reads). `file_limit` is ulimit -f in bytes, `disk` the options of a small file
    system at `disk/`, which is read-only if they end in `,ro`. `signal` is sent after `delay`
    seconds of processor time, since the load of the machine is no matter then. `program` takes the
    installed console script instead of a fork.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes | None = b""
    stdout: str = "kept"
    file_limit: int = 0
    disk: str = ""
    nobody: bool = False
    signal: int = 0
    delay: float = 0.0
    program: bool = False


PLAIN = Conditions()


@dataclass(frozen=True, slots=True)
class Place:
    """Where an attack takes place: its folder, what was made for all, and a way to run commands."""

    base: Path
    seeds: Path
    run: Callable[..., Result]

    @property
    def at(self) -> Path:
        """The working directory."""
        return self.base / "at"

    def path(self, name: str) -> Path:
        """A path below the working directory whose folders are there."""
        path = self.at / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def put(self, name: str, content: bytes | str = b"somebody's\n") -> Path:
        """Writes a file below the working directory."""
        path = self.path(name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


Setup = Callable[[Place], object]
After = Callable[[Place, Result], str]
"""What else is wrong, "" if nothing."""


def nothing(place: Place) -> None:
    """No preparation."""


def nothing_else(place: Place, result: Result) -> str:
    """No further check."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """A command line in a hostile situation, and what is right.

    `argv` begins with the console script; {seeds} stands for what was made for all. `writes` are
    patterns, below the working directory, of what the command may write; all else must stay.
    `number` is that of the failure that it repeats.
    """

    group: str
    name: str
    argv: tuple[str, ...]
    codes: Collection[int] = EITHER
    setup: Setup = nothing
    after: After = nothing_else
    conditions: Conditions = PLAIN
    writes: tuple[str, ...] = ("out*",)
    number: str = ""
    needs: str = ""

    @property
    def id(self) -> str:
        """The name that `--only` takes."""
        return f"{self.group}/{self.name}"

    def shown(self) -> str:
        """The command line as a shell takes it."""
        return ascii(shlex.join(self.argv))[1:-1]


def line(text: str, **places: str) -> tuple[str, ...]:
    """The words of a command line; a word with NAME in it gets what `places` says of NAME."""
    words = []
    for word in shlex.split(text):
        for name, value in places.items():
            word = word.replace(name, value)
        words.append(word)
    return tuple(words)

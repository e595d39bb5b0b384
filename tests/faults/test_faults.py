"""Each operation of a command on files fails in turn: one line, nothing lost, and then the same.

After SQLite's tests of I/O errors. The suite takes some operations of each command; `make faults`
tries all of them, with each error.
"""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.faults.conftest import ALL, POINTS, Tally
from tests.faults.disk import Count, Disk, Fault
from tests.faults.small import COMMANDS, MINE, OLD, Small, contents, different, is_there, lasting

ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS)
LIMITS = (1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18)
"""Bytes that a file may have."""


def faults(name: str, operations: int) -> Iterator[Fault]:
    """Those to try."""
    chance = random.Random(name)
    for at in sorted(chance.sample(range(operations), min(POINTS, operations))):
        numbers = ERRORS if ALL else [chance.choice(ERRORS)]
        yield from (Fault(at, number, lasts=chance.random() < 0.5) for number in numbers)


@pytest.mark.parametrize("name", COMMANDS)
def test_whatever_fails(name: str, inputs: Path, tally: Tally) -> None:
    judge = Judge(name, inputs / "work")
    for fault in faults(name, judge.operations):
        judge.try_with(Disk(judge.work, fault), fault, drafts=fault.leaves_drafts)
    judge.end("fault", tally)


@pytest.mark.parametrize("name", COMMANDS)
def test_files_that_may_not_grow(name: str, inputs: Path, tally: Tally) -> None:
    """What a limit on their size refuses is every write, that of libraries in C too."""
    judge = Judge(name, inputs / "work")
    for limit in random.Random(name).sample(LIMITS, min(max(POINTS // 3, 1), len(LIMITS))):
        judge.try_with(_no_larger_than(limit), f"files of {limit} bytes")
    judge.end("file size", tally)


@contextmanager
def _no_larger_than(limit: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """What a command does on files, says and makes where nothing is wrong."""

    operations: int
    notes: list[str]
    whole: dict[str, bytes]


@cache
def undisturbed(name: str, work: Path) -> Undisturbed:
    """One run of a command, for all that is tried with it."""
    count = Count()
    with prepared(COMMANDS[name], work):
        with Disk(work, count):
            done = COMMANDS[name].run(work)
        assert done.returncode == 0, done.stderr
        return Undisturbed(len(count.seen), done.stderr.splitlines(), contents(work))


@contextmanager
def prepared(one: Small, work: Path) -> Iterator[None]:
    """A command's input in `work`, which goes whatever happens: the next test makes it anew."""
    try:
        one.prepare(work)
        yield
    finally:
        shutil.rmtree(work, ignore_errors=True)


class Judge:
    """Gives a command while something is wrong, and again when it is not, and tells what is bad."""

    def __init__(self, name: str, work: Path) -> None:
        self.work, self._name, self._one = work, name, COMMANDS[name]
        pytest.importorskip(self._one.needs)
        before = undisturbed(name, work)
        self.operations = before.operations
        self._notes, self._whole = before.notes, before.whole
        self._tried = 0
        self._bad: list[str] = []
        self._known: set[bytes] = set()

    def try_with(
        self,
        trouble: AbstractContextManager[object],
        what: object,
        drafts: Callable[[], bool] = lambda: True,
    ) -> None:
        """One run in trouble, and one out of it; `drafts` says whether any may be left."""
        with prepared(self._one, self.work):
            with trouble:
                done = self._one.run(self.work)
            wrong = [*self._wrong(done), *self._wrong_again(done, drafts=drafts())]
        self._tried += 1
        if wrong:
            self._bad.append(f"{what}: {'; '.join(wrong)}")

    def end(self, kind: str, tally: Tally) -> None:
        """Fails where something was bad."""
        tally.add(kind, self._name, self.operations, self._tried, len(self._bad))
        assert not self._bad, "\n".join(self._bad)

    def _wrong(self, done: CompletedProcess[str]) -> Iterator[str]:
        said = [line for line in done.stderr.splitlines() if line not in self._notes]
        there = contents(self.work)
        if done.returncode == 0:
            if said:
                yield f"it ended well, but said {said}"
            if lasting(there) != lasting(self._whole):
                yield f"it ended well, but {different(there, self._whole)}"
        elif done.returncode != 2 or len(said) != 1 or not said[0].startswith(self._one.program):
            yield f"it ended with {done.returncode} and said {said}"
        if there["README.md"] != MINE.encode():
            yield "somebody's file is lost"
        for path, data in lasting(there).items():
            fine = {self._whole.get(path), OLD.encode() if path == self._one.out else None}
            passing = path.endswith(self._one.growing) or "/resume/" in path
            if not passing and data not in fine:
                yield f"{path} is half"

    def _wrong_again(self, done: CompletedProcess[str], *, drafts: bool) -> Iterator[str]:
        there = contents(self.work)
        state = _digest(there)
        if done.returncode == 0 or state in self._known:
            return
        self._known.add(state)
        again = self._one.run(self.work)
        if again.returncode and not is_there(again):
            yield f"again it said {again.stderr.strip()!r}"
            return
        left = contents(self.work)
        more = len(left) > len(self._whole) and not drafts
        if lasting(left) != lasting(self._whole) or more:
            yield f"again {different(left, self._whole)}"


def _digest(files: dict[str, bytes]) -> bytes:
    total = blake2b()
    for path, data in files.items():
        total.update(f"{path}{os.sep}{len(data)}".encode() + data)
    return total.digest()

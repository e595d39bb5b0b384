"""The list of attacks: each kind of failure, planted, is seen; and a few attacks are tried."""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from corefmill.cli import main
from tests.attacks.attack import Attack, Conditions, Place
from tests.attacks.campaign import Ready
from tests.attacks.options import BASE, commands, mistakes
from tests.attacks.paths import SPECIAL
from tests.attacks.runner import Bounds, Runner


def test_every_command_is_attacked() -> None:
    assert set(BASE) == set(commands())


def crash() -> None:
    raise ValueError("planted")


def wrong_code() -> None:
    sys.exit(3)


def says_nothing() -> None:
    sys.exit(2)


def escape() -> None:
    print("\x1b[31mred")


def bidi() -> None:
    print("\u202egnp")


def replace() -> None:
    Path("../theirs/mine.txt").write_text("ours")


def remove() -> None:
    Path("../theirs/mine.txt").unlink()


def elsewhere() -> None:
    Path("elsewhere").write_text("ours")


def late() -> None:
    atexit.register(elsewhere)


def half() -> None:
    Path("out").mkdir()
    Path("out/a.tmp").write_text("ou")


def hang() -> None:
    time.sleep(60)


def spin() -> None:
    while True:
        pass


def memory() -> None:
    held = b"x" * (300 << 20)  # zeroes would take no memory before they are read
    time.sleep(len(held))


def unread() -> None:
    print("x" * 100_000)


def dies() -> None:
    os.abort()


def well() -> None:
    Path("out").write_text("ours")


PLANTED: dict[Callable[[], None], str] = {
    crash: "traceback",
    wrong_code: "exit code 3",
    escape: r"on the terminal: '\x1b'",
    bidi: r"on the terminal: '\u202e'",
    replace: "replaced: theirs/mine.txt",
    remove: "removed: theirs/mine.txt",
    elsewhere: "written outside of its output: at/elsewhere",
    late: "written outside of its output: at/elsewhere",
    half: "half-written: at/out/a.tmp",
    hang: "hang: it waits",
    spin: "hang: over 1 s of processor time",
    memory: "memory: over 100 MB",
    dies: "died of SIGABRT",
}


@pytest.fixture
def ready(tmp_path: Path) -> Ready:
    (tmp_path / "seeds" / "at").mkdir(parents=True)
    named = tuple((one.__name__, one) for one in (*PLANTED, well, unread, says_nothing))
    return Ready(tmp_path, Runner(Bounds(processor=1, idle=3.0, memory=100 << 20), named))


def attack(program: Callable[[], None], **more: object) -> Attack:
    return Attack(group="planted", name=program.__name__, argv=(program.__name__,), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("program", PLANTED, ids=lambda program: program.__name__)
def test_a_planted_failure_is_seen(program: Callable[[], None], ready: Ready) -> None:
    wrong = ready.try_(attack(program))[1]
    assert PLANTED[program] in wrong


def test_a_refusal_is_a_line(ready: Ready) -> None:
    silent = Attack(group="planted", name="silent", argv=("says_nothing", "--option"))
    assert ready.try_(silent)[1] == ["exit code 2 without a line"]


def test_what_ends_well_has_no_complaint(ready: Ready) -> None:
    result, wrong = ready.try_(attack(well))
    assert (result.code, wrong) == (0, [])


class Client:
    """Ends any process but its own that takes it apart, as Ray's does."""

    def __init__(self) -> None:
        self.process = os.getpid()

    def leave(self) -> None:
        """What is to do at the end of its own process: nothing."""

    def __del__(self) -> None:
        if os.getpid() != self.process:
            os.abort()


def test_what_is_to_do_when_this_interpreter_ends_is_left_whole(ready: Ready) -> None:
    atexit.register(Client().leave)
    assert ready.try_(attack(well))[1] == []


def test_a_reader_who_has_gone_and_a_full_disk_are_met(ready: Ready) -> None:
    for stdout in ("gone", "full"):
        wrong = ready.try_(attack(unread, conditions=Conditions(stdout=stdout)))[1]
        assert "traceback" in wrong, wrong


def test_what_is_left_behind_is_seen(ready: Ready) -> None:
    seen: list[str] = []

    def after(place: Place, result: object) -> str:
        seen.append((place.base / "theirs" / "mine.txt").read_text())
        return "said by the attack itself"

    assert ready.try_(attack(well, after=after))[1] == ["said by the attack itself"]
    assert seen == ["somebody's\n"]


def test_a_few_attacks_are_survived(tmp_path: Path) -> None:
    (tmp_path / "seeds" / "at").mkdir(parents=True)
    main.load()  # imported once, here, for all of them
    ready = Ready(tmp_path, Runner(Bounds(processor=20)))
    quick = [one for one in mistakes() if one.argv[0] == "corefmill" and len(one.argv) < 3]
    for name in ("null", "zero", "loop", "fifo"):
        path, setup = SPECIAL[name]
        quick.append(
            Attack(group="quick", name=name, argv=("corefmill", "stats", path), setup=setup)
        )
    assert len(quick) > 6
    assert {one.id: wrong for one in quick if (wrong := ready.try_(one)[1])} == {}

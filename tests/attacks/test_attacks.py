"""A few attacks on commands that need no model; `make attacks` tries a part of all, or all."""

from __future__ import annotations

import errno
import signal
from pathlib import Path

import pytest

from tests.attacks.campaign import load_commands, make_seeds
from tests.attacks.commands import WRITERS, codes
from tests.attacks.disk import Fault
from tests.attacks.harness import Attack, Conditions, line
from tests.attacks.situations import SPECIAL, again

TROUBLES = {
    "full": Conditions(fault=Fault(2, errno.ENOSPC, lasts=True)),
    "one write": Conditions(fault=Fault(5, errno.EIO, lasts=False)),
    "read-only": Conditions(fault=Fault(0, errno.EROFS, lasts=True)),
    "file limit": Conditions(file_limit=100),
    "kill": Conditions(signal=signal.SIGKILL, delay=0.15),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    load_commands()  # once, here, for all of them
    return make_seeds(tmp_path_factory.mktemp("attacks"), [])


@pytest.mark.parametrize("name", TROUBLES)
@pytest.mark.parametrize("slot", ["convert", "check-fix"])
def test_nothing_is_lost_and_the_same_command_goes_on(
    slot: str, name: str, inputs: Path, tmp_path: Path
) -> None:
    command = WRITERS[slot]
    one = Attack(
        name=name,
        argv=line(command, OUT="out"),
        codes=(*codes(command), -9) if name == "kill" else codes(command),
        conditions=TROUBLES[name],
        after=again(command),
    )
    assert one.try_in(tmp_path / "attack", inputs)[1] == []


@pytest.mark.parametrize("name", ["null", "zero", "loop", "fifo", "escape"])
def test_a_special_file_is_refused(name: str, inputs: Path, tmp_path: Path) -> None:
    path, setup = SPECIAL[name]
    one = Attack(name=name, argv=("corefmill", "stats", path), setup=setup)
    assert one.try_in(tmp_path / "attack", inputs)[1] == []

"""Hostile input and situations for every command: a few by default, all by `make attacks`.

An attack is one command line. It got through where there is a traceback, an undocumented exit
code, a wait, over 60 s of processor time or 2 GB of memory, a control code on the terminal, a
foreign file replaced, anything written outside of the output, a half-written file, or other bytes.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import shutil
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from corefmill.cli.command import Group
from corefmill.cli.main import COREFMILL
from tests.attacks import bugs, dumps, seeds, situations
from tests.attacks.commands import READ, WHOLE, WRITERS, codes
from tests.attacks.disk import Fault
from tests.attacks.harness import DONE, Attack, Conditions, line, run
from tests.attacks.situations import SPECIAL, again

TROUBLES = {
    "full": Conditions(fault=Fault(2, errno.ENOSPC, lasts=True)),
    "one write": Conditions(fault=Fault(5, errno.EIO, lasts=False)),
    "read-only": Conditions(fault=Fault(0, errno.EROFS, lasts=True)),
    "file limit": Conditions(file_limit=100),
    "kill": Conditions(signal=signal.SIGKILL, delay=0.15),
}
_HEAVY = """
    corefmill.cli.build corefmill.cli.train torch transformers accelerate duckdb lxml.etree
    matplotlib.pyplot tantivy scipy.stats pydantic stanza pyarrow importlib.readers
"""
"""Imported once for all forks; the last since not every user may read Python's own files."""


def make_inputs(base: Path, calls: Sequence[str]) -> Path:
    """Make the inputs below a folder; return theirs."""
    for name in ("at", "home", "tmp"):
        (base / name).mkdir(parents=True)
    seeds.make(base / "at", lambda argv: run(argv, base), calls)
    base.chmod(0o755)
    return base / "at"


def load_commands() -> None:
    """Import the module of each command once, for forks to start from."""
    for one in COREFMILL.load_all().values():
        if isinstance(one, Group):
            one.load_all()


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    load_commands()
    return make_inputs(tmp_path_factory.mktemp("attacks") / "seeds", [])


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


def controls() -> Iterator[Attack]:
    """The attacked commands, unharmed: they end with 0, or the attacks would say nothing.

    A table without all translations is refused.
    """
    for slot, whole in WHOLE.items():
        if slot != "translate-table":
            yield Attack(name=f"control/{slot}", argv=line(READ[slot], IN=whole), codes=DONE)
    for slot, command in WRITERS.items():
        if slot == "list-texts":
            continue
        argv, needs = line(command, OUT="out"), situations.needs(slot)
        yield Attack(name=f"control/write {slot}", argv=argv, codes=DONE, needs=needs)


@pytest.fixture(scope="module")
def all_inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    for name in _HEAVY.split():
        with suppress(ImportError):
            importlib.import_module(name)
    load_commands()
    gc.collect()
    gc.freeze()
    return make_inputs(tmp_path_factory.mktemp("all_attacks") / "seeds", seeds.CALLS)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "attack",
    [*controls(), *bugs.OWN, *situations.attacks(), *dumps.dumps()],
    ids=lambda attack: attack.name,
)
def test_the_attack_is_survived(attack: Attack, all_inputs: Path, tmp_path: Path) -> None:
    if "root" in attack.needs and os.geteuid():
        pytest.skip("needs root")
    if "apertium" in attack.needs and shutil.which("lt-proc") is None:
        pytest.skip("needs Apertium")
    result, wrong = attack.try_in(tmp_path / "attack", all_inputs)
    assert wrong == [], result.text[-400:]

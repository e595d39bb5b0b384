"""Every command is attacked, and a few attacks are tried; `make attacks` runs them all."""

from __future__ import annotations

from pathlib import Path

from corefmill.cli.main import COREFMILL
from tests.attacks.attack import Attack
from tests.attacks.campaign import Ready
from tests.attacks.options import BASE, commands, mistakes
from tests.attacks.paths import SPECIAL
from tests.attacks.runner import Bounds, Runner


def test_every_command_is_attacked() -> None:
    assert set(BASE) == set(commands())


def test_a_few_attacks_are_survived(tmp_path: Path) -> None:
    (tmp_path / "seeds" / "at").mkdir(parents=True)
    COREFMILL.load_all()  # imported once, here, for all of them
    ready = Ready(tmp_path, Runner(Bounds(processor=20)))
    quick = [one for one in mistakes() if one.argv[0] == "corefmill" and len(one.argv) < 3]
    for name in ("null", "zero", "loop", "fifo"):
        path, setup = SPECIAL[name]
        quick.append(
            Attack(group="quick", name=name, argv=("corefmill", "stats", path), setup=setup)
        )
    assert len(quick) > 6
    assert {one.id: wrong for one in quick if (wrong := ready.try_(one)[1])} == {}

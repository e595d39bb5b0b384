"""All attacks there are, and the command lines unharmed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.attacks import formats, paths
from benchmarks.attacks.attack import DONE, Attack, line
from benchmarks.attacks.slots import READ, WHOLE, WRITERS


def catalogue(seeds: Path, seed: int) -> list[Attack]:
    """Every attack once; `seeds` is the folder of inputs."""
    found = [*formats.attacks(seeds, seed), *paths.attacks()]
    names = {attack.id for attack in found}
    if len(names) < len(found):
        raise ValueError("two attacks of one name")
    return found


def controls() -> Iterator[Attack]:
    """What is attacked, unharmed: it ends with 0, or the attacks would say nothing."""
    for slot, whole in WHOLE.items():
        yield Attack(group="control", name=slot, argv=line(READ[slot], IN=whole), codes=DONE)
    for slot, command in WRITERS.items():
        yield Attack(
            group="control",
            name=f"write {slot}",
            argv=line(command, OUT="out"),
            codes=(0, 1) if slot == "check-sarif" else DONE,
            needs="apertium" if slot == "ontonotes-it" else "",
        )

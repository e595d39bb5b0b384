"""All attacks there are, those that are tried by default, and the command lines unharmed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

from tests.attacks import (
    downloads,
    formats,
    injections,
    models,
    numbered,
    options,
    paths,
    situations,
    translations,
    wikitexts,
)
from tests.attacks.attack import DONE, Attack, line
from tests.attacks.slots import READ, WHOLE, WRITERS

SHARE = {
    "hostile inputs": 30,
    "user error": 10,
    "paths": 25,
    "file system": 30,
    "overwrite": 25,
    "model files": 35,
    "injection": 25,
    "resume & concurrency": 50,
    "full disk": 60,
    "hostile wikitext": 70,
    "file system & signals": 60,
}
"""Percent of a class that are tried unless all are asked for; the seed draws them."""


def catalogue(seeds: Path, seed: int, port: int, *, whole: bool) -> list[Attack]:
    """Every attack once; `seeds` is the folder of inputs, `port` that of the hostile server."""
    found = [
        *formats.attacks(seeds, seed),
        *paths.attacks(),
        *options.attacks(),
        *wikitexts.attacks(),
        *models.attacks(),
        *injections.attacks(),
        *translations.attacks(),
        *situations.attacks(),
        *downloads.attacks(port),
    ]
    names = {attack.id for attack in found}
    if len(names) < len(found):
        raise ValueError("two attacks of one name")
    drawn = [one for one in found if whole or _drawn(one, seed)]
    return [*numbered.attacks(found), *drawn]


def _drawn(attack: Attack, seed: int) -> bool:
    return zlib.crc32(f"{seed} {attack.id}".encode("utf-8", "replace")) % 100 < SHARE.get(
        attack.group, 100
    )


def controls() -> Iterator[Attack]:
    """What is attacked, unharmed: it ends with 0, or the attacks would say nothing."""
    for slot, whole in WHOLE.items():
        yield Attack(group="control", name=slot, argv=line(READ[slot], IN=whole), codes=DONE)
    for slot, command in WRITERS.items():
        yield Attack(
            group="control",
            name=f"write {slot}",
            argv=line(command, OUT="out"),
            codes=DONE,
            needs="apertium" if slot == "ontonotes-it" else "",
        )

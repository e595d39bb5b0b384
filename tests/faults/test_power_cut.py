"""The power goes after any operation: the same command makes the same of whatever is left."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.faults.conftest import POINTS, Tally
from tests.faults.disk import Disk
from tests.faults.power import Recorder, cuts, left, put
from tests.faults.small import COMMANDS, MINE, contents, different, is_there, lasting

FEW = ("knowref", "annotate import", "train coref")


@pytest.mark.parametrize("name", COMMANDS if POINTS > 3 else FEW)
def test_whenever_the_power_goes(name: str, inputs: Path, tally: Tally) -> None:
    one = COMMANDS[name]
    pytest.importorskip(one.needs)
    work = inputs / "work"
    one.prepare(work)
    recorder = Recorder(work)
    recorder.start()
    with Disk(work, recorder):
        done = one.run(work)
    assert done.returncode == 0, done.stderr
    whole = contents(work)
    shutil.rmtree(work)
    bad = []
    states = list(cuts(recorder.moments, name))
    tried = random.Random(name).sample(states, min(2 * POINTS, len(states)))
    for when, tree in tried:
        put(tree, work)
        again = one.run(work)
        after = contents(work)
        shutil.rmtree(work)
        if (again.returncode and not is_there(again)) or "Traceback" in again.stderr:
            bad.append(f"{when}: {again.stderr.strip()!r}")
        elif after["README.md"] != MINE.encode() or lasting(after) != lasting(whole):
            bad.append(f"{when}: {different(after, whole)}")
    put(left(recorder.moments[-1], lambda: "old", strict=True), work)
    finished = contents(work)
    shutil.rmtree(work)
    if lost := {path for path, data in lasting(whole).items() if finished.get(path) != data}:
        bad.append(f"after its end these are lost: {lost}")
    tally.add("power cut", name, len(recorder.moments), len(tried) + 1, len(bad))
    assert not bad, "\n".join(bad)

"""Choose attacks, try them, and print by group how many were survived."""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import shutil
import tempfile
import traceback
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from corefmill.cli.command import Group
from tests.attacks import bugs, hostile_bytes, seeds, situations
from tests.attacks.commands import READ, WHOLE, WRITERS
from tests.attacks.harness import DONE, Attack, line, run

SHARE = 15
"""Percent of the attacks that a run takes unless all are asked for; the seed draws them."""
_HEAVY = """
    corefmill.cli.build corefmill.cli.train torch transformers accelerate duckdb lxml.etree
    matplotlib.pyplot tantivy scipy.stats pydantic stanza pyarrow corefmill.coref_model.training.run
    corefmill.coref_model.evaluation.rows corefmill.coref_model.prediction.predictor
    corefmill.builders.overlap.run corefmill.builders.wec.build corefmill.builders.wikicrem.build
"""


def warm() -> None:
    """Import the commands once, for forks to start from; missing packages are left out."""
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    for name in _HEAVY.split():
        with suppress(ImportError):
            importlib.import_module(name)
    load_commands()
    gc.collect()
    gc.freeze()


def load_commands() -> None:
    """Import the module of each command."""
    from corefmill.cli.main import COREFMILL

    for one in COREFMILL.load_all().values():
        if isinstance(one, Group):
            one.load_all()


def make_seeds(own: Path, calls: Sequence[str] = seeds.CALLS) -> Path:
    """Make the inputs below a folder; return theirs."""
    base = own / "seeds"
    for name in ("at", "home", "tmp"):
        (base / name).mkdir(parents=True)
    seeds.make(base / "at", lambda argv: run(argv, base), calls)
    own.chmod(0o755)
    return base / "at"


def catalogue(inputs: Path, seed: int, *, whole: bool) -> list[Attack]:
    """List the attacks of a run: those of past bugs, and a part of the others."""
    found = [*hostile_bytes.attacks(inputs, seed), *situations.attacks()]
    own = list(bugs.attacks(found))
    names = {attack.name for attack in own}
    for one in found:
        drawn = zlib.crc32(f"{seed} {one.name}".encode()) % 100 < SHARE
        if one.name not in names and (whole or drawn):
            own.append(one)
    return own


def controls() -> Iterator[Attack]:
    """The attacked commands, unharmed: they end with 0, or the attacks would say nothing."""
    for slot, whole in WHOLE.items():
        yield Attack(name=f"control/{slot}", argv=line(READ[slot], IN=whole), codes=DONE)
    for slot, command in WRITERS.items():
        argv, needs = line(command, OUT="out"), situations.needs(slot)
        yield Attack(name=f"control/write {slot}", argv=argv, codes=DONE, needs=needs)


def main() -> int:
    """Run what the command line asks for; return 1 where any attack got through."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("--only", metavar="NAME", help="attacks whose name begins so, of all")
    parser.add_argument("--all", action="store_true", help="all attacks, not a part of them")
    parser.add_argument("--seed", type=int, default=0, help="seed of the part")
    parser.add_argument("--part", default="1/1", metavar="N/OF", help="for several cores")
    parser.add_argument("--list", action="store_true", help="only list the attacks")
    options = parser.parse_args()
    own, keeper = Path(tempfile.mkdtemp(prefix="attacks-")), os.getpid()
    try:
        warm()
        inputs = make_seeds(own)
        whole = options.all or bool(options.only)
        chosen = [
            *(() if options.only else controls()),
            *(
                one
                for one in catalogue(inputs, options.seed, whole=whole)
                if one.name.startswith(options.only or "")
            ),
        ]
        part, parts = map(int, options.part.split("/"))
        chosen = chosen[part - 1 :: parts]
        if options.list:
            print("\n".join(f"{attack.name}\t{attack.argv!a}" for attack in chosen))
            return 0
        return _report(chosen, own, inputs)
    finally:
        if os.getpid() == keeper:
            shutil.rmtree(own, ignore_errors=True)


def _report(chosen: Sequence[Attack], own: Path, inputs: Path) -> int:
    missing = {
        "root": os.geteuid() != 0,
        "apertium": shutil.which("lt-proc") is None,
    }
    tried, through, skipped = (Counter[str]() for _ in range(3))
    for attack in chosen:
        if any(missing[need] for need in attack.needs.split()):
            skipped[attack.group] += 1
            continue
        try:
            result, wrong = attack.try_in(own / "attack", inputs)
            said = ascii(result.text[-400:])
        except Exception:  # a fault of ours is shown as one, and the others are tried
            wrong, said = ["the attack itself failed"], traceback.format_exc()
        tried[attack.group] += 1
        through[attack.group] += bool(wrong)
        if wrong:
            print(f"{attack.name}: {'; '.join(wrong)}\n    {said}", flush=True)
    print("\n| group | tried | survived | not tried |\n|---|---|---|---|")
    for group in tried | skipped:
        left = tried[group] - through[group]
        print(f"| {group} | {tried[group]} | {left} | {skipped[group]} |")
    return int(bool(through.total()))

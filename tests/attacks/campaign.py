"""Chooses the attacks, runs them, and prints by class how many were survived."""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.attacks import downloads, judge, runner, seeds, warm
from tests.attacks.attack import PLAIN, Attack, Conditions, Place, Result
from tests.attacks.catalogue import catalogue, controls


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attack; `skipped` says why it could not be tried."""

    id: str
    group: str
    number: str
    command: str
    code: int
    seconds: float
    complaints: list[str]
    skipped: str
    said: str


def main() -> int:
    """Runs what the command line asks for; 1 where anything got through."""
    options = _options()
    own = Path(tempfile.mkdtemp(prefix="attacks-"))
    keeper = os.getpid()
    try:
        port, server = downloads.serve()
        warm.warm()
        ready = Ready(own, runner.Runner(programs=PROGRAMS))
        ready.prepare()
        again = {name for file in options.again for name in _got_through(file)}
        named = bool(options.only or again)
        chosen = [
            attack
            for attack in catalogue(ready.seeds, options.seed, port, whole=options.all or named)
            if options.group in (None, attack.group)
            and (options.only is None or attack.id.startswith(options.only))
            and (not again or attack.id in again)
        ]
        part, parts = map(int, options.part.split("/"))
        chosen = chosen[part - 1 :: parts]
        if options.list:
            print("\n".join(f"{attack.id}\t{attack.shown()}" for attack in chosen))
            return 0
        outcomes = list(
            _all(ready, chosen, unharmed=part == 1 and not named, verbose=options.verbose)
        )
    finally:
        if os.getpid() == keeper:
            gc.unfreeze()
            os.kill(server, signal.SIGKILL)
            shutil.rmtree(own, ignore_errors=True)
    if options.out is not None:
        rows = [{name: getattr(one, name) for name in Outcome.__slots__} for one in outcomes]
        options.out.write_text(json.dumps(rows, indent=0, ensure_ascii=True))
    return _report(outcomes)


PROGRAMS = (("make-encoder", seeds.make_encoder),)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("--class", dest="group", help="this class alone")
    parser.add_argument("--only", metavar="ID", help="attacks whose name begins so, of all")
    parser.add_argument(
        "--again", type=Path, action="append", default=[], help="what got through, as --out has it"
    )
    parser.add_argument("--all", action="store_true", help="not a part of each class, but all")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--out", type=Path, help="all outcomes, as JSON")
    parser.add_argument(
        "--part", default="1/1", metavar="N/OF", help="the Nth of so many parts, for several cores"
    )
    parser.add_argument("--list", action="store_true", help="only say what would be tried")
    parser.add_argument("--verbose", action="store_true", help="show what each attack printed")
    return parser.parse_args()


@dataclass(frozen=True, slots=True)
class Ready:
    """The folder `own` where everything takes place, and what runs commands there."""

    own: Path
    runner: runner.Runner

    @property
    def seeds(self) -> Path:
        """What was made for all attacks."""
        return self.own / "seeds" / "at"

    def prepare(self) -> None:
        """Makes the inputs."""
        base = _base(self.own / "seeds")
        seeds.make(self.seeds, lambda argv: self.runner(argv, base))
        self.own.chmod(0o755)

    def argv(self, attack: Attack) -> list[str]:
        """The command line with the place of the inputs."""
        return [word.replace("{seeds}", str(self.seeds)) for word in attack.argv]

    def try_(self, attack: Attack) -> tuple[Result, list[str]]:
        """Runs an attack in a folder of its own; how it ended and what is wrong."""
        base = _base(self.own / "attack")
        for name in ("mine.txt", "work/notes.txt"):
            (base / "theirs" / name).parent.mkdir(parents=True, exist_ok=True)
            (base / "theirs" / name).write_text("somebody's\n")

        def run(text: list[str], conditions: Conditions = PLAIN) -> Result:
            words = [word.replace("{seeds}", str(self.seeds)) for word in text]
            return self.runner(words, base, conditions)

        place = Place(base, self.seeds, run)
        disk = base / "at" / "disk"
        conditions = attack.conditions
        try:
            if conditions.disk:
                runner.mount(disk, conditions.disk.removesuffix(",ro"))
            attack.setup(place)
            if conditions.disk.endswith(",ro"):
                runner.read_only(disk)
            if conditions.nobody:
                for name in ("home", "tmp", "at", "."):
                    (base / name).chmod(0o777)
            before, made = judge.snapshot(base), _stamps(self.seeds)
            result = self.runner(self.argv(attack), base, conditions)
            wrong = judge.complaints(attack, result, before, judge.snapshot(base))
            if _stamps(self.seeds) != made:
                wrong.append("an input was changed")
            if said := attack.after(place, result):
                wrong.append(said)
        finally:
            if conditions.disk:
                runner.unmount(disk)
            shutil.rmtree(base, ignore_errors=True)
        return result, wrong


def _got_through(results: Path) -> list[str]:
    return [one["id"] for one in json.loads(results.read_text("utf-8")) if one["complaints"]]


def _base(base: Path) -> Path:
    for name in ("at", "home", "tmp"):
        (base / name).mkdir(parents=True)
    return base


def _stamps(folder: Path) -> list[tuple[str, int, int]]:
    found = []
    for path in sorted(folder.rglob("*")):
        there = path.lstat()
        found.append((str(path), there.st_size, there.st_mtime_ns))
    return found


def _all(
    ready: Ready, chosen: Iterable[Attack], *, unharmed: bool, verbose: bool
) -> Iterator[Outcome]:
    missing = {need: _missing(ready.own, need) for need in ("root", "mount", "apertium")}
    broken = False
    for control in controls() if unharmed else ():
        if missing.get(control.needs):
            continue
        result, wrong = ready.try_(control)
        if wrong:
            print(f"unharmed, {control.shown()} does not work: {wrong} {result.text[-400:]}")
            broken = True
    if broken:
        raise SystemExit("what is attacked must work unharmed")
    begun = time.monotonic()
    for number, attack in enumerate(chosen, start=1):
        skipped = next(filter(None, (missing[need] for need in attack.needs.split())), "")
        if skipped:
            result, wrong = Result(0, b"", b""), []
        else:
            try:
                result, wrong = ready.try_(attack)
            except Exception:  # a fault of ours is shown as one, and the others are tried
                traceback.print_exc()
                result, wrong = Result(0, b"", b""), ["the attack itself failed"]
        said = ascii(result.text[-400:])
        if wrong:
            print(f"{attack.id}: {'; '.join(wrong)}\n    {said}", flush=True)
        elif verbose:
            print(f"{attack.id}: {result.code} {result.seconds:.1f} s {said}", flush=True)
        elif number % 100 == 0:
            print(f"{number} after {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
        yield Outcome(
            attack.id,
            attack.group,
            attack.number,
            attack.shown(),
            result.code,
            round(result.seconds, 2),
            wrong,
            skipped,
            said if wrong else "",
        )


def _missing(own: Path, need: str) -> str:
    if need == "apertium":
        return "" if shutil.which("lt-proc") else "Apertium is not installed"
    if os.geteuid():
        return "needs root"
    if need == "mount" and not runner.can_mount(own / "try"):
        return "no file system can be mounted"
    return ""


def _report(outcomes: list[Outcome]) -> int:
    """The table by class; 1 where anything got through."""
    tried, through, skipped = (Counter[str]() for _ in range(3))
    for one in outcomes:
        skipped[one.group] += bool(one.skipped)
        tried[one.group] += not one.skipped
        through[one.group] += bool(one.complaints)
    print("\n| class | tried | survived | not tried |\n|---|---|---|---|")
    for group in tried:
        left = tried[group] - through[group]
        print(f"| {group} | {tried[group]} | {left} | {skipped[group] or ''} |")
    total = tried.total()
    print(f"| all | {total} | {total - through.total()} | {skipped.total() or ''} |")
    for one in outcomes:
        if one.complaints:
            print(f"\n{one.id}: {'; '.join(one.complaints)}")
            print(f"    {one.command}\n    python -m tests.attacks --only '{one.id}'")
    return int(bool(through.total()))

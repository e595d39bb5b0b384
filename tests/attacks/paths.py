"""Paths: names, special files, what lies in the way, and file systems that take no more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from tests.attacks.attack import (
    REFUSED,
    After,
    Attack,
    Conditions,
    Place,
    Result,
    Setup,
    line,
    nothing,
)
from tests.attacks.slots import BESIDE, FILL, READ, WHOLE, WRITE, WRITERS, codes

NAMES: dict[str, str] = {
    "no-file": "none.jsonl",
    "empty-name": "",
    "dot": ".",
    "dash": "-x.jsonl",
    "long": "n" * 300,
    "longest": "n" * 255,
    "deep": "/".join(["d" * 200] * 30),
    "newline": "a\nb.jsonl",
    "escape": "\x1b]0;OWNED\x07\x1b[31m.jsonl",
    "bidi": "\u202egnp.jsonl",
    "not-utf-8": os.fsdecode(b"caf\xe9.jsonl"),
    "question": "what?.jsonl",
    "percent": "per%cent%s.jsonl",
    "quotes": 'it\'s "so"; DROP TABLE x--.jsonl',
    "brackets": "[a]{b}$(c)`d`.jsonl",
    "star": "*.jsonl",
    "below-file": "/etc/hostname/x.jsonl",
    "below-proc": "/proc/1/none/x.jsonl",
    "nul": "a\\0b.jsonl",
    "url": "http://127.0.0.1:9/x.jsonl",
    "surrogate": os.fsdecode(b"\xed\xa0\x80.jsonl"),
}


def _fifo(place: Place) -> None:
    os.mkfifo(place.at / "it")


def _folder_with(place: Place, *, fifo: bool = False) -> None:
    (place.at / "it").mkdir()
    if fifo:
        for name in ("p.txt", "train.jsonl", "config.json", "model.toml", "a.conll"):
            os.mkfifo(place.at / "it" / name)


def _linked(target: str) -> Setup:
    def setup(place: Place) -> None:
        (place.at / "it").symlink_to(target)

    return setup


def _closed(place: Place) -> None:
    place.put("it").chmod(0)


SPECIAL: dict[str, tuple[str, Setup]] = {
    "null": ("/dev/null", nothing),
    "zero": ("/dev/zero", nothing),
    "random": ("/dev/urandom", nothing),
    "stdin": ("/dev/stdin", nothing),
    "memory": ("/proc/self/mem", nothing),
    "maps": ("/proc/self/maps", nothing),
    "socket": ("{seeds}/socket", nothing),
    "fifo": ("it", _fifo),
    "empty-file": ("it", lambda place: place.put("it", b"")),
    "empty-folder": ("it", _folder_with),
    "folder-of-fifos": ("it", lambda place: _folder_with(place, fifo=True)),
    "dangling": ("it", _linked("nowhere")),
    "loop": ("it", _linked("it")),
    "link-to-zero": ("it", _linked("/dev/zero")),
    "not-readable": ("it", _closed),
}


def reading() -> Iterator[Attack]:
    """Every place for a path with every odd name that is not there, and every special file."""
    for slot, command in READ.items():
        for name, (path, setup) in {
            **{n: (p, nothing) for n, p in NAMES.items()},
            **SPECIAL,
        }.items():
            if name == "fifo" and slot.endswith("dump"):
                continue  # a dump may come by one: whoever names it will write to it
            yield Attack(
                group="paths",
                name=f"{slot}/{name}",
                argv=line(command, IN=path),
                setup=setup,
                codes=codes(command),
                conditions=Conditions(nobody=name == "not-readable"),
                needs="root" if name == "not-readable" else "",
            )


OUT_NAMES = {
    name: path for name, path in NAMES.items() if name not in ("no-file", "dash", "nul", "url")
}


def pattern(path: str) -> str:
    """A pattern that this path alone has."""
    return "".join(f"[{sign}]" if sign in "[*?" else sign for sign in path)


def names_of_output() -> Iterator[Attack]:
    """What is written goes where it is told, under any name, or is refused."""
    for slot, command in WRITERS.items():
        for name, path in OUT_NAMES.items():
            if path in ("", "."):
                continue
            yield Attack(
                group="file system",
                name=f"{slot}/{name}",
                argv=line(command, OUT=path),
                writes=(
                    *(pattern(path), f"{pattern(path)}.corpus", "d*"),
                    f"{pattern(path.removesuffix('.jsonl'))}.asked.json",  # of `annotate ask`
                ),
                codes=codes(command),
            )
        for name, path in (("null", "/dev/null/x"), ("full", "/dev/full/x"), ("sys", "/sys/x")):
            yield Attack(
                group="file system",
                name=f"{slot}/{name}",
                argv=line(command, OUT=path),
                codes=REFUSED,
            )


def _file(place: Place) -> None:
    place.put("out")


def _folder(place: Place) -> None:
    for name in FOREIGN:
        place.put(f"out/{name}")


def _to_theirs(place: Place) -> None:
    (place.at / "out").symlink_to(place.base / "theirs")


def _to_their_file(place: Place) -> None:
    (place.at / "out").symlink_to(place.base / "theirs" / "mine.txt")


def _write_protected(place: Place) -> None:
    place.put("out").chmod(0o444)


def _fifo_out(place: Place) -> None:
    os.mkfifo(place.at / "out")


def _linked_private(place: Place) -> None:
    place.path("out/x")
    (place.at / "out").mkdir(exist_ok=True)
    (place.at / "out" / ".corefmill").symlink_to(place.base / "theirs")


def _linked_inside(place: Place) -> None:
    (place.at / "out").mkdir()
    for name in FOREIGN:
        if "/" not in name:
            (place.at / "out" / name).symlink_to(place.base / "theirs" / "mine.txt")


FOREIGN = (
    *("README.md", "train.jsonl", "validation.jsonl", "train.conll", "train.txt", "rejects.json"),
    *(
        "lengths.png",
        "shares.png",
        "dev.jsonl",
        "test.jsonl",
        "uncontrolled.jsonl",
        "croissant.json",
        "key.csv",
    ),
    *("rater-1.csv", "tables.md", "overlap.json", "overlap.jsonl", "overlap.png", "model.toml"),
    *("model.safetensors", "log.csv", "curves.png"),
    *("train.json", "work/notes.txt", "passes/notes.txt", "resume/notes.txt"),
    *("stages/notes.txt", "translations/notes.txt", ".draft.tmp", "index/notes.txt"),
    *("encoder/notes.txt", "config.json", "tables.csv", "best.toml"),
)
"""Names that a command of ours gives its files, here somebody's own. What is in `.corefmill/` is
ours by that name."""

IN_THE_WAY: dict[str, Setup] = {
    "file": _file,
    "folder": _folder,
    "link-to-folder": _to_theirs,
    "link-to-file": _to_their_file,
    "write-protected": _write_protected,
    "fifo": _fifo_out,
    "linked-private": _linked_private,
    "links-inside": _linked_inside,
}


def overwriting() -> Iterator[Attack]:
    """Whatever of somebody's lies where a command writes stays as it is."""
    for slot, name in BESIDE.items():
        yield Attack(
            group="overwrite",
            name=f"{slot}/its-own-name",
            argv=line(FILL[slot], OUT="out"),
            setup=lambda place, name=name: place.put(f"out/{name}"),  # type: ignore[misc]
            after=_theirs_is_there(f"out/{name}"),
            codes=REFUSED,
            writes=(),
        )
    for slot, command in WRITERS.items():
        if slot in BESIDE:
            continue
        for name, setup in IN_THE_WAY.items():
            yield Attack(
                group="overwrite",
                name=f"{slot}/{name}",
                argv=line(command, OUT="out"),
                setup=setup,
                codes=codes(command),
                writes=("out*",) if name == "linked-private" else (),
            )
        yield Attack(
            group="overwrite",
            name=f"{slot}/working-folder",
            argv=line(command, OUT="."),
            setup=lambda place: [place.put(name) for name in FOREIGN],
            codes=(2,),
            writes=(),
        )
        for name in FOREIGN if slot not in WRITE else ():
            yield Attack(
                group="overwrite",
                name=f"{slot}/{name.replace('/', '-')}",
                argv=line(command, OUT="out"),
                setup=lambda place, name=name: place.put(f"out/{name}"),  # type: ignore[misc]
                after=_theirs_is_there(f"out/{name}"),
            )


def _theirs_is_there(name: str) -> After:
    def after(place: Place, result: Result) -> str:
        path = place.at / name
        there = path.is_file() and path.read_bytes() == b"somebody's\n"
        return "" if there else f"lost: {name}"

    return after


def _filled(place: Place) -> None:
    """Names can still be made on the disk, but not a byte be written."""
    with suppress(OSError), (place.at / "disk" / "mine").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def no_room() -> Iterator[Attack]:
    """A disk that is full, at several sizes, a limit of a file's size, and a read-only disk."""
    for slot, command in WRITERS.items():
        here = line(command, OUT="disk/out")
        for size in ("4k", "8k", "24k", "60k", "200k"):
            yield Attack(
                group="full disk",
                name=f"{slot}/{size}",
                argv=here,
                conditions=Conditions(disk=f"size={size}"),
                codes=codes(command),
                writes=("disk*",),
                needs="mount",
            )
        yield Attack(
            group="full disk",
            name=f"{slot}/no-room",
            argv=here,
            setup=_filled,
            conditions=Conditions(disk="size=64k"),
            codes=REFUSED,
            writes=("disk/out*", "disk/.*"),
            needs="mount",
        )
        for limit in (1000, 10_000):
            yield Attack(
                group="full disk",
                name=f"{slot}/file-limit-{limit}",
                argv=line(command, OUT="out"),
                conditions=Conditions(file_limit=limit),
                codes=codes(command),
            )
        yield Attack(
            group="full disk",
            name=f"{slot}/no-inode",
            argv=here,
            conditions=Conditions(disk="nr_inodes=3"),
            codes=codes(command),
            writes=("disk*",),
            needs="mount",
        )
        for name, out in (("", "disk/out"), ("-deeper", "disk/a/b/out")):
            yield Attack(
                group="read-only output",
                name=f"{slot}{name}",
                argv=line(command, OUT=out),
                conditions=Conditions(disk="size=8k,ro"),
                codes=(2,),
                writes=(),
                needs="mount",
            )
        yield Attack(
            group="read-only output",
            name=f"{slot}-no-rights",
            argv=line(command, OUT="closed/out"),
            setup=_no_rights,
            conditions=Conditions(nobody=True),
            codes=(2,),
            writes=(),
            needs="root",
        )
    for slot, whole in WHOLE.items():
        for name in ("full", "closed"):
            yield Attack(
                group="full disk",
                name=f"{slot}/stdout-{name}",
                argv=line(READ[slot].replace(" -q", ""), IN=whole),
                conditions=Conditions(stdout=name),
                codes=codes(READ[slot]),
            )


def _no_rights(place: Place) -> None:
    (place.at / "closed").mkdir(mode=0o555)


def attacks() -> Iterator[Attack]:
    """All of this module."""
    yield from reading()
    yield from names_of_output()
    yield from overwriting()
    yield from no_room()

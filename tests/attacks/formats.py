"""Hostile inputs: a file of every format, damaged in every way, and the commands that read it."""

from __future__ import annotations

import bz2
import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from corefmill.corpora.formats.registry import FORMATS
from tests.attacks.attack import Attack, Place, Setup, line
from tests.attacks.slots import codes

ESCAPE = "\x1b]0;OWNED\x07\x1b[2J\x9b31m\x07"
BIDI = "\u202egnp\u2066\u200f"
FORMULA = "=cmd|'/C calc'!A0"
HUGE = "9" * 5000

Mutation = Callable[[bytes, random.Random], bytes]


def _flipped(whole: bytes, draw: random.Random) -> bytes:
    content = bytearray(whole)
    for _ in range(4):
        content[draw.randrange(len(content))] = draw.randrange(256)
    return bytes(content)


def _spliced(whole: bytes, draw: random.Random) -> bytes:
    first, second = sorted((draw.randrange(len(whole)), draw.randrange(len(whole))))
    return whole[:second] + whole[first:]


def _inserted(piece: bytes) -> Mutation:
    def mutate(whole: bytes, draw: random.Random) -> bytes:
        at = draw.randrange(len(whole))
        return whole[:at] + piece + whole[at:]

    return mutate


def _words(piece: str) -> Mutation:
    """The first names and words of the file are something else."""

    def mutate(whole: bytes, draw: random.Random) -> bytes:
        sign = json.dumps(piece)[1:-1].encode() if whole.lstrip()[:1] in b"{[" else piece.encode()
        return re.sub(rb"\b(Anna|Bob|1_1ecb|nw/a|test-1|cook|d)\b", lambda _: sign, whole)

    return mutate


def _numbers(piece: str) -> Mutation:
    def mutate(whole: bytes, draw: random.Random) -> bytes:
        return re.sub(rb"\b\d+\b", piece.encode(), whole)

    return mutate


def _one_number(piece: str) -> Mutation:
    def mutate(whole: bytes, draw: random.Random) -> bytes:
        found = list(re.finditer(rb"-?\b\d+\b", whole))
        if not found:
            return whole + piece.encode()
        one = draw.choice(found)
        return whole[: one.start()] + piece.encode() + whole[one.end() :]

    return mutate


def _json(change: Callable[[object], object]) -> Mutation:
    """A value of each record is another; what is not JSON gets a line of it."""

    def mutate(whole: bytes, draw: random.Random) -> bytes:
        try:
            rows = [json.loads(row) for row in whole.splitlines()]
        except ValueError:
            try:
                rows = [json.loads(whole)]
            except ValueError:
                return whole + json.dumps(change({"a": 1})).encode() + b"\n"
        return b"".join(json.dumps(change(row)).encode() + b"\n" for row in rows)

    return mutate


def _each(value: object) -> Callable[[object], object]:
    def change(row: object) -> object:
        if isinstance(row, dict):
            return dict.fromkeys(row, value)
        return [change(one) for one in row] if isinstance(row, list) else value

    return change


def _without_first(row: object) -> object:
    if isinstance(row, dict):
        return dict(list(row.items())[1:])
    return [_without_first(one) for one in row] if isinstance(row, list) else row


def _one_more(row: object) -> object:
    if isinstance(row, dict):
        return {**row, ESCAPE: BIDI}
    return [_one_more(one) for one in row] if isinstance(row, list) else row


MUTATIONS: dict[str, Mutation] = {
    "cut": lambda whole, draw: whole[: draw.randrange(len(whole))],
    "cut-last": lambda whole, draw: whole[:-1],
    "one-byte": lambda whole, draw: whole[:1],
    "flipped": _flipped,
    "spliced": _spliced,
    "twice": lambda whole, draw: whole + whole,
    "shuffled": lambda whole, draw: b"\n".join(draw.sample(rows := whole.split(b"\n"), len(rows))),
    "nul": _inserted(b"\0"),
    "nul-bytes": lambda whole, draw: bytes(len(whole)),
    "not-utf-8": _inserted(b"\xff\xfe\xe9"),
    "surrogate": _inserted(b"\xed\xa0\x80"),
    "json-surrogate": _inserted(b"\\ud800"),
    "utf-16": lambda whole, draw: whole.decode("latin-1").encode("utf-16"),
    "byte-order-mark": lambda whole, draw: b"\xef\xbb\xbf" + whole,
    "cr": lambda whole, draw: whole.replace(b"\n", b"\r"),
    "cr-lf": lambda whole, draw: whole.replace(b"\n", b"\r\n"),
    "line-separator": _inserted("\u2028\u0085\x0b\x0c\x1c".encode()),
    "blank-lines": lambda whole, draw: b"\n" * 1000 + whole.replace(b"\n", b"\n\n\n"),
    "no-newlines": lambda whole, draw: whole.replace(b"\n", b" "),
    "escape": _words(ESCAPE),
    "escape-anywhere": _inserted(ESCAPE.encode()),
    "bidi": _words(BIDI),
    "formula": _words(FORMULA),
    "path": _words("../../theirs/mine"),
    "empty-words": _words(""),
    "long-word": _words("w" * 100_000),
    "long-line": _inserted(b"x" * 3_000_000),
    "tabs": _inserted(b"\t" * 500_000),
    "brackets": _inserted(b"(" * 20_000),
    "nested": _inserted(b"[" * 100_000),
    "nested-objects": _inserted(b'{"a":' * 50_000),
    "negative": _one_number("-1"),
    "out-of-range": _one_number("99999"),
    "huge-number": _one_number(HUGE),
    "64-bit": _one_number("18446744073709551616"),
    "huge-numbers": _numbers(HUGE),
    "float": _one_number("1e999"),
    "nan": _one_number("NaN"),
    "other-digits": _one_number("٣"),
    "same-numbers": _numbers("0"),
    "null-values": _json(_each(None)),
    "number-values": _json(_each(7)),
    "list-values": _json(_each([[]])),
    "object-values": _json(_each({"a": {}})),
    "missing-key": _json(_without_first),
    "foreign-key": _json(_one_more),
    "scalar": _json(lambda row: 7),
    "gzip": lambda whole, draw: gzip.compress(whole, mtime=0),
    "bzip2-cut": lambda whole, draw: bz2.compress(whole)[:-5],
    "html": lambda whole, draw: b"<!DOCTYPE html><html><body>404</body></html>",
    "pickle": lambda whole, draw: b"\x80\x04cos\nsystem\n(S'touch PWNED'\ntR.",
}

COMMANDS = {
    "stats": "corefmill stats FILE",
    "stats-from": "corefmill stats FILE --from FORM --json",
    "check": "corefmill check FILE --from FORM",
    "fix": "corefmill check FILE --from FORM --fix --out OUT",
    "convert": "corefmill convert FILE OUT --from FORM --to NATIVE",
    "convert-any": "corefmill convert FILE OUT --from FORM --to NATIVE --leave-out --json",
    "score": "corefmill score FILE FILE --by document",
}
_NATIVE = {
    "masked-example/1": "native-masked",
    "event-mention/1": "native-events",
    "document/1": "native-documents",
}


def _damaged(form: str, mutation: str, seed: int) -> Setup:
    """Lays the damaged file, and what belongs beside it as it is."""

    def setup(place: Place) -> None:
        draw = random.Random(f"{seed} {form} {mutation}")
        for path in sorted((place.seeds / "formats" / form).iterdir()):
            content = path.read_bytes()
            first = path.name == _file_of(place.seeds, form)
            place.put(path.name, MUTATIONS[mutation](content, draw) if first else content)

    return setup


def _file_of(seeds: Path, form: str) -> str:
    return min(path.name for path in (seeds / "formats" / form).iterdir())


def attacks(seeds: Path, seed: int) -> Iterator[Attack]:
    """Every format with every mutation; the commands take turns, and differ with the seed."""
    turn = seed
    for name, form in FORMATS.items():
        for mutation in MUTATIONS:
            commands = list(COMMANDS)
            command = commands[turn % len(commands)]
            turn += 1
            if command == "score" and form.schema == "event-mention/1":
                command = "convert"
            words = line(
                COMMANDS[command],
                FILE=_file_of(seeds, name),
                FORM=name,
                NATIVE=_NATIVE[form.schema],
                OUT=f"out{form.suffix}",
            )
            yield Attack(
                group="hostile inputs",
                name=f"{name}/{mutation}/{command}",
                argv=words,
                setup=_damaged(name, mutation, seed),
                codes=codes(COMMANDS[command]),
            )

"""Hostile bytes: a file of every format, a dump, and wikitext, damaged in every way."""

from __future__ import annotations

import bz2
import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import zstandard

from corefmill.corpora.formats.registry import FORMATS
from tests.attacks.commands import W, codes
from tests.attacks.harness import Attack, Place, Setup, line
from tests.attacks.seeds import PERSON, QUAKE
from tests.builders.wiki.dump.dump_writer import HEADER, dump, page

ESCAPE = "\x1b]0;OWNED\x07\x1b[2J\x9b31m\x07"
BIDI = "\u202egnp\u2066\u200f"
FORMULA = "=cmd|'/C calc'!A0"
HUGE = "9" * 5000

Mutation = Callable[[bytes, random.Random], bytes]


def _insert(piece: bytes) -> Mutation:
    def mutate(whole: bytes, draw: random.Random) -> bytes:
        at = draw.randrange(len(whole))
        return whole[:at] + piece + whole[at:]

    return mutate


def _flip(whole: bytes, draw: random.Random) -> bytes:
    content = bytearray(whole)
    for _ in range(4):
        content[draw.randrange(len(content))] = draw.randrange(256)
    return bytes(content)


def _words(piece: str) -> Mutation:
    """Replace the first names and words of the file."""

    def mutate(whole: bytes, draw: random.Random) -> bytes:
        sign = json.dumps(piece)[1:-1].encode() if whole.lstrip()[:1] in b"{[" else piece.encode()
        return re.sub(rb"\b(Anna|Bob|1_1ecb|nw/a|test-1|cook|d)\b", lambda _: sign, whole)

    return mutate


def _number(piece: str) -> Mutation:
    """Replace one number."""

    def mutate(whole: bytes, draw: random.Random) -> bytes:
        found = list(re.finditer(rb"-?\b\d+\b", whole))
        if not found:
            return whole + piece.encode()
        one = draw.choice(found)
        return whole[: one.start()] + piece.encode() + whole[one.end() :]

    return mutate


def _json(change: Callable[[dict[str, object]], object]) -> Mutation:
    """Change each object of JSON; a file of another kind gets a line of it."""

    def walk(row: object) -> object:
        if isinstance(row, list):
            return [walk(one) for one in row]
        return change(row) if isinstance(row, dict) else row

    def mutate(whole: bytes, draw: random.Random) -> bytes:
        for rows in (whole.splitlines(), [whole]):
            try:
                made = [json.dumps(walk(json.loads(row))) for row in rows]
            except ValueError:
                continue
            return "".join(f"{row}\n" for row in made).encode()
        return whole + json.dumps(change({"a": 1})).encode() + b"\n"

    return mutate


MUTATIONS: Mapping[str, Mutation] = {
    "cut": lambda whole, draw: whole[: draw.randrange(len(whole))],
    "flipped": _flip,
    "shuffled": lambda whole, draw: b"\n".join(draw.sample(rows := whole.split(b"\n"), len(rows))),
    "nul": _insert(b"\0"),
    "not-utf-8": _insert(b"\xff\xfe\xe9"),
    "surrogate": _insert(b"\xed\xa0\x80"),
    "json-surrogate": _insert(b"\\ud800"),
    "utf-16": lambda whole, draw: whole.decode("latin-1").encode("utf-16"),
    "byte-order-mark": lambda whole, draw: b"\xef\xbb\xbf" + whole,
    "cr-lf": lambda whole, draw: whole.replace(b"\n", b"\r\n"),
    "line-separator": _insert("\u2028\u0085\x0b\x0c\x1c".encode()),
    "escape": _words(ESCAPE),
    "bidi": _words(BIDI),
    "formula": _words(FORMULA),
    "path": _words("../../theirs/mine"),
    "empty-words": _words(""),
    "long-word": _words("w" * 100_000),
    "long-line": _insert(b"x" * 3_000_000),
    "tabs": _insert(b"\t" * 500_000),
    "brackets": _insert(b"(" * 20_000),
    "nested": _insert(b"[" * 100_000),
    "nested-objects": _insert(b'{"a":' * 50_000),
    "negative": _number("-1"),
    "out-of-range": _number("99999"),
    "huge-number": _number(HUGE),
    "float": _number("1e999"),
    "nan": _number("NaN"),
    "null-values": _json(lambda row: dict.fromkeys(row)),
    "number-values": _json(lambda row: dict.fromkeys(row, 7)),
    "object-values": _json(lambda row: {key: {"a": {}} for key in row}),
    "missing-key": _json(lambda row: dict(list(row.items())[1:])),
    "foreign-key": _json(lambda row: {**row, ESCAPE: BIDI}),
    "gzip": lambda whole, draw: gzip.compress(whole, mtime=0),
    "html": lambda whole, draw: b"<!DOCTYPE html><html><body>404</body></html>",
    "pickle": lambda whole, draw: b"\x80\x04cos\nsystem\n(S'touch PWNED'\ntR.",
}
COMMANDS = (
    "corefmill stats FILE --from FORM --json",
    "corefmill check FILE --from FORM",
    "corefmill check FILE --from FORM --fix --out OUT",
    "corefmill convert FILE OUT --from FORM --to NATIVE --leave-out --json",
    "corefmill score FILE FILE --by document",
)
_NATIVE = {
    "masked-example/1": "native-masked",
    "event-mention/1": "native-events",
    "document/1": "native-documents",
}


def _damage(form: str, mutation: str, seed: int) -> Setup:
    """Lay the damaged file, and the whole ones beside it."""

    def setup(place: Place) -> None:
        draw = random.Random(f"{seed} {form} {mutation}")
        for number, path in enumerate(sorted((place.seeds / "formats" / form).iterdir())):
            content = path.read_bytes()
            place.put(path.name, content if number else MUTATIONS[mutation](content, draw))

    return setup


def formats(seeds: Path, seed: int) -> Iterator[Attack]:
    """Try every format with every mutation; the commands take turns, shifted by the seed."""
    turn = seed
    for name, form in FORMATS.items():
        for mutation in MUTATIONS:
            turn += 1
            command = COMMANDS[turn % len(COMMANDS)]
            if "score" in command and form.schema == "event-mention/1":
                command = COMMANDS[-2]
            first = min(path.name for path in (seeds / "formats" / name).iterdir())
            words = {"FILE": first, "FORM": name, "NATIVE": _NATIVE[form.schema]}
            yield Attack(
                name=f"bytes/{name}/{mutation}",
                argv=line(command, **words, OUT=f"out{form.suffix}"),
                setup=_damage(name, mutation, seed),
                codes=codes(command),
            )


N = 20_000
TEXTS: Mapping[str, str] = {
    "braces": "{{" * N + "}}" * N,
    "links-nested": "[[a|" * N + "]]" * N,
    "tables": "{|\n|\n" * N + "\n|}" * N,
    "comment-open": PERSON + "<!-- " + PERSON * 20,
    "entities": "&#x110000;&#0;&#xD800;&#99999999999999999999;&" + "a" * N,
    "infobox-open": QUAKE.replace("}}", "") + PERSON,
    "infobox-nested": "{{Infobox earthquake|a=" * 3000 + "}}" * 3000,
    "link-long": f"[[{'a' * 500_000}|b]]",
    "link-signs": "[[a\n|b]] [[<>|{}]] [[::|]] [[#a]] [[|]] [[]] [[ ]] [[:File:a|b]]",
    "file-nested": "[[File:a|" * 5000 + "]]" * 5000,
    "word": "w" * 1_000_000,
    "word-accents": "e" + "\u0301" * 200_000,
    "sentence": "Ann Lee met Bob Stone and " * 1500,
    "newlines": "\n" * 500_000 + PERSON,
    "bidi": PERSON.replace("Ann", f"{BIDI}Ann") * 20,
    "escape": PERSON.replace("Ann", "\x85\x9b31mAnn") * 20,
    "redirect-self": "#REDIRECT [[Ann Lee]]",
    "dates": "{{Infobox earthquake|date=" + "99999999999999 May " * 2000 + "}}" + PERSON,
}
P = page("Ann Lee", PERSON)
DUMPS: Mapping[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "cut-tag": lambda: dump([P])[:-300],
    "not-xml": lambda: b"\x00\x01\x02" * 1000,
    "not-utf-8": lambda: dump([P]).replace(b"Ann", b"\xff\xe9\x80"),
    "control": lambda: dump([P]).replace(b"Ann", b"\x1b[31m\x07\x01"),
    "bad-entity": lambda: dump([P]).replace(b"Ann", b"&nothing; &#0; &#xFFFFFFFF;"),
    "external": lambda: (
        b'<!DOCTYPE mediawiki [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
        + dump([P]).replace(b"Ann", b"&x;")
    ),
    "deep": lambda: (HEADER + "<page>" * 50_000).encode(),
    "bad-id": lambda: dump([P]).replace(b"<id>1<", b"<id>-" + b"9" * 5000 + b"<"),
    "same-ids": lambda: dump([P] * 50),
    "title-path": lambda: dump([page("../../theirs/mine", PERSON)]),
    "title-escape": lambda: dump([page("\x85Ann\x9b31m", PERSON)]),
    "title-long": lambda: dump([page("A" * 100_000, PERSON)]),
    "language": lambda: dump([P]).replace(b'xml:lang="en"', b'xml:lang="../../x"'),
    "long-line": lambda: dump([page("Ann Lee", "a" * 20_000_000)]),
    "bzip2-cut": lambda: bz2.compress(dump([P] * 20))[:-20],
    "bzip2-bomb": lambda: bz2.compress(HEADER.encode() + bytes(200_000_000)),
    "gzip-bomb": lambda: gzip.compress(HEADER.encode() + b"a" * 200_000_000, 6),
    "zst-bomb": lambda: zstandard.compress(HEADER.encode() + b"<a>" * 60_000_000),
    "zst-window": lambda: b"\x28\xb5\x2f\xfd\x00\xf8" + b"\0" * 20,
    **{
        f"text-{name}": lambda text=text: dump(  # type: ignore[misc]
            [page("Ann Lee", text), page("Quake", QUAKE + text[:2000], number=2)]
        )
        for name, text in TEXTS.items()
    },
}


def dumps() -> Iterator[Attack]:
    """Try the builders that read dumps with every dump and text."""
    for name, make in DUMPS.items():
        for build in ("wikicrem", "wec", "knowref"):
            yield Attack(
                name=f"dumps/{name}/{build}",
                argv=line(f"build {build} --dump d.xml --out out {W}"),
                setup=lambda place, make=make: place.put("d.xml", make()),  # type: ignore[misc]
            )


def attacks(seeds: Path, seed: int) -> Iterator[Attack]:
    """All hostile bytes."""
    yield from formats(seeds, seed)
    yield from dumps()

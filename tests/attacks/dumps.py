"""Hostile dumps and wikitext for the builders that read dumps."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable, Iterator, Mapping

import zstandard

from tests.attacks.commands import W
from tests.attacks.harness import Attack, line
from tests.attacks.seeds import PERSON, QUAKE
from tests.builders.wiki.dump.dump_writer import HEADER, dump, page

ESCAPE = "\x1b]0;OWNED\x07\x1b[2J\x9b31m\x07"
BIDI = "\u202egnp\u2066\u200f"
FORMULA = "=cmd|'/C calc'!A0"
HUGE = "9" * 5000

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

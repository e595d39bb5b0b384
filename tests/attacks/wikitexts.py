"""Hostile wikitext in a small dump, hostile dumps, and bombs: little that unpacks to much."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterator

import zstandard

from tests.attacks.attack import Attack, Place, Setup, line
from tests.attacks.formats import BIDI, FORMULA
from tests.attacks.seeds import PERSON, QUAKE
from tests.attacks.slots import S, W
from tests.builders.wiki.dump.dump_writer import FOOTER, HEADER, dump, page

BUILDS = {
    "wikicrem": f"build wikicrem --dump d.xml --out out {W}",
    "wec": f"build wec --dump d.xml --out out {W}",
    "knowref": f"build knowref --dump d.xml --out out {W}",
    "wikirand": f"build wikirand --like {S}/wikicrem --dump d.xml --out out {W}",
    "wec-paper": f"build wec --dump d.xml --mode paper --out out {W}",
    "list": "build wec --dump d.xml --list-infoboxes",
}

N = 20_000
LINK = "[[1974 Brannock earthquake|quake]]"

TEXTS: dict[str, str] = {
    "braces": "{{" * N,
    "braces-closed": "{{" * N + "}}" * N,
    "braces-alone": "}}" * N,
    "triple": "{{{" * N + "}}}" * N,
    "brackets": "[[" * N,
    "brackets-closed": "[[" * N + "]]" * N,
    "links-nested": "[[a|" * N + "]]" * N,
    "single-brackets": "[http://x " * N,
    "tables": "{|\n|-\n|" * N,
    "tables-closed": "{|\n|\n" * N + "\n|}" * N,
    "refs": "<ref>" * N,
    "refs-closed": "<ref>a" * N + "</ref>" * N,
    "ref-self": "<ref name=a/" * N,
    "comments": "<!--" * N,
    "comment-open": PERSON + "<!-- " + PERSON * 20,
    "nowiki": "<nowiki>" * N + PERSON,
    "tags": "<b><i><div>" * N,
    "tags-odd": "<" * N + ">" * N,
    "attributes": "<div " + "a=b " * N + ">",
    "apostrophes": "'" * N * 5,
    "headings": "=" * N + "\n" + "== a ==\n" * N,
    "lists": "*#:;" * N,
    "pipes": "{{a|" + "|" * N * 5 + "}}",
    "equals": "{{Infobox earthquake|" + "a=" * N + "}}",
    "entities": "&amp;" * N + "&#x110000;&#0;&#xD800;&#99999999999999999999;&" + "a" * N,
    "entity-numbers": "&#" + "9" * 10_000 + ";",
    "infobox-open": QUAKE.replace("}}", "") + PERSON,
    "infoboxes": QUAKE * 500,
    "infobox-nested": "{{Infobox earthquake|a=" * 3000 + "}}" * 3000,
    "links": f"It was the {LINK} that " * 3000,
    "one-paragraph": PERSON.replace("\n", " ") * 100,
    "link-names": "".join(f"[[P {n}]] " for n in range(10_000)),
    "link-long": f"[[{'a' * 500_000}|b]]",
    "link-signs": "[[a\n|b]] [[<>|{}]] [[::|]] [[#a]] [[|]] [[]] [[ ]] [[:File:a|b]]",
    "file-nested": "[[File:a|" * 5000 + "]]" * 5000,
    "word": "w" * 1_000_000,
    "word-accents": "e" + "\u0301" * 200_000,
    "sentence": "Ann Lee met Bob Stone and " * 1500,
    "no-blanks": "AnnLeemetBobStone." * 5000,
    "blanks": " " * 500_000 + PERSON + "\t" * 500_000,
    "newlines": "\n" * 500_000 + PERSON,
    "capitals": "Ann Bob Carl Dora " * 4000,
    "quotes": '"' * 20_000 + "“" * 20_000,
    "brackets-round": "(" * 20_000 + ")" * 20_000,
    "dots": "." * 100_000 + "Mr. " * 5000,
    "digits": "1" * 100_000 + " " + "1,000.0 " * 5000,
    "bidi": PERSON.replace("Ann", f"{BIDI}Ann") * 20,
    "escape": PERSON.replace("Ann", "\x85\x9b31mAnn") * 20,
    "formula": PERSON.replace("Ann Lee", FORMULA) * 20,
    "emoji": PERSON.replace("Ann", "👩‍👩‍👧‍👦") * 20,
    "astral": PERSON.replace("Ann", "𝒜nn") * 20,
    "noncharacters": PERSON.replace("Ann", "\ufffe\uffff\ufdd0Ann"),
    "line-separators": PERSON.replace(" ", "\u2028") + PERSON.replace(" ", "\u00a0"),
    "placeholders": "[MASK] \ue000 \u0000".replace("\0", "") + PERSON + " [MASK] <mask> ___",
    "magic": "{{PAGENAME}}{{#if:a|b|{{#switch:x|y=z}}}}{{:{{PAGENAME}}}}__NOTOC__" * 500,
    "itself": "{{:Ann Lee}}{{Ann Lee}}[[Ann Lee]]" * 500,
    "math": "<math>\\frac{" * 5000 + "</math>",
    "gallery": "<gallery>\n" + "File:a.jpg|" * 5000,
    "redirect": "#REDIRECT [[" + "Ann Lee]] " * 1000,
    "redirect-self": "#REDIRECT [[Ann Lee]]",
    "language": "-{" * N + "}-" * N,
    "dates": "{{Infobox earthquake|date=" + "99999999999999 May " * 2000 + "}}" + PERSON,
    "coordinates": "{{Infobox earthquake|date={{start date|" + "9" * 5000 + "|99|99}}}}" + PERSON,
}

TITLES: dict[str, str] = {
    "empty": "",
    "path": "../../theirs/mine",
    "escape": "\x85Ann\x9b31m",
    "bidi": f"{BIDI}Ann",
    "formula": FORMULA,
    "long": "A" * 100_000,
    "colons": ":::",
    "namespace": "Talk:Ann",
    "newline": "Ann\nLee",
    "quotes": "Ann'; DROP TABLE pages; --",
    "tab": "Ann\tLee",
    "percent": "%s%n%d{0}{a}",
    "emoji": "👩‍👩‍👧‍👦",
}


def _page(text: str, title: str = "Ann Lee") -> Setup:
    def setup(place: Place) -> None:
        pages = [page(title, text), page("1974 Brannock earthquake", QUAKE + text[:2000], number=2)]
        place.put("d.xml", dump([*pages, page("Bob", PERSON, number=3)]))

    return setup


def _bytes(make: Callable[[], bytes]) -> Setup:
    return lambda place: place.put("d.xml", make())


P = page("Ann Lee", PERSON)
DUMPS: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "header": lambda: HEADER.encode(),
    "cut": lambda: dump([P, P])[:-200],
    "cut-tag": lambda: dump([P])[:-300],
    "no-footer": lambda: (HEADER + P).encode(),
    "html": lambda: b"<html><body>Not found</body></html>",
    "not-xml": lambda: b"\x00\x01\x02" * 1000,
    "zeros": lambda: bytes(5_000_000),
    "not-utf-8": lambda: dump([P]).replace(b"Ann", b"\xff\xe9\x80"),
    "nul": lambda: dump([P]).replace(b"Ann", b"A\0n"),
    "control": lambda: dump([P]).replace(b"Ann", b"\x1b[31m\x07\x01"),
    "surrogate": lambda: dump([P]).replace(b"Ann", b"\xed\xa0\x80"),
    "bad-entity": lambda: dump([P]).replace(b"Ann", b"&nothing; &#0; &#xFFFFFFFF;"),
    "entities": lambda: _laughs(),
    "external": lambda: _external("file:///etc/hostname"),
    "external-dtd": lambda: b'<!DOCTYPE mediawiki SYSTEM "http://127.0.0.1:9/x.dtd">' + dump([P]),
    "deep": lambda: (HEADER + "<page>" * 50_000).encode(),
    "attributes": lambda: (
        HEADER + "<page " + "".join(f'a{n}="" ' for n in range(50_000))
    ).encode(),
    "cdata": lambda: dump([P]).replace(b"Ann", b"<![CDATA[" + b"]]" * 5000 + b"]]>"),
    "no-namespace": lambda: dump([P]).replace(b"<ns>0</ns>", b""),
    "bad-namespace": lambda: dump([P]).replace(b"<ns>0<", b"<ns>" + b"9" * 5000 + b"<"),
    "bad-id": lambda: dump([P]).replace(b"<id>1<", b"<id>-" + b"9" * 5000 + b"<"),
    "same-ids": lambda: dump([P] * 50),
    "no-title": lambda: dump([P]).replace(b"<title>Ann Lee</title>", b""),
    "two-titles": lambda: dump([P]).replace(b"<ns>", b"<title>\x85B</title><ns>"),
    "bad-siteinfo": lambda: dump([P]).replace(b'key="1"', b'key="x' + b"9" * 500 + b'"'),
    "language": lambda: dump([P]).replace(b'xml:lang="en"', b'xml:lang="../../x"'),
    "database": lambda: dump([P]).replace(b">enwiki<", b">\xc2\x9b../../x<"),
    "long-tag": lambda: dump([P]).replace(b"<ns>", b"<" + b"a" * 1_000_000 + b">"),
    "long-line": lambda: dump([page("Ann Lee", "a" * 20_000_000)]),
    "many-pages": lambda: dump([P] * 3000),
    "redirects": lambda: dump(
        page(f"R {n}", f"#REDIRECT [[R {n + 1}]]", number=n, extra="<ns>0</ns><redirect/>")
        for n in range(3000)
    ),
    "bzip2-cut": lambda: bz2.compress(dump([P] * 20))[:-20],
    "bzip2-flipped": lambda: _flip(bz2.compress(dump([P] * 20))),
    "bzip2-tail": lambda: bz2.compress(dump([P])) + b"rubbish",
    "bzip2-streams": lambda: bz2.compress(b"") * 3000,
    "bzip2-bomb": lambda: bz2.compress(HEADER.encode() + bytes(200_000_000)),
    "gzip-bomb": lambda: gzip.compress(HEADER.encode() + b"a" * 200_000_000, 6),
    "gzip-cut": lambda: gzip.compress(dump([P] * 20))[:-20],
    "xz-bomb": lambda: lzma.compress(HEADER.encode() + b" " * 100_000_000, preset=0),
    "zst-bomb": lambda: zstandard.compress(HEADER.encode() + b"<a>" * 60_000_000),
    "zst-cut": lambda: zstandard.compress(dump([P] * 20))[:-20],
    "zst-window": lambda: b"\x28\xb5\x2f\xfd\x00\xf8" + b"\0" * 20,
    "7z": lambda: b"7z\xbc\xaf\x27\x1c" + bytes(500),
    "footer": lambda: FOOTER.encode(),
}


def _laughs() -> bytes:
    entities = '<!ENTITY a0 "ha">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)
    )
    return f"<!DOCTYPE mediawiki [{entities}]>".encode() + dump([P]).replace(b"Ann", b"&a11;")


def _external(where: str) -> bytes:
    declared = f'<!DOCTYPE mediawiki [<!ENTITY x SYSTEM "{where}">]>'
    return declared.encode() + dump([P]).replace(b"Ann", b"&x;")


def _flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]


BOMBS = ("bomb", "zeros", "deep", "entities", "attributes", "long", "many", "streams", "window")


def texts() -> Iterator[Attack]:
    """Every text and title through the builders that read dumps."""
    for name, text in TEXTS.items():
        for build in ("wikicrem", "wec", "knowref"):
            yield Attack(
                group="hostile wikitext",
                name=f"{name}/{build}",
                argv=line(BUILDS[build]),
                setup=_page(text),
            )
    for name, title in TITLES.items():
        for build in ("wikicrem", "wec", "wec-paper", "wikirand"):
            yield Attack(
                group="hostile wikitext",
                name=f"title-{name}/{build}",
                argv=line(BUILDS[build]),
                setup=_page(f"{PERSON}\n\n{LINK} and {PERSON}", title),
            )


def dumps() -> Iterator[Attack]:
    """Dumps that are none, or unpack to much."""
    for name, make in DUMPS.items():
        big = any(word in name for word in BOMBS)
        for build in ("wikicrem", "wec", "list") if not big else ("wikicrem", "wec"):
            yield Attack(
                group="bombs & huge inputs" if big else "hostile inputs",
                name=f"dump-{name}/{build}",
                argv=line(BUILDS[build]),
                setup=_bytes(make),
            )


def attacks() -> Iterator[Attack]:
    """All of this module."""
    yield from texts()
    yield from dumps()

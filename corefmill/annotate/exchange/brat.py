"""brat: a text and a file of stand-off annotations a document, and the project's configuration.

1. `0001.txt` is the text, `0001.ann` has `T1<TAB>Mention 0 4;9 12<TAB>words` for each mention (its
   pieces in characters, as Python counts them) and `R1<TAB>Coreference Arg1:T2 Arg2:T1` for each
   that has one before it in its cluster.
2. Read are T lines named Mention, R lines named Coreference, and `*<TAB>Coreference T1 T2 ...`,
   brat's own form of an equivalence. What hangs together is a cluster, a mention alone one by
   itself. Clusters stand in the order of their first mention in the file.
3. The words of a T line have to be those of the text. Notes (#) are counted and left out; anything
   else is an error.
4. A token with a line break has no place on a T line: such a document is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from corefmill.annotate.exchange.chains import (
    COREFERENCE,
    MENTION,
    PlainDocument,
    ReadChains,
    ToolMention,
    joined,
    named,
)
from corefmill.corpora import disk, lines
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.errors import DataError

CONFIGURATION = f"""[entities]
{MENTION}
[relations]
{COREFERENCE}\tArg1:{MENTION}, Arg2:{MENTION}, <REL-TYPE>:symmetric-transitive
<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>
[events]
[attributes]
"""
SETUP = "annotation.conf"

_MENTION = re.compile(rf"{MENTION} (\d{{1,12}} \d{{1,12}}(?:;\d{{1,12}} \d{{1,12}})*)")
_RELATION = re.compile(rf"{COREFERENCE} Arg1:(T\d{{1,12}}) Arg2:(T\d{{1,12}})")
_EQUIVALENCE = re.compile(rf"{COREFERENCE}((?: T\d{{1,12}}){{2,}})")


def names(documents: Sequence[PlainDocument]) -> list[str]:
    """The files that `write` writes."""
    return [SETUP, *(f"{one.name}.{ending}" for one in documents for ending in ("txt", "ann"))]


def write(folder: Path, documents: Sequence[PlainDocument]) -> None:
    """Writes the files; raises `DataError` for a document that brat cannot hold."""
    write_whole(folder / SETUP, CONFIGURATION)
    for one in documents:
        path = folder / f"{one.name}.ann"
        if any("\n" in one.text[unit.start : unit.end] for unit in one.units):
            raise DataError("a token has a line break in it: brat cannot hold it", path=path)
        write_whole(folder / f"{one.name}.txt", one.text)
        write_whole(path, _annotations(one))


def _annotations(one: PlainDocument) -> str:
    spans: list[str] = []
    links: list[str] = []
    for cluster in one.marked:
        for place, mention in enumerate(cluster):
            number = len(spans) + 1
            pieces = ";".join(f"{start} {end}" for start, end in mention.pieces)
            spans.append(f"T{number}\t{MENTION} {pieces}\t{_words(one.text, mention)}\n")
            if place:
                link = f"{COREFERENCE} Arg1:T{number} Arg2:T{number - 1}"
                links.append(f"R{len(links) + 1}\t{link}\n")
    return "".join((*spans, *links))


def _words(text: str, mention: ToolMention) -> str:
    """What stands on a T line: white space and controls of the text would end its line or cell."""
    words = " ".join(text[start:end] for start, end in mention.pieces)
    return "".join(" " if char.isspace() or char < " " else char for char in words)


def read(path: Path) -> Iterator[ReadChains]:
    """The chains of a file of annotations, its text beside it."""
    number, rater = named(path)
    try:
        text = disk.whole(path.with_suffix(".txt")).decode()
    except UnicodeDecodeError:
        raise DataError("not UTF-8", path=path.with_suffix(".txt")) from None
    mentions: dict[str, ToolMention] = {}
    links: list[tuple[int, list[str]]] = []
    left_out: Counter[str] = Counter()
    for line, row in lines.read(path):
        name, tab, rest = row.partition("\t")
        what, _, words = rest.partition("\t")
        if row.startswith("#"):
            left_out["notes"] += 1
        elif tab and name.startswith("T") and (found := _MENTION.fullmatch(what)):
            if name in mentions:
                raise DataError(f"{name} comes twice", path=path, line=line)
            mentions[name] = _mention(found[1], words, text, path, line)
        elif name.startswith("R") and (found := _RELATION.fullmatch(rest.strip())):
            links.append((line, [found[1], found[2]]))
        elif name == "*" and (found := _EQUIVALENCE.fullmatch(rest.strip())):
            links.append((line, found[1].split()))
        elif row:
            raise DataError(
                f"neither a {MENTION} nor a {COREFERENCE}: {row[:60]!r}", path=path, line=line
            )
    yield ReadChains(number, rater, text, _clusters(mentions, links, path), left_out)


def _mention(pieces: str, words: str, text: str, path: Path, line: int) -> ToolMention:
    spans = [tuple(map(int, one.split(" "))) for one in pieces.split(";")]
    made = ToolMention(tuple((start, end) for start, end in spans), where=line)
    if words.split() != _words(text, made).split():
        raise DataError(f"the words {words[:40]!r} do not stand there", path=path, line=line)
    return made


def _clusters(
    mentions: dict[str, ToolMention], links: Sequence[tuple[int, list[str]]], path: Path
) -> list[list[ToolMention]]:
    for line, ends in links:
        for end in ends:
            if end not in mentions:
                raise DataError(f"there is no {end}", path=path, line=line)
    return joined(mentions, [ends for _, ends in links])

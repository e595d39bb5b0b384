"""LitBank's own annotation: a file X.ann or X.tsv of mentions, and X.txt beside it with the words.

1. X.txt has a sentence a line, its words between blanks.
2. The table (coref/tsv) has lines between tabs: `MENTION T4 2 21 2 22 TEXT PER NOM` (sentence and
   word of both ends, from 0, the last word within), `COREF T4 a_slave-7` (the mention's entity),
   `COP T4 T2` and `APPOS T4 T2`.
3. In brat's form (coref/brat) `T4 NOM_PER 252 259 TEXT` is a mention with its type, by characters
   of X.txt; `T300 a_slave-7 252 259 TEXT` gives its entity, `R1 cop Arg1:T4 Arg2:T2` a link.
4. A mention without an entity is a cluster of its own, as in LitBank's CoNLL files. The document
   is CorefUD's: PER is the type, `cat:NOM` another attribute.
5. Not read are the links of copulas and appositions, and mentions over a sentence's end or in
   several pieces. They are counted.
6. The words of a mention must be its TEXT, blanks aside.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corefmill.corpora import records
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.terminal import warn_once
from corefmill.corpora.formats import corefud_entity
from corefmill.corpora.formats.corefud import DocumentBuilder, Header
from corefmill.corpora.formats.corefud_entity import Span, escape
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import Document

_SUITS = re.compile(
    r"(?m)\A(?:\ufeff)?(?:MENTION\tT\d+\t\d+\t\d+\t\d+\t\d+\t|COREF\tT\d+\t"
    r"|T\d+\t(?:NOM|PROP|PRON)_(?:PER|FAC|GPE|LOC|VEH|ORG) \d+ \d+)"
)
_TYPE = re.compile(r"(NOM|PROP|PRON)_(\w+)")
_NUMBERS = re.compile(r"\d{1,9}( \d{1,9})+")


@dataclass
class _Mention:
    """Words [start, end) of a line of the text, and what the annotation says of them."""

    sentence: int
    start: int
    end: int
    kind: str = ""
    category: str = ""
    entity: str = ""


class _Text:
    """The words of a text, by line and by characters."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise DataError(
                "the text of this annotation is missing",
                path=path,
                remedy=f"the words of a sentence a line were expected in {path.name}",
            )
        self.text = disk.read_text(path, own_line_ends=True).replace("\r\n", "\n")
        self.lines: list[list[str]] = []
        self.words: list[records.Span] = []
        self.places: list[tuple[int, int]] = []
        start = 0
        for number, line in enumerate(self.text.split("\n")):
            found = list(re.finditer(r"\S+", line))
            self.lines.append([match[0] for match in found])
            self.words += [(start + match.start(), start + match.end()) for match in found]
            self.places += [(number, word) for word in range(len(found))]
            start += len(line) + 1
        self.starts = [start for start, _ in self.words]
        self.ends = [end for _, end in self.words]

    def find(self, start: int, end: int) -> tuple[int, int, int, int]:
        """Find the lines and words of characters [start, end), whole words that they touch."""
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end) - 1
        if not 0 <= first <= last < len(self.words):
            raise ValueError(f"characters {start} to {end} are none of the text's words")
        return (*self.places[first], *self.places[last])

    def check(self, ends: tuple[int, int, int, int], said: str) -> None:
        """Raise `ValueError` unless the words between both ends are those that are said."""
        first, start, last, end = ends
        lines = self.lines[first : last + 1]
        if not (first <= last < len(self.lines) and start < len(lines[0]) and end < len(lines[-1])):
            raise ValueError(f"the text has no word {end} in line {last}, counted from 0")
        words = [word for line in lines for word in line]
        words = words[start : len(words) - len(lines[-1]) + end + 1]
        if "".join(words) != "".join(said.split()):
            raise ValueError(f"the text has {' '.join(words)[:60]!r} there, not {said[:60]!r}")


def read(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
    """Read the document of an annotation, and warn of what is not read.

    Raises `DataError` with the line that breaks rules 2, 3 and 6.
    """
    text = _Text(path.with_suffix(".txt"))
    mentions: dict[str, _Mention] = {}
    named: dict[str, tuple[str, int]] = {}
    labels: dict[tuple[int, int, int], list[str]] = {}
    lost: Counter[str] = Counter()
    for number, line in disk.read_lines(path):
        cells = line.split("\t")
        try:
            match cells[0].rstrip("0123456789"), cells:
                case "", [""]:
                    continue
                case "MENTION", [_, name, *places, said, kind, category] if len(places) == 4:
                    _add_mention(mentions, name, places, text, said, lost, kind, category)
                case "COREF", [_, name, entity]:
                    named[name] = entity, number
                case "COP" | "APPOS" | "R", _:
                    lost["links of copulas and appositions left out"] += 1
                case "#" | "A", _:
                    lost["notes and attributes left out"] += 1
                case "T", [name, label, said]:
                    label, _, numbers = label.partition(" ")
                    if ";" in numbers:
                        lost["mentions left out that are in several pieces"] += 1
                        continue
                    if not _NUMBERS.fullmatch(numbers):
                        raise ValueError("label and two places were expected")
                    places = list(map(str, text.find(*map(int, numbers.split()))))
                    if typed := _TYPE.fullmatch(label):
                        _add_mention(mentions, name, places, text, said, lost, typed[2], typed[1])
                    elif places[0] == places[2]:
                        _add_mention(mentions, name, places, text, said, lost)
                        one = mentions.pop(name)
                        labels.setdefault((one.sentence, one.start, one.end), []).append(label)
                case _:
                    raise ValueError(f"{line[:60]!r} is no line of LitBank's annotation")
        except (TypeError, ValueError) as error:
            raise DataError(str(error), path=path, line=number) from None
    # In the table an entity is named by the mention's name, in brat's form by its words.
    for name, (entity, number) in named.items():
        if name in mentions:
            mentions[name].entity = entity
        elif not lost["mentions left out that go over a sentence's end"]:
            raise DataError(f"there is no mention {name}", path=path, line=number)
    for one in mentions.values():
        if found := labels.get((one.sentence, one.start, one.end)):
            one.entity = found.pop(0)
    rest = [_Mention(*place, entity=label) for place, found in labels.items() for label in found]
    yield 1, _make_document(path, lang, text, [*mentions.items(), *enumerate(rest)])
    if lost := +lost:
        said = ", ".join(f"{what} ({number:,})" for what, number in lost.items())
        warn_once(f"{disk.show_name(path)}: {said}")


def _add_mention(
    mentions: dict[str, _Mention],
    name: str,
    places: list[str],
    text: _Text,
    said: str,
    lost: Counter[str],
    kind: str = "",
    category: str = "",
) -> None:
    """Add the mention between both ends, or count it where a sentence ends within it."""
    if name in mentions:
        raise ValueError(f"the mention {name} comes twice")
    first, start, last, end = (int(place) for place in places)
    text.check((first, start, last, end), said)
    if first == last:
        mentions[name] = _Mention(first, start, end + 1, kind, category)
    else:
        lost["mentions left out that go over a sentence's end"] += 1


def _make_document(
    path: Path, lang: str, text: _Text, mentions: list[tuple[str | int, _Mention]]
) -> Document:
    """Make the document from its lines as rows of CorefUD."""
    spans: dict[int, list[Span]] = {}
    for name, one in mentions:
        other = f"cat:{escape(one.category)}" if one.category else ""
        attributes = f"-{escape(one.kind)}-1" + f"-{other}" * bool(other)
        entity = escape(one.entity or str(name))
        spans.setdefault(one.sentence, []).append(Span(entity, attributes, ((one.start, one.end),)))
    builder = DocumentBuilder((), 1, disk.show_name(path.stem), Header())
    for number, words in enumerate(text.lines):
        if not words:
            continue
        try:
            cells = corefud_entity.make(spans.get(number, []), len(words), repeats=True)
        except ValueError as error:
            raise DataError(f"line {number + 1} of the text: {error}", path=path) from None
        empty = "\t".join("_" * 7)
        builder.add_sentence(
            (),
            [
                f"{place}\t{word}\t{empty}\t{'_' if cell is None else f'Entity={cell}'}"
                for place, (word, cell) in enumerate(zip(words, cells, strict=True), 1)
            ],
        )
    if not builder.sentences:
        raise DataError("the text has no words", path=path.with_suffix(".txt"))
    return builder.make_document(lang)


FORMAT = Format(
    name="litbank",
    schema="document/1",
    summary="LitBank's tables of mentions and its brat files, each beside its text",
    suffix=".ann",
    read=read,
    write=None,
    suits=lambda name, head: name.endswith((".ann", ".tsv")) and _SUITS.match(head) is not None,
)

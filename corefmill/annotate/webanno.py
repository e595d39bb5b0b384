r"""Read and write INCEpTION's WebAnno TSV 3.3: a document a file, chains in two columns.

1. After the header and two empty lines come sentences: `#Text=` (a line for each of the text's),
   then a row a token: `1-2`, its offsets in UTF-16 code units, the token, `referenceRelation`
   `*->CHAIN-LINK`, `referenceType` `LABEL[CHAIN]` or `*[CHAIN]`; `_` where no mention is, and `|`
   between several. An empty line stands before each sentence.
2. Text is escaped as INCEpTION does it: `\t \n \r \f \b \\`, and a backslash before any other
   control code; labels `\[ \] \| \_ \-> \; \t \n \* \\`. INCEpTION does not read the token's cell.
3. Read is the built-in layer of coreference, its two columns in either order. Other layers are
   counted and left out. A mention is all rows with its chain and link; rows of parts of tokens
   (`1-2.1`) count, so that a cut token is found.
4. Between sentences the text has a line end, or as many blanks as their offsets leave.
5. In annotations that INCEpTION exported, `INITIAL_CAS.tsv` is no rater's and is passed over.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from corefmill.annotate.documents import (
    PlainDocument,
    ReadChains,
    ToolMention,
    parse_file_name,
)
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.files.writing import write_whole

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
RELATION, TYPE = "referenceRelation", "referenceType"

_FORMAT = "#FORMAT=WebAnno TSV 3."
_FURTHEST = 1 << 31

_TEXT = {chr(code): f"\\{chr(code)}" for code in (*range(1, 8), *range(14, 32))}
_TEXT |= {"\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\b": "\\b", "\\": "\\\\"}
_TO_TEXT = str.maketrans(_TEXT)
_LETTERS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_LABEL = re.compile(r"->|[\\\[\]|_;\t\n*]")
_STACKED = re.compile(r"(?<!\\)\|")
_ROW = re.compile(r"[1-9]\d{0,8}-[1-9]\d{0,8}(\.[1-9]\d{0,8})?")
_OFFSETS = re.compile(r"(\d{1,10})-(\d{1,10})")
_LINK = re.compile(r"->([1-9]\d{0,8})-([1-9]\d{0,8})\Z")
_CHAIN = re.compile(r"\[([1-9]\d{0,8})\]\Z")
_SPECIAL = {"\t": "t", "\n": "n"}


class CodeUnits:
    """The offsets of one text: characters (code points) beside UTF-16 code units."""

    def __init__(self, text: str) -> None:
        self._units = [0, *accumulate(2 if char > "\uffff" else 1 for char in text)]

    def units(self, character: int) -> int:
        """Count the code units before a character, or before the text's end."""
        return self._units[character]

    def character(self, units: int) -> int:
        """Find the character behind so many code units.

        Raises `ValueError` for a place within a character or outside of the text.
        """
        found = bisect_left(self._units, units)
        if units < 0 or found == len(self._units) or self._units[found] != units:
            raise ValueError(f"{units} is within a character, or outside of the text, in UTF-16")
        return found


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: _LETTERS.get(found[1], found[1]), text)


def chain_names(documents: Sequence[PlainDocument]) -> list[str]:
    """List the files of `write_chains`."""
    return [f"{one.name}.tsv" for one in documents]


def write_chains(folder: Path, documents: Sequence[PlainDocument]) -> None:
    """Write a file for each document."""
    for one in documents:
        write_whole(folder / f"{one.name}.tsv", _tsv(one))


def _tsv(one: PlainDocument) -> str:
    offsets = CodeUnits(one.text)
    cells: dict[int, list[tuple[str, str]]] = defaultdict(list)
    starts = {unit.start: place for place, unit in enumerate(one.units)}
    for chain, cluster in enumerate(one.marked, 1):
        for link, mention in enumerate(cluster, 1):
            label = _LABEL.sub(lambda found: "\\" + _SPECIAL.get(found[0], found[0]), mention.label)
            place = starts[mention.pieces[0][0]]
            while place < len(one.units) and one.units[place].start < mention.pieces[-1][1]:
                cells[place].append((f"*->{chain}-{link}", f"{label or '*'}[{chain}]"))
                place += 1
    made = [f"#FORMAT=WebAnno TSV 3.3\n#T_CH={LAYER}|{RELATION}|{TYPE}\n\n"]
    place = 0
    for number, units in enumerate(one.sentences, 1):
        text = one.text[units[0].start : units[-1].end]
        made.append("\n")
        made += [f"#Text={line.translate(_TO_TEXT)}\n" for line in text.split("\n")]
        for index, unit in enumerate(units, 1):
            row = (
                f"{number}-{index}",
                f"{offsets.units(unit.start)}-{offsets.units(unit.end)}",
                one.text[unit.start : unit.end].translate(_TO_TEXT),
                "|".join(link for link, _ in cells[place]) or "_",
                "|".join(chain for _, chain in cells[place]) or "_",
            )
            made.append("\t".join((*row, "\n")))
            place += 1
    return "".join(made)


@dataclass
class _Parts:
    """The parts of a file so far: pieces of text, and each mention's places in UTF-16."""

    text: list[str] = field(default_factory=list)
    size: int = 0
    waiting: list[str] = field(default_factory=list)
    mentions: dict[tuple[int, int], tuple[int, int, str, int]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


def read_chains(path: Path) -> Iterator[ReadChains]:
    """Read the chains of a file, none of a document without a rater."""
    if path.name.startswith("INITIAL_CAS."):
        return
    number, rater = parse_file_name(path)
    rows = disk.read_lines(path)
    parts = _Parts()
    columns = _header(rows, path, parts.left_out)
    for line, row in rows:
        if row.startswith("#Text="):
            parts.waiting.append(_unescape(row.removeprefix("#Text=")))
        elif row and not row.startswith("#Sentence.id="):
            with naming(path, line):
                _token(row, line, columns, parts)
    text = "".join(parts.text)
    offsets = CodeUnits(text)
    chains: defaultdict[int, list[ToolMention]] = defaultdict(list)
    for (chain, _), (begin, end, label, line) in sorted(parts.mentions.items()):
        with naming(path, line):
            span = offsets.character(begin), offsets.character(end)
        chains[chain].append(ToolMention((span,), label, line))
    clusters = [chains[chain] for chain in sorted(chains)]
    yield ReadChains(number, rater, text, clusters, parts.left_out)


def _header(rows: Iterator[tuple[int, str]], path: Path, left_out: Counter[str]) -> dict[str, int]:
    """Find the columns of relation and type, from 0; none where the file has no chains."""
    columns: dict[str, int] = {}
    place = 3
    for line, row in rows:
        if line == 1:
            if not row.startswith(_FORMAT):
                raise DataError(f"no WebAnno TSV 3: {row[:60]!r}", path=path, line=1)
        elif not row:
            return columns
        elif not row.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
            raise DataError(f"no layer of WebAnno TSV: {row[:60]!r}", path=path, line=line)
        else:
            layer, *features = row[6:].split("|")
            if layer == LAYER:
                columns = {name: place + index for index, name in enumerate(features)}
                if sorted(columns) != [RELATION, TYPE]:
                    raise DataError(
                        f"the layer has not {RELATION} and {TYPE}", path=path, line=line
                    )
            else:
                left_out[f"layer {layer[:80]}"] += 1
            place += max(1, len(features))
    raise DataError("ends within its header", path=path, line=1)


def _token(row: str, line: int, columns: dict[str, int], parts: _Parts) -> None:
    cells = row.split("\t")
    found = _OFFSETS.fullmatch(cells[1]) if len(cells) > 2 else None
    if found is None or not _ROW.fullmatch(cells[0]):
        raise ValueError(f"neither a token nor #Text=: {row[:60]!r}")
    begin, end = int(found[1]), int(found[2])
    if max(begin, end) > _FURTHEST:
        raise ValueError("an offset beyond any text")
    if parts.waiting:
        _add_sentence(begin, parts)
    if not columns:
        return
    if len(cells) <= max(columns.values()):
        raise ValueError(f"only {len(cells)} cells")
    links = _STACKED.split(cells[columns[RELATION]])
    chains = _STACKED.split(cells[columns[TYPE]])
    if links == ["_"] and chains == ["_"]:
        return
    if len(links) != len(chains):
        raise ValueError(f"{len(links)} links of {len(chains)} mentions")
    for link, chain in zip(links, chains, strict=True):
        of, own = _LINK.search(link), _CHAIN.search(chain)
        if of is None or own is None or of[1] != own[1]:
            raise ValueError(f"no link of a chain and its mention: {link[:30]!r}, {chain[:30]!r}")
        label = chain[: own.start()]
        key = int(of[1]), int(of[2])
        if key not in parts.mentions and link[: of.start()] != "*":
            parts.left_out["labels of links"] += 1
        first, last, kept, where = parts.mentions.get(
            key, (begin, end, "" if label == "*" else _unescape(label), line)
        )
        parts.mentions[key] = min(first, begin), max(last, end), kept, where


def _add_sentence(begin: int, parts: _Parts) -> None:
    """Add the text between this sentence and the last, then its own (rule 4)."""
    gap = begin - parts.size
    if gap < 0:
        raise ValueError(f"begins at {begin}, within the sentence before")
    if gap > disk.LONGEST_LINE:
        raise ValueError(f"begins {gap} after the sentence before")
    text = "\n".join(parts.waiting)
    parts.text += [("\n" if parts.text else " ") * min(gap, 1), " " * (gap - 1), text]
    parts.size += gap + len(text) + sum(1 for char in text if char > "\uffff")
    parts.waiting.clear()

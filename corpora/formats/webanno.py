r"""Read WebAnno TSV 3, the export of WebAnno and INCEpTION: a document a file.

1. The header has a line for each layer: `#T_SP=LAYER|FEATURE...` of spans, `#T_CH=` of chains,
   `#T_RL=LAYER|FEATURE...|BT_SPANS` of relations between the spans of another layer. Each feature
   is a column, a layer without one has a column, too.
2. A sentence is a line `#Text=` for each of its text's, then a row a token: `1-2`, its offsets in
   UTF-16 code units, the token, the columns; `_` where nothing is, `|` between several. Rows of
   parts of tokens (`1-2.1`) count. Between sentences the text has a line end, or as many blanks as
   their offsets leave.
3. A span is the rows with its number (`PER[4]`), or one row without a number. A link of a chain
   has `*->CHAIN-LINK` and `LABEL[CHAIN]`. A relation stands on the first row of its end, with
   `ROW[FROM_TO]` of its begin: the numbers of both spans, 0 for one without.
4. Layers that may join spans are the chain layers, `LAYER/VALUE` of a relation, and the features
   of spans, `LAYER/FEATURE`. What becomes of them is said in annotated.py.
5. Escapes are `\t \n \r \f \b`, and a backslash before other characters.
6. `INITIAL_CAS.tsv` is the document before its annotation, and of no format. Of a file in a folder
   of a document, INCEpTION's way (`novel.txt/ann.tsv`), the folder is part of the name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.formats.annotated import AnnotatedText, count_code_units, make_format
from corefmill.corpora.records import Span

_TOKENS = "tokens"
HEADER = "#FORMAT=WebAnno TSV 3."
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_STACKED = re.compile(r"(?<!\\)\|")
_ROW = re.compile(r"([1-9]\d{0,8})-[1-9]\d{0,8}(\.[1-9]\d{0,8})?")
_OFFSETS = re.compile(r"(\d{1,10})-(\d{1,10})")
_LINK = re.compile(r"->([1-9]\d{0,8})-([1-9]\d{0,8})\Z")
_NUMBER = re.compile(r"\[([1-9]\d{0,8})\]\Z")
_DOCUMENT = re.compile(r"\.(txt|tsv|xml|xmi|html?|conllu?|json|pdf|docx?|tei|md)$")
"""How the name of a source document ends."""
_BEGIN = re.compile(r"([1-9]\d{0,8}-[1-9]\d{0,8}(?:\.\d+)?)(?:\[(\d{1,9})_(\d{1,9})\])?")


def unescape(text: str) -> str:
    """Undo the escapes of a text or a cell (rule 5)."""
    return _ESCAPE.sub(lambda found: _LETTERS.get(found[1], found[1]), text)


@dataclass(frozen=True, slots=True)
class TsvLayer:
    """A layer of the header: its kind (SP, CH or RL), name, features, first column, and line."""

    kind: str
    name: str
    features: list[str]
    column: int
    line: int

    @property
    def width(self) -> int:
        """The number of columns."""
        return max(1, len(self.features))


@dataclass(frozen=True, slots=True)
class TsvRow:
    """The row of a token, or of a part of one: its name (`1-2`), span of the text, and cells."""

    line: int
    name: str
    span: Span
    cells: list[str]

    @property
    def is_token(self) -> bool:
        """Whether it is a whole token."""
        return "." not in self.name


def read_rows(path: Path) -> tuple[list[TsvLayer], str, list[TsvRow]]:
    """Read the layers, the text and the rows of a file; raise `DataError` with the line."""
    lines = disk.read_lines(path)
    layers = list(_read_header(lines, path))
    pieces: list[str] = []
    size = 0  # of the pieces, in UTF-16
    waiting: list[str] = []  # lines of the sentence whose first token is still to come
    read: list[tuple[int, str, int, int, list[str]]] = []
    for number, line in lines:
        if line.startswith("#Text="):
            waiting.append(unescape(line.removeprefix("#Text=")))
            continue
        if not line or line.startswith("#Sentence.id="):
            continue
        cells = line.split("\t")
        found = _OFFSETS.fullmatch(cells[1]) if len(cells) > 2 else None
        with naming(path, number):
            if found is None or not _ROW.fullmatch(cells[0]):
                raise ValueError(f"the line is neither a token nor #Text=: {line[:60]!r}")
            begin, end = int(found[1]), int(found[2])
            if waiting:
                # Only the offset of its first token says where the sentence begins (rule 2).
                gap = begin - size
                if not 0 <= gap <= disk.LONGEST_LINE:
                    raise ValueError(
                        f"the sentence begins at {begin}, but the one before ends at {size}"
                    )
                text = "\n".join(waiting)
                pieces += [("\n" if pieces else " ") * min(gap, 1), " " * (gap - 1), text]
                size += gap + count_code_units(text)[-1]
                waiting.clear()
        read.append((number, cells[0], begin, end, cells))
    text = "".join(pieces)
    units = count_code_units(text)
    rows: list[TsvRow] = []
    for number, name, begin, end, cells in read:
        start, stop = bisect_left(units, begin), bisect_left(units, end)
        if stop >= len(units) or (units[start], units[stop]) != (begin, end):
            raise DataError(
                f"{begin}-{end} is no span of characters of the text, in UTF-16",
                path=path,
                line=number,
            )
        rows.append(TsvRow(number, name, (start, stop), cells))
    return layers, text, rows


def _read_header(lines: Iterator[tuple[int, str]], path: Path) -> Iterator[TsvLayer]:
    """Read the layers of the header (rule 1)."""
    column = 3
    for number, line in lines:
        if number == 1:
            if not line.startswith(HEADER):
                raise DataError(f"the file is no WebAnno TSV 3: {line[:60]!r}", path=path, line=1)
        elif not line:
            return
        elif not line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
            said = f"the header has a line that is no layer: {line[:60]!r}"
            raise DataError(said, path=path, line=number)
        else:
            name, *features = line[6:].split("|")
            yield TsvLayer(line[3:5], name, features, column, number)
            column += max(1, len(features))
    raise DataError("the file ends within its header", path=path, line=1)


def split_cell(cell: str) -> list[str]:
    """Split a cell into what is stacked in it."""
    return [] if cell == "_" else _STACKED.split(cell)


def _unstar(value: str) -> str:
    """Read a value, of which `*` is none."""
    return "" if value == "*" else unescape(value)


def parse_chains(layer: TsvLayer, row: TsvRow) -> Iterator[tuple[int, int, str, str]]:
    """Parse the links of a row in a chain layer: chain, link, label, and the link's own label.

    Raises `ValueError` for a malformed row.
    """
    if len(row.cells) < layer.column + 2:
        raise ValueError(f"the row has only {len(row.cells)} cells")
    # The columns stand in either order: the link's has an arrow.
    columns = [split_cell(row.cells[layer.column + place]) for place in (0, 1)]
    links, labels = sorted(columns, key=lambda cell: "->" not in "".join(cell))
    if len(links) != len(labels):
        raise ValueError(f"the row has {len(links)} links for {len(labels)} mentions")
    for link, label in zip(links, labels, strict=True):
        of, own = _LINK.search(link), _NUMBER.search(label)
        if of is None or own is None or of[1] != own[1]:
            raise ValueError(
                f"the link {link[:30]!r} and the mention {label[:30]!r} are of different chains"
            )
        said, own_label = _unstar(label[: own.start()]), _unstar(link[: of.start()])
        yield int(of[1]), int(of[2]), said, own_label


def _parse(path: Path) -> Iterator[AnnotatedText]:
    """Parse a file as a text with spans and links."""
    layers, text, rows = read_rows(path)
    folder = path.absolute().parent.name
    name = f"{folder}/{path.stem}" if _DOCUMENT.search(folder) else path.stem
    one = AnnotatedText(disk.show_name(name), text)
    tokens = (row for row in rows if row.is_token)
    one.sentences = [
        [row.span for row in own]
        for _, own in groupby(tokens, lambda row: row.name.partition("-")[0])
    ]
    width = max((layer.column + layer.width for layer in layers), default=3)
    for row in rows:
        if len(row.cells) < width:
            raise DataError(f"the row has only {len(row.cells)} cells", path=path, line=row.line)
    places = {row.name: row.span for row in rows}
    # Spans come first, since relations name them.
    for layer in sorted(layers, key=lambda layer: layer.kind == "RL"):
        for row in rows:
            with naming(path, row.line):
                if layer.kind == "SP":
                    for column in range(layer.width):
                        for name, value in _list_values(layer, row, column):
                            _add_piece(one, layer.name, name, row.span, value)
                elif layer.kind == "CH":
                    for chain, link, label, _ in parse_chains(layer, row):
                        _add_piece(one, layer.name, f"{layer.name} {chain}-{link}", row.span, label)
                else:
                    _read_relations(one, layer, row, places)
        if layer.kind == "SP":
            _share_features(one, layer, rows)
        else:  # a layer of the header counts, though nothing of it may be here
            one.links.setdefault(layer.name, [])
        if layer.kind == "CH":
            own = sorted(name for name, kind in one.kinds.items() if kind == layer.name)
            one.joins[layer.name] = layer.name
            for _, names in groupby(own, lambda name: name.rpartition("-")[0]):
                one.link(layer.name, names)
    yield one


def _add_piece(one: AnnotatedText, kind: str, name: str, span: Span, label: str = "") -> None:
    """Add a row to a span, which reaches from its first row to its last."""
    (start, end), *_ = one.spans.get(name, [span])
    one.spans[name] = [(min(start, span[0]), max(end, span[1]))]
    one.kinds[name] = kind
    if label:
        one.labels.setdefault(name, label)


def _name_span(layer: str, row: str, number: str | None) -> str:
    """Make the id of a span: by its number, or by its row where it has none."""
    return f"{layer} {number}" if number else f"{layer} at {row}"


def _list_values(layer: TsvLayer, row: TsvRow, column: int) -> Iterator[tuple[str, str]]:
    """List the spans of a row, each with its value in a column."""
    for value in split_cell(row.cells[layer.column + column]):
        found = _NUMBER.search(value)
        bare = value[: found.start()] if found else value
        yield _name_span(layer.name, row.name, found[1] if found else None), _unstar(bare)


def _share_features(one: AnnotatedText, layer: TsvLayer, rows: list[TsvRow]) -> None:
    """Let each feature of a span layer join the spans of one value (rule 4)."""
    for column, feature in enumerate(layer.features):
        found: dict[str, str] = {}
        for row in rows:
            found |= {name: value for name, value in _list_values(layer, row, column) if value}
        one.share(f"{layer.name}/{feature}", found)
        one.joins[f"{layer.name}/{feature}"] = layer.name


def _read_relations(
    one: AnnotatedText, layer: TsvLayer, row: TsvRow, places: Mapping[str, Span]
) -> None:
    base = next((name for name in layer.features if name.startswith("BT_")), "BT_")
    cells = row.cells[layer.column : layer.column + layer.width]
    begins = split_cell(cells[layer.features.index(base)] if base in layer.features else cells[-1])
    values = [
        split_cell(cell)
        for name, cell in zip(layer.features, cells, strict=False)
        if not name.startswith("BT_")
    ]
    spans = base.removeprefix("BT_")
    one.joins[layer.name] = spans
    for place, begin in enumerate(begins):
        found = _BEGIN.fullmatch(begin)
        if found is None:
            raise ValueError(f"a relation ROW[FROM_TO] was expected, not {begin[:40]!r}")
        said = [own[place] for own in values if len(own) == len(begins) and own[place] != "*"]
        value = "+".join(map(unescape, said))
        kind = f"{layer.name}/{value}" if value else layer.name
        ends = []
        for where, number in ((found[1], found[2]), (row.name, found[3])):
            end = _name_span(spans, where, None if number in (None, "0") else number)
            if spans not in one.kinds.values() or one.kinds.get(end) == _TOKENS:
                # A relation between tokens, which are no spans of a layer in this file.
                if where in places:
                    _add_piece(one, _TOKENS, end, places[where])
                one.joins[layer.name] = one.joins[kind] = _TOKENS
            else:
                one.joins[kind] = spans
            ends.append(end)
        one.link(kind, ends)


FORMAT = make_format(
    "webanno-tsv",
    "WebAnno TSV 3 of WebAnno and INCEpTION: chains, relations or features",
    ".webanno.tsv",
    _parse,
    lambda name, head: head.startswith(HEADER) and not name.startswith("INITIAL_CAS."),
)

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
from itertools import accumulate
from pathlib import Path

from corefmill.annotate.documents import PlainDocument, ReadChains, ToolMention
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.files.ownership import together
from corefmill.corpora.files.writing import write_whole

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
RELATION, TYPE = "referenceRelation", "referenceType"

_FORMAT = "#FORMAT=WebAnno TSV 3."

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


def count_code_units(text: str) -> list[int]:
    """Count the UTF-16 code units before each character of a text, and before its end."""
    return [0, *accumulate(2 if char > "\uffff" else 1 for char in text)]


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: _LETTERS.get(found[1], found[1]), text)


def write_chains(folder: Path, documents: Sequence[PlainDocument], *, overwrite: bool) -> None:
    """Write a file for each document; raise `UsageError` where the folder holds other files."""
    names = [f"{one.name}.tsv" for one in documents]
    with together(folder, names, overwrite=overwrite):
        for name, one in zip(names, documents, strict=True):
            write_whole(folder / name, _make_tsv(one))


def _make_tsv(one: PlainDocument) -> str:
    """Make the text of a document's file (rules 1 and 2)."""
    offsets = count_code_units(one.text)
    cells: dict[int, list[tuple[str, str]]] = defaultdict(list)
    starts = {unit.start: place for place, unit in enumerate(one.units)}
    for chain, cluster in enumerate(one.marked, 1):
        for link, mention in enumerate(cluster, 1):
            label = _LABEL.sub(lambda found: "\\" + _SPECIAL.get(found[0], found[0]), mention.label)
            # Each row of a mention repeats its chain and link, by which its words are joined again.
            place = starts[mention.start]
            while place < len(one.units) and one.units[place].start < mention.end:
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
                f"{offsets[unit.start]}-{offsets[unit.end]}",
                one.text[unit.start : unit.end].translate(_TO_TEXT),
                "|".join(link for link, _ in cells[place]) or "_",
                "|".join(chain for _, chain in cells[place]) or "_",
            )
            made.append("\t".join((*row, "\n")))
            place += 1
    return "".join(made)


_NUMBER = re.compile(r"(\d{4,9})(?:\..*)?")


def _parse_file_name(path: Path) -> tuple[int, str]:
    """Parse the document's number and the rater from the names of a file and its folder.

    `0007.tsv` is of document 7; so is `0007.tsv/ann.tsv`, INCEpTION's way, by the rater ann. Raises
    `DataError` for a name without a number.
    """
    if found := _NUMBER.fullmatch(path.name):
        return int(found[1]), ""
    if found := _NUMBER.fullmatch(path.absolute().parent.name):
        return int(found[1]), path.stem
    raise DataError(
        "the file's name has no number of a document",
        path=path,
        remedy="keep the names of `annotate export`, such as 0007.tsv",
    )


def read_chains(path: Path) -> ReadChains | None:
    """Read the chains of a file; None for a document before its annotation.

    Raises `DataError` with the line of a malformed row.
    """
    if path.name.startswith("INITIAL_CAS."):
        return None
    number, rater = _parse_file_name(path)
    left_out: Counter[str] = Counter()
    rows = disk.read_lines(path)
    columns = _read_header(rows, path, left_out)
    pieces: list[str] = []
    size = 0  # of the pieces, in UTF-16
    waiting: list[str] = []  # lines of the sentence whose first token is still to come
    # Of each (chain, link): its bounds in UTF-16, its label, and the line of its first row.
    mentions: dict[tuple[int, int], tuple[int, int, str, int]] = {}
    for line, row in rows:
        if row.startswith("#Text="):
            waiting.append(_unescape(row.removeprefix("#Text=")))
            continue
        if not row or row.startswith("#Sentence.id="):
            continue
        with naming(path, line):
            begin, end, links = _parse_row(row, columns)
            if waiting:
                # Only the offset of its first token says where the sentence begins (rule 4).
                gap = begin - size
                if not 0 <= gap <= disk.LONGEST_LINE:
                    raise ValueError(
                        f"the sentence begins at {begin}, but the one before ends at {size}"
                    )
                text = "\n".join(waiting)
                pieces += [("\n" if pieces else " ") * min(gap, 1), " " * (gap - 1), text]
                size += gap + count_code_units(text)[-1]
                waiting.clear()
        for key, label, is_labelled in links:
            if key not in mentions and is_labelled:
                left_out["labels of links"] += 1
            first, last, own, where = mentions.get(key, (begin, end, label, line))
            mentions[key] = min(first, begin), max(last, end), own, where
    text = "".join(pieces)
    offsets = count_code_units(text)
    chains: defaultdict[int, list[ToolMention]] = defaultdict(list)
    for (chain, _), (begin, end, label, line) in sorted(mentions.items()):
        with naming(path, line):
            start, stop = (bisect_left(offsets, place) for place in (begin, end))
            if stop == len(offsets) or (offsets[start], offsets[stop]) != (begin, end):
                raise ValueError(f"{begin}-{end} is no span of characters of the text, in UTF-16")
        chains[chain].append(ToolMention(start, stop, label, line))
    return ReadChains(number, rater, text, list(chains.values()), left_out)


def _read_header(
    rows: Iterator[tuple[int, str]], path: Path, left_out: Counter[str]
) -> dict[str, int]:
    """Read the header, and find the columns of relation and type, none without chains."""
    columns: dict[str, int] = {}
    place = 3
    for line, row in rows:
        if line == 1:
            if not row.startswith(_FORMAT):
                raise DataError(f"the file is no WebAnno TSV 3: {row[:60]!r}", path=path, line=1)
        elif not row:
            return columns
        elif not row.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
            raise DataError(
                f"the header has a line that is no layer: {row[:60]!r}", path=path, line=line
            )
        else:
            layer, *features = row[6:].split("|")
            if layer == LAYER:
                columns = {name: place + index for index, name in enumerate(features)}
                if sorted(columns) != [RELATION, TYPE]:
                    raise DataError(
                        f"the coreference layer lacks {RELATION} or {TYPE}", path=path, line=line
                    )
            else:
                left_out[f"layer {layer[:80]}"] += 1
            place += max(1, len(features))  # a layer without features has a column, too
    raise DataError("the file ends within its header", path=path, line=1)


def _parse_row(
    row: str, columns: dict[str, int]
) -> tuple[int, int, list[tuple[tuple[int, int], str, bool]]]:
    """Parse a token's row: its offsets, and chain, link and label of each mention on it.

    The last value is True for a link with a label of its own, which a record cannot hold. Raises
    `ValueError` for a malformed row.
    """
    cells = row.split("\t")
    found = _OFFSETS.fullmatch(cells[1]) if len(cells) > 2 else None
    if found is None or not _ROW.fullmatch(cells[0]):
        raise ValueError(f"the line is neither a token nor #Text=: {row[:60]!r}")
    made: list[tuple[tuple[int, int], str, bool]] = []
    if columns:
        if len(cells) <= max(columns.values()):
            raise ValueError(f"the row has only {len(cells)} cells")
        links = _STACKED.split(cells[columns[RELATION]])
        chains = _STACKED.split(cells[columns[TYPE]])
        if len(links) != len(chains):
            raise ValueError(f"the row has {len(links)} links for {len(chains)} mentions")
        for link, chain in zip(links, chains, strict=True):
            if link == chain == "_" and len(links) == 1:
                continue
            of, own = _LINK.search(link), _CHAIN.search(chain)
            if of is None or own is None or of[1] != own[1]:
                raise ValueError(
                    f"the link {link[:30]!r} and the mention {chain[:30]!r} are of other chains"
                )
            label = chain[: own.start()]
            key = int(of[1]), int(of[2])
            made.append((key, "" if label == "*" else _unescape(label), link[: of.start()] != "*"))
    return int(found[1]), int(found[2]), made

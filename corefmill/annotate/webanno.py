r"""Read and write INCEpTION's WebAnno TSV 3.3: a document a file, chains in two columns.

1. Written are sentences, and of each token the built-in layer of coreference (its rules are in
   corpora/formats/webanno.py). Text is escaped as INCEpTION does it: `\t \n \r \f \b \\`, and a
   backslash before any other control code; labels `\[ \] \| \_ \-> \; \t \n \* \\`. INCEpTION
   does not read the token's cell.
2. Read is that layer, its two columns in either order. Other layers are counted and left out. A
   mention is all rows with its chain and link; rows of parts of tokens (`1-2.1`) count, so that a
   cut token is found.
3. In annotations that INCEpTION exported, `INITIAL_CAS.tsv` is not a rater's and is passed over.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from corefmill.annotate.documents import PlainDocument, ReadChains, ToolMention
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.files.ownership import together
from corefmill.corpora.files.writing import write_whole
from corefmill.corpora.formats.annotated import count_code_units
from corefmill.corpora.formats.webanno import HEADER, parse_chains, read_rows

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
RELATION, TYPE = "referenceRelation", "referenceType"

_TEXT = {chr(code): f"\\{chr(code)}" for code in (*range(1, 8), *range(14, 32))}
_TEXT |= {"\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\b": "\\b", "\\": "\\\\"}
_TO_TEXT = str.maketrans(_TEXT)
_LABEL = re.compile(r"->|[\\\[\]|_;\t\n*]")
_SPECIAL = {"\t": "t", "\n": "n"}


def write_chains(folder: Path, documents: Sequence[PlainDocument], *, overwrite: bool) -> None:
    """Write a file for each document; raise `UsageError` where the folder holds other files."""
    names = [f"{one.name}.tsv" for one in documents]
    with together(folder, names, overwrite=overwrite):
        for name, one in zip(names, documents, strict=True):
            write_whole(folder / name, _make_tsv(one))


def _make_tsv(one: PlainDocument) -> str:
    """Make the text of a document's file (rule 1)."""
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
    made = [f"{HEADER}3\n#T_CH={LAYER}|{RELATION}|{TYPE}\n\n"]
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
    layers, text, rows = read_rows(path)
    own = None
    for layer in layers:
        if layer.name != LAYER:
            left_out[f"layer {layer.name[:80]}"] += 1
        elif sorted(layer.features) != [RELATION, TYPE]:
            raise DataError(
                f"the coreference layer lacks {RELATION} or {TYPE}", path=path, line=layer.line
            )
        else:
            own = layer
    # Of each (chain, link): its bounds, its label, and the line of its first row.
    mentions: dict[tuple[int, int], tuple[int, int, str, int]] = {}
    for row in rows if own else ():
        assert own is not None
        with naming(path, row.line):
            for chain, link, label, own_label in parse_chains(own, row):
                key = chain, link
                left_out["labels of links"] += key not in mentions and bool(own_label)
                start, end = row.span
                first, last, said, where = mentions.get(key, (start, end, label, row.line))
                mentions[key] = min(first, start), max(last, end), said, where
    chains: defaultdict[int, list[ToolMention]] = defaultdict(list)
    for (chain, _), (start, end, label, line) in sorted(mentions.items()):
        chains[chain].append(ToolMention(start, end, label, line))
    return ReadChains(number, rater, text, list(chains.values()), +left_out)

"""Columns of CoNLL tables: which one is the word, and which the coreference.

1. A table has one layout of LAYOUTS, the first whose columns hold what they should in the first
   rows of the file: numbers that count, heads, words. A layout names columns from the left; the
   last column is the coreference. A layout other than CoNLL-2012's is reported once for a file.
2. Columns of CoNLL-2012 are named by the width of the row. Shorter tables have the first of them.
3. No words are a column of tags (MOST_TAGS), or of numbers or underscores alone. No coreference is
   a last column of values without a bracket.
4. Where no layout fits, the error shows three lines. `--columns word=2,pos=5,coref=-1` names the
   columns, counted from 1, or from -1 at the right.
5. Columns without a name are kept as `column7`.
6. An empty last column behind the coreference, from a tab at the end of each row, is left out.
7. Arabic OntoNotes has words such as `form#transliteration#root#analysis`: the form is the word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from operator import eq
from pathlib import Path

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import warn_once
from corefmill.corpora.formats.brackets import BEGIN, EMPTY, parse_name

VALUES = ("xpos", "parse", "lemma", "frameset", "sense", "speaker")
"""The columns whose empty cell is a dash."""
COLUMNS = ("document", "part", "number", "form", *VALUES, "ner")
"""All columns but those of the predicates' arguments, `srl1`, `srl2` ..., and the last."""
_SHORT = {2: ("form",), 3: ("number", "form"), 4: ("document", "number", "form")}
COREF = "coref"


def name_columns(width: int) -> tuple[str, ...]:
    """Name the columns of a CoNLL-2012 table by its width, without the last."""
    if width in _SHORT:
        return _SHORT[width]
    return (COLUMNS + tuple(f"srl{n}" for n in range(1, width - len(COLUMNS))))[: width - 1]


@dataclass(frozen=True)
class ColumnLayout:
    """The columns of a table: `names` from the left, or `places` of some as a user gives them.

    `padded` says that an empty column stands behind the coreference, `cut` that words are to be cut
    at #. Without names and places a table is CoNLL-2012's.
    """

    title: str = "CoNLL-2012"
    names: tuple[str, ...] = ()
    places: tuple[tuple[str, int], ...] = ()
    padded: bool = False
    cut: bool = False

    @property
    def standard(self) -> bool:
        """Whether columns are named by the width of the row."""
        return not self.names and not self.places

    @property
    def coref(self) -> int:
        """The number of the coreference column, from 1, or from -1 at the right."""
        return dict(self.places).get(COREF, -1)

    def find(self, width: int) -> dict[str, int]:
        """Return the index of each column by name; `ValueError` where the row is too short."""
        return _find_columns(self, width)

    def describe(self) -> str:
        """Describe the first columns, counted from 1."""
        named = ", ".join(f"{name} {at}" for at, name in enumerate(self.names, 1))
        return f"{self.title} ({named}; coreference last)"


@lru_cache(maxsize=1 << 12)
def _find_columns(layout: ColumnLayout, width: int) -> dict[str, int]:
    """Find the columns of a row of `width` cells."""
    width -= layout.padded
    if layout.places:
        wanted = {name: at - 1 if at > 0 else width + at for name, at in layout.places}
        for (name, number), at in zip(layout.places, wanted.values(), strict=True):
            if not 0 <= at < width:
                said = next(key for key, value in _NAMES.items() if value == name)
                raise ValueError(f"{width} columns, but --columns says {said}={number}")
    else:
        names = name_columns(width) if layout.standard else layout.names[: width - 1]
        wanted = {name: at for at, name in enumerate(names)} | {COREF: width - 1}
    named = set(wanted.values())
    return wanted | {f"column{at + 1}": at for at in range(width) if at not in named}


STANDARD = ColumnLayout()
_CONLL_U = "number form lemma upos xpos feats head deprel deps misc"
_SEMEVAL = "number form lemma plemma xpos pxpos feats pfeats head phead deprel pdeprel"
LAYOUTS = tuple(
    ColumnLayout(title, tuple(names.split()))
    for title, names in {
        "document, part, sentence, word": "document part sentence number form",
        "CoNLL-2012": "",
        "CoNLL-U with a last column": _CONLL_U,
        "SemEval-2010": _SEMEVAL,
        "number and word": "number form",
        "document and word": "document form",
        "word and part of speech": "form xpos",
        "word, lemma and part of speech": "form lemma xpos",
    }.items()
)
"""Layouts in the order in which they are tried."""

_UPOS = "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
_PENN = (
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP TO UH VB VBD"
    " VBG VBN VBP VBZ WDT WP WP$ WRB ADD AFX GW HYPH NFP XX -LRB- -RRB- `` '' . , :"
)
_STTS = (
    "ADJA ADJD APPR APPRART APPO APZR ART CARD FM ITJ KOUI KOUS KON KOKOM NE PDS PDAT PIS PIAT PPER"
    " PPOSS PPOSAT PRELS PRELAT PRF PWS PWAT PWAV PAV PROAV PTKZU PTKNEG PTKVZ PTKANT PTKA TRUNC"
    " VVFIN VVIMP VVINF VVIZU VVPP VAFIN VAIMP VAINF VAPP VMFIN VMINF VMPP XY $, $. $("
)
_CTB = "AD AS BA CS DEC DEG DER DEV ETC IJ JJ LB LC M MSP NR NT OD ON P PN PU SB SP VA VC VE VV"
TAGS = frozenset(f"{_UPOS} {_PENN} {_STTS} {_CTB}".split())
MOST_TAGS = 0.8
"""Share of tags above which a column is no column of words. Telegrams in capitals stay below."""
_NO_WORD = re.compile(r"[_*-]|[0-9]+(?:[.-][0-9]+)?|(?:\([^()\s]+)*\*\)*")
_TAG = re.compile(r"[A-Z][A-Z0-9$+._:|-]*|[^\w\s]+")
_MARK = re.compile(r"\W+")
_CHAIN = re.compile(r"\([0-9]+\)?|[0-9]+\)")
_NUMBER = re.compile(r"([0-9]{1,9})(?:[.-][0-9]+)?")
_ARABIC = re.compile(r"[^#\s]*[\u0600-\u06ff][^#\s]*#[^#]*#.*")
_TRUSTED = 0.9
"""Share of cells that must be as they should: single rows may be broken."""
_SAMPLE = 64 * 1024
_ROWS = 200
"""Rows at the beginning of a file that decide on its layout."""


TAGGED = "parts of speech"


def no_words(forms: Iterable[str]) -> str:
    """Say what the forms are instead of words: tags, or numbers and underscores; else ""."""
    told = [form for form in forms if form in EMPTY or not _MARK.fullmatch(form)]
    tags = [form for form in told if form in TAGS]
    if len(set(tags)) > 1 and len(tags) > MOST_TAGS * len(told):
        return TAGGED
    empty = [form for form in told if form not in tags and _NO_WORD.fullmatch(form)]
    if len(empty) > 1 and len(empty) + len(tags) == len(told):
        return "numbers or underscores"
    return ""


_NAMES = {"word": "form", "pos": "xpos", "lemma": "lemma", "speaker": "speaker", COREF: COREF}
"""Columns by their names in --columns."""


def parse_columns(text: str) -> ColumnLayout:
    """Parse the value of --columns, such as `word=2,pos=5,coref=-1`. Raises `UsageError`."""
    places: dict[str, int] = {COREF: -1}
    for piece in text.split(","):
        name, _, place = piece.strip().partition("=")
        if name not in _NAMES or not re.fullmatch(r"-?[1-9]\d{0,3}", place):
            raise UsageError(
                f"--columns {text!r}: {piece.strip()!r} is not a column",
                remedy=f"name columns as in word=2,pos=5,coref=-1, of {', '.join(_NAMES)}, counted"
                " from 1, or from -1 at the right",
            )
        places[_NAMES[name]] = int(place)
    if "form" not in places:
        raise UsageError(f"--columns {text!r} does not say which column is the word")
    return ColumnLayout("--columns", places=tuple(places.items()))


def find_layout(path: Path) -> ColumnLayout:
    """Find the layout of a table by its first rows, and report one that is not CoNLL-2012's.

    Raises `DataError` with three lines of the file where no layout fits.
    """
    # A stream can be read once only; it is of the usual layout.
    sample = _cut_sample("" if disk.is_stream(path) else disk.read_head(path, _SAMPLE))
    rows = [row for one in sample for row in one.rows]
    if not rows:
        return STANDARD
    padded = all(len(row) > 2 and not row[-1] for row in rows)
    fit = (one for one in LAYOUTS if _fits(replace(one, padded=padded), sample))
    layout = next(fit, None)
    if layout is None:
        shown = " | ".join(repr(" ".join(row)[:80]) for row in rows[:3])
        raise DataError(
            f"the columns cannot be told by their content: {shown}; --columns names them, as in"
            " word=2,pos=5,coref=-1",
            path=path,
            line=sample[0].line,
        )
    if not layout.standard:
        warn_once(f"{path}: read as {layout.describe()}; --columns names others")
    forms = [row[layout.find(len(row))["form"]] for row in rows]
    cut = sum(map(bool, map(_ARABIC.fullmatch, forms))) > len(forms) / 2
    return replace(layout, padded=padded, cut=cut)


@dataclass(frozen=True)
class _Sentence:
    """The rows of a sentence, cut into cells; `line` is that of the first."""

    document: str
    line: int
    rows: list[list[str]]


def _cut_sample(head: str) -> list[_Sentence]:
    """Cut the beginning of a file into sentences, without rows of a width of their own."""
    found: list[_Sentence] = []
    document, opened, count = "", False, 0
    lines = head.split("\n")
    if len(lines) > 1:
        lines.pop()  # empty, or cut off
    for number, line in enumerate(lines, 1):
        if begin := BEGIN.fullmatch(line.rstrip("\r")):
            document = parse_name(begin[1])[0]
        if not line.strip() or (line[0] == "#" and not (document and line.startswith(document))):
            opened = False
            continue
        row = line.rstrip("\r").split("\t") if "\t" in line else line.split()
        if "\t" in line and " " in row[-1]:
            row = line.split()  # as the reader does, where blanks stand in between
        if not opened:
            found.append(_Sentence(document, number, []))
            opened = True
        rows = found[-1].rows
        if len(row) > 1 and (not rows or len(rows[0]) == len(row)):
            rows.append(row)
            count += 1
        if count >= _ROWS:
            break
    return [one for one in found if one.rows]


def _fits(layout: ColumnLayout, sample: list[_Sentence]) -> bool:
    """Tell whether the columns of a layout hold what they should, over all sentences."""
    columns: dict[str, list[str]] = {}
    counts = 0
    for one in sample:
        places = layout.find(len(one.rows[0]))
        if "form" not in places or places[COREF] < len(layout.names[:3]):
            return False
        for name, at in places.items():
            columns.setdefault(name, []).extend(row[at] for row in one.rows)
        if "number" in places:
            counts += _counts([row[places["number"]] for row in one.rows])
    forms, chains = columns["form"], [cell for cell in columns[COREF] if cell not in EMPTY]
    named = [one.document for one in sample for _ in one.rows]
    in_document = "document" in columns and _share(map(eq, columns["document"], named))
    # Where it is surely CoNLL-2012, words may be numbers, or underscores in keys of events.
    certain = layout.standard and in_document and "ner" in columns
    wrong = no_words(forms)
    if wrong == TAGGED or (wrong and not certain):
        return False
    if len(chains) > 2 and not any("(" in cell for cell in chains):
        return False
    # The coreference stands in another column.
    others = (columns[name] for name in columns.keys() - {"form", COREF})  # order: any of them
    if not (chains or certain) and any(
        _CHAIN.fullmatch(cell) for cells in others for cell in cells
    ):
        return False
    if layout.standard:
        # Tags where the words should be, and words where the tags should.
        lower = {tag for tag in columns.get("xpos", ()) if tag.islower()}
        if len(lower) > 4 and _share(map(bool, map(_TAG.fullmatch, forms))):
            return False
        numbers = columns.get("number")
        return (
            numbers is None
            or in_document
            or _share(cell.isdigit() for cell in numbers)
            or EMPTY.issuperset(numbers)
        )
    if layout.names[0] == "document" and not (in_document and len(forms) > 2):
        return False
    if "number" in columns and counts < _TRUSTED * len(sample):
        return False
    if "head" in layout.names:
        heads = [cell for cell in columns.get("head", ()) if cell not in EMPTY]
        return bool(heads) and _share(cell.isdigit() for cell in heads)
    return layout.names[0] != "form" or (
        _share(map(bool, map(_TAG.fullmatch, columns["xpos"])))
        and not _share(map(bool, map(_TAG.fullmatch, forms)))
    )


def _counts(cells: Sequence[str]) -> bool:
    """Tell whether the cells count from 0 or 1, with 8-9 and 8.1 as CoNLL-U has them."""
    found = [_NUMBER.fullmatch(cell) for cell in cells]
    numbers = [int(one[1]) for one in found if one]
    steps = {after - before for before, after in pairwise(numbers)}
    return len(numbers) == len(cells) and numbers[0] in (0, 1) and steps <= {0, 1}


def _share(tests: Iterable[bool]) -> bool:
    """Tell whether nearly all of the tests hold."""
    found = list(tests)
    return sum(found) >= _TRUSTED * len(found)

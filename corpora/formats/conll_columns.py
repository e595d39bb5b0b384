"""CoNLL tables for `convert` and `score`: their documents, columns and brackets.

1. A table has one layout of LAYOUTS, the first whose columns hold what they should in the first
   rows of the file: numbers that count, heads, words. A layout names columns from the left; the
   last column is the coreference. A layout other than CoNLL-2012's is reported once for a file.
2. Columns of CoNLL-2012 are named by the width of the row. Shorter tables have the first of them.
3. No words are a column of tags (MOST_TAGS), or of numbers or underscores alone. No coreference is
   a last column of values without a bracket.
4. Where no layout fits, the error shows three lines. `--columns word=2,pos=5,coref=-1` names the
   columns, counted from 1, or from -1 at the right. For a score the brackets alone may be named;
   then rows have any width.
5. Columns without a name are kept as `column7`.
6. An empty last column behind the coreference, from a tab at the end of each row, is left out.
7. A row of CoNLL-U's contractions (8-9) or empty nodes (8.1) is no word: it is left out, and
   counted. In SemEval-2010 a row whose form is `_` is a dropped subject, whose mention is zero.
8. Arabic OntoNotes has words such as `form#transliteration#root#analysis`: the form is the word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain, pairwise, repeat
from operator import eq
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import warn_once
from corefmill.corpora.formats import bad_mentions, brackets
from corefmill.corpora.formats.brackets import BEGIN, EMPTY, END, BracketError, Named, parse_name

VALUES = ("xpos", "parse", "lemma", "frameset", "sense", "speaker")
"""The columns whose empty cell is a dash."""
COLUMNS = ("document", "part", "number", "form", *VALUES, "ner")
"""All columns but those of the predicates' arguments, `srl1`, `srl2` ..., and the last."""
_SHORT = {2: ("form",), 3: ("number", "form"), 4: ("document", "number", "form")}
COREF = "coref"
OPENING = "a line '#begin document (NAME); part 000' opens one; --lenient reads the file without"
_ENDING = "--lenient reads a document without '#end document'"


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
    def wordless(self) -> bool:
        """Whether the user names the brackets alone."""
        return bool(self.places) and "form" not in dict(self.places)

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
    if "form" not in wanted and not layout.wordless:
        raise ValueError(f"{width} columns, where a form and brackets were expected")
    named = set(wanted.values())
    return wanted | {f"column{at + 1}": at for at in range(width) if at not in named}


STANDARD = ColumnLayout()
_CONLL_U = "number form lemma upos xpos feats head deprel deps misc"
SEMEVAL = "SemEval-2010"
_SEMEVAL = "number form lemma plemma xpos pxpos feats pfeats head phead deprel pdeprel"
LAYOUTS = tuple(
    ColumnLayout(title, tuple(names.split()))
    for title, names in {
        "document, part, sentence, word": "document part sentence number form",
        "CoNLL-2012": "",
        "CoNLL-U with a last column": _CONLL_U,
        SEMEVAL: _SEMEVAL,
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


_OTHER_SPACE = (
    "\t\x0b\x0c\x0d\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002"
    "\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""White space but for the blank."""

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


def parse_columns(text: str, *, wordless: bool = False) -> ColumnLayout:
    """Parse the value of --columns, such as `word=2,pos=5,coref=-1`; raise `UsageError`.

    `wordless` allows `coref=-1`.
    """
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
    if "form" not in places and not wordless:
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
            " word=2,pos=5,coref=-1, for score also coref=-1 alone",
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
        try:
            places = layout.find(len(one.rows[0]))
        except ValueError:
            return False
        if places[COREF] < len(layout.names[:3]):
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


Cells = list[str]
Fault = Callable[[str, DataError], None]
"""Takes the checker's code of a fault, and the fault; may raise it."""

_BARE = tuple(f"\t{cell}" for cell in sorted(EMPTY))
"""How a row without brackets ends."""
_CODES = {"malformed": "E209", "unopened": "E205", "unclosed": "E206", "bare": "W210"}
_KINDS = {
    "E209": bad_mentions.MALFORMED,
    "E205": bad_mentions.UNOPENED,
    "E206": bad_mentions.UNCLOSED,
}
"""The kinds of bad mentions, by the checker's code."""


def raise_or_leave_out(code: str, error: DataError) -> None:
    """Raise a fault; within `lenient` leave out a bad mention, and read on past a missing line."""
    if code == "W210":
        bad_mentions.report_bare(error.path or "")
    elif code in _KINDS:
        bad_mentions.drop(_KINDS[code], error)
    elif code == "E208" and bad_mentions.is_lenient():
        warn_once(f"{error.path}:{error.line}: {error.message}, and is read all the same")
    else:
        raise error


class Opening(NamedTuple):
    """The beginning of a document: its file, its first line, its name and its part."""

    path: Path
    line: int
    name: str
    part: int


class TableDocument:
    """Takes the lines of one document of a table; a subclass makes something of its sentences.

    Faults are passed to `fault`. Where it does not raise, rows of another width than their
    sentence's first are left out. With `mentions_alone` no column is cut that is not needed.
    """

    mentions_alone = False

    def __init__(self, opening: Opening, fault: Fault, layout: ColumnLayout) -> None:
        self.path, self.line, self.name, self.part = opening
        self.fault, self.layout = fault, layout
        self.comments: list[list[Any]] = []
        self.left_out = 0  # rows that are no words
        self._count = 0  # of the sentences
        self._unclosed: set[str] = set()  # entities with a mention that was left out
        self._rows: list[str] = []
        self._lines: list[int] = []  # where in the file each row stands

    def add_sentence(
        self, columns: dict[str, Cells], mentions: Sequence[Named], lines: list[int]
    ) -> None:
        """Add a sentence by its columns, but for the brackets; `lines` are those of its words."""
        raise NotImplementedError

    def add_rows(self, rows: Sequence[str], first: int) -> None:
        """Take lines of a sentence's table, the first of which is the file's line `first`."""
        self._rows += rows
        self._lines += range(first, first + len(rows))

    def other_line(self, line: str, number: int) -> None:
        """Take an empty line, or one with a blank or # in front (see rule 2 of conll2012.py)."""
        if not line.strip(" \t"):
            self.end_sentence()
            return
        cells = line.split("\t" if "\t" in line else None)
        brackets_alone = len(cells) == 2 and (cells[1] in EMPTY or cells[1].strip("()") != cells[1])
        if line[0] == "#" and cells[0] != self.name and not brackets_alone:
            self.comments.append([self._count, line])
        else:
            self.add_rows([line], number)

    def end_sentence(self) -> None:
        """Make a sentence of the rows so far."""
        if not self._rows:
            return
        columns, cells = self._cut_columns()
        if self._lines:  # else no row was of any use
            numbered = "number" in columns and not self.layout.standard
            zeros = self._drop_nodes(columns) if numbered else set()
            if columns:
                cells = enumerate(columns.pop(COREF))
            mentions = brackets.parse(cells, self._report_bracket)
            if zeros:
                kept = [at not in zeros for at in range(len(self._lines))]
                words = [*accumulate(kept, initial=0)]
                mentions = [(name, words[start], words[end]) for name, start, end in mentions]
                self._keep_rows(columns, [at for at, word in enumerate(kept) if word])
                del columns["number"]  # which counts the rows left out
            if self._lines:
                self.add_sentence(columns, mentions, self._lines)
                self._count += 1
            else:
                self.left_out += len(zeros)
        self._rows, self._lines = [], []

    def _cut_columns(self) -> tuple[dict[str, Cells], Iterable[tuple[int, str]]]:
        """Cut the rows into columns by name, or into the cells of the last one that are in use."""
        rows, width = self._rows, self._rows[0].count("\t") + 1
        # A table between tabs alone, as most are, is cut at once, several times as fast.
        tabs = set(map(str.count, rows, repeat("\t"))) == {width - 1} != {0}
        marked = [at for at, row in enumerate(rows) if not row.endswith(_BARE)] if tabs else []
        last = [(at, rows[at].rpartition("\t")[2]) for at in marked]
        whole: list[Cells] = []
        if not tabs or any(" " in cell for _, cell in last):
            tabs, whole = False, self._whole_rows()
            if not whole:
                return {}, ()
            width = len(whole[0])
        try:
            if whole and self.layout.wordless:
                return {}, enumerate([row[self.layout.find(len(row))[COREF]] for row in whole])
            places = self.layout.find(width)
        except ValueError as error:
            raise DataError(str(error), path=self.path, line=self._lines[0]) from None
        if self.mentions_alone and (self.layout.standard or "number" not in places):
            places = {COREF: places[COREF]}
            if tabs and places[COREF] == width - 1:
                return {}, last
        cells = "\t".join(rows).split("\t") if tabs else list(chain.from_iterable(whole))
        return {name: cells[at::width] for name, at in places.items()}, ()

    def _whole_rows(self) -> list[Cells]:
        """Cut the rows at blanks, without those of another width than the sentence's first."""
        said = "".join(self._rows)
        if not any(map(said.__contains__, _OTHER_SPACE)):  # as most are, and thrice as fast
            table = list(map(str.split, self._rows))
        else:
            table = [list(filter(None, row.replace("\t", " ").split(" "))) for row in self._rows]
        width = len(table[0])
        if self.layout.wordless or (width > 1 and set(map(len, table)) == {width}):
            return table
        whole = []
        for cells, line in zip(table, self._lines, strict=True):
            if len(cells) == width > 1:
                whole.append((cells, line))
                continue
            error = DataError(
                f"{len(cells)} columns where the sentence begins with {width}"
                if len(cells) != width
                else "one column, where a form and brackets were expected",
                path=self.path,
                line=line,
                remedy="columns are separated by tabs or by runs of blanks; score --columns"
                " coref=-1 needs no column but the last",
            )
            self.fault("E207", error)
        self._lines = [line for _, line in whole]
        return [cells for cells, _ in whole]

    def _drop_nodes(self, columns: dict[str, Cells]) -> set[int]:
        """Leave out the rows that are no words (rule 7), and return those of dropped subjects."""
        numbers = columns["number"]
        words = [at for at, number in enumerate(numbers) if number.isdigit()]
        if len(words) < len(numbers):
            for at, number in enumerate(numbers):
                if not number.isdigit() and columns[COREF][at] not in EMPTY:
                    error = DataError(
                        f"a mention at {number!r}, which is a contraction or an empty node",
                        path=self.path,
                        line=self._lines[at],
                        remedy=bad_mentions.REMEDY,
                    )
                    self.fault("E209", error)
            self.left_out += len(numbers) - len(words)
            self._keep_rows(columns, words)
        if self.layout.title != SEMEVAL:
            return set()
        return {at for at, form in enumerate(columns["form"]) if form == "_"}

    def _keep_rows(self, columns: dict[str, Cells], rows: Sequence[int]) -> None:
        """Keep these rows of the sentence alone."""
        self._lines = [self._lines[at] for at in rows]
        for name, cells in columns.items():
            columns[name] = [cells[at] for at in rows]

    def _report_bracket(self, error: BracketError) -> None:
        """Report a bracket's error with the document and the line."""
        # What opened in an earlier sentence, and was left out there, is closed here.
        if (
            error.kind == "unopened"
            and error.entity in self._unclosed
            and bad_mentions.is_lenient()
        ):
            self._unclosed.remove(error.entity)
            return
        if error.kind == "unclosed":
            self._unclosed.add(error.entity)
        named = DataError(
            f"document {self.name or 'without a name'}: {error.problem}",
            path=self.path,
            line=self._lines[error.start],
            remedy="corefmill check lists all brackets that do not match; --columns names another"
            f" column; {bad_mentions.REMEDY}",
        )
        self.fault(_CODES[error.kind], named)


def _read_runs(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Stream rows by sentence, and alone each line that is empty or begins with a blank or #."""
    size = 0
    for first, lines in disk.read_line_lists(path):
        start = 0
        apart = [at for at, line in enumerate(lines) if not line or line[0] in "# \t"]
        for at in (*apart, len(lines)):
            size = disk.check_sentence(lines[start : at + 1], path, first + start, size)
            if at > start:
                yield first + start, lines[start:at]
            if at < len(lines):
                yield first + at, [lines[at]]
                if not lines[at].strip():
                    size = 0
            start = at + 1


D = TypeVar("D", bound=TableDocument)


def read_tables(
    path: Path,
    make: Callable[[Opening, Fault, ColumnLayout], D],
    fault: Fault = raise_or_leave_out,
    columns: ColumnLayout | None = None,
) -> Iterator[D]:
    """Stream the documents of a file of tables.

    `columns` are those that the user names, else they are found by their content. With them, what
    stands outside of documents is a document named by the file.

    Raises `DataError` with the line of what breaks a rule, or passes it to a `fault` that does not
    raise.
    """

    def report(message: str, line: int, remedy: str | None = None) -> None:
        fault("E208", DataError(message, path=path, line=line, remedy=remedy))

    layout = columns or find_layout(path)
    document: D | None = None
    opened = True  # by a line of its own
    before: list[str] = []  # comments between documents
    number = left_out = unnamed = 0
    rows: list[str] = []
    for number, rows in _read_runs(path):
        line = rows[0]
        if document is not None and line and line[0] not in "# \t":
            document.add_rows(rows, number)
        elif document is not None and not line:
            document.end_sentence()
        elif begin := line.startswith("#") and BEGIN.fullmatch(line):
            if document is not None:
                if opened:
                    report("a document begins in another", number, _ENDING)
                document.end_sentence()
                left_out += document.left_out
                yield document
            opened = True
            document = make(Opening(path, number, *parse_name(begin[1])), fault, layout)
            document.comments += [[-1, comment] for comment in before]
            before = []
        elif line.startswith("#") and END.match(line):
            if document is None:
                report("a document ends that never began", number)
                continue
            document.end_sentence()
            left_out += document.left_out
            yield document
            document = None
        elif document is not None:
            document.other_line(line, number)
        elif line.startswith("#"):
            before.append(line)
        elif any(map(str.strip, rows)):
            if not columns:
                report("a line outside a document", number, OPENING)
            opened = False
            document = make(Opening(path, number, path.stem, unnamed), fault, layout)
            unnamed += 1
            document.add_rows(rows, number)
    if document is not None:
        if opened:
            last = number + len(rows) - 1
            report("cut off within a document: its '#end document' is missing", last, _ENDING)
        document.end_sentence()
        left_out += document.left_out
        yield document
    if left_out:
        warn_once(
            f"{path}: {left_out} rows such as 8-9 and 8.1 are no words, or dropped subjects alone"
            " in a sentence, and were left out"
        )

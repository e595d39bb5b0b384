"""Reads a file past its faults: findings, and every record that can still be read.

- The native form line by line.
- CoNLL row by row: it takes any number of columns, the last of which holds the brackets, and yields
  whatever mentions the brackets make.
- The five-line form block by block. A block is whole when its fifth line is empty or the file ends.
  Where it is not, reading goes on after the next empty line, unless the empty line alone is
  missing, which shows in another block right behind.
- GAP and WEC's JSON are checked row by row beside their readers: the string at each offset, the
  labels, whether tokens_number of each mention points at the words of tokens_str.
- Other formats of lines by their reader, which reads the file again without each line that it
  refuses; all others up to the first fault.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corefmill.corpora.check import Checked, Finding, quote
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import brackets
from corefmill.corpora.formats.brackets import BEGIN, EMPTY, END, name_of
from corefmill.corpora.formats.five_line import makes_sense
from corefmill.corpora.formats.form import Format, masked_example
from corefmill.corpora.formats.json_records import read_array
from corefmill.corpora.formats.wec_json import find_runs
from corefmill.corpora.records import MASK, SCHEMAS, Document, Mention, Sentence, Token

Line = tuple[int, str]

MOST = 100
"""Lines that are left out of a file before its reading is given up."""


def tolerant(path: Path, form: Format, lang: str) -> Checked:
    """Read the findings and records of a file; raise `DataError` only where it cannot be opened."""
    if form.name.startswith("native-") and path.is_file():
        yield from _native(path, form)
    elif form.name in _WHOLE:
        try:
            yield from _WHOLE[form.name](path, lang)
        except DataError as error:  # a line out of all measure
            yield Finding("E201", path, error.line, error.message)
    else:
        bad = set()
        for finding in _RAW[form.name](path) if form.name in _RAW else ():
            yield finding
            if finding.severity == "error" and finding.line:
                bad.add(finding.line)
        if form.by_line:
            yield from _lines(path, form, lang, bad)
            return
        try:
            yield from form.read(path, lang)
        except DataError as error:
            # A folder's reader names the file.
            where = Path(error.path) if error.path else path
            yield Finding("E201", where, error.line, error.message)


def _native(path: Path, form: Format) -> Checked:
    kind = SCHEMAS[form.schema]
    number = 0
    try:
        for number, line in disk.read_lines(path):
            try:
                yield number, jsonl.loads(line, kind, path=path, number=number)
            except DataError as error:
                yield Finding("E202", path, number, error.message)
    except DataError as error:
        yield Finding("E201", path, error.line or number or None, error.message)


def _decode(path: Path) -> Iterator[Line]:
    """Stream lines without their ends; what is no UTF-8 has been found before."""
    for number, raw in disk.read_raw_lines(path):
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8", errors="replace")
        yield number, line.rstrip("\r\n")


def _lines(path: Path, form: Format, lang: str, bad: set[int]) -> Checked:
    """Reads the file without its bad lines; each that the reader finds more is left out in turn."""
    left_out = sorted(bad)
    given = 0
    with tempfile.TemporaryDirectory() as folder:
        # The name stays: some formats make ids of it.
        copy = Path(folder) / path.name
        while True:
            skip = set(left_out)
            with copy.open("wb") as out:
                out.writelines(
                    raw for number, raw in disk.read_raw_lines(path) if number not in skip
                )
            try:
                for line, record in form.read(copy, lang):
                    line = _original(line, left_out)
                    if line > given:
                        given = line
                        yield line, record
                return
            except DataError as error:
                if error.line is None:
                    yield Finding("E201", path, None, error.message)
                    return
                line = _original(error.line, left_out)
                if line == 1 or len(left_out) - len(bad) >= MOST:
                    yield Finding("E201", path, line, error.message)
                    return
                yield Finding("E202", path, line, error.message)
                given = max(given, line)
                left_out = sorted({*left_out, line})


def _original(line: int, left_out: list[int]) -> int:
    """Map a line of the copy without some lines to the file's own."""
    for other in left_out:
        if other <= line:
            line += 1
    return line


_BETWEEN = re.compile(r"(?<=[^|(])(?=\()|(?<=\))(?=[^|)])")
"""Where brackets meet without the bar that may be missing: rule 1 of brackets.py."""


@dataclass
class _OpenDocument:
    """A document during reading."""

    first: int
    name: str
    part: int
    sentences: list[Sentence] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    clusters: dict[str, list[Mention]] = field(default_factory=lambda: defaultdict(list))
    # Where each cluster's open brackets began: (sentence, token, line).
    opened: dict[str, list[tuple[int, int, int]]] = field(default_factory=lambda: defaultdict(list))
    # The line of every token, by sentence.
    rows: list[list[int]] = field(default_factory=lambda: [[]])
    columns: int | None = None

    def end_sentence(self) -> None:
        if self.tokens:
            self.sentences.append(Sentence(tuple(self.tokens)))
            self.rows.append([])
            self.tokens = []
        # OntoNotes has a column for each predicate of the sentence.
        self.columns = None


def conll(path: Path, lang: str) -> Checked:
    """Read each document with the mentions of its brackets, past faults of the form."""
    document: _OpenDocument | None = None
    number = 0
    for number, line in _decode(path):
        if begin := BEGIN.fullmatch(line):
            if document:
                yield Finding("E208", path, number, f"{quote(document.name)} is not closed")
                yield from _close_document(document, path, lang)
            document = _OpenDocument(number, *name_of(begin[1]))
        elif END.match(line):
            if document is None:
                yield Finding("E208", path, number, "a document ends that never began")
                continue
            yield from _close_document(document, path, lang)
            document = None
        elif not line.strip():
            if document:
                document.end_sentence()
        elif line.startswith("#") and not (
            # A row begins with # where its document's name does.
            document and document.name and line.startswith(document.name)
        ):
            continue
        elif document is None:
            yield Finding("E208", path, number, "a row outside any document")
            document = _OpenDocument(number, "", 0)
            yield from _conll_row(document, line, path, number)
        else:
            yield from _conll_row(document, line, path, number)
    if document:
        yield Finding("E208", path, number, "the file ends within a document")
        yield from _close_document(document, path, lang)


def _conll_row(document: _OpenDocument, line: str, path: Path, number: int) -> Checked:
    try:
        disk.check_row(line, path, number)
    except DataError as error:
        yield Finding("E207", path, number, error.message)
        return
    # LitBank's empty brackets column leaves a tab at the end, which split() alone would lose.
    cells = line.split("\t") if "\t" in line else line.split()
    if document.columns is None:
        document.columns = len(cells)
    elif len(cells) != document.columns:
        yield Finding(
            "E207", path, number, f"{len(cells)} columns, where its sentence has {document.columns}"
        )
    form = cells[3] if len(cells) > 4 else cells[0]
    tag = cells[4] if len(cells) > 5 and cells[4] not in EMPTY else None
    place = (len(document.sentences), len(document.tokens))
    document.tokens.append(Token(form, xpos=tag))
    document.rows[-1].append(number)
    last = cells[-1].strip()
    if last in EMPTY:
        return
    for piece in _BETWEEN.sub("|", last).split("|"):
        try:
            whole, opens, closes = brackets.pieces(piece)
            (cluster,) = whole + opens + closes
        except ValueError:
            yield Finding("E209", path, number, f"{quote(piece)} in the coreference column")
            continue
        if opens:
            document.opened[cluster].append((*place, number))
            continue
        sentence, start = place
        if closes:
            if not document.opened[cluster]:
                yield Finding("E205", path, number, f"{quote(piece)} closes nothing")
                continue
            sentence, start, _ = document.opened[cluster].pop()
        if sentence != place[0]:
            yield Finding("E206", path, number, f"{quote(piece)} closes over the end of a sentence")
            continue
        document.clusters[cluster].append(Mention(sentence, start, place[1] + 1))


def _close_document(document: _OpenDocument, path: Path, lang: str) -> Checked:
    document.end_sentence()
    for cluster, places in document.opened.items():
        for _, _, number in places:
            yield Finding("E206", path, number, f"{quote(f'({cluster}')} is never closed")
    yield (
        document.first,
        Document(
            doc_id=document.name,
            part=document.part,
            lang=lang,
            sentences=tuple(document.sentences),
            clusters=tuple(map(tuple, document.clusters.values())),
            meta={"clusters": list(document.clusters), "rows": document.rows},
        ),
    )


_LONGEST_BLOCK = 1000
"""Lines of a broken block that are passed over at once."""


@dataclass(frozen=True)
class Block:
    """A block of lines; `fifth` says whether the empty line was there."""

    lines: list[str]
    first: int
    fifth: bool


def blocks(path: Path) -> Iterator[Block | Finding]:
    """Read the blocks of a file, with findings for a wrong length (E204)."""
    source = ((number, line.strip()) for number, line in _decode(path))
    ahead: deque[Line] = deque()

    def look(count: int) -> list[str]:
        while len(ahead) < count and (following := next(source, None)):
            ahead.append(following)
        return [ahead[i][1] for i in range(min(count, len(ahead)))]

    def sensible(four: list[str]) -> bool:
        return len(four) == 4 and all(four) and makes_sense(four)

    def take(count: int) -> None:
        for _ in range(min(count, len(ahead))):
            ahead.popleft()

    while seen := look(9):
        first = ahead[0][0]
        # First, empty lines at the end of the file, which no reader takes.
        if not any(seen[:5]) and len(seen) <= 5:
            take(5)
        # Second, an empty line too many before a block.
        elif not seen[0]:
            take(1)
            yield Finding("E204", path, first, "an empty line where a passage was expected")
        # Third, the usual block: four lines and an empty one.
        elif all(seen[:4]) and len(seen) >= 5 and not seen[4]:
            take(5)
            yield Block(seen[:4], first, True)
        # Fourth, a block that makes sense with another right behind it, or at the end of the file.
        elif sensible(seen[:4]) and (len(seen) == 4 or sensible(seen[4:8])):
            take(4)
            yield Block(seen[:4], first, False)
        # Last, anything else, up to the next empty line.
        else:
            size = 0
            while look(size + 1)[size:] and ahead[size][1] and size <= _LONGEST_BLOCK:
                size += 1
            take(size + 1)
            why = f"a block of {size} lines and not four: {quote(seen[0])}"
            yield Finding("E204", path, first, why)


def five_lines(path: Path, lang: str) -> Checked:
    """Read the examples of all sensible blocks, past faults of the form."""
    number = 0
    for block in blocks(path):
        if isinstance(block, Finding):
            yield block
            continue
        number += 1
        if not block.fifth:
            yield Finding("E203", path, block.first + 4, "the empty line after a block is missing")
        yield from _example(block, path, lang, number)


def _example(block: Block, path: Path, lang: str, number: int) -> Checked:
    text, blank, names, answer = block.lines
    first = block.first
    candidates = tuple(name.strip() for name in names.split(","))
    folded = [name.casefold() for name in candidates]
    broken = False
    if len(set(candidates)) < len(candidates) or len(candidates) < 2 or "" in candidates:
        yield Finding("E505", path, first + 2, f"candidates {quote(names)}")
        broken = True
    if answer.casefold() not in folded:
        yield Finding("E501", path, first + 3, f"answer {quote(answer)} is none of {quote(names)}")
        broken = True
    target = re.search(rf"(?<!\w){re.escape(blank)}(?!\w)", text)
    if target is None:
        yield Finding("E504", path, first + 1, f"{quote(blank)} does not stand in the passage")
        return
    if f" {blank} " not in f" {text}":
        around = text[max(0, target.start() - 12) : target.end() + 12]
        yield Finding("W507", path, first, f"{quote(blank)} is not set apart in {quote(around)}")
    if blank == MASK and text.count(MASK) > 1:
        yield Finding("W508", path, first, f"{MASK} stands {text.count(MASK)} times")
    if broken:
        return
    label = candidates.index(answer) if answer in candidates else folded.index(answer.casefold())
    yield (
        first,
        masked_example(
            f"{disk.show_name(path.stem)}-{number}", lang, text, target.span(), candidates, label
        ),
    )


_GAP_COLUMNS = 11
_TRUTH = {"TRUE": True, "FALSE": False}


def gap(path: Path) -> Iterator[Finding]:
    """Check a file with or without its head; one that has no labels is a system's."""
    for number, line in _decode(path):
        if number == 1 and line.partition("\t")[0] == "ID":
            continue
        columns = line.count("\t") + 1  # before they are cut: there may be millions
        if columns != _GAP_COLUMNS:
            yield Finding("E207", path, number, f"{columns} columns, and not {_GAP_COLUMNS}")
            continue
        yield from _gap_row(line.split("\t"), path, number)


def _gap_row(cells: list[str], path: Path, number: int) -> Iterator[Finding]:
    text = cells[1]
    for what, name, offset in (
        ("the pronoun", cells[2], cells[3]),
        ("A", cells[4], cells[5]),
        ("B", cells[7], cells[8]),
    ):
        if not re.fullmatch("[0-9]{1,9}", offset):
            yield Finding("E202", path, number, f"the offset of {what} is {quote(offset)}")
        elif (there := text[int(offset) : int(offset) + len(name)]) != name or not name:
            yield Finding(
                "E301", path, number, f"{what} is {quote(name)}, at {offset} stands {quote(there)}"
            )
    right = [_TRUTH.get(cells[column].strip().upper()) for column in (6, 9)]
    if None in right:
        yield Finding("E202", path, number, f"labels {cells[6]!r} and {cells[9]!r}")
    elif all(right):
        yield Finding("E506", path, number, f"{quote(cells[4])} and {quote(cells[7])} are right")


def wec(path: Path) -> Iterator[Finding]:
    """Find mentions with words against numbers (E302), or beyond reading (E202)."""
    try:
        for line, mention in read_array(path):
            context, numbers = mention.get("mention_context"), mention.get("tokens_number")
            said = mention.get("tokens_str")
            if not (
                isinstance(context, list)
                and isinstance(numbers, list)
                and numbers
                and all(type(number) is int for number in numbers)
                and all(type(word) is str for word in (said, *context))
            ):
                what = "mention_context, tokens_number or tokens_str is missing or of another type"
                yield Finding("E202", path, line, what)
            elif min(numbers) < 0 or max(numbers) >= len(context):
                what = f"tokens_number reaches beyond the context of {len(context)}"
                yield Finding("E202", path, line, what)
            elif (there := " ".join(context[number] for number in numbers)) != said:
                yield Finding(
                    "E302",
                    path,
                    line,
                    f"mention {mention.get('mention_id')}: {quote(there, 60)} stands there,"
                    f" tokens_str is {quote(str(said), 60)}",
                )
    except DataError:
        return  # the reader of the format says where and why


def repair_mention(mention: dict[str, Any]) -> dict[str, Any] | None:
    """Make a mention's words and numbers agree; None where nothing says how.

    Where they differ in blanks only, tokens_str takes the context's; else tokens_number takes the
    one place where the words of tokens_str stand, if there is just one.
    """
    context, numbers = mention["mention_context"], mention["tokens_number"]
    squeezed = "".join(mention["tokens_str"].split())
    there = [context[number] for number in numbers if 0 <= number < len(context)]
    if "".join(there) == squeezed and len(there) == len(numbers):
        return {**mention, "tokens_str": " ".join(there)}
    places = find_runs(context, squeezed)
    if len(places) != 1:
        return None
    words = " ".join(context[number] for number in places[0])
    return {**mention, "tokens_number": places[0], "tokens_str": words}


_WHOLE: dict[str, Callable[[Path, str], Checked]] = {
    "five-line": five_lines,
    "dpr": five_lines,
    "conll2012": conll,
}
_RAW: dict[str, Callable[[Path], Iterator[Finding]]] = {"gap": gap, "wec-json": wec}

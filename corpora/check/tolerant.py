"""Read a file past its faults: findings, and every readable record.

- Formats with a record a line, the native form among them, are read line by line, and WEC's JSON
  record by record.
- CoNLL is read by its reader, which tells its faults and goes on.
- The five-line form block by block. A block is whole when its fifth line is empty or the file ends.
  Where it is not, reading goes on after the next empty line, unless the empty line alone is
  missing, which shows in another block right behind.
- All others are read up to the first fault.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefmill.corpora.check import Checked, Finding, quote
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats.five_line import makes_sense, parse_block
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.wec_json import find_places
from corefmill.corpora.records import MASK

Line = tuple[int, str]


def read_past_faults(path: Path, form: Format, lang: str) -> Checked:
    """Read the findings and records of a file; raise `DataError` only where it cannot be opened."""
    try:
        if form.name in _WHOLE:
            yield from _WHOLE[form.name](path, form, lang)
            return
        for line, found in (form.read_on or form.read)(path, lang):
            if isinstance(found, DataError):
                yield Finding("E202", Path(found.path or path), line, found.message)
                continue
            # WEC's reader keeps what contradicts the mention, be it the words or their numbers.
            kept = found.meta.get("wec", {}) if form.name == "wec-json" else {}
            if wrong := [key for key in ("tokens_number", "tokens_str") if key in kept]:
                there = quote(found.text[found.start : found.end], 60)
                said = ", ".join(f"{key} is {quote(str(kept[key]), 60)}" for key in wrong)
                yield Finding("E302", path, line, f"mention {found.id} is {there}, {said}")
            yield line, found
    except DataError as error:
        # A folder's reader names the file.
        yield Finding("E201", Path(error.path or path), error.line, error.message)


def read_conll(path: Path, form: Format, lang: str) -> Checked:
    """Read the documents of a CoNLL-2012 file, with a finding for each fault."""
    found: list[Finding] = []

    def fault(code: str, error: DataError) -> None:
        found.append(Finding(code, path, error.line, error.message))

    read: Any = form.read  # conll2012's, whose columns the user may have named
    for line, document in read(path, lang, fault=fault):
        yield from found
        found.clear()
        yield line, document
    yield from found


_LONGEST_BLOCK = 1000
"""Lines of a broken block that are passed over at once."""


@dataclass(frozen=True)
class Block:
    """A block of lines; `fifth` says whether the empty line was there."""

    lines: list[str]
    first: int
    fifth: bool


def read_blocks(path: Path) -> Iterator[Block | Finding]:
    """Read the blocks of a five-line file, with findings for those of a wrong length (E204)."""
    # What is no UTF-8 has been found before.
    source = (
        (number, raw.decode("utf-8-sig" if number == 1 else "utf-8", errors="replace").strip())
        for number, raw in disk.read_raw_lines(path)
    )
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


_CODES = {1: "E504", 2: "E505", 3: "E501"}
"""The code of a fault by its line in the block."""


def read_five_lines(path: Path, form: Format, lang: str) -> Checked:
    """Read the examples of a five-line file, with findings for broken blocks."""
    number = 0
    for block in read_blocks(path):
        if isinstance(block, Finding):
            yield block
            continue
        number += 1
        first = block.first
        if not block.fifth:
            yield Finding("E203", path, first + 4, "the empty line after a block is missing")
        try:
            example = parse_block([*block.lines, ""], path, first, number, lang)
        except DataError as error:
            line = error.line or first
            yield Finding(_CODES.get(line - first, "E202"), path, line, error.message)
            continue
        # The published readers blank a string between spaces only, and all such strings at once.
        text, blank = example.text, block.lines[1]
        if f" {blank} " not in f" {text}":
            start, end = example.target
            around = quote(text[max(0, start - 12) : end + 12])
            yield Finding("W507", path, first, f"{quote(blank)} is not set apart in {around}")
        if blank == MASK and text.count(MASK) > 1:
            yield Finding("W508", path, first, f"{MASK} stands {text.count(MASK)} times")
        yield first, example


def repair_mention(mention: dict[str, Any]) -> dict[str, Any] | None:
    """Make a mention's words and numbers agree by rule 4 of wec_json.py; None without a way."""
    context = mention["mention_context"]
    places = find_places(context, mention["tokens_number"], mention["tokens_str"])
    words = " ".join(context[place] for place in places)
    if "".join(words.split()) != "".join(mention["tokens_str"].split()):
        return None
    return {**mention, "tokens_number": places, "tokens_str": words}


_WHOLE: dict[str, Callable[[Path, Format, str], Checked]] = {
    "five-line": read_five_lines,
    "dpr": read_five_lines,
    "conll2012": read_conll,
}

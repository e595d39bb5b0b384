"""The five-line text form of the published WikiCREM and DPR readers.

An example is five physical lines, and the readers cut strictly by five:

1. the passage on one line, its target replaced by [MASK];
2. the string to blank: [MASK], or a pronoun that stands in the passage (as in DPR);
3. the candidates with commas between; a candidate cannot hold a comma;
4. the right candidate, one of line 3 (upper and lower case may differ);
5. an empty line, the last example's too.

Published readers blank only a mask with a blank on either side, so the writer joins the tokens of
`meta["tokens"]` by blanks; without tokens it sets blanks round the mask alone. The form carries no
source, no offsets of mentions and no other text: what is read has those empty, and writing that
again gives the same lines.

The DPR files keep the pronoun: line 1 has it in place, line 2 names it. The target is where it
first stands as a word (`he`, not in `the`). `write_pronouns` writes this form, and refuses an
example whose target is not the first of its kind, or whose text is more than a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.formats.form import (
    Format,
    Located,
    find_words,
    masked_example,
    write_records,
)
from corefmill.corpora.records import MASK, MaskedExample

_NOT_ASCII = re.compile(r"[^\x20-\x7e]+")


def passage(example: MaskedExample, *, ascii_only: bool = False) -> str:
    """Make line 1: the tokens joined by single blanks, the target as [MASK].

    `ascii_only` deletes what is not ASCII, as the published files do. Raises `ValueError` where
    the target splits a token, or the line would hold [MASK] twice.
    """
    start, end = example.target
    before: list[str] = []
    after: list[str] = []
    for s, e in example.tokens:
        if e <= start:
            before.append(example.text[s:e])
        elif s >= end:
            after.append(example.text[s:e])
        elif s < start or e > end:
            raise ValueError("the target splits a token")
    if not before and not after:
        before, after = [example.text[:start]], [example.text[end:]]
    line = surface(" ".join([*before, MASK, *after]), ascii_only=ascii_only)
    if line.count(MASK) > 1:
        raise ValueError(f"the text holds {MASK}, the mark of the target, already")
    return line


def surface(text: str, *, ascii_only: bool = False) -> str:
    """Set a passage or a name on one line, with single blanks."""
    if ascii_only:
        text = _NOT_ASCII.sub("", text)
    return " ".join(text.split())


def write(
    path: Path, examples: Iterable[MaskedExample], *, ascii_only: bool = False, pairs: bool = False
) -> int:
    """Write examples in the five-line form and return the number of blocks.

    `pairs` writes one block for each wrong candidate, the right one first, as the paper does and
    the published training reader (which reads two candidates) needs. Raises `DataError` for an
    example without a label, with a comma in a candidate, or with candidates that look the same.
    """
    blocks = 0

    def encode(example: MaskedExample) -> bytes:
        nonlocal blocks
        names, answer = _names(example, path, ascii_only=ascii_only)
        rows = [[answer, name] for name in names if name != answer] if pairs else [names]
        text = passage(example, ascii_only=ascii_only)
        blocks += len(rows)
        return b"".join(_encode_block([text, MASK, ",".join(row), answer]) for row in rows)

    write_records(path, examples, encode)
    return blocks


def write_pronouns(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples in the DPR form and return their number.

    Raises `DataError` as `write` does, and for a target that is not the first such word.
    """

    def encode(example: MaskedExample) -> bytes:
        names, answer = _names(example, path)
        text, pronoun = example.text, example.text[slice(*example.target)]
        if "\n" in text or text != text.strip() or pronoun != pronoun.strip():
            raise ValueError("the text or pronoun has a line break, or blanks at an end")
        if find_words(text, pronoun) != example.target:
            raise ValueError(f"the target is not the first {pronoun!r} of the text")
        return _encode_block([text, pronoun, ",".join(names), answer])

    return write_records(path, examples, encode)


def _names(
    example: MaskedExample, path: Path, *, ascii_only: bool = False
) -> tuple[list[str], str]:
    """Return the candidates as line 3 has them, and the right one."""
    if example.answer is None:
        raise DataError(f"example {example.id} has no label", path=path)
    names = [surface(name, ascii_only=ascii_only) for name in example.candidates]
    if any("," in name or not name for name in names):
        raise ValueError("a candidate is empty or holds a comma")
    if len(set(names)) < len(names):
        raise ValueError("two candidates look the same")
    return names, surface(example.answer, ascii_only=ascii_only)


def _encode_block(four: list[str]) -> bytes:
    """Join the four lines of an example and the empty fifth. Raises `ValueError` for a NUL."""
    block = "\n".join([*four, "", ""])
    if "\0" in block:
        raise ValueError("a line holds a NUL")
    return block.encode()


def read(path: Path, lang: str = "en") -> Located:
    """Stream the examples with their lines; the target of a DPR file is its first such pronoun.

    Raises `DataError` with the line where a block breaks the form.
    """
    block: list[str] = []
    number = 0
    for number, line in disk.read_lines(path):
        block.append(line)
        if len(block) == 5:
            yield number - 4, parse_block(block, path, number - 4, number // 5, lang)
            block = []
    if len(block) == 4:  # the last empty line is missing: the published reader drops this one
        yield number - 3, parse_block([*block, ""], path, number - 3, (number + 1) // 5, lang)
    elif any(line.strip() for line in block):
        raise DataError("the last example has fewer than four lines", path=path, line=number)


def parse_block(block: list[str], path: Path, line: int, number: int, lang: str) -> MaskedExample:
    """Make the example of five lines, the file's block `number`; `line` is its first.

    Raises `DataError` with the line at fault.
    """
    text, blank, names, answer, empty = (one.strip() for one in block)
    if empty:
        raise DataError(
            f"an empty line was expected after four, here stands {empty[:40]!r}",
            path=path,
            line=line + 4,
            remedy="one line too many or too few shifts all that follows",
        )
    target = find_words(text, blank)
    if target is None:
        raise DataError(f"{blank[:40]!r} does not stand in the passage", path=path, line=line + 1)
    candidates = tuple(name.strip() for name in names.split(","))
    if "" in candidates or len(set(candidates)) < max(2, len(candidates)):
        fault = f"candidates {names[:40]!r}: fewer than two, or one is empty or named twice"
        raise DataError(fault, path=path, line=line + 2)
    folded = [name.casefold() for name in candidates]
    if answer.casefold() not in folded:
        raise DataError(f"answer {answer[:40]!r} is not a candidate", path=path, line=line + 3)
    label = candidates.index(answer) if answer in candidates else folded.index(answer.casefold())
    with naming(path, line):
        name = f"{disk.show_name(path.stem)}-{number}"
        return masked_example(name, lang, text, target, candidates, label)


def _suits(*, masked: bool) -> Callable[[str, str], bool]:
    """Make a test of the first four lines: they make sense, and have [MASK] or a word as target.

    Whether the fifth is there is the reader's to say.
    """

    def suits(name: str, head: str) -> bool:
        block = [line.strip() for line in head.split("\n", 4)[:4]]
        return len(block) == 4 and makes_sense(block) and (block[1] == MASK) is masked

    return suits


def makes_sense(block: list[str]) -> bool:
    """Tell whether the passage has the target, and the candidates have the answer."""
    text, blank, names, answer = block
    folded = [one.strip().casefold() for one in names.split(",")]
    return bool(blank) and blank in text and answer.casefold() in folded


FORMAT = Format(
    name="five-line",
    schema="masked-example/1",
    summary="five lines an example, as the WikiCREM files have it",
    suffix=".txt",
    read=read,
    write=write,
    suits=_suits(masked=True),
)

PRONOUNS = Format(
    name="dpr",
    schema="masked-example/1",
    summary="five lines an example, the pronoun in place, as the DPR files have it",
    suffix=".dpr.txt",
    read=read,
    write=write_pronouns,
    suits=_suits(masked=False),
)

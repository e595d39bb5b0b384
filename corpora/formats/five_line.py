"""The five-line text form that the published WikiCREM and DPR readers take.

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
first stands as a word (`he`, not in `the`). A line whose blanks reading does not keep (`a, b` of
candidates, a blank at an end) is in `meta["dpr"]` as it was, by its number, and written so again.
`write_pronouns` writes this form, and refuses an
example whose target is not the first of its kind, or whose text is more than a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from corefmill.corpora import disk, lines
from corefmill.corpora.atomic import replacing
from corefmill.corpora.errors import DataError, naming
from corefmill.corpora.formats.candidates import as_words, masked_example
from corefmill.corpora.formats.form import Format, Located
from corefmill.corpora.records import MASK, MaskedExample, Meta

_NOT_ASCII = re.compile(r"[^\x20-\x7e]+")


def passage(example: MaskedExample, *, ascii_only: bool = False) -> str:
    """Line 1: the tokens joined by single blanks, the target as [MASK].

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
            raise ValueError("its target splits a token")
    if not before and not after:
        before, after = [example.text[:start]], [example.text[end:]]
    line = surface(" ".join([*before, MASK, *after]), ascii_only=ascii_only)
    if line.count(MASK) > 1:
        raise ValueError(f"its text holds {MASK}")
    return line


def surface(text: str, *, ascii_only: bool = False) -> str:
    """A passage or a name as it stands on a line: one line, single blanks."""
    if ascii_only:
        text = _NOT_ASCII.sub("", text)
    return " ".join(text.split())


def write(
    path: Path, examples: Iterable[MaskedExample], *, ascii_only: bool = False, pairs: bool = False
) -> int:
    """Writes the examples and returns the number of five-line blocks.

    `pairs` writes one block for each wrong candidate, the right one first, as the paper does and
    the published training reader (which reads two candidates) needs. Raises `DataError` for an
    example without a label, with a comma in a candidate, or with candidates that look the same.
    """
    blocks = 0
    with replacing(path) as out:
        for example in examples:
            names, answer = _names(example, path, ascii_only=ascii_only)
            wrong = [name for name in names if name != answer]
            rows = [[answer, name] for name in wrong] if pairs else [names]
            try:
                text = passage(example, ascii_only=ascii_only)
            except ValueError as error:
                raise _cannot_carry(example, str(error), path) from None
            for row in rows:
                out.write(_block(example, text, MASK, row, answer, path))
                blocks += 1
    return blocks


def write_pronouns(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Writes the DPR form and returns the number of examples; raises `DataError` as `write` does,
    and for a text whose target is not the first of its words.
    """
    count = 0
    with replacing(path) as out:
        for example in examples:
            names, answer = _names(example, path)
            text, pronoun = example.text, example.text[slice(*example.target)]
            if "\n" in text or text != text.strip() or pronoun != pronoun.strip():
                raise _cannot_carry(example, "its text is more than a bare line", path)
            if as_words(text, pronoun) != example.target:
                why = f"its target is not the first {pronoun!r} of the text"
                raise _cannot_carry(example, why, path)
            out.write(_block(example, text, pronoun, names, answer, path))
            count += 1
    return count


def _names(
    example: MaskedExample, path: Path, *, ascii_only: bool = False
) -> tuple[list[str], str]:
    """The candidates as line 3 has them, and the right one."""
    if example.answer is None:
        raise DataError(f"example {example.id} has no label", path=path)
    names = [surface(name, ascii_only=ascii_only) for name in example.candidates]
    if any("," in name or not name for name in names):
        raise _cannot_carry(example, "a candidate is empty or holds a comma", path)
    if len(set(names)) < len(names):
        raise _cannot_carry(example, "two candidates look the same", path)
    return names, surface(example.answer, ascii_only=ascii_only)


def _block(
    example: MaskedExample, text: str, blank: str, names: list[str], answer: str, path: Path
) -> bytes:
    made = [text, blank, ",".join(names), answer]
    made = made if blank == MASK else _restored(made, example.meta)
    block = "\n".join([*made, "", ""])
    if "\0" in block:
        raise _cannot_carry(example, "a NUL stands in it", path)
    return block.encode()


def _cannot_carry(example: MaskedExample, why: str, path: Path) -> DataError:
    return DataError(
        f"example {example.id}: {why}",
        path=path,
        remedy="the five-line form cannot carry it; leave the example out",
    )


def read(path: Path, lang: str = "en") -> Located:
    """Streams the examples with their lines; the target of a DPR file is its first such pronoun.

    Raises `DataError` with the line where a block breaks the form.
    """
    block: list[str] = []
    number = 0
    for number, line in lines.read(path):
        block.append(line)
        if len(block) == 5:
            yield number - 4, _example(block, path, number - 4, lang)
            block = []
    if len(block) == 4:  # the last empty line is missing: the published reader drops this one
        yield number - 3, _example([*block, ""], path, number - 3, lang)
    elif any(line.strip() for line in block):
        raise DataError("the last block has too few lines", path=path, line=number)


def _example(block: list[str], path: Path, line: int, lang: str) -> MaskedExample:
    text, blank, names, answer, empty = (one.strip() for one in block)
    if empty:
        raise DataError(
            f"an empty line was expected after four, here stands {empty[:40]!r}",
            path=path,
            line=line + 4,
            remedy="one line too many or too few shifts all that follows",
        )
    target = as_words(text, blank)
    if target is None:
        raise DataError(f"{blank[:40]!r} does not stand in the passage", path=path, line=line + 1)
    candidates = tuple(name.strip() for name in names.split(","))
    if "" in candidates:
        raise DataError("a candidate is empty", path=path, line=line + 2)
    folded = [name.casefold() for name in candidates]
    if answer.casefold() not in folded:
        raise DataError(f"answer {answer[:40]!r} is not a candidate", path=path, line=line + 3)
    label = candidates.index(answer) if answer in candidates else folded.index(answer.casefold())
    with naming(path, line):
        name = f"{disk.shown(path.stem)}-{(line + 4) // 5}"
        meta = {} if blank == MASK else _kept(block, candidates, label)
        return masked_example(name, lang, text, target, candidates, label, meta=meta)


def _kept(block: Sequence[str], candidates: Sequence[str], label: int) -> Meta:
    """The lines that reading does not keep, by their number, for the writer."""
    made = (block[0].strip(), block[1].strip(), ",".join(candidates), candidates[label])
    kept = {
        str(number): raw
        for number, (raw, own) in enumerate(zip(block, made, strict=False), 1)
        if raw != own
    }
    return {"dpr": kept} if kept else {}


def _restored(made: Sequence[str], meta: Meta) -> list[str]:
    """The lines as `_kept` has them, where they still say the same."""
    kept, found = meta.get("dpr"), list(made)
    if not isinstance(kept, dict):
        return found
    for number, own in enumerate(made):
        raw = kept.get(str(number + 1))
        if isinstance(raw, str) and "\n" not in raw and _plain(number, raw) == _plain(number, own):
            found[number] = raw
    return found


def _plain(number: int, line: str) -> str:
    """What a line says, whatever its blanks; the answer whatever its case."""
    if number == 2:
        return ",".join(map(str.strip, line.split(",")))
    return line.strip().casefold() if number == 3 else line.strip()


def _suits(*, masked: bool) -> Callable[[str, str], bool]:
    """The first four lines make sense, and have [MASK] for their target or a word.

    Whether the fifth is there is the reader's to say.
    """

    def suits(name: str, head: str) -> bool:
        block = [line.strip() for line in head.split("\n", 4)[:4]]
        if len(block) < 4:
            return False
        text, blank, names, answer = block
        folded = [one.strip().casefold() for one in names.split(",")]
        whole = bool(blank) and blank in text and answer.casefold() in folded
        return whole and (blank == MASK) is masked

    return suits


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

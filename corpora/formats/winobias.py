"""WinoBias' numbered lines: the right candidate and its pronouns in brackets.

1. A line is a number, a blank and a sentence: `7 [The cook] met the baker when [he] was ill.`
2. The first brackets hold the right candidate, the others its pronouns: one at least. The first
   pronoun is the target, the rest are mentions of the right candidate.
3. The wrong candidate has no brackets: it is the first occupation of `winobias.toml` outside of
   them, with its article (`the baker`). `1 [The cook] met the king when [he] was ill.` is an error.
   In `[The cook] respects the baker because [he] knows a good baker.` it is the first baker.
4. The candidates stand in the order of the text; label and mentions follow from the brackets.
5. The id is the line's number. The text has neither number nor brackets. Blanks within brackets
   (`the [ cook]`, two of the files) are none of the candidate; `meta["line"]` then has the line.
6. The writer takes two candidates with their mentions, and refuses what would not be read as the
   same candidates, label, target and mentions: a text with brackets of its own, a label that is
   None, a wrong candidate of no known occupation. An id that is no number becomes the line's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from corefmill.corpora import beside, lines
from corefmill.corpora.atomic import replacing
from corefmill.corpora.formats import tsv
from corefmill.corpora.formats.candidates import masked_example
from corefmill.corpora.formats.form import Format, Located, located
from corefmill.corpora.records import MaskedExample, Span

_LINE = re.compile(r"([0-9]{1,9}) (.+)", re.DOTALL)
_BRACKETS = re.compile(r"\[([^\[\]]+)\]")


@cache
def _occupation() -> re.Pattern[str]:
    occupations = beside.table(__file__, "winobias")["occupations"]
    names = "|".join(map(re.escape, occupations))
    return re.compile(rf"\b(?:(?:the|an?) )?(?:{names})\b", re.IGNORECASE)


def read(path: Path, lang: str = "en") -> Located:
    """Streams the examples with their lines; raises `DataError` where a rule is broken."""
    return located(lines.read(path), lambda line: _example(line, lang), path)


def _example(line: str, lang: str) -> MaskedExample:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError("no number, blank and sentence")
    text, spans, position = "", list[Span](), 0
    for found in _BRACKETS.finditer(match[2]):
        text += match[2][position : found.start()]
        bare = found[1].strip()
        start = len(text) + found[1].index(bare)
        spans.append((start, start + len(bare)))
        text += found[1]
        position = found.end()
    text += match[2][position:]
    if "[" in text or "]" in text:
        raise ValueError("the brackets do not pair")
    if len(spans) < 2:
        raise ValueError(f"{len(spans)} pairs of brackets, where candidate and pronoun need two")
    right, target, *others = spans
    wrong = _wrong(text, spans)
    label = int(wrong < right)
    ordered = sorted((right, wrong))
    example = masked_example(
        match[1],
        lang,
        text,
        target,
        [text[start:end] for start, end in ordered],
        label,
        mentions=(
            *((number, *span) for number, span in enumerate(ordered)),
            *((label, *span) for span in others),
        ),
    )
    return example if _line(example, 0) == line else replace(example, meta={"line": line})


def _wrong(text: str, bracketed: list[Span]) -> Span:
    for match in _occupation().finditer(text):
        if all(match.end() <= start or end <= match.start() for start, end in bracketed):
            return match.span()
    raise ValueError("no occupation outside the brackets: the wrong candidate cannot be found")


def write(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Writes the examples and returns their number; raises `DataError` by rule 6."""
    count = 0
    with replacing(path) as out:
        for count, example in enumerate(examples, 1):
            line = example.meta.get("line")
            if not isinstance(line, str):
                line = _line(example, count)
            try:
                again = _example(line, example.lang)
            except ValueError as error:
                raise tsv.cannot_carry(example.id, str(error), path) from None
            for field in ("text", "candidates", "label", "target", "mentions"):
                if getattr(again, field) != getattr(example, field):
                    why = f"it would be read with another {field}"
                    raise tsv.cannot_carry(example.id, why, path)
            out.write(tsv.line_of(example.id, [line], path))
    return count


def _line(example: MaskedExample, count: int) -> str:
    right = [(start, end) for number, start, end in example.mentions if number == example.label]
    number = example.id if re.fullmatch("[0-9]{1,9}", example.id) else str(count)
    text = example.text
    for start, end in sorted({*right, example.target}, reverse=True):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return f"{number} {text}"


FORMAT = Format(
    name="winobias",
    schema="masked-example/1",
    summary="WinoBias' numbered lines with brackets",
    suffix=".winobias.txt",
    read=read,
    write=write,
    suits=lambda name, head: (
        (first := _LINE.fullmatch(head.partition("\n")[0])) is not None
        and len(_BRACKETS.findall(first[2])) > 1
    ),
    by_line=True,
)

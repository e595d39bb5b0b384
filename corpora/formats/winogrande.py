"""WinoGrande: a sentence with a blank and two options, as a table or as JSON lines.

The table:
1. The header is `index sentence1 sentence2 label candidate0 candidate1`, separated by tabs.
2. An item is two rows that follow each other with the same index, sentence2 and candidates.
   sentence1 ends in candidate0 in the first row and in candidate1 in the second; what stands
   before it is the same: `Ann met Bo because Ann` and `Ann met Bo because Bo`.
3. The text is what stands before, a blank `_`, and sentence2 (which begins with its own space).
   The blank is the target.
4. The label is the row with label 1. Neither is label None; both is an error.

JSON lines, the released form:
5. An object a line: qID, sentence, option1, option2, and answer "1" or "2"; other keys are errors.
6. The sentence holds one `_`, the target. `a _ b _ c` is an error: which one is meant?
7. A missing answer is label None; so is "", which `meta["answer"]` keeps.

Both:
8. The id is the index, or the qID. Mentions are empty, since the files have no offsets.
9. Of two options that are the same, the second candidate ends in ` (2)`, and is written without.
10. The writers need two candidates, and put the blank in place of the target: a pronoun that stood
    there is lost, as are source, sentences, mentions and meta. Cells have no tabs and line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from corefmill.corpora import lines
from corefmill.corpora.errors import DataError, naming
from corefmill.corpora.formats import json_records, tsv
from corefmill.corpora.formats.candidates import distinct, masked_example, two_names
from corefmill.corpora.formats.form import Format, Located, located
from corefmill.corpora.records import MaskedExample, Meta

BLANK = "_"
HEADER = ("index", "sentence1", "sentence2", "label", "candidate0", "candidate1")

_KEYS = {"qID", "sentence", "option1", "option2", "answer"}


def _example(
    name: str,
    lang: str,
    before: str,
    after: str,
    options: tuple[str, str],
    label: int | None,
    meta: Meta,
) -> MaskedExample:
    target = len(before), len(before) + len(BLANK)
    text = before + BLANK + after
    return masked_example(name, lang, text, target, distinct(options), label, meta=meta)


def read_table(path: Path, lang: str = "en") -> Located:
    """Streams the items with the line of their first row; raises `DataError` by rules 1 to 4."""
    rows = tsv.read(path, HEADER)
    next(rows)
    for number, first in rows:
        _, second = next(rows, (0, None))
        if second is None:
            raise DataError("the item's second row is missing", path=path, line=number)
        with naming(path, number):
            yield number, _item(first, second, lang)


def _item(first: list[str], second: list[str], lang: str) -> MaskedExample:
    for column in (0, 2, 4, 5):
        if first[column] != second[column]:
            raise ValueError(
                f"the item's two rows differ in {HEADER[column]}: "
                f"{first[column][:40]!r} and {second[column][:40]!r}"
            )
    index, _, after, _, *options = first
    befores = set()
    for row, option in zip((first, second), options, strict=True):
        if not row[1].endswith(option):
            raise ValueError(f"sentence1 does not end in its candidate {option[:40]!r}")
        befores.add(row[1].removesuffix(option))
    if len(befores) > 1:
        raise ValueError("the item's two rows differ before their candidates")
    labels = (first[3], second[3])
    if labels not in (("1", "0"), ("0", "1"), ("0", "0")):
        raise ValueError(f"the labels are {labels[0][:20]!r} and {labels[1][:20]!r}")
    label = labels.index("1") if "1" in labels else None
    (before,) = befores
    return _example(index, lang, before, after, (options[0], options[1]), label, {})


def write_table(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Writes two rows an example and returns the number of examples (rule 10)."""
    return tsv.write(path, HEADER, examples, _rows)


def _rows(example: MaskedExample) -> Iterator[list[str]]:
    options, (start, end) = two_names(example), example.target
    for number, option in enumerate(options):
        before, label = example.text[:start] + option, str(int(example.label == number))
        yield [example.id, before, example.text[end:], label, *options]


def read_lines(path: Path, lang: str = "en") -> Located:
    """Streams the items with their lines; raises `DataError` by rules 5 to 7."""
    items = ((number, json_records.loads(line, path, number)) for number, line in lines.read(path))
    return located(items, lambda item: _released(item, lang), path)


def _released(item: dict[str, Any], lang: str) -> MaskedExample:
    strange, missing = item.keys() - _KEYS, _KEYS - {"answer"} - item.keys()
    if strange or missing:
        which = f"unknown key {min(strange)!r}" if strange else f"no {min(missing)}"
        raise ValueError(f"{which}; the keys are qID, sentence, option1, option2, answer")
    if not all(isinstance(value, str) for value in item.values()):
        raise ValueError("a value is not a string")
    places = [match.start() for match in re.finditer(BLANK, item["sentence"])]
    if len(places) != 1:
        raise ValueError(f"{len(places)} blanks in the sentence, not one")
    answer = item.get("answer", "")
    if answer not in ("1", "2", ""):
        raise ValueError(f"answer {answer[:20]!r} is neither 1 nor 2")
    return _example(
        item["qID"],
        lang,
        item["sentence"][: places[0]],
        item["sentence"][places[0] + len(BLANK) :],
        (item["option1"], item["option2"]),
        int(answer) - 1 if answer else None,
        {"answer": ""} if item.get("answer") == "" else {},
    )


def write_lines(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Writes one object an example and returns their number (rules 6, 7 and 10)."""
    return json_records.write_lines(path, (_object(example, path) for example in examples))


def _object(example: MaskedExample, path: Path) -> dict[str, Any]:
    try:
        first, second = two_names(example)
    except ValueError as error:
        raise tsv.cannot_carry(example.id, str(error), path) from None
    start, end = example.target
    if BLANK in example.text[:start] + example.text[end:]:
        raise tsv.cannot_carry(example.id, f"its text holds another {BLANK}", path)
    sentence = example.text[:start] + BLANK + example.text[end:]
    made = {"qID": example.id, "sentence": sentence, "option1": first, "option2": second}
    if example.label is not None:
        made["answer"] = str(example.label + 1)
    elif example.meta.get("answer") == "":
        made["answer"] = ""
    return made


TABLE = Format(
    name="winogrande",
    schema="masked-example/1",
    summary="WinoGrande as a table, two rows an item",
    suffix=".tsv",
    read=read_table,
    write=write_table,
    suits=lambda name, head: head.startswith("\t".join(HEADER)),
)

LINES = Format(
    name="winogrande-jsonl",
    schema="masked-example/1",
    summary="WinoGrande as released: JSON lines with a sentence, a blank and two options",
    suffix=".jsonl",
    read=read_lines,
    write=write_lines,
    suits=lambda name, head: (
        head.startswith("{")
        and all(f'"{key}"' in head.partition("\n")[0] for key in _KEYS - {"answer"})
    ),
    by_line=True,
)

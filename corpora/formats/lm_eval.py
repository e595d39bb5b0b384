"""lm-evaluation-harness: the rows of a task that `export-task` wrote, and the log of its samples.

1. A row is an object a line: corpus, id, lang, text, target [start, end), candidates, label, and
   what a language model is asked: `contexts`, the text up to and with each candidate in the
   target's place, and `continuation`, the text after it, whose likelihood tells them apart (Trinh
   and Le 2018, "partial" scoring).
2. A possessive that is the target (his, its, their) is replaced by the candidate with 's. Where no
   text comes after the target, the continuation is a full stop.
3. A line of the log has the row as `doc`, and in `filtered_resps` a [log-likelihood, greedy] for
   each candidate. The example's label is the likeliest candidate, the first of equals: so
   lm-evaluation-harness counts accuracy, and here it is counted from its log alike.
4. Source, sentences, mentions and meta are not carried.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.jsonl import first_fault
from corefmill.corpora.files.writing import replacing
from corefmill.corpora.formats import json_records
from corefmill.corpora.formats.form import Format, Located, masked_example
from corefmill.corpora.records import MaskedExample

_POSSESSIVES = ("his", "its", "their")


class TaskRow(TypedDict):
    """A row of a task, by rule 1."""

    corpus: str
    id: str
    lang: str
    text: str
    target: tuple[int, int]
    candidates: list[str]
    label: int
    contexts: list[str]
    continuation: str


class LoggedAnswer(NamedTuple):
    """A line of a log: of which corpus the example is, its right label, and what was answered."""

    line: int
    corpus: str
    right: int
    example: MaskedExample


_ROW = TypeAdapter(TaskRow)
_ANSWERS: TypeAdapter[list[tuple[float, Any]]] = TypeAdapter(list[tuple[float, Any]])


def make_row(example: MaskedExample, corpus: str) -> TaskRow:
    """Make the row of a task for an example. Raises `ValueError` without a label."""
    if example.label is None:
        raise ValueError("the example has no label")
    start, end = example.target
    ending = "'s" if example.text[start:end].lower() in _POSSESSIVES else ""
    return TaskRow(
        corpus=corpus,
        id=example.id,
        lang=example.lang,
        text=example.text,
        target=example.target,
        candidates=list(example.candidates),
        label=example.label,
        contexts=[example.text[:start] + name + ending for name in example.candidates],
        continuation=example.text[end:] if example.text[end:].strip() else ".",
    )


def read(path: Path, lang: str = "en") -> Located:
    """Stream the examples of a task's rows, or of a log with the answers as labels."""
    for line, found in json_records.read(path):
        if "doc" in found:
            yield line, _parse_answer(found, path, line).example
        else:
            yield line, _parse_row(found, path, line)[1]


def read_log(path: Path) -> Iterator[LoggedAnswer]:
    """Stream the answers in a log of lm_eval. Raises `DataError` for any other file."""
    for line, found in json_records.read(path):
        yield _parse_answer(found, path, line)


def _parse_answer(found: json_records.Object, path: Path, line: int) -> LoggedAnswer:
    """Parse a line of a log: the row, and its likeliest candidate as label."""
    own, example = _parse_row(found.get("doc"), path, line)
    try:
        scores = [score for score, _ in _ANSWERS.validate_python(found.get("filtered_resps"))]
    except ValidationError as error:
        raise _make_fault(f"filtered_resps: {first_fault(error)}", path, line) from None
    if len(scores) != len(example.candidates) or any(map(math.isnan, scores)):
        raise _make_fault("filtered_resps: not a log-likelihood for each candidate", path, line)
    chosen = scores.index(max(scores))
    return LoggedAnswer(line, own["corpus"], own["label"], replace(example, label=chosen))


def _parse_row(found: object, path: Path, line: int) -> tuple[TaskRow, MaskedExample]:
    """Parse a row of a task, also as an example. Raises `DataError`."""
    try:
        own = _ROW.validate_python(found)
        values = own["id"], own["lang"], own["text"], own["target"], own["candidates"], own["label"]
        return own, masked_example(*values)
    except ValidationError as error:
        raise _make_fault(first_fault(error), path, line) from None
    except ValueError as error:
        raise _make_fault(str(error), path, line) from None


def _make_fault(message: str, path: Path, line: int) -> DataError:
    """Make the error for a line, with the commands that write such lines."""
    return DataError(
        message,
        path=path,
        line=line,
        remedy="rows are written by export-task, a log of them by lm_eval --log_samples",
    )


def write(path: Path, examples: Iterable[tuple[MaskedExample, str]]) -> int:
    """Write rows of examples with the names of their corpora, and return their number."""
    count = 0
    with replacing(path) as out:
        for one in examples:
            out.write(json.dumps(make_row(*one)).encode() + b"\n")
            count += 1
    return count


FORMAT = Format(
    name="lm-eval",
    schema="masked-example/1",
    summary="lm-evaluation-harness: rows of an exported task, or the log of their samples",
    suffix=".jsonl",
    read=read,
    write=None,
    suits=lambda name, head: (
        head.startswith("{") and '"contexts"' in head and '"continuation"' in head
    ),
)

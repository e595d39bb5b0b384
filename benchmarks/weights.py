"""Fits the weights of translated utterances to readings, and says what they are worth.

    build translate --to it --translator apertium --weigh --out CORPUS ...
    python -m benchmarks.weights readings.csv CORPUS [CORPUS ...] --translator apertium

The readings have the columns lang, method and id (DOC/PART/UTTERANCE, the last counted from 0 in
the corpus), and 0 or 1 in grammatical and acceptable, for each reader one of each
(grammatical_2 ...): right is what is all of these. A column stands says how many utterances of the
text each was drawn for; a column text, if there, must be the corpus's own text, and what has
another is left out. Corpora of several languages and methods are fitted together: one calibration
for each, with an intercept of its own and the same coefficients. They are fitted with the evidence
of translation back and without; all are printed as a table for `--calibration`, with the area
under the curve of utterances whose documents are left out of the fit and its 95 % interval.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.translate.weights.evidence import Evidence
from corefmill.builders.translate.weights.fitting import (
    Floats,
    Readings,
    area,
    fit,
    interval,
    left_out,
)
from corefmill.corpora import jsonl, manifest
from corefmill.corpora.records import Document

Key = tuple[str, str, str]
"""Language, method and id of an utterance."""
Reading = tuple[Key, Mapping[str, str]]
"""An utterance, and the row of what was read."""

NAMES = tuple(field.name for field in fields(Evidence))
STRATA = (8, 16)
"""Words of the longest short utterance, and of the longest of middle length."""


def main() -> None:
    """Prints the table, and to standard error the worth of each kind of evidence alone."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("readings", type=Path)
    parser.add_argument("corpora", type=Path, nargs="+")
    parser.add_argument("--translator", required=True, help="for which they hold")
    parser.add_argument("--source", default="en")
    parser.add_argument("--without", action="append", default=[], choices=NAMES)
    args = parser.parse_args()
    known = {key: one for folder in args.corpora for key, one in utterances(folder)}
    read = list(readings_of(args.readings, known))
    found = [known[key]["evidence"] for key, _ in read]
    names = [n for n in NAMES if n not in args.without and all(n in one for one in found)]
    kinds = sorted({key[:2] for key, _ in read})
    whole = together(read, found, names, kinds)
    of = [
        {"source": args.source, "target": lang, "method": method, "translator": args.translator}
        for lang, method in kinds
    ]
    lengths = [len(known[key]["modified_text"].split()) for key, _ in read]
    strata = np.searchsorted(STRATA, lengths)
    print(f"{len(read)} readings, {whole.right.sum()} right", file=sys.stderr)
    for at, name in enumerate(names):
        say(f"{name} alone", whole.values[:, at], whole, strata)
    for chosen in dict.fromkeys([tuple(names), tuple(name for name in names if name != "back")]):
        values = whole.values[:, [names.index(name) for name in chosen]]
        readings = whole._replace(names=chosen, values=values)
        say(f"fit of {', '.join(chosen)}", left_out(readings), readings, strata)
        for calibration in fit(readings, of):
            print(calibration.lines())


def readings_of(path: Path, known: Mapping[Key, Mapping[str, Any]]) -> Iterator[Reading]:
    """The rows of the readings whose utterance is known, and has the text that was read."""
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = row["lang"], row["method"], row["id"]
            if key in known and row.get("text") in (None, known[key]["modified_text"]):
                yield key, row


def together(
    read: Sequence[Reading],
    found: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    kinds: Sequence[tuple[str, str]],
) -> Readings:
    """The readings with these kinds of evidence, of languages and methods by their number."""
    return Readings(
        names,
        np.array([[float(one[name]) for name in names] for one in found]),
        np.array([is_right(row) for _, row in read]),
        np.array([float(row.get("stands", 1)) for _, row in read]),
        np.array([key[2].rsplit("/", 2)[0] for key, _ in read]),
        np.array([kinds.index(key[:2]) for key, _ in read]),
    )


def is_right(row: Mapping[str, str]) -> bool:
    """Whether all readers found an utterance grammatical and acceptable."""
    return all(row[name] == "1" for name in row if name.startswith(("grammatical", "acceptable")))


def say(name: str, scores: Floats, readings: Readings, strata: NDArray[np.int64]) -> None:
    """Prints the area under the curve of scores, its interval, and that within `strata`."""
    right, stands = readings.right, readings.stands
    low, high = interval(scores, right, stands, readings.documents)
    print(
        f"{name}: {area(scores, right, stands):.3f} ({low:.3f}-{high:.3f}),"
        f" within strata of length {area(scores, right, stands, strata):.3f}",
        file=sys.stderr,
    )


def utterances(folder: Path) -> Iterator[tuple[Key, Mapping[str, Any]]]:
    """Language, method and id of each utterance of a corpus, and what is recorded of it."""
    made = manifest.read(folder)
    method = made.build["parts"]["options"]["method"]
    for split in made.splits:
        for document in jsonl.read(folder / f"{split}.jsonl", Document):
            for number, one in document.meta["ontocorefit"]["utterances"].items():
                yield (made.lang, method, f"{document.doc_id}/{document.part}/{number}"), one


if __name__ == "__main__":
    main()

"""Fits the weights of translated utterances to readings, and says what they are worth.

    build translate --to it --translator apertium --back-translator apertium --out CORPUS ...
    python -m benchmarks.weights readings.csv CORPUS [CORPUS ...] --translator apertium

The readings have the columns id (DOC/PART/UTTERANCE, the last counted from 0 in the corpus),
grammatical and acceptable (0 or 1); a text column, if there, must be the corpus's own text, and
what has another is left out. Right is what is both. A calibration is fitted with the evidence of
translation back and one without; both are printed as a table for `--calibration`, with the area
under the curve of utterances left out of the fit and its 95 % interval.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from corefmill.builders.translate.weights.evidence import Evidence
from corefmill.builders.translate.weights.fitting import Readings, area, fit
from corefmill.corpora import jsonl, manifest
from corefmill.corpora.records import Document

NAMES = tuple(field.name for field in fields(Evidence))


def main() -> None:
    """Prints the table, and to standard error the worth of each kind of evidence alone."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("readings", type=Path)
    parser.add_argument("corpora", type=Path, nargs="+")
    parser.add_argument("--translator", required=True, help="for which they hold")
    parser.add_argument("--source", default="en")
    parser.add_argument("--method", default="placeholders")
    parser.add_argument("--without", action="append", default=[], choices=NAMES)
    args = parser.parse_args()
    known = {key: one for folder in args.corpora for key, one in utterances(folder)}
    langs = {manifest.read(folder).lang for folder in args.corpora}
    if len(langs) > 1:
        parser.error("the corpora are of several languages")
    with args.readings.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["id"] in known]
    rows = [row for row in rows if row.get("text") in (None, known[row["id"]]["modified_text"])]
    right = np.array([row["grammatical"] == row["acceptable"] == "1" for row in rows])
    of = {"source": args.source, "target": min(langs), "method": args.method}
    of["translator"] = args.translator
    print(f"{len(rows)} readings, {right.sum()} right", file=sys.stderr)
    found = [known[row["id"]]["evidence"] for row in rows]
    names = [n for n in NAMES if n not in args.without and all(n in one for one in found)]
    for name in names:
        alone = area(np.array([float(one[name]) for one in found]), right)
        print(f"{name} alone: {alone:.3f}", file=sys.stderr)
    for chosen in dict.fromkeys([tuple(names), tuple(name for name in names if name != "back")]):
        values = np.array([[float(one[name]) for name in chosen] for one in found])
        print(fit(Readings(chosen, values, right), of).lines())


def utterances(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The id of each utterance of a corpus, and what is recorded of it."""
    for split in manifest.read(folder).splits:
        for document in jsonl.read(folder / f"{split}.jsonl", Document):
            for number, one in document.meta["ontocorefit"]["utterances"].items():
                yield f"{document.doc_id}/{document.part}/{number}", one


if __name__ == "__main__":
    main()

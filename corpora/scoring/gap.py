"""Score answers to examples: GAP by F1 over names, masked examples by accuracy.

Rules of GAP's official scorer (Webster et al. 2018):

1. Each row has two names; the pronoun refers to each of them or not. Counts are over names.
2. A name without an answer (the row is missing, or neither TRUE nor FALSE) is a false negative,
   even where FALSE is right.
3. Of several rows with one id the first counts. Rows that the key lacks are left out.
4. he, him and his are masculine, she, her and hers feminine; the bias is F1 of feminine over F1
   of masculine pronouns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.scoring.metrics import Measure, Row, ratios
from corefmill.corpora.scoring.table import ScoreTable

if TYPE_CHECKING:
    from corefmill.corpora.records import MaskedExample


GENDERS = {
    **dict.fromkeys(("he", "him", "his"), "masculine"),
    **dict.fromkeys(("she", "her", "hers"), "feminine"),
}

GAP_MEASURES = (
    Measure("gap", "overall", ratios),
    Measure("masculine", "masculine", ratios),
    Measure("feminine", "feminine", ratios),
)

_LABELS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


@dataclass(frozen=True, slots=True)
class GapAnswer:
    """Tell whether the pronoun means the first and the second name; None is no answer."""

    names: tuple[bool | None, bool | None]
    gender: str = "-"


def read_gap_key(path: Path) -> dict[str, GapAnswer]:
    """Read GAP's rows in any form of rows.py, with the genders of their pronouns."""
    from corefmill.corpora.formats.gap import COLUMNS  # takes long to import
    from corefmill.corpora.formats.rows import read_rows

    found: dict[str, GapAnswer] = {}
    for number, row in read_rows(path, COLUMNS):
        if isinstance(row, DataError):
            raise row
        name, pronoun = str(row["ID"]), str(row["Pronoun"])
        names = tuple(_LABELS.get(str(row[f"{one}-coref"]).lower()) for one in "AB")
        gender = GENDERS.get(pronoun.lower(), "")
        faults = {
            f"{pronoun!r} is not a pronoun of GAP's": not gender,
            "A-coref or B-coref is not TRUE or FALSE": None in names,
            f"{name} is there twice": name in found,
        }
        for fault in (fault for fault, there in faults.items() if there):
            raise DataError(fault, path=path, line=number)
        found[name] = GapAnswer((names[0], names[1]), gender)
    return found


def read_gap_response(path: Path) -> dict[str, GapAnswer]:
    """Read the rows of three columns, id and two answers, or of GAP's own eleven."""
    found: dict[str, GapAnswer] = {}
    for number, line in disk.read_lines(path):
        if not line:
            continue
        disk.check_row(line, path, number)
        row = line.split("\t")
        if len(row) not in (3, 11):
            raise DataError(
                f"{len(row)} columns, not 3 or GAP's 11",
                path=path,
                line=number,
                remedy="answers are ID, TRUE or FALSE, TRUE or FALSE, between tabs",
            )
        first, second = (row[1], row[2]) if len(row) == 3 else (row[6], row[9])
        answer = GapAnswer((_LABELS.get(first.lower()), _LABELS.get(second.lower())))
        found.setdefault(row[0], answer)
    return found


def count_gap(
    key: Mapping[str, GapAnswer], response: Mapping[str, GapAnswer], path: Path
) -> ScoreTable:
    """Count every row of the key, with its gender as genre; `path` is the key's."""
    if not key:
        raise DataError("no rows here", path=path)
    counts: dict[str, list[Row]] = {
        measure.name: [(0.0,) * 4] * len(key) for measure in GAP_MEASURES
    }
    nobody = GapAnswer((None, None))
    missing = 0
    for number, (name, gold) in enumerate(key.items()):
        given = response.get(name, nobody)
        missing += given.names.count(None)
        both = []
        for right, said in zip(gold.names, given.names, strict=True):
            hit = bool(right and said)
            miss = said is None or bool(right and not said)
            both.append((hit, hit + miss, hit, bool(said)))
        row = tuple(map(sum, zip(*both, strict=True)))
        counts["gap"][number] = counts[gold.gender][number] = row
    notes = (f"{missing:,} names without an answer count as false negatives",) if missing else ()
    genres = [answer.gender for answer in key.values()]
    return ScoreTable("example", list(key), genres, GAP_MEASURES, counts, notes)


EXAMPLE_MEASURES = (Measure("accuracy", "accuracy", ratios),)


def count_examples(
    key: Mapping[str, MaskedExample],
    response: Mapping[str, MaskedExample],
    paths: tuple[Path | None, Path | None] = (None, None),
) -> ScoreTable:
    """Count right answers of examples with the same id. Without a label in the key, none is right.

    Every example is answered, so that recall and precision are the same. Raises `DataError` where
    the two have not the same examples and candidates.
    """
    if not key:
        raise DataError("no examples here", path=paths[0])
    for one, other, lacking, whole in (
        (key, response, "response", "key"),
        (response, key, "key", "response"),
    ):
        missing = [name for name in one if name not in other]
        if missing:
            raise DataError(
                f"the {lacking} lacks {len(missing):,} of {len(one):,} examples of the {whole}, "
                f"such as {missing[0]}",
                path=paths[1],
                remedy="examples are matched by their id",
            )
    rows: list[Row] = []
    for name, gold in key.items():
        given = response[name]
        if sorted(gold.candidates) != sorted(given.candidates):
            raise DataError(f"example {name} has other candidates than in the key", path=paths[1])
        right = gold.answer == given.answer
        rows.append((right, 1, right, 1))
    genres = [str(example.meta.get("genre", "-")) for example in key.values()]
    return ScoreTable("example", list(key), genres, EXAMPLE_MEASURES, {"accuracy": rows})

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
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

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


@dataclass(frozen=True, slots=True)
class GapAnswer:
    """Tell whether the pronoun means the first and the second name; None is no answer."""

    names: tuple[bool | None, bool | None]
    gender: str = "-"


def read_gap(path: Path, *, key: bool) -> dict[str, GapAnswer]:
    """Read GAP's rows in any form of rows.py; a key also has genders, and an answer everywhere.

    A response may be answers alone: TRUE or FALSE, or Kaggle's probabilities, the largest of which
    is the answer. Raises `DataError`.
    """
    from corefmill.corpora.formats.gap import ANSWERS, COLUMNS  # takes long to import
    from corefmill.corpora.formats.rows import TRUTHS, read_rows

    found: dict[str, GapAnswer] = {}
    for number, row in read_rows(path, COLUMNS if key else ANSWERS):
        if isinstance(row, DataError):
            raise row
        name, pronoun = str(row["ID"]), str(row.get("Pronoun"))
        given = [str(row[f"{one}-coref"]).lower() for one in "AB"]
        if row.get("NEITHER") is not None:
            with suppress(ValueError):  # what is no number is no answer
                values = list(map(float, (*given, str(row["NEITHER"]))))
                given = [str(int(value == max(values))) for value in values]
        names = tuple(map(TRUTHS.get, given))
        gender = GENDERS.get(pronoun.lower(), "") if key else "-"
        faults = {
            f"{pronoun!r} is not a pronoun of GAP's": not gender,
            "A-coref or B-coref is not TRUE or FALSE": None in names,
            f"{name} is there twice": name in found,
        }
        for fault in (fault for fault, there in faults.items() if there and key):
            raise DataError(fault, path=path, line=number)
        found.setdefault(name, GapAnswer((names[0], names[1]), gender))
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

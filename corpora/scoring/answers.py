"""Accuracy on masked examples: the response names the right candidate, or that there is none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora.errors import DataError
from corefmill.corpora.scoring.metrics import Measure, Row, ratios
from corefmill.corpora.scoring.table import ScoreTable

if TYPE_CHECKING:  # takes longer to import than a score of a small file takes
    from corefmill.corpora.records import MaskedExample

MEASURES = (Measure("accuracy", "accuracy", ratios),)


def count(
    key: Mapping[str, MaskedExample],
    response: Mapping[str, MaskedExample],
    paths: tuple[Path | None, Path | None] = (None, None),
) -> ScoreTable:
    """Right answers of examples with the same id. Where the key has no label, none is right.

    Every example is answered, so that recall and precision are the same. Raises `DataError` where
    the two have not the same examples and candidates.
    """
    if not key:
        raise DataError("no examples here", path=paths[0])
    for one, other, said in ((key, response, "lacks"), (response, key, "has more than the key:")):
        missing = [name for name in one if name not in other]
        if missing:
            raise DataError(
                f"the response {said} {len(missing):,} of {len(one):,} examples, such as "
                f"{missing[0]}",
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
    return ScoreTable("example", list(key), genres, MEASURES, {"accuracy": rows})

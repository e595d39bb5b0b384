"""From evidence to a weight: the chance that a reader takes an utterance for right.

A calibration is a logistic regression over readings of one translator's utterances in a pair of
languages, by a method; calibrations.toml has those that ship, `python -m benchmarks.weights` fits
others.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from corefmill.builders.corpus.logistic import chance
from corefmill.builders.translate.weights.evidence import Evidence
from corefmill.corpora import disk
from corefmill.corpora.errors import DataError

SHIPPED = Path(__file__).with_name("calibrations.toml")
_LARGEST = 1 << 20
"""Bytes that a table may have."""


class Calibration(BaseModel):
    """One calibration: for whom it holds, what it was fitted on, and its coefficients.

    `readings` are the utterances read of this pair and method, and `right` those of them that were
    grammatical and acceptable; `auc` with its 95 % interval `low` to `high` is of these utterances,
    left out of a fit. Calibrations fitted together have the same coefficients.
    The weight is the logistic function of `intercept` and, for each kind of evidence, its
    coefficient times its value.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)

    source: str
    target: str
    method: str
    translator: str
    readings: int = Field(gt=0)
    right: int = Field(gt=0)
    auc: float
    low: float
    high: float
    intercept: float
    coefficients: Mapping[str, float]

    def holds(self, source: str, target: str, method: str, translator: str) -> bool:
        """Whether it is of this pair, method and translator (its name, or the first word of it)."""
        named = self.translator in (translator, translator.split()[0])
        return named and (self.source, self.target, self.method) == (source, target, method)

    def weight(self, evidence: Evidence) -> float | None:
        """The weight in [0, 1], to four places; None where evidence is missing that it asks for."""
        known = {
            name: value
            for name in self.coefficients
            if (value := getattr(evidence, name)) is not None
        }
        if len(known) < len(self.coefficients):
            return None
        return round(chance(self.intercept, self.coefficients, known), 4)

    def lines(self) -> str:
        """As a table of TOML."""
        held = self.model_dump()
        coefficients = held.pop("coefficients")
        rows = [f"{key} = {_toml(value)}" for key, value in held.items()]
        rows += ["[calibration.coefficients]"]
        rows += [f"{key} = {_toml(value)}" for key, value in coefficients.items()]
        return "\n".join(["[[calibration]]", *rows, ""])


def _toml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def read(path: Path) -> tuple[Calibration, ...]:
    """The calibrations of a table. Raises `DataError` for a file that is none."""
    try:
        held = tomllib.loads(disk.whole(path, _LARGEST).decode("utf-8"))
        found = tuple(Calibration(**row) for row in held["calibration"])
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise DataError(f"no table of calibrations: {error}", path=path) from error
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"]))
        raise DataError(f"no calibration: {where}: {fault['msg']}", path=path) from error
    for one in found:
        for name in one.coefficients:
            if name not in Evidence.__slots__:
                raise DataError(f"a calibration asks for {name!r}, which is no evidence", path=path)
    return found


def weight(evidence: Evidence, calibrations: Sequence[Calibration]) -> float | None:
    """The weight by the first calibration whose evidence is all there."""
    weights = (one.weight(evidence) for one in calibrations)
    return next((found for found in weights if found is not None), None)

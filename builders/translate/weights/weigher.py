"""Weighs the utterances of a part: gathers their evidence, and asks the calibrations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefmill.builders.translate.weights import calibration
from corefmill.builders.translate.weights.calibration import Calibration
from corefmill.builders.translate.weights.chrf import chrf
from corefmill.builders.translate.weights.evidence import Evidence, ToWeigh, evidence_of
from corefmill.builders.translation.cache import Cached
from corefmill.builders.translation.protocol import TellsUnknown, Translator
from corefmill.builders.translation.request import TranslatorRequest
from corefmill.builders.translation.resolve import resolve
from corefmill.corpora.errors import DataError, UsageError
from corefmill.rules import rule


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighingOptions:
    """How utterances are weighed.

    `back` translates them back; `table` has calibrations instead of those that ship; an utterance
    whose weight is below `least` is left out.
    """

    back: TranslatorRequest | None = None
    table: Path | None = None
    least: float | None = None

    @property
    def calibrations(self) -> tuple[Calibration, ...]:
        """All of the table. Raises `DataError` for a file that is none."""
        return calibration.read(self.table or calibration.SHIPPED)

    def as_json(self) -> dict[str, Any]:
        """What decides the bytes but for the translator back, which has its fingerprint."""
        return {
            "least": self.least,
            "calibrations": [one.model_dump() for one in self.calibrations],
        }


@dataclass(frozen=True, slots=True)
class Weighed:
    """The evidence of an utterance, and its weight in [0, 1] where that is calibrated."""

    evidence: Evidence
    weight: float | None


class Weigher:
    """Weighs what a translator has made by a method (placeholders, marks).

    Raises `UsageError` where a least weight is asked for and no calibration holds for the
    translator and the evidence that there is.
    """

    def __init__(self, options: WeighingOptions, translator: Translator, method: str) -> None:
        asked = translator.inner if isinstance(translator, Cached) else translator
        self._teller = asked if isinstance(asked, TellsUnknown) else None
        self._back = None if options.back is None else resolve(options.back)
        self.least = options.least
        known = {"length", "copied", "disagreeing", "redrawn"}
        known |= {"unknown"} if self._teller else set()
        known |= {"back"} if self._back else set()
        pair = (translator.source, translator.target, method, translator.name)
        self.calibrations = tuple(
            one
            for one in options.calibrations
            if one.holds(*pair) and known.issuperset(one.coefficients)
        )
        if self.least is not None and not self.calibrations:
            raise UsageError(
                f"no weights are calibrated for {translator.name} from {pair[0]} to {pair[1]} by"
                f" {method}",
                remedy="leave --min-weight out, or name a table by --calibration",
            )

    @property
    def fingerprint(self) -> str | None:
        """That of the translator back."""
        return None if self._back is None else self._back.fingerprint

    @property
    def said(self) -> str:
        """What a card says of the weights."""
        if not self.calibrations:
            return "evidence alone, for nothing is calibrated for this translator and pair"
        one = self.calibrations[0]
        least = "" if self.least is None else f"; left out below {self.least:g}"
        return (
            f"the chance that a reader takes an utterance for right, calibrated on {one.readings}"
            f" readings (AUC {one.auc:.2f}, {one.low:.2f} to {one.high:.2f}){least}"
        )

    def __call__(self, given: Sequence[ToWeigh]) -> list[Weighed]:
        """One for each."""
        texts = [one.text for one in given]
        unknown = self._teller.unknown(texts) if self._teller else [None] * len(given)
        found = []
        for one, number, back in zip(given, unknown, self._alike(given), strict=True):
            evidence = evidence_of(one, number, back)
            found.append(Weighed(evidence, calibration.weight(evidence, self.calibrations)))
        return found

    def _alike(self, given: Sequence[ToWeigh]) -> list[float | None]:
        """How alike each source is to its translation translated back; 0 where that fails."""
        if self._back is None:
            return [None] * len(given)
        texts = _translated([rule.text(one.translated) for one in given], self._back)
        return [chrf(text, one.text) for text, one in zip(texts, given, strict=True)]


def _translated(texts: Sequence[str], translator: Translator) -> list[str]:
    """Translations at once; where that fails one by one, nothing for a text that fails."""
    try:
        return translator.translate(texts)
    except DataError:
        if len(texts) == 1:
            return [""]
    return [one for text in texts for one in _translated([text], translator)]

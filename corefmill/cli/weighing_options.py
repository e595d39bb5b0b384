"""The options of the weights of translated utterances."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from corefmill.builders.translate.weights.weigher import WeighingOptions
from corefmill.builders.translation.request import TranslatorRequest

WEIGHTS = "Weights"
"""The panel of the help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighingCommand:
    """Whether utterances are weighed, by what, and which are left out."""

    PANEL: ClassVar[str] = WEIGHTS

    weigh: Annotated[
        bool,
        typer.Option(
            "--weigh",
            help="Write the evidence for each utterance, and where that is calibrated its weight in"
            " [0, 1]: the chance that it is right.",
        ),
    ] = False
    min_weight: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Leave out utterances that weigh less."),
    ] = None
    back_translator: Annotated[
        str | None,
        typer.Option(help="Translator back, whose result is compared with the source."),
    ] = None
    calibration: Annotated[
        Path | None,
        typer.Option(
            help="Table of calibrations, from python -m benchmarks.weights.",
            show_default="those that ship",
        ),
    ] = None

    def options(self, request: TranslatorRequest) -> WeighingOptions | None:
        """For a translator; None where nothing is to be weighed."""
        asked = (self.min_weight, self.back_translator, self.calibration)
        if not self.weigh and all(one is None for one in asked):
            return None
        back = None
        if self.back_translator is not None:
            back = TranslatorRequest(
                name=self.back_translator,
                source=request.target,
                target=request.source,
                cache=request.cache,
            )
        table = None if self.calibration is None else self.calibration.absolute()
        return WeighingOptions(back=back, table=table, least=self.min_weight)

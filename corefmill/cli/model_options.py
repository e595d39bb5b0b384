"""The options that say what is trained and how: the encoder, and the settings over their table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from corefmill.cli.plain_options import seed_option

MODEL = "Model"
"""Their panel of the help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What `train coref`, `train search` and `train mlm` share."""

    encoder: Annotated[
        str | None,
        typer.Option(
            help="minilm, tiny (random, for tests), a folder, or a Hugging Face name in the local"
            " cache. (default: the table's)",
            rich_help_panel=MODEL,
        ),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Settings in TOML, over those of the task's table in"
            " coref_model/training/settings/, which explains them all.",
            rich_help_panel=MODEL,
        ),
    ] = None
    preset: Annotated[
        list[str] | None,
        typer.Option(
            help="A section of the settings, such as cpu or paper; default is none. Repeatable."
            " (default: cpu where there is no GPU)",
            rich_help_panel=MODEL,
        ),
    ] = None
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="One setting. Repeatable.", rich_help_panel=MODEL
        ),
    ] = None
    seed: Annotated[
        int | None,
        seed_option("Of all that is drawn; the same as --set seed=N.", rich_help_panel=MODEL),
    ] = None
    download: Annotated[
        bool,
        typer.Option(
            "--download", help="Download the encoder if it is not here.", rich_help_panel=MODEL
        ),
    ] = False

    def sets(self, **more: int | None) -> tuple[str, ...]:
        """Every single setting that was given, those of options of their own last."""
        own = {"encoder": self.encoder, "seed": self.seed, **more}
        given = (f"{key}={json.dumps(value)}" for key, value in own.items() if value is not None)
        return (*(self.set_ or ()), *given)

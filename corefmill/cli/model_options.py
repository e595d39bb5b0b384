"""The options that say what is trained and how: the encoder, and the settings over their table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, TypeVar

from corefmill.builders.corpus.options import RUN
from corefmill.cli.command import Option
from corefmill.cli.plain_options import (
    DataDir,
    Json,
    MaybeLang,
    Printing,
    Quiet,
    input_here,
    output_here,
    seed_option,
)
from corefmill.corpora.errors import UsageError

S = TypeVar("S")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """Where the corpus to learn from is looked for."""

    PANEL: ClassVar[str] = "Corpus"

    data_dir: DataDir = Path("data")
    lang: MaybeLang = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Which encoder is trained, and by which settings."""

    PANEL: ClassVar[str] = "Model"

    encoder: Annotated[
        str | None,
        Option(
            help="minilm, tiny (random, for tests), a folder, or a Hugging Face name in the local"
            " cache.",
            default="the one in the task's settings",
        ),
    ] = None
    config: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            check=input_here,
            help="Settings in TOML, over those of the task's table in"
            " coref_model/training/settings/, which explains them all.",
        ),
    ] = None
    preset: Annotated[
        list[str] | None,
        Option(
            help="A section of the settings, such as cpu or paper; the preset called default is"
            " none. Repeatable.",
            default="cpu where there is no GPU",
        ),
    ] = None
    set_: Annotated[
        list[str] | None,
        Option(
            "--set", metavar="KEY=VALUE", help="One setting, over those of --config. Repeatable."
        ),
    ] = None
    seed: Annotated[
        int | None,
        seed_option("Seed of every random draw; the same as --set seed=N."),
    ] = None
    download: Annotated[
        bool, Option("--download", help="Download the encoder if it is not here.")
    ] = False

    def sets(self, **more: int | None) -> tuple[str, ...]:
        """Every single setting that was given; raises `UsageError` for one given in two ways."""
        options = {"encoder": self.encoder, "seed": self.seed, **more}
        own = {key: value for key, value in options.items() if value is not None}
        for text in self.set_ or ():
            key = text.partition("=")[0].strip()
            if key in own:
                raise UsageError(
                    f"--{key} and --set {text} exclude each other", remedy="give one of them"
                )
        return (*(self.set_ or ()), *(f"{key}={json.dumps(value)}" for key, value in own.items()))

    def resolved(self, kind: type[S], table: str, **more: int | None) -> S:
        """The settings of a task by its table and all that was given; raises as `resolve` does."""
        from corefmill.coref_model.training.config import resolve, suitable_presets

        presets = suitable_presets(self.preset or (), table, self.config)
        return resolve(kind, table, file=self.config, presets=presets, sets=self.sets(**more))


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultOptions(Printing):
    """Where what was learnt is written, and what is printed of it."""

    PANEL: ClassVar[str] = RUN

    out: Annotated[Path | None, Option(check=output_here, help="Folder of the result.")] = None
    overwrite: Annotated[
        bool, Option("--overwrite", help="Replace what an earlier training wrote to --out.")
    ] = False
    as_json: Json = False
    quiet: Quiet = False

"""The settings of the documents task; `training/settings/documents.toml` explains each."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic.dataclasses import dataclass

from corefmill.coref_model.training.config import (
    CHECKED,
    WIDEST,
    Natural,
    Positive,
    Rate,
    TaskSettings,
    Width,
)
from corefmill.corpora.scoring.coreference import compile_pattern


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class DocumentSettings(TaskSettings):
    """What the task has besides the loop, the encoder and the rates."""

    segment: Natural
    overlap: Natural
    max_width: Width
    ratio: Annotated[float, Field(gt=0, le=1)]
    antecedents: Positive
    head_attention: bool
    speakers: bool
    surface: bool
    genre: str
    conventions: tuple[str, ...]
    batch_words: Natural
    hidden: Width
    pair_width: Annotated[int, Field(ge=0, le=WIDEST)]
    dropout: Annotated[float, Field(ge=0, lt=1)]
    singletons: Literal["auto", "keep", "drop"]
    mention_loss: Rate
    missed: Rate
    cache_mb: Natural

    @field_validator("genre")
    @classmethod
    def _is_pattern(cls, value: str) -> str:
        try:
            compile_pattern(value)
        except ValueError as error:
            raise ValueError(f"no regular expression: {error}") from None
        return value

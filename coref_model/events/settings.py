"""The settings of the events task; `training/settings/events.toml` explains each."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from corefmill.coref_model.events.features import Feature
from corefmill.coref_model.training.config import (
    CHECKED,
    Natural,
    Positive,
    Rate,
    Share,
    TaskSettings,
    Width,
)


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class EventSettings(TaskSettings):
    """What the task has besides the loop, the encoder and the rates."""

    metric: Literal["conll", "pairwise"]
    hidden: Width
    symmetric: bool
    features: tuple[Feature, ...]
    dropout: Annotated[float, Field(ge=0, lt=1)]
    context: Literal["passage", "mention"]
    window: Natural
    negatives: Literal["uniform", "published"]
    ratio: Rate
    redraw: bool
    within: Literal["topic", "corpus"]
    batch_pairs: Positive
    threshold: Share
    dense: Positive
    neighbours: Positive
    cache: str

    def __post_init__(self) -> None:
        TaskSettings.__post_init__(self)
        if len(set(self.features)) < len(self.features):
            raise ValueError("features: one of them comes twice")

"""What `model.toml` says of a trained model, and its card repeats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import ConfigDict

from corefmill.coref_model.training.config import Rank


@dataclass(frozen=True, slots=True)
class EncoderUsed:
    """The encoder that the model was trained with, and how."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    name: str
    fingerprint: str
    trained: bool
    lora: Rank


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """model.toml: what the model is, and where it comes from.

    `identity` is a digest of all that decided the result; `sha256` that of the weights. `scores`
    are those of the best evaluation, after `best_step` of `steps`, and as `untrained` the metric
    before the first. `seconds` is the one thing in it
    that differs between equal trainings.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    task: str
    corpus: str
    metric: str
    score: float
    steps: int
    best_step: int
    ended_by: str
    seconds: float
    identity: str
    sha256: str
    init_from: str
    encoder: EncoderUsed
    scores: dict[str, float]
    settings: dict[str, Any]
    corpora: dict[str, dict[str, Any]]
    versions: dict[str, str]

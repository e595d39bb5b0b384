"""What `model.toml` says of a trained model, and its card repeats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
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
class EarlierModel:
    """A model that training began with: the digest of its weights, and what it had learnt from."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    sha256: str
    corpora: dict[str, dict[str, Any]]


QUALITY = ("accuracy", "conll", "muc", "bcub", "ceafe", "mentions", "pairwise")
"""Scores that say how good a model is; others count what was judged, or are of baselines."""

LEAST_MEASURED = 30
"""A share of fewer examples says nothing: one of one is 0 or 1."""


def too_few(n: int) -> str:
    """Say that a share of so many examples is not given, "" where it is."""
    return f"too few to measure (n = {n})" if n < LEAST_MEASURED else ""


def figure(scores: Mapping[str, float], name: str, value: float | None = None) -> str:
    """Write a score of a task's `evaluate`, or `value`, which is like it; see `too_few`."""
    split, dot, metric = name.rpartition(".")
    n = scores.get(f"{split}{dot}examples")
    few = too_few(int(n)) if n is not None and metric in ("accuracy", "untrained") else ""
    return few or f"{scores[name] if value is None else value:.4f}"


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """model.toml: what the model is, and where it comes from.

    `identity` is a digest of all that decided the result; `sha256` that of the weights. `scores`
    are those of the best evaluation, after `best_step` of `steps`, and as `untrained` the metric
    before the first. `began_with` is the model of `init_from`, then the one that this one began
    with, and so on. `seconds` is the one thing in it that differs between equal trainings.
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
    began_with: tuple[EarlierModel, ...] = ()

    def learnt_from(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Every corpus by name that it or a model before it learnt from, its own first."""
        earlier = (one.corpora for one in self.began_with)
        return chain.from_iterable(corpora.items() for corpora in (self.corpora, *earlier))

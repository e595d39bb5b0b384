"""A task on masked examples with a real encoder: whether a candidate is like its passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from corefmill.coref_model.encoder import Encoder, pack
from corefmill.coref_model.training.config import TaskSettings
from corefmill.coref_model.training.task import (
    ParameterGroup,
    TaskKind,
    average_scores,
    group_parameters,
)
from corefmill.corpora.find import Records
from corefmill.corpora.records import MaskedExample


class Model(nn.Module):
    """A matrix between the passage's first piece and the candidate's."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.between = nn.Linear(encoder.width, encoder.width)

    def scores(self, example: MaskedExample) -> Tensor:
        pieces = self.encoder.pieces
        texts = (example.masked_text, *example.candidates)
        batch = pack([pieces.wrap(pieces.cut_text(text)[0]) for text in texts])
        first = self.encoder(batch)[batch.starts[:-1]]  # [1 + candidates, w]
        scores: Tensor = first[1:] @ self.between(first[0])
        return scores


class Like:
    name = "masked"
    metric = "accuracy"

    def __init__(self, model: Model, settings: TaskSettings, splits: Mapping[str, Records]) -> None:
        self.model, self.settings = model, settings
        self.train = [one for one in splits["train"] if isinstance(one, MaskedExample)]
        self.dev = {name: list(rows) for name, rows in splits.items() if name != "train"}

    def groups(self) -> list[ParameterGroup]:
        return group_parameters(self.model, self.settings, "head")

    def batches(self, epoch: int, seed: int) -> Sequence[int]:
        order: list[int] = (
            np.random.default_rng((seed, epoch)).permutation(len(self.train)).tolist()
        )
        return order

    def loss(self, batch: int) -> tuple[Tensor, int]:
        example = self.train[batch]
        scores = self.model.scores(example)[None]
        return nn.functional.cross_entropy(scores, torch.tensor([example.label])), 1

    def evaluate(self) -> dict[str, float]:
        return average_scores({name: self._accuracy(rows) for name, rows in self.dev.items()})

    def _accuracy(self, rows: Sequence[Any]) -> dict[str, float]:
        right = sum(int(self.model.scores(one).argmax()) == one.label for one in rows)
        return {"accuracy": right / len(rows)}


def _make(
    encoder: Encoder, settings: TaskSettings, splits: Mapping[str, Records], seed: int
) -> Like:
    return Like(Model(encoder), settings, splits)


def _never(*_: Any) -> Any:
    raise NotImplementedError


KIND = TaskKind(
    name="masked",
    records="masked",
    Settings=TaskSettings,
    make=_make,
    **dict.fromkeys(("load", "predict", "probe"), _never),
)

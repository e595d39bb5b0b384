"""A task without an encoder: a line through points, with dropout so that chance matters."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from corefmill.coref_model.training.config import LoopSettings, resolve
from corefmill.coref_model.training.loop import train
from corefmill.coref_model.training.task import ParameterGroup

TABLE = Path(__file__).with_name("toy.toml")


def settings(*sets: str) -> LoopSettings:
    """The settings of the table beside this file, some of them set."""
    return resolve(LoopSettings, TABLE, sets=sets)


class Toy:
    """Points with y = 3 x_0 - 2 x_1 and some noise; a batch is a list of their numbers."""

    name = "toy"
    metric = "closeness"

    def __init__(self, points: int = 40, width: int = 4, dropout: float = 0.2) -> None:
        draw = torch.Generator().manual_seed(1)
        self.x = torch.randn(points, 2, generator=draw)  # [points, 2]
        self.y = self.x @ torch.tensor([3.0, -2.0]) + torch.randn(points, generator=draw) / 50
        first = nn.Linear(2, 8)
        last = nn.Linear(8, 1)
        for layer in (first, last):
            with torch.no_grad():
                layer.weight.copy_(torch.randn(layer.weight.shape, generator=draw))
                layer.bias.zero_()
        self.model = nn.Sequential(first, nn.Dropout(dropout), last)
        self.width = width

    def groups(self) -> list[ParameterGroup]:
        return [
            ParameterGroup("first", tuple(self.model[0].parameters()), 0.05, 0.01),
            ParameterGroup("last", tuple(self.model[2].parameters()), 0.02),
        ]

    def batches(self, epoch: int, seed: int) -> Sequence[list[int]]:
        order = np.random.default_rng((seed, epoch)).permutation(len(self.x)).tolist()
        return [order[i : i + self.width] for i in range(0, len(order), self.width)]

    def loss(self, batch: list[int]) -> tuple[Tensor, int]:
        guessed = self.model(self.x[batch]).squeeze(-1)  # [points of the batch]
        noise = torch.tensor(np.random.normal(size=len(batch)), dtype=torch.float32) / 100
        return (guessed - self.y[batch] + noise).square().sum(), len(batch)

    def evaluate(self) -> dict[str, float]:
        off = (self.model(self.x).squeeze(-1) - self.y).abs().mean().item()
        return {"closeness": 1 / (1 + off), "distance": off}


class Stopped(Exception):
    pass


class Stops(Toy):
    """A training that breaks off before the step behind `after`."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.left = after

    def loss(self, batch: list[int]) -> tuple[Tensor, int]:
        self.left -= 1
        if self.left < 0:
            raise Stopped
        return super().loss(batch)


def parameters(task: Any) -> dict[str, Tensor]:
    """Copies of what the task has learnt."""
    return {name: tensor.detach().clone() for name, tensor in task.model.named_parameters()}


def tell_threads(file: Path) -> None:
    """Writes the names of the threads that this process has."""
    names = [name.read_text().strip() for name in Path("/proc/self/task").glob("*/comm")]
    file.write_text("\n".join(sorted(names)))


if __name__ == "__main__":
    # What is registered first runs last.
    atexit.register(tell_threads, Path(f"{sys.argv[1]}.threads.{os.environ.get('RANK', 0)}"))
    toy = Toy(dropout=float(os.environ.get("TOY_DROPOUT", 0.2)))
    train(toy, settings(*sys.argv[2:]), Path(sys.argv[1]), quiet=True)

"""What the training loop asks of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from torch import Tensor, nn

B = TypeVar("B")
"""A task's own description of a batch; tensors are made of it in `loss` only."""


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    """Parameters that share a highest learning rate and a weight decay; `name` heads its column."""

    name: str
    parameters: tuple[nn.Parameter, ...]
    lr: float
    weight_decay: float = 0.0


class Task(Protocol[B]):
    """A model with its data, as the loop sees them.

    Whatever is drawn at random while a batch is worked on (dropout, masks, negatives) is drawn from
    the global generators of torch, numpy and random, which the loop seeds before each step: that is
    why a run that was killed goes on as if it had not been.
    """

    @property
    def name(self) -> str:
        """Key of `corefmill.coref_model.tasks.KINDS`."""

    @property
    def model(self) -> nn.Module:
        """Holds every parameter that is trained; the loop moves it to the device.

        A checkpoint keeps its parameters, but of an encoder below it those alone that are trained.
        """

    @property
    def metric(self) -> str:
        """The key of what `evaluate` gives that is to be as high as can be."""

    def groups(self) -> list[ParameterGroup]:
        """What is trained, and how fast."""

    def batches(self, epoch: int, seed: int) -> Sequence[B]:
        """The batches of an epoch (from 0) in order, always the same for the same epoch and seed.

        Several processes share them out, so they must not depend on anything else.
        """

    def loss(self, batch: B) -> tuple[Tensor, int]:
        """The sum of the losses of the batch's items, a scalar [], and their number.

        The loop divides by the number of items of the whole step, however many batches and
        processes it is made of. Called in training mode, under autocast where that is on.
        """

    def evaluate(self) -> dict[str, float]:
        """Figures on the development split; `averaged` where there are several.

        Called in evaluation mode and without gradients.
        """


def averaged(scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The figures of several development splits as one: the mean of each, then all by split.

    A figure counts in the mean where every split has it: {"gap": {"f1": .5}, "dpr": {"f1": .7}}
    gives f1 .6, gap.f1 .5, dpr.f1 .7. Those of a single split are given as they are.
    """
    if len(scores) == 1:
        return dict(next(iter(scores.values())))
    common = [key for key in next(iter(scores.values())) if all(key in s for s in scores.values())]
    mean = {key: sum(s[key] for s in scores.values()) / len(scores) for key in common}
    return mean | {f"{name}.{key}": x for name, own in scores.items() for key, x in own.items()}

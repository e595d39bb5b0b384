"""Where a network translates: the processor, or the GPU that is a worker's, and how exactly."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from corefmill.builders.run.executors import worker_number
from corefmill.corpora.errors import DataError, UsageError

if TYPE_CHECKING:
    import torch


class DeviceName(StrEnum):
    """Where a network may be asked to translate."""

    auto = "auto"
    cpu = "cpu"
    cuda = "cuda"


BATCH_TOKENS = {"cpu": 256, "cuda": 4096}
"""Tokens of a batch, padding included, that are translated at once where none are given. One core
gains nothing by more than a few sentences."""


class Device(NamedTuple):
    """What `auto` came to: `kind` is cpu or cuda, `precision` fp32, on a GPU bf16 or fp16."""

    kind: str
    precision: str

    def __str__(self) -> str:
        return f"{self.kind} {self.precision}"

    def here(self) -> torch.device:
        """This worker's: of several GPUs each worker takes the next, and they begin anew.

        On a cluster the GPUs are those that the task sees.
        Raises `DataError` where it sees none, since the build began with one.
        """
        import torch

        if self.kind == "cpu":
            return torch.device("cpu")
        count = torch.cuda.device_count()
        if not count:
            raise DataError(
                "this task sees no GPU, and the build was begun for one",
                remedy="ask the cluster for a GPU a task, or give --device cpu",
            )
        return torch.device("cuda", worker_number() % count)

    def dtype(self) -> torch.dtype:
        """The type of the network's numbers."""
        import torch

        return {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[
            self.precision
        ]


def find_device(name: str = "auto") -> Device:
    """The device of a name, where auto is a GPU if there is one, and half of fp32 on it; or of what
    a `Device` has written, as it was.

    Raises `UsageError` for a GPU that is not there, and for a name of none.
    """
    import torch

    kind, _, precision = name.partition(" ")
    if kind not in list(DeviceName):
        raise UsageError(f"no device {name!r}", remedy=f"there are {', '.join(DeviceName)}")
    if precision:
        return Device(kind, precision)
    there = torch.cuda.is_available()
    if kind == "cuda" and not there:
        raise UsageError(
            "no GPU is here that torch can use",
            remedy="give --device cpu, or install the torch that fits the GPU's driver",
        )
    if kind == "cpu" or not there:
        return Device("cpu", "fp32")
    has = torch.cuda.is_bf16_supported(including_emulation=False)
    return Device("cuda", "bf16" if has else "fp16")

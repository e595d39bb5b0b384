"""Where a network translates: the processor, or the GPU that is a worker's, and how exactly."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from corefmill.builders.runner.executors import worker_number
from corefmill.corpora.errors import DataError, UsageError

if TYPE_CHECKING:
    import torch


class DeviceName(StrEnum):
    """Where a network may be asked to translate."""

    auto = "auto"
    cpu = "cpu"
    cuda = "cuda"


class Precision(StrEnum):
    """What a network's numbers may be asked to be."""

    auto = "auto"
    fp32 = "fp32"
    bf16 = "bf16"
    fp16 = "fp16"


BATCH_TOKENS = {"cpu": 256, "cuda": 4096}
"""Tokens of a batch, padding included, that are translated at once where none are given. One core
gains nothing by more than a few sentences."""


class Device(NamedTuple):
    """What `auto` came to: `kind` is cpu or cuda, `precision` fp32, bf16 or fp16."""

    kind: str
    precision: str

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


def chosen(device: str = "auto", precision: str = "auto") -> Device:
    """The device and precision, where auto is a GPU if there is one, and half of fp32 on it.

    Raises `UsageError` for a GPU that is not there or has no bf16, and for a name of none.
    """
    import torch

    asked: list[tuple[str, type[StrEnum], str]] = [
        (device, DeviceName, "device"),
        (precision, Precision, "precision"),
    ]
    for name, known, option in asked:
        if name not in list(known):
            raise UsageError(f"no {option} {name!r}", remedy=f"there are {', '.join(known)}")
    there = torch.cuda.is_available()
    if device == "cuda" and not there:
        raise UsageError(
            "no GPU is here that torch can use",
            remedy="give --device cpu, or install the torch that fits the GPU's driver",
        )
    if device == "cpu" or not there:
        return Device("cpu", "fp32" if precision == "auto" else precision)
    has = torch.cuda.is_bf16_supported(including_emulation=False)
    if precision == "bf16" and not has:
        raise UsageError("this GPU has no bf16", remedy="--precision fp16 or fp32")
    return Device("cuda", ("bf16" if has else "fp16") if precision == "auto" else precision)

"""The processes of a training, one or several that torchrun started: the device of each, and the
sums and values that they exchange."""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from typing import Any

import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list
from torch import Tensor, nn

from corefmill.corpora.errors import UsageError

_BUCKET = 16_000_000
"""Numbers that are summed over the processes at a time: 64 MB."""


class Processes:
    """The processes of this training and what each of them works on.

    `device` is this process's, `rank` its number of `count`.
    """

    def __init__(self) -> None:
        # accelerate does not choose the CPU by itself for several processes without a GPU.
        several = int(os.environ.get("WORLD_SIZE", 1)) > 1
        if several:
            # Its functions take the group that is there when it is imported as a default, and keep
            # its threads alive after it is destroyed.
            import_module("torch.distributed.nn.functional")
        state = PartialState(cpu=several and not torch.cuda.is_available())
        self.device: torch.device = state.device
        self.rank: int = state.process_index
        self.count: int = state.num_processes
        if self.count > 1:
            _leave_in_order()

    @property
    def first(self) -> bool:
        """Whether this process is the one that writes."""
        return self.rank == 0

    def autocast(self, precision: str) -> AbstractContextManager[Any]:
        """Where bf16 is on: always if asked for, on a GPU that has it if `auto`.

        Raises `UsageError` where a GPU is asked for what it has not.
        """
        cuda = self.device.type == "cuda"
        has = cuda and torch.cuda.is_bf16_supported(including_emulation=False)
        if precision == "bf16" and cuda and not has:
            raise UsageError("this GPU has no bf16", remedy="--set precision=fp32")
        if precision == "bf16" or (precision == "auto" and has):
            return torch.autocast(self.device.type, torch.bfloat16)
        return nullcontext()

    def sum(self, numbers: Tensor) -> None:
        """Makes each number its sum over the processes."""
        if self.count > 1:
            torch.distributed.all_reduce(numbers)

    def sum_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Makes each gradient its sum over the processes; one that is missing counts as 0."""
        if self.count == 1:
            return
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        bucket: list[Tensor] = []
        for parameter in parameters:
            bucket.append(_gradient(parameter))
            if sum(part.numel() for part in bucket) >= _BUCKET:
                _reduce(bucket)
                bucket = []
        _reduce(bucket)

    def agreed(self, value: Any) -> Any:
        """The first process's value."""
        return value if self.count == 1 else broadcast_object_list([value])[0]


@cache
def _leave_in_order() -> None:
    """Ends the group with this process: its threads, left running, can abort the interpreter."""

    def leave() -> None:
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()

    atexit.register(leave)


def _gradient(parameter: nn.Parameter) -> Tensor:
    assert parameter.grad is not None
    return parameter.grad


def _reduce(bucket: list[Tensor]) -> None:
    if not bucket:
        return
    flat = torch.cat([part.reshape(-1) for part in bucket])
    torch.distributed.all_reduce(flat)
    sizes = [part.numel() for part in bucket]
    for part, summed in zip(bucket, torch.split(flat, sizes), strict=True):
        part.copy_(summed.view_as(part))

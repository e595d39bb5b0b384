from __future__ import annotations

import pytest

from corefmill.builders.run import executors
from corefmill.builders.translate.engines.protocol import Device, find_device
from corefmill.corpora.files.errors import DataError

torch = pytest.importorskip("torch")


def with_gpus(monkeypatch: pytest.MonkeyPatch, count: int, *, bf16: bool = True) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: bf16)


def test_no_gpu_and_an_older_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with_gpus(monkeypatch, 0)
    assert find_device() == ("cpu", "fp32")
    assert find_device().torch_device() == torch.device("cpu")
    with_gpus(monkeypatch, 1, bf16=False)
    assert find_device() == ("cuda", "fp16")


def test_each_worker_takes_the_next_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    with_gpus(monkeypatch, 2)
    device = Device("cuda", "bf16")
    found = [device.torch_device()]
    for number in range(4):
        monkeypatch.setattr(executors, "_number", number)
        found.append(device.torch_device())
    assert [one.index for one in found] == [0, 0, 1, 0, 1]


def test_a_task_without_the_gpu_that_the_build_began_with(monkeypatch: pytest.MonkeyPatch) -> None:
    with_gpus(monkeypatch, 0)
    with pytest.raises(DataError, match="this worker has no GPU"):
        Device("cuda", "bf16").torch_device()

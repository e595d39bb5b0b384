"""Memory that stays with the process."""

from __future__ import annotations

import ctypes
import platform

import numpy as np
import pytest

from corefmill.builders.runner.memory import give_back, keep_freed


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the thresholds are glibc's")
def test_what_is_given_back_is_not_fetched_again() -> None:
    resource = pytest.importorskip("resource")
    assert keep_freed()
    np.ones(1 << 21)  # 16 MiB, taken and given back once
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        np.ones(1 << 21)  # 4,096 pages each
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 4096


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not keep_freed()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="others keep what they like")
def test_what_is_free_between_things_in_use_is_given_back() -> None:
    psutil = pytest.importorskip("psutil")
    assert keep_freed()
    own = psutil.Process()
    rows = [np.ones(1 << 13) for _ in range(2000)]  # 64 KiB each, 131 MB
    held = rows[-1]
    del rows
    before = own.memory_info().rss
    give_back()
    assert own.memory_info().rss < before - 100_000_000
    assert held[0] == 1

"""Memory that stays with the process."""

from __future__ import annotations

import ctypes
import platform

import numpy as np
import pytest

from corefmill.builders.nlp.memory import keep_freed


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

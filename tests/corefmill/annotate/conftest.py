from __future__ import annotations

import os

import pytest

from tests.browsers import browser  # noqa: F401


@pytest.fixture
def without_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that write hundreds of small files."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)

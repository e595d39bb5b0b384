"""Trials write hundreds of small files; that they outlast a power cut is tested elsewhere."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)

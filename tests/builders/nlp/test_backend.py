"""Pipelines that anyone may have made: no pickle is read, no question is asked."""

from __future__ import annotations

import io
import os
import pickle
import sys
from pathlib import Path

import pytest

from corefmill.builders.nlp.backend import guard_loading


class Evil:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.path,)


def test_torch_reads_no_pickle_even_where_it_is_asked_to(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra train")
    torch.save({"vocab": Evil(tmp_path / "ran")}, tmp_path / "vectors.pt")
    with guard_loading(), pytest.raises(pickle.UnpicklingError):
        torch.load(tmp_path / "vectors.pt", weights_only=False)
    assert not (tmp_path / "ran").exists()


def test_a_question_has_no_answer_and_all_is_as_before_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    before = dict(os.environ)
    with pytest.raises(EOFError), guard_loading():
        input()
    assert dict(os.environ) == before
    assert input() == "y"

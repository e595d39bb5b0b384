"""A corpus is that of a training by its files, whatever it and its folder are called."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("torch")

from corefmill.coref_model.training.checkpoint import Checkpoint
from corefmill.coref_model.training.learnt import as_trained, checksums
from corefmill.corpora import find
from corefmill.corpora.api import write
from corefmill.corpora.errors import DataError
from tests.corefmill import trained


def folder(path: Path, *names: str) -> Path:
    """Novels, a file each."""
    path.mkdir(parents=True)
    (document,) = trained.documents(1)
    for name in names:
        write(path / f"{name}.conll", [replace(document, doc_id=name)])
    return path


@pytest.fixture
def model(tmp_path: Path) -> Checkpoint:
    """One that learnt from four novels, of which some were held out."""
    corpus = find.at(folder(tmp_path / "learnt/litbank", "a", "b", "c", "d"))
    drawn = find.with_dev(corpus, 0.3, 0)
    said = {"held_out": 0.3, "held_out_seed": 0, "fingerprint": find.fingerprint(drawn)}
    said["files"] = checksums(drawn, "train", "validation")
    return checkpoint(litbank=said)


def checkpoint(**corpora: dict[str, Any]) -> Checkpoint:
    made = SimpleNamespace(path=Path("model"), model=SimpleNamespace(corpora=corpora))
    return cast(Checkpoint, made)


def test_its_own_files_under_another_name_are_held_out_again(
    model: Checkpoint, tmp_path: Path
) -> None:
    other = find.at(folder(tmp_path / "novels", "a", "b", "c", "d"))
    held = as_trained(model, other, None)
    assert held.held_out is not None and find.judged_split(held, None) == "validation"


def test_unseen_files_under_the_same_name_are_judged(model: Checkpoint, tmp_path: Path) -> None:
    unseen = find.at(folder(tmp_path / "unseen/litbank", "x", "y", "z"))
    assert as_trained(model, unseen, None) is unseen


def test_a_part_of_its_files_is_refused(model: Checkpoint, tmp_path: Path) -> None:
    some = find.at(folder(tmp_path / "some", "a", "b", "z"))
    with pytest.raises(DataError, match="2 of 3 files of some are of what the model was trained"):
        as_trained(model, some, None)


def test_a_model_that_names_no_files_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    old = checkpoint(litbank={"held_out": 0.3, "held_out_seed": 0, "fingerprint": "other"})
    unseen = find.at(folder(tmp_path / "litbank", "x", "y"))
    with caplog.at_level(logging.WARNING):
        assert as_trained(old, unseen, None) is unseen
    assert "does not say by which files" in caplog.text


def test_a_share_that_is_none_is_an_error(tmp_path: Path) -> None:
    bad = checkpoint(litbank={"held_out": "much", "fingerprint": "other", "files": 3})
    with pytest.raises(DataError, match="no share and seed of what was held out"):
        as_trained(bad, find.at(folder(tmp_path / "litbank", "x", "y")), None)

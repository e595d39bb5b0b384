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
from corefmill.coref_model.training.learnt import as_trained, checksums, files_of
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
    model = SimpleNamespace(learnt_from=lambda: corpora.items())
    return cast(Checkpoint, SimpleNamespace(path=Path("model"), model=model))


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


def test_its_own_training_files_are_told_where_they_are_judged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = find.at(trained.folder(tmp_path / "mine", trained.examples(4), trained.examples(2)))
    model = checkpoint(mine=files_of(corpus))
    copy = tmp_path / "other.jsonl"
    copy.write_bytes((tmp_path / "mine/train.jsonl").read_bytes())
    with caplog.at_level(logging.WARNING):
        assert as_trained(model, corpus, None) is corpus  # its development split
        assert not caplog.text
        as_trained(model, corpus, "train")
        as_trained(model, find.at(copy), None)
    said = "the model learnt from 1 of these 1 files, as mine"
    assert [one.getMessage().partition(";")[0] for one in caplog.records] == [
        f"mine: {said}",
        f"other: {said}",
    ]


def test_a_file_with_all_splits_is_told_by_the_split(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its train and its test split are the same file, so that digests alone say nothing."""
    splits = ("train", "dev", "test")
    records = [
        replace(one, meta={"split": splits[number % 3]})
        for number, one in enumerate(trained.mentions(6))
    ]
    write(tmp_path / "all.jsonl", records)
    corpus = find.at(tmp_path / "all.jsonl")
    assert corpus.split_source == "records"
    said = files_of(corpus)
    assert said["files"] == said["validation_files"] and said["split_source"] == "records"
    with caplog.at_level(logging.WARNING):
        as_trained(checkpoint(all=said), corpus, None)
        as_trained(checkpoint(all=said), corpus, "validation")
        assert not caplog.text
        as_trained(checkpoint(all=said), corpus, "train")
    assert "the model learnt from 1 of these 1 files" in caplog.text

"""Checkpoints: what is kept, what comes back, and what is refused."""

from __future__ import annotations

import logging
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from corefmill.coref_model.encoder import load, pack
from corefmill.coref_model.training import checkpoint
from corefmill.coref_model.training.checkpoint import (
    Checkpoint,
    describe_files,
    divide_as_trained,
    restore,
    saved_parameters,
)
from corefmill.coref_model.training.config import LoopSettings
from corefmill.corpora import find
from corefmill.corpora.api import write
from corefmill.corpora.files.errors import DataError
from tests.coref_model.training.toy import settings
from tests.corefmill import trained


class Small(nn.Module):
    def __init__(self, **how: Any) -> None:
        super().__init__()
        self.encoder = load("tiny", **how)
        self.head = nn.Linear(self.encoder.width, 2)
        self.tied = self.head
        self.register_buffer("mean", torch.ones(1))
        self.register_buffer("scratch", torch.ones(1), persistent=False)


def about() -> dict[str, Any]:
    """What model.toml says, but the weights' sum and the encoder."""
    return {
        "task": "masked",
        "corpus": "gap",
        "metric": "f1",
        "score": 0.5,
        "steps": 9,
        "best_step": 6,
        "ended_by": "epochs",
        "seconds": 1.5,
        "identity": "x",
        "init_from": "",
        "scores": {"f1": 0.5, 'a "b".f1': float("inf")},
        "settings": dict(vars(settings())),
        "corpora": {"gap": {"train": 2, "names": ["a\\", "b\n\x7f\u00e9"], "lang": "it"}},
        "versions": {"torch": "2"},
    }


def saved(out: Path, model: Small) -> Checkpoint:
    checkpoint.save(out, model, model.encoder, about())
    return checkpoint.read(out)


@pytest.mark.parametrize("how", [{}, {"lora": 2}, {"trained": True}])
def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path, how: dict[str, Any]) -> None:
    model = Small(**how)
    with torch.no_grad():
        for tensor in saved_parameters(model).values():
            tensor.add_(torch.randn(tensor.shape) / 10)
    there = saved(tmp_path, model)
    assert not (tmp_path / "resume").exists()
    assert there.read_settings(LoopSettings) == settings()
    encoder = there.load_encoder()
    assert encoder.fingerprint == model.encoder.fingerprint
    again = Small(**how)
    again.encoder = encoder
    restore(again, there.read_tensors(), tmp_path)
    batch = pack([[2, 9, 8, 7, 3], [2, 5, 3]])
    model.eval()
    assert torch.equal(model.encoder(batch), again.eval().encoder(batch))
    assert all(
        torch.equal(tensor, saved_parameters(again)[name])
        for name, tensor in saved_parameters(model).items()
    )


def test_an_adapter_comes_back_without_the_users_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('{"peft_type": "LORA", "use_dora": true, "r": 2, "target_modules": ["dense"]}')
    model = Small(adapter=path)
    with torch.no_grad():
        for tensor in saved_parameters(model).values():
            tensor.add_(torch.randn(tensor.shape) / 10)
    about_it = about() | {"settings": {"adapter": str(path)}}
    checkpoint.save(tmp_path / "model", model, model.encoder, about_it)
    path.unlink()
    there = checkpoint.read(tmp_path / "model")
    again = Small()
    again.encoder = there.load_encoder()
    restore(again, there.read_tensors())
    batch = pack([[2, 9, 8, 7, 3], [2, 5, 3]])
    assert torch.equal(model.eval().encoder(batch), again.eval().encoder(batch))


def test_weights_that_were_changed_are_refused(tmp_path: Path) -> None:
    saved(tmp_path, Small())
    path = tmp_path / "model.safetensors"
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    path.write_bytes(whole)
    with pytest.raises(
        DataError, match=r"model\.safetensors: the weights are not those.*copy the whole"
    ):
        checkpoint.read(tmp_path)
    path.unlink()
    with pytest.raises(DataError, match=r"lacks model\.safetensors"):
        checkpoint.read(tmp_path)


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="this is not a folder of a trained model"):
        checkpoint.read(tmp_path / "none")
    with pytest.raises(DataError, match=r"no model\.toml in this folder"):
        checkpoint.read(tmp_path)
    (tmp_path / "resume").mkdir()
    with pytest.raises(DataError, match=r"is not over \(give the command .* again"):
        checkpoint.read(tmp_path)
    for name in ("pytorch_model.bin", "model.pt"):
        (tmp_path / name).touch()
        with pytest.raises(DataError, match="the weights are pickled, and reading them"):
            checkpoint.read(tmp_path)
        (tmp_path / name).unlink()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("steps = 9\n", "", "steps: Field required"),
        ("steps = 9\n", 'steps = "9"\n', "steps: Input should be a valid integer"),
        ("steps = 9\n", "steps = 9\nmore = 1\n", "more: .*[Uu]nexpected"),
        ("steps = 9\n", "steps 9\n", "not TOML"),
    ],
)
def test_a_broken_table_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    saved(tmp_path, Small())
    table = tmp_path / "model.toml"
    table.write_text(table.read_text().replace(old, new))
    with pytest.raises(DataError, match=rf"model\.toml(:5)?: {said}"):
        checkpoint.read(tmp_path)


def test_another_encoder_is_refused(tmp_path: Path) -> None:
    there = saved(tmp_path, Small())
    with pytest.raises(
        DataError, match="the encoder tiny; this one has other weights or another tokenizer"
    ):
        there.check_encoder(load("tiny", seed=1))
    other = load("tiny", seed=1)
    other.name = "large"
    with pytest.raises(DataError, match="with the encoder tiny; this one has another name, large"):
        there.check_encoder(other)
    there.check_encoder(load("tiny"))


def test_tensors_of_another_model_are_refused(tmp_path: Path) -> None:
    model = Small()
    tensors = saved_parameters(model)
    for change, said in (
        ({"head.bias": None}, "the file lacks head.bias"),
        ({"more": torch.ones(1), "most": torch.ones(1)}, "the file has an unknown more and 1 more"),
        ({"head.bias": torch.ones(3)}, r"head.bias is \[3\], not \[2\]"),
    ):
        wrong = {k: v for k, v in (tensors | change).items() if v is not None}
        save_file({k: v.clone() for k, v in wrong.items()}, tmp_path / "w.safetensors")
        with pytest.raises(DataError, match=said):
            restore(model, wrong, tmp_path / "w.safetensors")


def test_foreign_files_stay_even_below_the_names_of_a_training(tmp_path: Path) -> None:
    mine = [
        *("encoder/mine.py", "encoder/sub/config.json", "resume/cv.pdf", "resume/000000001/notes"),
        *("resume/12/state.safetensors", ".draft.tmp"),
    ]
    theirs = [
        *("encoder/config.json", "resume/state.safetensors", "resume/.state.safetensors.7.tmp"),
        *("model.toml", "log.csv", ".model.safetensors.7.tmp"),
    ]
    elsewhere = tmp_path / "elsewhere/config.json"
    for path in (elsewhere, *(tmp_path / "out" / name for name in (*mine, *theirs))):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    out = tmp_path / "out"
    checkpoint.remove_files(out)
    left = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert left == set(mine)
    shutil.rmtree(out / "encoder")
    (out / "encoder").symlink_to(elsewhere.parent)
    checkpoint.remove_files(out)
    assert elsewhere.exists()  # what lies behind a link stays


def folder(path: Path, *names: str) -> Path:
    """Novels, a file each."""
    path.mkdir(parents=True)
    (document,) = trained.documents(1)
    for name in names:
        write(path / f"{name}.conll", [replace(document, doc_id=name)])
    return path


def learnt_from(**corpora: dict[str, Any]) -> Checkpoint:
    model = SimpleNamespace(list_corpora=lambda: corpora.items())
    return cast(Checkpoint, SimpleNamespace(path=Path("model"), model=model))


def test_a_corpus_is_that_of_a_training_by_its_files_alone(tmp_path: Path) -> None:
    """The model learnt from four novels, of which some were held out."""
    corpus = find.open_corpus(folder(tmp_path / "learnt/litbank", "a", "b", "c", "d"))
    drawn = find.hold_out_validation(corpus, 0.3, 1)  # seed 0 draws another part
    said = {"held_out": 0.3, "held_out_seed": 1, "fingerprint": find.fingerprint(drawn)}
    model = learnt_from(litbank=describe_files(drawn) | said)
    same = find.open_corpus(folder(tmp_path / "novels", "a", "b", "c", "d"))
    held = divide_as_trained(model, same, None)
    assert held.held_out is not None and find.choose_split(held, None) == "validation"
    unseen = find.open_corpus(folder(tmp_path / "unseen/litbank", "x", "y", "z"))
    assert divide_as_trained(model, unseen, None) is unseen
    some = find.open_corpus(folder(tmp_path / "some", "a", "b", "z"))
    with pytest.raises(DataError, match="the model was trained on 2 of 3 files of some"):
        divide_as_trained(model, some, None)


def test_its_own_training_files_are_told_where_they_are_judged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = find.open_corpus(
        trained.folder(tmp_path / "mine", trained.examples(4), trained.examples(2))
    )
    model = learnt_from(mine=describe_files(corpus))
    copy = tmp_path / "other.jsonl"
    copy.write_bytes((tmp_path / "mine/train.jsonl").read_bytes())
    with caplog.at_level(logging.WARNING):
        assert divide_as_trained(model, corpus, None) is corpus  # its development split
        assert not caplog.text
        divide_as_trained(model, corpus, "train")
        divide_as_trained(model, find.open_corpus(copy), None)
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
    corpus = find.open_corpus(tmp_path / "all.jsonl")
    assert corpus.split_source == "records"
    said = describe_files(corpus)
    assert said["files"] == said["validation_files"] and said["split_source"] == "records"
    with caplog.at_level(logging.WARNING):
        divide_as_trained(learnt_from(all=said), corpus, None)
        divide_as_trained(learnt_from(all=said), corpus, "validation")
        assert not caplog.text
        divide_as_trained(learnt_from(all=said), corpus, "train")
    assert "the model learnt from 1 of these 1 files" in caplog.text

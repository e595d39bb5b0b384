"""Continued pretraining on the tiny encoder: what is held out, learnt, and written."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.encoder.packed import pack
from corefmill.coref_model.masked import weights
from corefmill.coref_model.masked.scorer import Scorer
from corefmill.coref_model.mlm.packing import Sequences, packed
from corefmill.coref_model.mlm.run import Pretrained, named, pretrain
from corefmill.coref_model.mlm.task import MaskedLanguage, MlmSettings, SequenceBatches, held_out
from corefmill.coref_model.mlm.text import files
from corefmill.coref_model.training.config import presets_of, resolve
from corefmill.corpora import manifest
from corefmill.corpora.errors import DataError, UsageError

SETS = ["encoder=tiny", "length=12", "batch_pieces=64", "lr=0.02", "lr_encoder=0.02"]
TEXT = "An ox was at it. He had his ox. They said it is not so. We were there for her. " * 3


def settings(*sets: str, presets: tuple[str, ...] = ()) -> MlmSettings:
    return resolve(MlmSettings, "mlm", presets=presets, sets=[*SETS, *sets])


def made(folder: Path, *sets: str) -> Pretrained:
    for name in "abc":
        (folder / f"{name}.txt").write_text(TEXT)
    return pretrain(
        [str(folder / f"{name}.txt") for name in "abc"],
        settings(*sets),
        folder / "out",
        command="train mlm",
        version="0",
        quiet=True,
    )


def numbered(*lengths_by_document: list[int]) -> Sequences:
    lengths = [length for document in lengths_by_document for length in document]
    owners = [at for at, document in enumerate(lengths_by_document) for _ in document]
    starts = np.cumsum([0, *lengths])
    return Sequences(
        np.arange(starts[-1], dtype=np.int32),
        np.ones(starts[-1], np.bool_),
        starts,
        np.array(owners, np.int32),
    )


@pytest.mark.parametrize("preset", presets_of("mlm"))
def test_every_preset_is_whole(preset: str) -> None:
    assert resolve(MlmSettings, "mlm", presets=[preset])


@pytest.mark.parametrize(
    ("key", "said"),
    [("masked=1.0", "masked is a share"), ("random=0.6", "random and unchanged are shares")],
)
def test_shares_that_do_not_fit_are_refused(key: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        settings(key, "unchanged=0.5")


def test_whole_documents_are_held_out() -> None:
    text = numbered([4] * 5, [4] * 20, [4] * 5, [4] * 10)
    for seed in range(5):
        train, dev = held_out(text, 0.1, seed)
        assert sorted([*train, *dev]) == list(range(40))
        assert not set(text.documents[train]) & set(text.documents[dev])
        assert len(dev) >= 4


def test_of_one_document_the_end_is_held_out() -> None:
    train, dev = held_out(numbered([4] * 10), 0.25, 0)
    assert (train.tolist(), dev.tolist()) == (list(range(7)), [7, 8, 9])


def test_a_text_too_short_is_refused() -> None:
    with pytest.raises(UsageError, match="the text makes 1 sequence: too little"):
        held_out(numbered([4]), 0.1, 0)


def test_batches_have_every_sequence_once_and_about_the_pieces_asked_for() -> None:
    lengths = np.array([5, 3, 8, 1, 1, 9, 2])
    batches = SequenceBatches(np.arange(7), lengths, 8)
    found = [batch.sequences for batch in batches]
    # The sums before each sequence are 0 5 8 16 17 18 27: a new multiple of 8 begins a batch.
    assert found == [(0, 1), (2,), (3, 4, 5), (6,)]
    assert [batches[at].sequences for at in range(-1, 0)] == [found[-1]]
    assert batches[1:3] == [batches[1], batches[2]]
    assert max(sum(lengths[list(one)]) for one in found) < 8 + 9


def test_it_learns_and_writes_a_head_that_is_found_again(tmp_path: Path) -> None:
    done = made(tmp_path, "lora=2", "epochs=8")
    assert done.documents == 3
    first = float((tmp_path / "out" / "log.csv").read_text().splitlines()[1].split(",")[3])
    assert done.trained.scores["loss"] < first
    table = tomllib.loads((tmp_path / "out" / "head.toml").read_text())
    assert (table["rank"], table["scores"]["accuracy"]) == (2, done.trained.score)
    assert [text["name"] for text in table["texts"]] == ["a.txt", "b.txt", "c.txt"]
    assert "train mlm" in (tmp_path / "out" / "README.md").read_text()
    # The same head by both ways: deltas beside the weights, and in them.
    encoder = load("tiny")
    found = weights.find(encoder, str(tmp_path / "out"))
    assert found.rank == 2
    assert manifest.sha256(tmp_path / "out" / "head.safetensors") == table["sha256"]
    batch = pack([encoder.pieces.wrap(encoder.pieces.text("He was there.")[0])])
    before = encoder(batch)
    weights.merge(encoder, found.deltas)
    beside = load("tiny", lora=2)
    beside.load_state_dict(dict(found.deltas))
    assert_close(encoder(batch), beside(batch).detach(), rtol=0, atol=1e-5)
    assert not torch.allclose(encoder(batch), before, atol=1e-3)


def test_half_precision_keeps_the_figures(tmp_path: Path) -> None:
    done = made(tmp_path, "lora=2", "epochs=4")
    encoder = load("tiny")
    found = weights.find(encoder, str(done.folder))
    weights.merge(encoder, found.deltas)
    paths = files([str(tmp_path / f"{name}.txt") for name in "abc"])
    text = packed(named(paths, []), encoder.pieces, 10, tmp_path)
    own = replace(settings("epochs=4"), lora=0)
    again = MaskedLanguage(Scorer(encoder, found.head), own, text, own.seed)
    with torch.no_grad():
        assert again.evaluate()["loss"] == pytest.approx(done.trained.scores["loss"], abs=5e-3)


def test_an_encoder_trained_as_a_whole_is_written_with_its_head(tmp_path: Path) -> None:
    done = made(tmp_path, "trained=true", "lora=0")
    encoder = load(str(done.folder / "encoder"))
    found = weights.find(encoder)
    assert found.source == "masked-LM head of tiny"
    assert found.rank == 0


def test_a_head_goes_on_learning(tmp_path: Path) -> None:
    done = made(tmp_path, "lora=2", "epochs=6")
    (tmp_path / "next").mkdir()
    more = made(tmp_path / "next", "lora=2", f'head="{done.folder}"', "lr=0.0", "lr_encoder=0.0")
    assert more.trained.scores["loss"] == pytest.approx(done.trained.scores["loss"], abs=5e-3)
    (tmp_path / "last").mkdir()
    with pytest.raises(UsageError, match="comes with deltas of rank 2"):
        made(tmp_path / "last", "lora=0", f'head="{done.folder}"')


@pytest.mark.parametrize(("length", "said"), [(600, "reads 512 pieces"), (2, "no room between")])
def test_a_length_that_does_not_fit_is_refused(tmp_path: Path, length: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        made(tmp_path, f"length={length}")


def test_a_head_of_another_encoder_is_refused(tmp_path: Path) -> None:
    done = made(tmp_path, "lora=0")
    with pytest.raises(DataError, match="a head of the encoder tiny, not of tiny"):
        weights.find(load("tiny", seed=5), str(done.folder))


def test_a_head_with_a_part_missing_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path, "lora=2").folder / "head.safetensors"
    whole = load_file(path)
    for name, message in (
        ("head.norm.bias", "head.norm.bias is missing"),
        ("encoder.network.encoder.layer.0.output.dense.lora_a", "lora_b fits no weight"),
    ):
        save_file({key: tensor for key, tensor in whole.items() if key != name}, path)
        with pytest.raises(DataError, match=message):
            weights.find(load("tiny"), str(path.parent))
    path.write_bytes(b"not tensors")
    with pytest.raises(DataError, match="cannot be read as safetensors"):
        weights.find(load("tiny"), str(path.parent))


def test_a_folder_without_a_head_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a head is a folder as train mlm writes it"):
        weights.find(load("tiny"), str(tmp_path))


def test_without_any_head_there_is_a_fresh_one() -> None:
    assert weights.find(load("tiny")).source == "fresh"


@pytest.mark.parametrize("at", ["curves.png", "head.safetensors", "README.md", "head.toml"])
def test_what_is_killed_at_a_file_goes_on_to_the_same_head(
    at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = ("head.safetensors", "log.csv")
    (tmp_path / "whole").mkdir()
    whole = made(tmp_path / "whole", "lora=2", "save_every=2").folder
    (tmp_path / "killed").mkdir()
    replace_file = Path.replace

    def killed(path: Path, target: Path) -> Path:
        if target.name == at:
            raise KeyboardInterrupt
        return replace_file(path, target)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "replace", killed)
        made(tmp_path / "killed", "lora=2", "save_every=2")
    again = made(tmp_path / "killed", "lora=2", "save_every=2").folder
    assert {path.name for path in again.iterdir()} == {path.name for path in whole.iterdir()}
    assert all((again / name).read_bytes() == (whole / name).read_bytes() for name in kept)


@pytest.mark.parametrize("saved", [1, 2])
def test_what_is_killed_at_a_state_goes_on_to_the_same_head(
    saved: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "whole").mkdir()
    whole = made(tmp_path / "whole", "lora=2", "save_every=2").folder
    (tmp_path / "killed").mkdir()
    replace_file, states = Path.replace, []

    def killed(path: Path, target: Path) -> Path:
        states.extend([target] if target.name == "progress.json" else [])
        if len(states) == saved:
            raise KeyboardInterrupt
        return replace_file(path, target)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "replace", killed)
        made(tmp_path / "killed", "lora=2", "save_every=2")
    assert states
    again = made(tmp_path / "killed", "lora=2", "save_every=2").folder
    for name in ("head.safetensors", "log.csv"):
        assert (again / name).read_bytes() == (whole / name).read_bytes()


def test_a_text_that_lies_where_the_head_goes_stays(tmp_path: Path) -> None:
    (tmp_path / "out" / "text").mkdir(parents=True)
    (tmp_path / "out" / "text" / "mine.txt").write_text(TEXT)
    with pytest.raises(UsageError, match="something else is here: text"):
        made(tmp_path)
    shutil.rmtree(tmp_path / "out" / "text")
    (tmp_path / "out" / "README.md").write_text("mine")
    with pytest.raises(UsageError, match=r"half a head is here: README\.md"):
        made(tmp_path)
    assert (tmp_path / "out" / "README.md").read_text() == "mine"

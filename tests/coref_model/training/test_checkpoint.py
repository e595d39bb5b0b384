"""Checkpoints: what is kept, what comes back, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

from safetensors.torch import save_file  # noqa: E402
from torch import nn  # noqa: E402

from corefmill.coref_model.encoder import load, pack  # noqa: E402
from corefmill.coref_model.training import checkpoint  # noqa: E402
from corefmill.coref_model.training.config import LoopSettings  # noqa: E402
from corefmill.coref_model.training.parameters import restore, saved_parameters  # noqa: E402
from corefmill.corpora import manifest  # noqa: E402
from corefmill.corpora.errors import DataError  # noqa: E402
from tests.coref_model.training.toy import settings  # noqa: E402


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


def saved(out: Path, model: Small) -> checkpoint.Checkpoint:
    checkpoint.save(out, model, model.encoder, about())
    return checkpoint.read(out)


@pytest.mark.parametrize(
    ("how", "encoder"),
    [({}, 0), ({"lora": 2}, "lora"), ({"trained": True}, "all")],
)
def test_what_is_kept_of_the_encoder(how: dict[str, Any], encoder: Any) -> None:
    model = Small(**how)
    names = set(saved_parameters(model))
    inner = {name for name in names if name.startswith("encoder.")}
    assert names - inner == {"head.weight", "head.bias", "mean"}
    whole = dict(model.encoder.named_parameters(prefix="encoder"))
    expected = {"all": set(whole), "lora": {n for n in whole if ".lora_" in n}, 0: set()}
    assert inner == expected[encoder]


@pytest.mark.parametrize("how", [{}, {"lora": 2}, {"trained": True}])
def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path, how: dict[str, Any]) -> None:
    model = Small(**how)
    with torch.no_grad():
        for tensor in saved_parameters(model).values():
            tensor.add_(torch.randn(tensor.shape) / 10)
    there = saved(tmp_path, model)
    assert not (tmp_path / "resume").exists()
    assert there.settings(LoopSettings) == settings()
    encoder = there.encoder()
    assert encoder.fingerprint == model.encoder.fingerprint
    again = Small(**how)
    again.encoder = encoder
    restore(again, there.tensors(), tmp_path)
    batch = pack([[2, 9, 8, 7, 3], [2, 5, 3]])
    model.eval()
    assert torch.equal(model.encoder(batch), again.eval().encoder(batch))
    assert all(
        torch.equal(tensor, saved_parameters(again)[name])
        for name, tensor in saved_parameters(model).items()
    )


def test_the_folder_holds_the_tokenizer_but_no_second_copy_of_the_weights(tmp_path: Path) -> None:
    saved(tmp_path, Small(trained=True))
    assert {path.name for path in tmp_path.iterdir()} == {
        "model.toml",
        "model.safetensors",
        "encoder",
        "README.md",
    }
    inner = {path.name for path in (tmp_path / "encoder").iterdir()}
    assert {"config.json", "tokenizer.json"} <= inner
    assert "model.safetensors" not in inner


def test_weights_that_were_changed_are_refused(tmp_path: Path) -> None:
    saved(tmp_path, Small())
    path = tmp_path / "model.safetensors"
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    path.write_bytes(whole)
    with pytest.raises(DataError, match=r"model\.safetensors: not the weights.*copy the whole"):
        checkpoint.read(tmp_path)
    path.unlink()
    with pytest.raises(DataError, match=r"lacks model\.safetensors"):
        checkpoint.read(tmp_path)


def test_weights_that_are_no_safetensors_are_refused(tmp_path: Path) -> None:
    saved(tmp_path, Small())
    path = tmp_path / "model.safetensors"
    old = manifest.sha256(path)
    path.write_bytes(pickle.dumps({"head": 1}))
    table = tmp_path / "model.toml"
    table.write_text(table.read_text().replace(old, manifest.sha256(path)))
    with pytest.raises(DataError, match="cannot be read as safetensors"):
        checkpoint.read(tmp_path).tensors()


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt"])
def test_a_pickled_checkpoint_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(pickle.dumps({}))
    with pytest.raises(DataError, match="its weights are pickled, and reading them"):
        checkpoint.read(tmp_path)


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no folder of a trained model"):
        checkpoint.read(tmp_path / "none")
    with pytest.raises(DataError, match=r"no model\.toml in this folder"):
        checkpoint.read(tmp_path)
    (tmp_path / "resume").mkdir()
    with pytest.raises(DataError, match=r"is not over \(give the command .* again"):
        checkpoint.read(tmp_path)


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


def test_settings_of_another_version_are_refused(tmp_path: Path) -> None:
    saved(tmp_path, Small())
    table = tmp_path / "model.toml"
    table.write_text(table.read_text().replace("\nclip = ", "\nclips = "))
    with pytest.raises(DataError, match=r"settings\.clip: Field required"):
        checkpoint.read(tmp_path).settings(LoopSettings)


def test_another_encoder_and_another_task_are_refused(tmp_path: Path) -> None:
    there = saved(tmp_path, Small())
    with pytest.raises(DataError, match="the encoder tiny, other weights or another tokenizer now"):
        there.check_encoder(load("tiny", seed=1))
    other = load("tiny", seed=1)
    other.name = "large"
    with pytest.raises(DataError, match="with the encoder tiny, not large"):
        there.check_encoder(other)
    there.check_encoder(load("tiny"))
    with pytest.raises(DataError, match="a model of the task masked, not events") as refused:
        there.check_task("events")
    assert "--task masked" in str(refused.value)
    there.check_task("masked")


def test_tensors_of_another_model_are_refused(tmp_path: Path) -> None:
    model = Small()
    tensors = saved_parameters(model)
    for change, said in (
        ({"head.bias": None}, "it lacks head.bias"),
        ({"more": torch.ones(1), "most": torch.ones(1)}, "it has an unknown more and 1 more"),
        ({"head.bias": torch.ones(3)}, r"head.bias is \[3\], not \[2\]"),
    ):
        wrong = {k: v for k, v in (tensors | change).items() if v is not None}
        save_file({k: v.clone() for k, v in wrong.items()}, tmp_path / "w.safetensors")
        with pytest.raises(DataError, match=said):
            restore(model, wrong, tmp_path / "w.safetensors")

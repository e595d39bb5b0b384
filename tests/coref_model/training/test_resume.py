"""What a training writes while it runs; each file damaged in turn: one line, or the same result."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from corefmill.coref_model.encoder import load, tensors
from corefmill.coref_model.encoder.encoder import compute_fingerprint
from corefmill.coref_model.masked.task import MaskedSettings, make_scorer
from corefmill.coref_model.prediction.predictor import load_predictor
from corefmill.coref_model.training import checkpoint
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.loop import train
from corefmill.coref_model.training.resume import draw_curves
from corefmill.corpora.files.errors import CorefmillError
from tests.coref_model.masked.passages import PASSAGES
from tests.coref_model.training.test_checkpoint import about
from tests.coref_model.training.toy import Stopped, Stops, Toy, settings


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "garbage": lambda path: path.write_bytes(b"\xff\x00[{\n" * 50),
    "deep": lambda path: path.write_bytes(b"[" * 100_000),
    "folder": _folder,
}


def files(folder: Path) -> list[str]:
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"more": 1}, "more: Unexpected keyword argument"),
        ({"steps": "9"}, "steps: Input should be a valid integer"),
        ({"steps": -1}, "steps: Input should be greater than or equal to 0"),
        ({"scores": [1]}, "scores: "),
    ],
)
def test_progress_of_another_form_is_refused(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    sets = settings("save_every=3", "max_steps=14")
    with pytest.raises(Stopped):
        train(Stops(13), sets, tmp_path, quiet=True)
    path = tmp_path / "resume/state.safetensors"
    state, notes = tensors.read(path)
    text = json.dumps(json.loads(notes["progress"]) | change)
    for sha256, told in (
        (notes["sha256"], "the file was changed"),
        (compute_fingerprint({}, text, state), said),
    ):
        tensors.save(state, path, {"progress": text, "sha256": sha256})
        with pytest.raises(CorefmillError, match=rf"state\.safetensors: {told}"):
            train(Toy(), sets, tmp_path, quiet=True)


def test_each_file_of_a_model(tmp_path: Path) -> None:
    sets = ["encoder=tiny", "lora=0", "trained=true"]
    chosen = resolve(MaskedSettings, "masked", sets=sets)
    encoder = load("tiny", trained=True)
    described = about() | {"settings": dict(vars(chosen))}
    checkpoint.save(tmp_path / "base", make_scorer(encoder, chosen), encoder, described)
    example = PASSAGES[0]
    right = list(load_predictor(tmp_path / "base").answers([example]))
    assert len(files(tmp_path / "base")) == 6
    for name in files(tmp_path / "base"):
        for damage, make in DAMAGES.items():
            out = tmp_path / f"{damage} {name.replace('/', '-')}"
            shutil.copytree(tmp_path / "base", out)
            make(out / name)
            try:
                made = load_predictor(out)
            except CorefmillError as error:
                assert "\n" not in str(error) and str(out) in str(error), (name, damage)
                continue
            assert list(made.answers([example])) == right, (name, damage)


def test_a_log_is_drawn(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(
        "step,epoch,items,loss,gradient,dev,lr head\n1,0,4,2.5,1.0,,0.1\n2,0,0,,0.0,0.5,0\n"
    )
    draw_curves(log, tmp_path / "curves.png", "accuracy")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")

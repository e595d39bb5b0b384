"""A model that answers nothing is refused where it is loaded, a sound one is not."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from corefmill.coref_model.prediction.predictor import find_fault, load_predictor
from corefmill.coref_model.training.task import Probe
from corefmill.corpora import manifest
from corefmill.corpora.files.errors import DataError
from tests.corefmill import trained

MADE = {
    "documents": (trained.documents, 3, 2),
    "masked": (trained.examples, 8, 4),
    "events": (trained.mentions, 16, 8),
}
SAME = {  # the last layer of each: without it every score is the same
    "documents": ("mentions.out.weight", "surface", "mentions.prior"),
    "masked": ("encoder.", "head."),
    "events": ("scorer.",),
}


@pytest.mark.parametrize("task", MADE)
def test_models_that_answer_nothing_are_refused(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    make, *sizes = MADE[task]
    corpus = trained.folder(tmp_path / task, *map(make, sizes))
    model = trained.model(corpus, tmp_path / "model")
    load_predictor(model)  # trained for two steps, it knows little, but it answers
    whole = load_file(model / "model.safetensors")
    name = next(key for key, one in whole.items() if one.is_floating_point() and one.ndim > 1)
    broken = {**whole, name: torch.full_like(whole[name], float("nan"))}
    rewritten(model, broken)
    with pytest.raises(DataError, match="answers nothing: some of the weights are not numbers"):
        load_predictor(model)
    same = {
        key: torch.zeros_like(one) if key.startswith(SAME[task]) else one
        for key, one in whole.items()
    }
    rewritten(model, same)
    with pytest.raises(DataError, match=r"gives the same score to everything \(train it longer"):
        load_predictor(model)


def rewritten(model: Path, tensors: dict[str, torch.Tensor]) -> None:
    """Puts other weights into the folder, with their sum, as a training that failed would."""
    weights, table = model / "model.safetensors", model / "model.toml"
    old = manifest.sha256(weights)
    save_file({key: one.contiguous() for key, one in tensors.items()}, weights)
    table.write_text(table.read_text().replace(old, manifest.sha256(weights)))


@pytest.mark.parametrize(
    ("probe", "finds", "says"),
    [
        (Probe([0.5, 0.1], 0), True, "it finds no mention"),
        (Probe([0.5, 0.1], 0), False, None),  # of another language, or over a random encoder
        (Probe([0.5, 0.1], 3), True, None),
        (Probe([0.5, 0.1]), True, None),  # a task that finds no mentions
        (Probe([float("inf"), 0.1], 3), True, "the scores are not numbers"),
        (Probe([], 0), False, "it gives the same score to everything"),
    ],
)
def test_what_is_taken_for_nothing(probe: Probe, finds: bool, says: str | None) -> None:
    said = find_fault(torch.nn.Linear(2, 2), lambda: probe, finds=finds)
    assert said is None if says is None else says in (said or "")

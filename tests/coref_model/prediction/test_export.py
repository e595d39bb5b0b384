"""Exported encoders: transformers, and peft where it is installed, give the same hidden states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from corefmill.coref_model.encoder import load, pack
from corefmill.coref_model.masked import heads
from corefmill.coref_model.masked.heads import Head
from corefmill.coref_model.masked.task import Scorer
from corefmill.coref_model.prediction.predictor import Predictor, export
from corefmill.coref_model.training import checkpoint
from corefmill.corpora.files.errors import UsageError
from tests.coref_model.training.test_checkpoint import about

IDS = [[2, 9, 8, 7, 3], [2, 5, 3]]


def drawn(shape: tuple[int, ...], seed: int) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)) / 5


def trained(folder: Path, **how: Any) -> Predictor:
    """A scorer over `tiny` whose learnt weights are far from nothing, with a head's own deltas."""
    encoder = load("tiny", **how)
    with torch.no_grad():
        for number, parameter in enumerate(encoder.parameters()):
            if parameter.requires_grad:
                parameter.add_(drawn(parameter.shape, number))
    deltas = {}
    if not encoder.trained:
        layer = "network.encoder.layer.1.output.dense"
        out, width = dict(encoder.named_parameters())[f"{layer}.weight"].shape
        deltas = {f"{layer}.lora_a": drawn((3, width), 1), f"{layer}.lora_b": drawn((out, 3), 2)}
        heads.merge_deltas(encoder, deltas)
    model = Scorer(encoder, Head(encoder.width, len(encoder.word_embeddings)), deltas=deltas)
    checkpoint.save(folder, model, encoder, about())
    return Predictor("masked", model.eval(), encoder, None, checkpoint.read(folder))


def hidden(network: Any) -> list[Any]:
    with torch.no_grad():
        return [network.eval()(torch.tensor([ids])).last_hidden_state[0] for ids in IDS]


def differ(found: list[Any], predictor: Predictor) -> float:
    with torch.no_grad():
        ours = predictor.encoder(pack(IDS))
    return float((torch.cat(found) - ours).abs().max())


@pytest.mark.parametrize("how", [{}, {"lora": 2}, {"trained": True}])
def test_transformers_gives_the_same_hidden_states(tmp_path: Path, how: dict[str, Any]) -> None:
    predictor = trained(tmp_path / "model", **how)
    export(predictor, "hf", tmp_path / "hf")
    network = transformers.AutoModel.from_pretrained(tmp_path / "hf")
    assert differ(hidden(network), predictor) < 1e-5
    assert transformers.AutoTokenizer.from_pretrained(tmp_path / "hf")("she was")["input_ids"]
    plain = load("tiny").network
    assert differ(hidden(plain), predictor) > 1e-2  # else nothing was learnt that could be lost
    assert "library_name: transformers" in (tmp_path / "hf/README.md").read_text()


def test_an_adapter_is_both_the_learnt_deltas_and_those_of_the_head(tmp_path: Path) -> None:
    """The arithmetic that peft does, W + B A, without peft."""
    from safetensors.torch import load_file

    predictor = trained(tmp_path / "model", lora=2)
    export(predictor, "peft", tmp_path / "peft")
    config = json.loads((tmp_path / "peft/adapter_config.json").read_text())
    stored = load_file(tmp_path / "peft/adapter_model.safetensors")
    network = load("tiny").network
    state = network.state_dict()
    for name in config["target_modules"]:
        a, b = (stored[f"base_model.model.{name}.lora_{x}.weight"] for x in "AB")
        assert len(a) == config["rank_pattern"].get(name, config["r"])
        assert config["alpha_pattern"].get(name, config["lora_alpha"]) == len(a)
        state[f"{name}.weight"] = state[f"{name}.weight"] + b @ a
    network.load_state_dict(state)
    assert differ(hidden(network), predictor) < 1e-5


def test_peft_gives_the_same_hidden_states(tmp_path: Path) -> None:
    peft = pytest.importorskip("peft", reason="peft is not installed")
    predictor = trained(tmp_path / "model", lora=2)
    export(predictor, "peft", tmp_path / "peft")
    base = load("tiny").network
    adapted = peft.PeftModel.from_pretrained(base, tmp_path / "peft")
    assert differ(hidden(adapted), predictor) < 1e-5


def test_what_cannot_be_exported_is_refused(tmp_path: Path) -> None:
    whole = trained(tmp_path / "whole", trained=True)
    with pytest.raises(UsageError, match=r"was trained in whole.*--to hf"):
        export(whole, "peft", tmp_path / "peft")
    with pytest.raises(UsageError, match="is there already"):
        export(whole, "hf", tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["whole"]

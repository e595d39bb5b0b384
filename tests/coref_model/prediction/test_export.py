"""Exported encoders: transformers and peft give the same hidden states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from peft import PeftModel

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
        layer = "base_model.model.encoder.layer.1.output.dense"
        a, b = drawn((3, 64), 1), drawn((32, 3), 2)
        deltas = {f"{layer}.lora_A.weight": a, f"{layer}.lora_B.weight": b}
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


@pytest.mark.parametrize("how", [{}, {"lora": 2}])
def test_peft_gives_the_same_hidden_states(tmp_path: Path, how: dict[str, Any]) -> None:
    """The adapter is the learnt deltas and those of the head."""
    predictor = trained(tmp_path / "model", **how)
    export(predictor, "peft", tmp_path / "peft")
    adapted = PeftModel.from_pretrained(load("tiny").network, tmp_path / "peft")
    assert differ(hidden(adapted), predictor) < 1e-5


def test_an_adapter_of_another_type_is_exported_unless_a_head_has_deltas(tmp_path: Path) -> None:
    path = tmp_path / "ia3.json"
    path.write_text('{"peft_type": "IA3", "target_modules": ["key"], "feedforward_modules": []}')
    predictor = trained(tmp_path / "model", adapter=path)
    with pytest.raises(UsageError, match="only LoRA's can be added to"):
        export(predictor, "peft", tmp_path / "peft")
    encoder = load("tiny", adapter=path)
    with torch.no_grad():
        for parameter in encoder.parameters():
            if parameter.requires_grad:
                parameter.mul_(2)
    head = Head(encoder.width, len(encoder.word_embeddings))
    plain = Predictor("masked", Scorer(encoder, head).eval(), encoder, None, predictor.checkpoint)
    export(plain, "peft", tmp_path / "peft")
    adapted = PeftModel.from_pretrained(load("tiny").network, tmp_path / "peft")
    assert differ(hidden(adapted), plain) < 1e-5 < differ(hidden(load("tiny").network), plain)


def test_what_cannot_be_exported_is_refused(tmp_path: Path) -> None:
    whole = trained(tmp_path / "whole", trained=True)
    with pytest.raises(UsageError, match=r"was trained in whole.*--to hf"):
        export(whole, "peft", tmp_path / "peft")
    with pytest.raises(UsageError, match="is there already"):
        export(whole, "hf", tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["whole"]

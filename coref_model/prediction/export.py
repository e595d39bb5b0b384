"""A trained model's encoder in the forms of other libraries: Hugging Face's, and adapters of peft.

hf: the network with all that was learnt in its weights, config.json and the tokenizer.
peft: the learnt deltas alone, for the base that they were learnt on.
Both hold the encoder, not the scorers above it, which no other library has a class for.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor

from corefmill.coref_model.encoder.encoder import deltas, merge_deltas
from corefmill.coref_model.encoder.tensors import save
from corefmill.coref_model.masked.scorer import Scorer
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.coref_model.training.trained_model import CARD, TrainedModel, base_of, render_card
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.writing import new_folder, write_whole

ExportForm = Literal["hf", "peft"]

_HF = """    from transformers import AutoModel, AutoTokenizer
    model = AutoModel.from_pretrained("FOLDER")
    tokenizer = AutoTokenizer.from_pretrained("FOLDER")

This is the encoder of the model: `last_hidden_state` is what its scorers, which are not here, read.
It has no pooler.
"""
_PEFT = """    from peft import PeftModel
    from transformers import AutoModel
    model = PeftModel.from_pretrained(AutoModel.from_pretrained("{base}"), "FOLDER")

These are the deltas of the model's encoder: `last_hidden_state` is what its scorers, which are not
here, read.
"""


def export(predictor: Predictor, form: ExportForm, out: Path) -> None:
    """Writes the folder `out`, with a card, whole or not at all.

    Raises `UsageError` where `out` holds something, and for an adapter of a model without deltas.
    """
    if predictor.checkpoint is None:
        raise UsageError("only a model that `train coref` wrote can be exported")
    model = predictor.checkpoint.model
    with new_folder(out) as folder:
        (_hf if form == "hf" else _peft)(predictor, model, folder)


def _hf(predictor: Predictor, model: TrainedModel, folder: Path) -> None:
    predictor.encoder.save(folder, weights=False)
    save(merge_deltas(predictor.encoder), folder / "model.safetensors", {"format": "pt"})
    write_whole(folder / CARD, render_card(model, use=_HF, library="transformers"))


def _peft(predictor: Predictor, model: TrainedModel, folder: Path) -> None:
    deltas = _deltas(predictor)
    if not deltas:
        trained = "was trained in whole" if predictor.encoder.trained else "learnt nothing"
        raise UsageError(
            f"its encoder {trained}, so that there are no deltas",
            remedy="--to hf exports all of it",
        )
    base = base_of(model.encoder.name) or "BASE"  # no folder of this machine
    ranks = {name: len(a) for name, (a, _) in deltas.items()}
    rank = max(ranks.values())
    others = {name: one for name, one in ranks.items() if one != rank}
    config = {
        "peft_type": "LORA",
        "base_model_name_or_path": base,
        "r": rank,
        "lora_alpha": rank,  # as high as the rank: the deltas count as they stand
        "rank_pattern": others,
        "alpha_pattern": others,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": sorted(deltas),
        "inference_mode": True,
    }
    stored = {}
    for name, (a, b) in deltas.items():
        stored[f"base_model.model.{name}.lora_A.weight"] = a
        stored[f"base_model.model.{name}.lora_B.weight"] = b
    save(stored, folder / "adapter_model.safetensors", {"format": "pt"})
    write_whole(folder / "adapter_config.json", json.dumps(config, indent=2) + "\n")
    use = _PEFT.format(base=base)
    if base == "BASE":
        use += "\nBASE stands for the folder of the encoder that they were learnt over.\n"
    write_whole(folder / CARD, render_card(model, use=use, library="peft"))


def _deltas(predictor: Predictor) -> dict[str, tuple[Tensor, Tensor]]:
    """A [r, in] and B [out, r] of each layer of the network, by its name there.

    A masked-LM head may have come with deltas of its own, over which others were learnt: both
    together are one of the sum of their ranks, B A + B' A' = [B B'] [A; A'].
    """
    model = predictor.model
    given = [deltas(predictor.encoder), model.deltas() if isinstance(model, Scorer) else {}]
    names = {name for one in given for name in one if name.endswith(".lora_a")}
    found = {}
    for stem in (name.removesuffix(".lora_a") for name in sorted(names)):
        parts = [one for one in given if f"{stem}.lora_a" in one]
        a = torch.cat([one[f"{stem}.lora_a"].cpu() for one in parts])
        b = torch.cat([one[f"{stem}.lora_b"].cpu() for one in parts], dim=1)
        found[stem.removeprefix("network.")] = a, b
    return found

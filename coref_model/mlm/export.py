"""A trained head as files: head.toml, head.safetensors in half precision, and a card."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli_w
import torch
from safetensors.torch import save
from torch import Tensor

from corefmill.coref_model.encoder import lora
from corefmill.coref_model.masked.scorer import Scorer
from corefmill.coref_model.masked.weights import TABLE, TENSORS
from corefmill.coref_model.training.card import shown
from corefmill.corpora.atomic import ensure_folder, write_whole

CARD = "README.md"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a head was made of: the resolved settings, the texts, what came of it."""

    command: str
    version: str
    texts: Sequence[Mapping[str, object]]  # name, bytes, sha256 of each file
    documents: int
    sequences: int
    pieces: int
    settings: Mapping[str, object]
    scores: Mapping[str, float]
    steps: int
    seconds: float


def export(model: Scorer, recipe: Recipe, folder: Path) -> Path:
    """Writes the head below `folder`, with the encoder's deltas if it has any; gives the folder.

    An encoder trained as a whole goes to `folder/encoder`, in Hugging Face form and full
    precision; the head then is one of that encoder.
    """
    ensure_folder(folder)
    encoder = model.encoder
    fingerprint = encoder.fingerprint
    if encoder.trained:
        encoder.save(folder / "encoder")
        fingerprint = encoder.current_fingerprint()
    tensors: dict[str, Tensor] = {
        f"head.{name}": parameter.detach() for name, parameter in model.head.named_parameters()
    }
    if encoder.lora:
        tensors |= {f"encoder.{name}": delta for name, delta in lora.deltas(encoder).items()}
    halved = {name: tensor.cpu().to(torch.float16).contiguous() for name, tensor in tensors.items()}
    data = save(halved, metadata={"format": "pt"})
    write_whole(folder / TENSORS, data)
    _write(folder / CARD, _card(model, recipe, len(data)))
    # Last, so that a head which has its table is whole.
    _write(folder / TABLE, _table(model, recipe, fingerprint, hashlib.sha256(data).hexdigest()))
    return folder


def _table(model: Scorer, recipe: Recipe, fingerprint: str, sha256: str) -> str:
    encoder = model.encoder
    counts = {key: getattr(recipe, key) for key in ("documents", "sequences", "pieces", "steps")}
    table = {
        "name": f"masked-LM head of {encoder.name}",
        "encoder": "encoder" if encoder.trained else encoder.name,
        "fingerprint": fingerprint,
        "rank": encoder.lora,
        "sha256": sha256,
        "recipe": {
            "command": recipe.command,
            "corefmill": recipe.version,
            **counts,
            "seconds": round(recipe.seconds, 1),
            "settings": dict(recipe.settings),
        },
        "scores": {name: float(value) for name, value in recipe.scores.items()},
        "texts": list(map(dict, recipe.texts)),
    }
    about = "# A masked-LM head and, where it has them, low-rank deltas of its encoder."
    return f"{about}\n{tomli_w.dumps(table)}"


def _card(model: Scorer, recipe: Recipe, size: int) -> str:
    encoder, scores = model.encoder, recipe.scores
    shipped = "the head (dense, GELU, layer norm, a bias for each piece)"
    if encoder.lora:
        shipped += f" and deltas of rank {encoder.lora} of the encoder's linear layers"
    if encoder.trained:
        shipped += ", and the whole encoder beside it in `encoder/`"
    texts = "\n".join(
        f"| {text['name']} | {text['bytes']} | {str(text['sha256'])[:16]} |"
        for text in recipe.texts
    )
    return f"""# Masked-LM head of {shown(encoder.name)}

Tells hidden pieces of a text: the part that the encoder lacks for scoring a masked name or pronoun.
Holds {shipped}; {size:,} bytes in half precision. The decoder is the encoder's word embeddings.

## What it learnt from

| text | bytes | SHA-256 begins |
|---|---|---|
{texts}

{recipe.documents} documents make {recipe.sequences} sequences of whole sentences, {recipe.pieces}
pieces. Whole words were hidden, {float(str(recipe.settings["masked"])):.0%} of the pieces.

## What it can

On the documents held out, every hidden word a mask: accuracy {scores["accuracy"]:.4f}, perplexity
{scores["perplexity"]:.2f}, on {int(scores["pieces"])} hidden pieces, after {recipe.steps} steps.

## Make it again

    {recipe.command}

The settings stand in `head.toml`.
"""


def _write(path: Path, text: str) -> None:
    write_whole(path, text)

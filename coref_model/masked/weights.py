"""Load masked-LM heads from disk: the one that ships, or those of Hugging Face models.

A head of ours is a folder: `head.toml` (of which encoder, how it was made), `head.safetensors`
(the head and, where it has them, low-rank deltas of the encoder, in half precision), a README.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.names import locate_encoder
from corefmill.coref_model.encoder.tensors import read as read_tensors
from corefmill.coref_model.masked.head import Head, of_huggingface
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError

SHIPPED = Path(__file__).parent / "weights"
TABLE, TENSORS = "head.toml", "head.safetensors"


@dataclass(frozen=True, slots=True)
class HeadWithDeltas:
    """A head with what it needs of its encoder.

    `deltas` are low-rank ones of the encoder, as `encoder.lora` names them, that the head was
    trained with.
    """

    head: Head
    deltas: Mapping[str, Tensor]
    source: str

    @property
    def rank(self) -> int:
        """The rank of the deltas, 0 without."""
        return next((len(t) for name, t in self.deltas.items() if name.endswith(".lora_a")), 0)


def find(encoder: Encoder, folder: str = "") -> HeadWithDeltas:
    """Load the head of `encoder`: that of `folder` if named, else the one that ships or is in the
    encoder's files, else a fresh one that predicts nothing yet (`source` is then "fresh").

    Raises `DataError` for a head of another encoder, and for files that cannot be read.
    """
    if folder == "fresh":
        return HeadWithDeltas(fresh(encoder), {}, folder)
    if folder:
        return _own(Path(folder), encoder)
    for path in sorted(SHIPPED.glob(f"*/{TABLE}")):
        if _table(path.parent).get("fingerprint") == encoder.fingerprint:
            return _own(path.parent, encoder)
    try:
        own = locate_encoder(encoder.name)
    except CorefmillError:  # it was not loaded from a folder
        own = None
    found = None if own is None else _published(own, encoder)
    return found or HeadWithDeltas(fresh(encoder), {}, "fresh")


def fresh(encoder: Encoder, frequencies: Tensor | None = None, *, tied: bool = True) -> Head:
    """A head for `encoder` that has learnt nothing but the pieces' `frequencies`, [v].

    Raises `UsageError` where the decoder cannot be tied to the encoder's embeddings."""
    embeddings = encoder.word_embeddings
    if embeddings.shape[1] != encoder.width:
        raise UsageError(
            f"{encoder.name} has embeddings of width {embeddings.shape[1]} and vectors of"
            f" {encoder.width}: no head can be tied to them",
            remedy="take an encoder whose embeddings are as wide as its layers",
        )
    head = Head(encoder.width, len(embeddings), tied=tied)
    head.norm.eps = _eps(encoder)
    head.fresh(frequencies)
    return head


def merge(encoder: Encoder, deltas: Mapping[str, Tensor]) -> None:
    """Adds low-rank `deltas` to the encoder's weights: W + B A, which the head was trained on."""
    weights = dict(encoder.named_parameters())
    with torch.no_grad():
        for name, a in deltas.items():
            if name.endswith(".lora_a"):
                stem = name.removesuffix("lora_a")
                weights[stem + "weight"].add_(deltas[stem + "lora_b"] @ a)  # [out, r] @ [r, in]


def _own(folder: Path, encoder: Encoder) -> HeadWithDeltas:
    table = _table(folder)
    if table.get("fingerprint") != encoder.fingerprint:
        raise DataError(
            f"a head of the encoder {table.get('encoder', '?')}, not of {encoder.name}",
            path=folder / TABLE,
            remedy="name the encoder that it was trained with",
        )
    tensors = read_tensors(folder / TENSORS)
    head = Head(encoder.width, len(encoder.word_embeddings))
    head.norm.eps = _eps(encoder)
    own = {name.removeprefix("head."): t for name, t in tensors.items() if name[:5] == "head."}
    _check(own, dict(head.named_parameters()), folder)
    with torch.no_grad():
        for name, parameter in head.named_parameters():
            parameter.copy_(own[name])
    deltas = {
        name.removeprefix("encoder."): t.float()
        for name, t in tensors.items()
        if name.startswith("encoder.")
    }
    weights = {name: tuple(p.shape) for name, p in encoder.named_parameters()}
    for name in deltas:
        stem = name.removesuffix("lora_a").removesuffix("lora_b")
        product = _product(deltas.get(stem + "lora_b"), deltas.get(stem + "lora_a"))
        if product is None or weights.get(stem + "weight") != product:
            raise DataError(f"{name} fits no weight of {encoder.name}", path=folder / TENSORS)
    return HeadWithDeltas(head, deltas, str(table.get("name", folder.name)))


def _published(folder: Path, encoder: Encoder) -> HeadWithDeltas | None:
    """The head that a Hugging Face *ForMaskedLM model has in its files."""
    where: dict[str, Path] = {}
    for path in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(path, "pt") as file:
                where |= dict.fromkeys(file.keys(), path)
        except (OSError, SafetensorError) as error:
            raise DataError(f"cannot be read as safetensors: {error}", path=path) from None

    def read(name: str) -> Tensor:
        with safe_open(where[name], "pt") as file:
            tensor: Tensor = file.get_tensor(name)
        return tensor.float()

    try:
        head = of_huggingface(where, read, encoder.word_embeddings, _eps(encoder))
    except CorefmillError as error:
        raise DataError(error.message, path=folder) from None
    if head is None:
        return None
    return HeadWithDeltas(head, {}, "Hugging Face")


def _product(b: Tensor | None, a: Tensor | None) -> tuple[int, int] | None:
    """The shape of B A, None where there is none."""
    if b is None or a is None or b.ndim != 2 or a.ndim != 2 or b.shape[1] != a.shape[0]:
        return None
    return b.shape[0], a.shape[1]


def _check(found: Mapping[str, Tensor], wanted: Mapping[str, nn.Parameter], folder: Path) -> None:
    for name in sorted({*found, *wanted}):
        if name not in found or name not in wanted or found[name].shape != wanted[name].shape:
            raise DataError(f"no head: head.{name} is missing or odd", path=folder / TENSORS)


def _table(folder: Path) -> dict[str, Any]:
    if not (folder / TABLE).exists():
        raise DataError(
            "there is no such file",
            path=folder / TABLE,
            remedy="a head is a folder as coref_model/masked/weights/minilm",
        )
    return disk.read_toml(folder / TABLE)


def _eps(encoder: Encoder) -> float:
    return float(getattr(encoder.network.config, "layer_norm_eps", 1e-12))

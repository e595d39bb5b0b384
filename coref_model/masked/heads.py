"""The masked-LM head, from vectors at masks to log-probabilities of pieces, and its files.

A head of corefmill is a folder: `head.toml` (its encoder, its origin), `head.safetensors` (the head
and any low-rank deltas of the encoder, in half precision), a README.md. Hugging Face models have
the head in their own files.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, linear
from torch.utils.checkpoint import checkpoint

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.names import load_masked_lm, locate_encoder
from corefmill.coref_model.encoder.tensors import read as read_tensors
from corefmill.coref_model.training.checkpoint import restore
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError

# Rows of logits held at once: 1,024 of a vocabulary of 30,522 are 125 MB.
_ROWS = 1024


class _Output(tuple[Tensor, ...]):
    """An encoder's output with nothing but its vectors."""

    def __getattr__(self, name: str) -> Tensor | None:
        return self[0] if name == "last_hidden_state" else None


class _GivenVectors(nn.Module):
    """An encoder that returns the vectors it is given, [1, m, w]."""

    def forward(self, *_: Any, inputs_embeds: Tensor, **__: Any) -> _Output:
        """Return `inputs_embeds` as the last layer's vectors."""
        return _Output((inputs_embeds,))


def take_decoder(network: Any) -> tuple[Tensor, Tensor | None]:
    """Take encoder and decoder out of a Hugging Face *ForMaskedLM, which keeps what is between.

    Returns the decoder's weight, [v, e], and its bias, [v].
    """
    decoder = network.get_output_embeddings()
    weight, bias = decoder.weight, decoder.bias
    setattr(network, network.base_model_prefix, _GivenVectors())
    for module in network.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            if parameter is weight or parameter is bias:
                setattr(module, name, None)
    decoder.forward = lambda vectors: vectors
    return weight, bias


class Head(nn.Module):
    """dense, GELU, layer norm, and a decoder tied to the encoder's word embeddings, with a bias.

    `width` is w of the decoder's vectors, `vocabulary` v. A head of another model has its `layers`
    instead (see `take_decoder`); a decoder that is not tied is in `decoder`, [v, w].
    """

    def __init__(
        self, width: int, vocabulary: int, *, tied: bool = True, layers: Any = None
    ) -> None:
        super().__init__()
        self.layers = layers
        if layers is None:
            self.dense = nn.Linear(width, width)
            self.norm = nn.LayerNorm(width, eps=1e-12)
            self.initialise()
        self.bias = nn.Parameter(torch.zeros(vocabulary))  # [v]
        self.decoder = None if tied else nn.Parameter(torch.zeros(vocabulary, width))  # [v, w]

    def initialise(self, frequencies: Tensor | None = None) -> None:
        """Initialise to about the same answer at every mask: the pieces' own frequencies, [v].

        The dense layer is the identity plus a shift to the part where GELU is nearly linear; the
        layer norm removes the shift. Unseen pieces have the frequency one half.
        """
        with torch.no_grad():
            nn.init.eye_(self.dense.weight)
            self.dense.bias.fill_(2.0)
            self.norm.weight.fill_(0.3)
            self.norm.bias.zero_()
            if frequencies is not None:
                counts = frequencies.to(self.bias) + 0.5
                self.bias.copy_(torch.log(counts / counts.sum()))

    def transform(self, vectors: Tensor) -> Tensor:
        """Transform the encoder's vectors at masks, [m, w], for the decoder, [m, w]."""
        out: Tensor
        if self.layers is None:
            out = self.norm(gelu(self.dense(vectors)))
        else:
            out = self.layers(inputs_embeds=vectors[None]).logits[0]
        return out

    def compute_logits(self, vectors: Tensor, embeddings: Tensor) -> Tensor:
        """Logits over the vocabulary, [m, v], at m masks with vectors [m, w]."""
        return linear(self.transform(vectors), self.choose_decoder(embeddings), self.bias)

    def compute_log_probabilities(
        self, vectors: Tensor, rows: Tensor, pieces: Tensor, embeddings: Tensor
    ) -> Tensor:
        """log P of piece `pieces[i]` at mask `rows[i]`: [p] of vectors [m, w], two [p] indices.

        `embeddings`, [v, w], are the encoder's. The softmax's sum over the vocabulary is computed
        in blocks, once for each mask; the backward pass recomputes blocks instead of keeping them.
        """
        hidden = self.transform(vectors)  # [m, w]
        decoder = self.choose_decoder(embeddings)  # [v, w]
        blocks = hidden.split(_ROWS)
        again = len(blocks) > 1 and torch.is_grad_enabled()
        sums = []
        for block in blocks:
            if again:
                sums.append(checkpoint(_sum_logits, block, decoder, self.bias, use_reentrant=False))
            else:
                sums.append(_sum_logits(block, decoder, self.bias))
        totals = torch.cat(sums) if sums else hidden.new_zeros(0)  # [m]
        own = (hidden[rows] * decoder[pieces]).sum(-1, dtype=torch.float32)  # [p]
        return own + self.bias[pieces].float() - totals[rows]

    def choose_decoder(self, embeddings: Tensor) -> Tensor:
        """Return the head's decoder, [v, w], else the embeddings that it is tied to."""
        return embeddings if self.decoder is None else self.decoder


def _sum_logits(hidden: Tensor, decoder: Tensor, bias: Tensor) -> Tensor:
    """Compute log-sum-exp of the logits over the vocabulary, [m], in float32."""
    return torch.logsumexp(linear(hidden, decoder, bias).float(), dim=-1)


SHIPPED = Path(__file__).parent / "weights"
TABLE, TENSORS = "head.toml", "head.safetensors"
_BASE, _A, _B = "base_model.model.", ".lora_A.weight", ".lora_B.weight"  # of peft's names


@dataclass(frozen=True, slots=True)
class HeadWithDeltas:
    """A head, and the encoder's low-rank `deltas` that it was trained with, by peft's names."""

    head: Head
    deltas: Mapping[str, Tensor]
    source: str


def find_head(encoder: Encoder, folder: str = "") -> HeadWithDeltas:
    """Load the masked-LM head of `encoder`, from `folder`, shipped or from the encoder's files.

    Without any, makes an untrained head (`source` is then "fresh"). Raises `DataError` for a head
    of another encoder, and for files that cannot be read.
    """
    if folder == "fresh":
        return HeadWithDeltas(make_fresh_head(encoder), {}, folder)
    if folder:
        return _read_own(Path(folder), encoder)
    for path in sorted(SHIPPED.glob(f"*/{TABLE}")):
        if _read_table(path.parent).get("fingerprint") == encoder.fingerprint:
            return _read_own(path.parent, encoder)
    try:
        own = locate_encoder(encoder.name)
    except CorefmillError:  # it was not loaded from a folder
        own = None
    found = own and _read_published(own, encoder)
    return found or HeadWithDeltas(make_fresh_head(encoder), {}, "fresh")


def make_head(encoder: Encoder, tensors: Container[str]) -> Head:
    """Make the head whose parameters have these names in a checkpoint, without their values."""
    network = None if "head.dense.weight" in tensors else load_masked_lm(encoder, None)
    if network is None:
        return make_fresh_head(encoder)
    weight, _ = take_decoder(network)
    tied = "head.decoder" not in tensors
    return Head(weight.shape[1], len(weight), tied=tied, layers=network.to_empty(device="cpu"))


def make_fresh_head(encoder: Encoder, frequencies: Tensor | None = None) -> Head:
    """Make an untrained head for `encoder`, with the pieces' `frequencies`, [v].

    Raises `UsageError` if the decoder cannot be tied to the encoder's embeddings."""
    embeddings = encoder.word_embeddings
    if embeddings.shape[1] != encoder.width:
        raise UsageError(
            f"{encoder.name} has embeddings of width {embeddings.shape[1]} and vectors of"
            f" {encoder.width}: no head can be tied to them",
            remedy="take an encoder whose embeddings are as wide as its layers",
        )
    head = Head(encoder.width, len(embeddings))
    head.norm.eps = float(getattr(encoder.network.config, "layer_norm_eps", 1e-12))
    head.initialise(frequencies)
    return head


def merge_deltas(encoder: Encoder, deltas: Mapping[str, Tensor]) -> None:
    """Add low-rank `deltas` to the encoder's weights: W + B A, which the head was trained on."""
    with torch.no_grad():
        for name, a in deltas.items():
            if name.endswith(_A):
                layer = encoder.network.get_submodule(name.removeprefix(_BASE).removesuffix(_A))
                layer.weight.add_(deltas[name.replace(_A, _B)] @ a)  # [out, r] @ [r, in]


def _read_own(folder: Path, encoder: Encoder) -> HeadWithDeltas:
    """Read a head and its LoRA deltas from a folder of corefmill, checked against the encoder."""
    table = _read_table(folder)
    if table.get("fingerprint") != encoder.fingerprint:
        raise DataError(
            f"this head was trained with the encoder {table.get('encoder', '?')}; this is another,"
            f" {encoder.name}",
            path=folder / TABLE,
            remedy="name the encoder that the head was trained with",
        )
    tensors, _ = read_tensors(folder / TENSORS)
    head = make_fresh_head(encoder)
    own = {name.removeprefix("head."): t for name, t in tensors.items() if name[:5] == "head."}
    restore(head, own, folder / TENSORS)
    deltas = {name: t.float() for name, t in tensors.items() if name.startswith(_BASE)}
    layers = dict(encoder.network.named_modules())
    for name in deltas:
        stem = name.removesuffix(_A).removesuffix(_B)
        b, a = deltas.get(stem + _B), deltas.get(stem + _A)
        shapes = () if b is None or a is None else (tuple(b.shape), tuple(a.shape))
        weight = getattr(layers.get(stem.removeprefix(_BASE)), "weight", torch.empty(0, 0))
        rank = shapes[1][:1] if shapes else ()
        if shapes != ((len(weight), *rank), (*rank, weight.shape[-1])):
            raise DataError(
                f"the head's delta {name} fits no weight of {encoder.name}", path=folder / TENSORS
            )
    return HeadWithDeltas(head, deltas, str(table.get("name", folder.name)))


def _read_published(folder: Path, encoder: Encoder) -> HeadWithDeltas | None:
    """Read the head from the files of a Hugging Face *ForMaskedLM model; None for other models."""
    network = load_masked_lm(encoder, folder)
    if network is None:
        return None
    weight, bias = take_decoder(network)
    tied = torch.equal(weight, encoder.word_embeddings)
    head = Head(weight.shape[1], len(weight), tied=tied, layers=network)
    with torch.no_grad():
        if head.decoder is not None:
            head.decoder.copy_(weight)
        if bias is not None:
            head.bias.copy_(bias)
        try:
            head.transform(weight.new_zeros(1, encoder.width))
        except (AttributeError, RuntimeError, TypeError):  # MobileBERT's layers use its decoder
            return None
    return HeadWithDeltas(head, {}, "Hugging Face")


def _read_table(folder: Path) -> dict[str, Any]:
    """Read head.toml of a head's folder."""
    if not (folder / TABLE).exists():
        raise DataError(
            f"the folder of a masked-LM head has no {TABLE}",
            path=folder / TABLE,
            remedy="name a folder such as coref_model/masked/weights/minilm",
        )
    return disk.read_toml(folder / TABLE)

"""The masked-LM head, from vectors at masks to log-probabilities of pieces, and its files.

A head of corefmill is a folder: `head.toml` (its encoder, its origin), `head.safetensors` (the head
and any low-rank deltas of the encoder, in half precision), a README.md. Hugging Face models have
the head in their own files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn
from torch.nn.functional import gelu, linear
from torch.utils.checkpoint import checkpoint

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.names import locate_encoder
from corefmill.coref_model.encoder.tensors import read as read_tensors
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError

# Rows of logits held at once: 1,024 of a vocabulary of 30,522 are 125 MB.
_ROWS = 1024

# The names of a head's parts in Hugging Face's *ForMaskedLM models. An untied decoder is read,
# too, with its bias if any.
_LAYOUTS: dict[str, dict[str, str]] = {
    "BERT": {
        "dense.weight": "cls.predictions.transform.dense.weight",
        "dense.bias": "cls.predictions.transform.dense.bias",
        "norm.weight": "cls.predictions.transform.LayerNorm.weight",
        "norm.bias": "cls.predictions.transform.LayerNorm.bias",
        "bias": "cls.predictions.bias",
        "decoder": "cls.predictions.decoder.weight",
    },
    "RoBERTa": {
        "dense.weight": "lm_head.dense.weight",
        "dense.bias": "lm_head.dense.bias",
        "norm.weight": "lm_head.layer_norm.weight",
        "norm.bias": "lm_head.layer_norm.bias",
        "bias": "lm_head.bias",
        "decoder": "lm_head.decoder.weight",
    },
    "DistilBERT": {
        "dense.weight": "vocab_transform.weight",
        "dense.bias": "vocab_transform.bias",
        "norm.weight": "vocab_layer_norm.weight",
        "norm.bias": "vocab_layer_norm.bias",
        "bias": "vocab_projector.bias",
        "decoder": "vocab_projector.weight",
    },
}


class Head(nn.Module):
    """dense, GELU, layer norm, and a decoder tied to the encoder's word embeddings, with a bias.

    `width` is w of the encoder's vectors, `vocabulary` v. A head of another model whose decoder is
    not tied keeps it in `decoder`, [v, w].
    """

    def __init__(self, width: int, vocabulary: int, *, tied: bool = True) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(vocabulary))  # [v]
        self.decoder = None if tied else nn.Parameter(torch.zeros(vocabulary, width))  # [v, w]
        self.initialise()

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
        out: Tensor = self.norm(gelu(self.dense(vectors)))
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


@dataclass(frozen=True, slots=True)
class HeadWithDeltas:
    """A head with its deltas of the encoder.

    `deltas` are the encoder's low-rank deltas that the head was trained with, by LoRA's names.
    """

    head: Head
    deltas: Mapping[str, Tensor]
    source: str

    @property
    def rank(self) -> int:
        """The rank of the deltas, 0 without."""
        return next((len(t) for name, t in self.deltas.items() if name.endswith(".lora_a")), 0)


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


def make_fresh_head(
    encoder: Encoder, frequencies: Tensor | None = None, *, tied: bool = True
) -> Head:
    """Make an untrained head for `encoder`, with the pieces' `frequencies`, [v].

    Raises `UsageError` if the decoder cannot be tied to the encoder's embeddings."""
    embeddings = encoder.word_embeddings
    if embeddings.shape[1] != encoder.width:
        raise UsageError(
            f"{encoder.name} has embeddings of width {embeddings.shape[1]} and vectors of"
            f" {encoder.width}: no head can be tied to them",
            remedy="take an encoder whose embeddings are as wide as its layers",
        )
    head = Head(encoder.width, len(embeddings), tied=tied)
    head.norm.eps = _read_eps(encoder)
    head.initialise(frequencies)
    return head


def merge_deltas(encoder: Encoder, deltas: Mapping[str, Tensor]) -> None:
    """Add low-rank `deltas` to the encoder's weights: W + B A, which the head was trained on."""
    weights = dict(encoder.named_parameters())
    with torch.no_grad():
        for name, a in deltas.items():
            if name.endswith(".lora_a"):
                stem = name.removesuffix("lora_a")
                weights[stem + "weight"].add_(deltas[stem + "lora_b"] @ a)  # [out, r] @ [r, in]


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
    head = Head(encoder.width, len(encoder.word_embeddings))
    head.norm.eps = _read_eps(encoder)
    own = {name.removeprefix("head."): t for name, t in tensors.items() if name[:5] == "head."}
    wanted = dict(head.named_parameters())
    for name in sorted({*own, *wanted}):
        if name not in own or name not in wanted or own[name].shape != wanted[name].shape:
            raise DataError(
                f"the head's tensor head.{name} is missing, unknown or of the wrong shape",
                path=folder / TENSORS,
            )
        with torch.no_grad():
            wanted[name].copy_(own[name])
    deltas = {
        name.removeprefix("encoder."): t.float()
        for name, t in tensors.items()
        if name.startswith("encoder.")
    }
    weights = {name: tuple(p.shape) for name, p in encoder.named_parameters()}
    for name in deltas:
        stem = name.removesuffix("lora_a").removesuffix("lora_b")
        b, a = deltas.get(stem + "lora_b"), deltas.get(stem + "lora_a")
        shapes = () if b is None or a is None else (tuple(b.shape), tuple(a.shape))
        rows, columns = weights.get(stem + "weight", (0, 0))
        rank = shapes[1][:1] if shapes else ()
        if shapes != ((rows, *rank), (*rank, columns)):
            raise DataError(
                f"the head's delta {name} fits no weight of {encoder.name}", path=folder / TENSORS
            )
    return HeadWithDeltas(head, deltas, str(table.get("name", folder.name)))


def _read_published(folder: Path, encoder: Encoder) -> HeadWithDeltas | None:
    """Read the head from the files of a Hugging Face *ForMaskedLM model; None for other models.

    Raises `DataError` for a head of another size than the encoder's.
    """
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

    embeddings = encoder.word_embeddings  # [v, w]
    for kind, parts in _LAYOUTS.items():
        if not all(name in where for part, name in parts.items() if part != "decoder"):
            continue
        decoder = read(parts["decoder"]) if parts["decoder"] in where else None
        tied = decoder is None or torch.equal(decoder.to(embeddings), embeddings)
        head = Head(embeddings.shape[1], len(embeddings), tied=tied)
        head.norm.eps = _read_eps(encoder)
        own = parts["decoder"].removesuffix("weight") + "bias"
        names = parts | ({"bias": own} if own in where else {})
        with torch.no_grad():
            for part, parameter in head.named_parameters():
                tensor = read(names[part])
                if tensor.shape != parameter.shape:
                    raise DataError(
                        f"{part} of the {kind} head has the shape {list(tensor.shape)}, where the"
                        f" encoder needs {list(parameter.shape)}",
                        path=folder,
                    )
                parameter.copy_(tensor)
        return HeadWithDeltas(head, {}, "Hugging Face")
    return None


def _read_table(folder: Path) -> dict[str, Any]:
    """Read head.toml of a head's folder."""
    if not (folder / TABLE).exists():
        raise DataError(
            f"the folder of a masked-LM head has no {TABLE}",
            path=folder / TABLE,
            remedy="name a folder such as coref_model/masked/weights/minilm",
        )
    return disk.read_toml(folder / TABLE)


def _read_eps(encoder: Encoder) -> float:
    """Read the epsilon of the encoder's layer norms, for the head's."""
    return float(getattr(encoder.network.config, "layer_norm_eps", 1e-12))

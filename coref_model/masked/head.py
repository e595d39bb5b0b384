"""The masked-LM head: from the encoder's vectors at masks to log-probabilities of pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, linear
from torch.utils.checkpoint import checkpoint

from corefmill.corpora.files.errors import DataError

# Rows of logits held at once: 1,024 of a vocabulary of 30,522 are 125 MB.
_ROWS = 1024

# The parts of a head: where Hugging Face's *ForMaskedLM models keep them. A decoder of its own is
# read where it is not the embeddings, and then with its own bias where it has one.
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
        self.fresh()

    def fresh(self, frequencies: Tensor | None = None) -> None:
        """Begins where every mask gets about the same answer: the pieces' own frequencies, [v].

        The dense layer is the identity, moved to where GELU is nearly straight; the layer norm
        takes the shift away again. Pieces never seen count as half a time.
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
        """[m, w] -> [m, w]."""
        out: Tensor = self.norm(gelu(self.dense(vectors)))
        return out

    def logits(self, vectors: Tensor, embeddings: Tensor) -> Tensor:
        """Logits over the vocabulary, [m, v], at m masks with vectors [m, w]."""
        return linear(self.transform(vectors), self._decoder(embeddings), self.bias)

    def log_probabilities(
        self, vectors: Tensor, rows: Tensor, pieces: Tensor, embeddings: Tensor
    ) -> Tensor:
        """log P of piece `pieces[i]` at mask `rows[i]`: [p] of vectors [m, w], two [p] indices.

        `embeddings`, [v, w], are the encoder's. The whole vocabulary is gone through once for
        each mask, in blocks, for the softmax's sum; in training a block is made again in the
        backward pass rather than kept.
        """
        hidden = self.transform(vectors)  # [m, w]
        decoder = self._decoder(embeddings)  # [v, w]
        blocks = hidden.split(_ROWS)
        again = len(blocks) > 1 and torch.is_grad_enabled()
        sums = []
        for block in blocks:
            if again:
                sums.append(checkpoint(_log_sum, block, decoder, self.bias, use_reentrant=False))
            else:
                sums.append(_log_sum(block, decoder, self.bias))
        totals = torch.cat(sums) if sums else hidden.new_zeros(0)  # [m]
        own = (hidden[rows] * decoder[pieces]).sum(-1, dtype=torch.float32)  # [p]
        return own + self.bias[pieces].float() - totals[rows]

    def _decoder(self, embeddings: Tensor) -> Tensor:
        return embeddings if self.decoder is None else self.decoder


def _log_sum(hidden: Tensor, decoder: Tensor, bias: Tensor) -> Tensor:
    """[m, w], [v, w], [v] -> [m]; summed as float32 whatever the vectors are."""
    return torch.logsumexp(linear(hidden, decoder, bias).float(), dim=-1)


def of_huggingface(
    names: Iterator[str] | Mapping[str, object],
    read: Callable[[str], Tensor],
    embeddings: Tensor,
    eps: float,
) -> Head | None:
    """The head of a *ForMaskedLM model, None where the weights of that name are not all there.

    `read` gives a tensor by its name; `embeddings`, [v, w], are the encoder's own. Raises
    `DataError` for a head of another size.
    """
    there = set(names)
    for kind, parts in _LAYOUTS.items():
        if not all(name in there for part, name in parts.items() if part != "decoder"):
            continue
        decoder = read(parts["decoder"]) if parts["decoder"] in there else None
        tied = decoder is None or torch.equal(decoder.to(embeddings), embeddings)
        head = Head(embeddings.shape[1], len(embeddings), tied=tied)
        head.norm.eps = eps
        own = parts["decoder"].removesuffix("weight") + "bias"
        if own in there:
            parts = parts | {"bias": own}
        with torch.no_grad():
            for part, parameter in head.named_parameters():
                tensor = read(parts[part])
                if tensor.shape != parameter.shape:
                    raise DataError(
                        f"a {kind} head whose {part} is {list(tensor.shape)}, where the encoder"
                        f" needs {list(parameter.shape)}"
                    )
                parameter.copy_(tensor)
        return head
    return None

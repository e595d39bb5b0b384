"""The score of every candidate span as a mention, without a vector for each of them.

A hidden layer over [first; last; attended head; width] is a sum of four terms. Its first two are
products of single pieces, and the third is the attention's mean of products of single words; so
each matrix product is done once a word and not once a span.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class MentionScorer(nn.Module):
    """s_m of Lee et al. 2018, one hidden layer.

    `width` w is the encoder's, `hidden` h, `most` the words of the longest candidate; `attention`
    says whether there is a head in the representation.
    """

    def __init__(
        self, width: int, *, hidden: int, most: int, dropout: float, attention: bool
    ) -> None:
        super().__init__()
        self.most = most
        self.first = nn.Linear(width, hidden)
        self.last = nn.Linear(width, hidden, bias=False)
        self.head = nn.Linear(width, hidden, bias=False) if attention else None
        self.widths = nn.Embedding(most, hidden)
        self.prior = nn.Embedding(most, 1)
        self.out = nn.Linear(hidden, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Tensor,  # [n, w] pieces
        logits: Tensor | None,  # [n] attention of each piece
        first: Tensor,  # [t] first piece of each word
        last: Tensor,  # [t] last piece
        starts: Tensor,  # [c] words, in order
        ends: Tensor,  # [c] words, exclusive
    ) -> Tensor:  # [c]
        begins, finishes = self.first(x[first]), self.last(x[last])  # [t, h]
        heads = None
        if self.head is not None:
            assert logits is not None
            heads = _Heads(*by_word(self.head(x), logits, first, last))
        t = len(first)
        # One mask a word, not a span: random numbers take longer than what they hide.
        mask = self.dropout(x.new_ones(t, begins.shape[1]))  # [t, h]
        columns = []
        # Spans of a width at a time: what is made of them stays in the processor's cache, and no
        # gradient is gathered from all over.
        for width in range(min(self.most, t)):
            n = t - width
            layer = begins[:n] + finishes[width:] + self.widths.weight[width]  # [n, h]
            if heads is not None:
                layer = layer + heads.longer(width)
            scores = self.out(torch.relu(layer) * mask[:n]) + self.prior.weight[width]  # [n, 1]
            columns.append(functional.pad(scores.squeeze(-1), (0, width)))
        every = torch.stack(columns, 1)  # [t, most]
        return every[starts, ends - starts - 1].to(self.prior.weight.dtype)


class _Heads:
    """Means of words by attention over windows that grow by a word at a time.

    `mean` [t, h] and `weight` [t] as `by_word` gives them; the sums are scaled by the largest
    weight so far, so that none overflows.
    """

    def __init__(self, mean: Tensor, weight: Tensor) -> None:
        self.mean, self.weight = mean, weight
        self.top = weight.detach()
        share = torch.exp(weight - self.top)[:, None]
        self.sum, self.total = mean * share, share  # [n, h], [n, 1]

    def longer(self, width: int) -> Tensor:  # [n, h]
        """Means of the windows of `width` + 1 words, asked for from 0 on in turn."""
        if width:
            n = len(self.mean) - width
            new = self.weight[width:]
            top = torch.maximum(self.top[:n], new.detach())
            old = torch.exp(self.top[:n] - top)[:, None]
            share = torch.exp(new - top)[:, None]
            self.sum = self.sum[:n] * old + self.mean[width:] * share
            self.total = self.total[:n] * old + share
            self.top = top
        return self.sum / self.total


def by_word(
    values: Tensor,  # [n, h] pieces
    logits: Tensor,  # [n]
    first: Tensor,  # [t]
    last: Tensor,  # [t]
) -> tuple[Tensor, Tensor]:
    """Each word's mean of its pieces by attention [t, h], and the logarithm of its weight [t]."""
    lengths = last - first + 1
    owner = torch.repeat_interleave(torch.arange(len(first), device=first.device), lengths)
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    top = logits.new_full((len(first),), torch.finfo(logits.dtype).min)
    top = top.scatter_reduce(0, owner, logits.detach(), "amax")
    share = torch.exp(logits - top[owner])  # [n]
    total = torch.zeros_like(top).index_add(0, owner, share)  # [t]
    share = (share / total[owner]).to(values.dtype)
    mean = values.new_zeros(len(first), values.shape[1]).index_add(
        0, owner, values * share[:, None]
    )
    return mean, top + total.log()

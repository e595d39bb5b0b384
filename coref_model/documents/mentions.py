"""The score of every candidate span as a mention, without a vector for each of them.

A hidden layer over [first; last; attended head; width] is a sum of four terms. Its first two are
products of single pieces, and the third is the attention's mean of products of single words; so
each matrix product is done once a word and not once a span.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


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
        widths = ends - starts - 1  # [c]
        layer = self.first(x[first])[starts] + self.last(x[last])[ends - 1]  # [c, h]
        layer = layer + self.widths(widths)
        if self.head is not None:
            assert logits is not None
            heads = self._heads(self.head(x), logits, first, last)  # [t, most, h]
            layer = layer + heads[starts, widths]
        # One mask a word, not a span: random numbers take longer than what they hide.
        mask = self.dropout(x.new_ones(len(first), layer.shape[1]))  # [t, h]
        scores: Tensor = self.out(torch.relu(layer) * mask[starts]) + self.prior(widths)  # [c, 1]
        return scores.squeeze(-1).to(self.prior.weight.dtype)

    def _heads(self, values: Tensor, logits: Tensor, first: Tensor, last: Tensor) -> Tensor:
        """The attention's mean over the words from each word on, by their number: [t, most, h]."""
        mean, weight = by_word(values, logits, first, last)  # [t, h], [t]
        t, h = mean.shape
        most = self.most
        pad = mean.new_zeros(most - 1, h)
        windows = torch.cat([mean, pad]).unfold(0, most, 1).transpose(1, 2)  # [t, most, h]
        low = torch.finfo(weight.dtype).min
        ahead = torch.cat([weight, weight.new_full((most - 1,), low)]).unfold(0, most, 1)
        beyond = torch.ones(most, most, dtype=torch.bool, device=mean.device).triu(1)
        spread = ahead[:, None, :].expand(t, most, most).masked_fill(beyond, low)
        return torch.bmm(spread.softmax(-1).to(windows.dtype), windows)


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

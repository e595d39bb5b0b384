"""What the ranking learns from: the marginal log-likelihood of the right antecedents."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from corefmill.coref_model.documents.ranking import Ranked


def antecedents(
    ranked: Ranked,
    gold: Tensor,
    missed: float = 0.0,
    weights: Tensor | None = None,
    *,
    partial: bool = False,
) -> Tensor:
    """-log of the probability of all right antecedents together, summed over the m spans.

    `gold` [m] is each span's cluster, -1 for none. Where none of a span's candidates is right,
    having no antecedent is (Lee et al. 2017, section 4). Where one is, having none is scored
    `missed` higher than it is while the model learns (Durrett and Klein 2013, section 2.2).
    Each span's loss is multiplied by its own of `weights` [m], where there are any. Where the
    annotation is `partial`, annotated candidates alone compete, and a span counts only if one of
    them is right, or if it is the first of its cluster.
    """
    possible = ranked.scores > -torch.inf  # [m, k]
    if partial:
        possible = possible & (gold[ranked.antecedents] >= 0)
    scores = ranked.scores.masked_fill(~possible, -torch.inf)
    scores = functional.pad(scores, (1, 0))  # [m, 1 + k], the first is no antecedent
    right = (gold[:, None] >= 0) & (gold[ranked.antecedents] == gold[:, None]) & possible
    none = ~right.any(1, keepdim=True)  # [m, 1]
    right = torch.cat([none, right], dim=1)  # [m, 1 + k]
    if missed:
        scores = torch.cat([scores[:, :1].masked_fill(~none, missed), scores[:, 1:]], dim=1)
    wanted = scores.masked_fill(~right, -torch.inf).logsumexp(1)
    lost = scores.logsumexp(1) - wanted  # [m]
    if partial:
        again = (gold[:, None] == gold).tril(-1).any(1)  # [m] another of its cluster is before it
        lost = lost * ((gold >= 0) & ~(again & none.squeeze(1)))
    return (lost if weights is None else weights * lost).sum()


def mentions(scores: Tensor, gold: Tensor, weights: Tensor | None = None) -> Tensor:
    """Cross-entropy of being a mention, summed over the c candidates; `gold` and `weights` [c] as
    above."""
    return functional.binary_cross_entropy_with_logits(
        scores, (gold >= 0).to(scores.dtype), weights, reduction="sum"
    )

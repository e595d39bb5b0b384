"""Score candidate spans as mentions, and antecedents coarsely, then finely.

A hidden layer over [first; last; attended head; width] is a sum of four terms. The first two are
products of single pieces, and the third is the attention's mean of products of single words. So
each matrix product is computed once a word and not once a span. The coarse score is computed for
every pair, the fine score for the best few antecedents of each span.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from corefmill.coref_model.documents.surface import PairSurface, Strings
from corefmill.coref_model.pairs.scorer import PairScorer


class MentionScorer(nn.Module):
    """s_m of Lee et al. 2018, one hidden layer.

    `width` is the encoder's w, `hidden` the layer's h, `most` the words of the longest candidate;
    `attention` says whether the representation has an attended head.
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
            heads = _Heads(*average_words(self.head(x), logits, first, last))
        t = len(first)
        # One mask a word, not a span: random numbers take longer than the products they hide.
        mask = self.dropout(x.new_ones(t, begins.shape[1]))  # [t, h]
        columns = []
        # Spans of one width at a time: their tensors stay in the processor's cache, and gradients
        # are not gathered from distant memory.
        for width in range(min(self.most, t)):
            n = t - width
            layer = begins[:n] + finishes[width:] + self.widths.weight[width]  # [n, h]
            if heads is not None:
                layer = layer + heads.widen(width)
            scores = self.out(torch.relu(layer) * mask[:n]) + self.prior.weight[width]  # [n, 1]
            columns.append(functional.pad(scores.squeeze(-1), (0, width)))
        every = torch.stack(columns, 1)  # [t, most]
        return every[starts, ends - starts - 1].to(self.prior.weight.dtype)


class _Heads:
    """Means of words by attention over windows growing by a word at a time.

    `mean` [t, h] and `weight` [t] are the results of `average_words`. The sums are scaled by the
    largest weight so far, so that none overflows.
    """

    def __init__(self, mean: Tensor, weight: Tensor) -> None:
        self.mean, self.weight = mean, weight
        self.top = weight.detach()
        share = torch.exp(weight - self.top)[:, None]
        self.sum, self.total = mean * share, share  # [n, h], [n, 1]

    def widen(self, width: int) -> Tensor:  # [n, h]
        """Average the windows of `width` + 1 words; called with each width in turn from 0."""
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


def average_words(
    values: Tensor,  # [n, h] pieces
    logits: Tensor,  # [n]
    first: Tensor,  # [t]
    last: Tensor,  # [t]
) -> tuple[Tensor, Tensor]:
    """Average each word's pieces by attention, [t, h], with the logarithm of its weight, [t]."""
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


BORDERS = (1, 2, 3, 4, 5, 8, 16, 32, 64)
"""The first distances of the second bucket and of each later one (Lee et al. 2018)."""
BUCKETS = len(BORDERS) + 1

REACH = 3000
"""Number of spans before a block of spans that can be their antecedents, some 10,000 words: so the
time for a long document grows linearly."""

UNKNOWN, OTHER, SAME = range(3)
"""Relations of the speakers of two spans."""


@dataclass(frozen=True, slots=True)
class SpanFeatures:
    """The m ranked spans, in order."""

    vectors: Tensor  # [m, d]
    scores: Tensor  # [m] as mentions
    speakers: Tensor  # [m] -1 where not known
    genre: Tensor  # [] number of the document's genre
    strings: Strings | None = None
    convention: Tensor | None = None  # [] number of the document's convention


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidate antecedents of b spans: the k best by the coarse score, best first.

    A span with fewer spans before it has entries with score -inf.
    """

    antecedents: Tensor  # [b, k] numbers of spans
    scores: Tensor  # [b, k]; no antecedent has score 0


GENRES = 512
"""Rows of the table of genres, which is looked up by a checksum of the genre's name."""


class Ranker(nn.Module):
    """s(i, j) = s_m(i) + s_m(j) + s_c(i, j) + s_a(i, j) (Lee et al. 2018, section 4).

    `width` d is that of a span's vector; the fine scorer sees [g_i; g_j; g_i * g_j; features].
    """

    def __init__(
        self,
        width: int,
        *,
        hidden: int,
        antecedents: int,
        genre: bool,
        speakers: bool,
        surface: bool,
        dropout: float,
        conventions: int = 0,
    ) -> None:
        super().__init__()
        self.antecedents = antecedents
        self.coarse = nn.Linear(width, width)
        self.prior = nn.Embedding(BUCKETS, 1)
        self.pairs = PairScorer(width, hidden)
        self.distance = nn.Embedding(BUCKETS, hidden)
        self.speaker = nn.Embedding(3, hidden) if speakers else None
        self.genre = nn.Embedding(GENRES, hidden) if genre else None
        if self.genre is not None:
            nn.init.zeros_(self.genre.weight)  # so that an unknown genre adds nothing
        self.convention = nn.Embedding(conventions, hidden) if conventions > 1 else None
        self.surface = PairSurface(hidden) if surface else None
        self.dropout = nn.Dropout(dropout)

    def forward(self, spans: SpanFeatures, start: int = 0, end: int | None = None) -> Ranked:
        """Rank candidate antecedents of the spans [start, end), from `REACH` spans before them.

        Memory grows with (end - start) * m; call with small blocks to bound it.
        """
        m = len(spans.scores)
        end = m if end is None else end
        device = spans.scores.device
        rows = torch.arange(start, end, device=device)  # [b]
        low = max(0, start - REACH)
        columns = torch.arange(low, max(end - 1, 1), device=device)  # [a] all that can be before
        gap = rows[:, None] - columns  # [b, a]
        source = self.dropout(self.coarse(spans.vectors[rows]))  # [b, d]
        coarse = source @ self.dropout(spans.vectors[columns]).T  # [b, a]
        coarse = coarse.to(spans.scores.dtype)
        prior = self.prior(number_buckets(torch.arange(end - low, device=device))).squeeze(-1)
        coarse = coarse + prior[gap.clamp(min=0)]
        coarse = coarse + spans.scores[rows, None] + spans.scores[columns]
        if self.surface is not None:
            assert spans.strings is not None
            coarse = coarse + self.surface.score_coarsely(spans.strings, rows, columns)
        coarse = coarse.masked_fill(gap <= 0, -torch.inf)
        scores, found = coarse.topk(min(self.antecedents, len(columns)), dim=1)  # [b, k]
        found = found + low
        possible = found < rows[:, None]  # [b, k]
        first = rows[:, None].expand_as(found)[possible]  # [p]
        second = found[possible]  # [p]
        fine = torch.zeros_like(scores)
        fine[possible] = self._score_finely(spans, first, second).to(fine.dtype)
        return Ranked(found, scores + fine)

    def _score_finely(self, spans: SpanFeatures, first: Tensor, second: Tensor) -> Tensor:  # [p]
        """Score p pairs of spans finely, by their vectors and features."""
        near = number_buckets(first - second)
        features = self.distance(near)  # [p, h]
        if self.speaker is not None:
            speakers = compare_speakers(spans.speakers[first], spans.speakers[second])
            features = features + self.speaker(speakers)
        if self.genre is not None:
            features = features + self.genre(spans.genre)
        if self.convention is not None:
            assert spans.convention is not None
            features = features + self.convention(spans.convention)
        written: Tensor | int = 0
        if self.surface is not None:
            assert spans.strings is not None
            own, written = self.surface(spans.strings, first, second, near)  # [p, h], [p]
            features = features + own
        scores: Tensor = self.pairs(self.dropout(spans.vectors), first, second, features)
        return scores + written


def number_buckets(distance: Tensor) -> Tensor:
    """Number the bucket of each distance between spans, by `BORDERS`."""
    borders = torch.tensor(BORDERS, device=distance.device)
    return torch.bucketize(distance, borders, right=True)


def compare_speakers(one: Tensor, other: Tensor) -> Tensor:
    """Classify pairs of speakers: UNKNOWN if one of them is unknown, else SAME or OTHER."""
    known = (one >= 0) & (other >= 0)
    return torch.where(known, torch.where(one == other, SAME, OTHER), UNKNOWN)

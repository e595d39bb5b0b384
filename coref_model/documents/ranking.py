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

from corefmill.coref_model.documents.inputs import DocumentSettings
from corefmill.coref_model.documents.surface import PairSurface, Strings
from corefmill.coref_model.pairs.scorer import PairScorer, average_spans


class MentionScorer(nn.Module):
    """s_m of Lee et al. 2018, one hidden layer of h units; `width` is the encoder's w."""

    def __init__(self, width: int, settings: DocumentSettings) -> None:
        super().__init__()
        hidden, self.most = settings.hidden, settings.max_width
        self.first = nn.Linear(width, hidden)
        self.last = nn.Linear(width, hidden, bias=False)
        self.head = nn.Linear(width, hidden, bias=False)
        self.widths = nn.Embedding(self.most, hidden)
        self.prior = nn.Embedding(self.most, 1)
        self.out = nn.Linear(hidden, 1)
        self.dropout = nn.Dropout(settings.dropout)

    def forward(
        self,
        x: Tensor,  # [n, w] pieces
        logits: Tensor,  # [n] attention of each piece
        first: Tensor,  # [t] first piece of each word
        last: Tensor,  # [t] last piece
        starts: Tensor,  # [c] words, in order
        ends: Tensor,  # [c] words, exclusive
    ) -> Tensor:  # [c]
        begins, finishes = self.first(x[first]), self.last(x[last])  # [t, h]
        # Means of words by attention, and the logarithms of their weights.
        words, weights = average_spans(self.head(x), logits, first, last + 1)  # [t, h], [t]
        heads, total = words, weights
        t = len(first)
        # One mask a word, not a span: random numbers take longer than the products they hide.
        mask = self.dropout(x.new_ones(t, begins.shape[1]))  # [t, h]
        columns = []
        # Spans of one width at a time: their tensors stay in the processor's cache, and gradients
        # are not gathered from distant memory.
        for width in range(min(self.most, t)):
            n = t - width
            if width:  # each window grows by the word behind it
                wider = torch.logaddexp(total[:n], weights[width:])  # [n]
                old, new = (total[:n] - wider).exp(), (weights[width:] - wider).exp()
                heads = heads[:n] * old[:, None] + words[width:] * new[:, None]  # [n, h]
                total = wider
            layer = begins[:n] + finishes[width:] + self.widths.weight[width] + heads  # [n, h]
            scores = self.out(torch.relu(layer) * mask[:n]) + self.prior.weight[width]  # [n, 1]
            columns.append(functional.pad(scores.squeeze(-1), (0, width)))
        every = torch.stack(columns, 1)  # [t, most]
        return every[starts, ends - starts - 1].to(self.prior.weight.dtype)


BORDERS = (1, 2, 3, 4, 5, 8, 16, 32, 64)
"""The first distances of the second bucket and of each later one (Lee et al. 2018)."""
BUCKETS = len(BORDERS) + 1

REACH = 3000
"""Number of spans before a block of spans that can be their antecedents, some 10,000 words: so the
time for a long document grows linearly."""


@dataclass(frozen=True, slots=True)
class SpanFeatures:
    """The m ranked spans, in order."""

    vectors: Tensor  # [m, d]
    scores: Tensor  # [m] as mentions
    speakers: Tensor  # [m] -1 where not known
    genre: Tensor  # [] number of the document's genre
    convention: Tensor  # [] number of the document's convention
    strings: Strings | None


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

    def __init__(self, width: int, settings: DocumentSettings) -> None:
        super().__init__()
        hidden, conventions = settings.hidden, len(settings.conventions)
        self.antecedents = settings.antecedents
        self.coarse = nn.Linear(width, width)
        self.prior = nn.Embedding(BUCKETS, 1)
        self.pairs = PairScorer(width, hidden)
        self.distance = nn.Embedding(BUCKETS, hidden)
        self.speaker = nn.Embedding(3, hidden)  # of two spans: unknown, other or same
        self.genre = nn.Embedding(GENRES, hidden) if settings.genre else None
        if self.genre is not None:
            nn.init.zeros_(self.genre.weight)  # so that an unknown genre adds nothing
        self.convention = nn.Embedding(conventions, hidden) if conventions > 1 else None
        self.surface = PairSurface(hidden) if settings.surface else None
        self.dropout = nn.Dropout(settings.dropout)

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
        near = number_buckets(first - second)
        one, other = spans.speakers[first], spans.speakers[second]
        speakers = ((one >= 0) & (other >= 0)).long() * (1 + (one == other).long())
        features = self.distance(near) + self.speaker(speakers)  # [p, h]
        if self.genre is not None:
            features = features + self.genre(spans.genre)
        if self.convention is not None:
            features = features + self.convention(spans.convention)
        written: Tensor | int = 0
        if self.surface is not None:
            assert spans.strings is not None
            own, written = self.surface(spans.strings, first, second, near)  # [p, h], [p]
            features = features + own
        pairs = self.pairs(self.dropout(spans.vectors), first, second, features) + written  # [p]
        fine = torch.zeros_like(scores)
        fine[possible] = pairs.to(fine.dtype)
        return Ranked(found, scores + fine)


def number_buckets(distance: Tensor) -> Tensor:
    """Number the bucket of each distance between spans, by `BORDERS`."""
    borders = torch.tensor(BORDERS, device=distance.device)
    return torch.bucketize(distance, borders, right=True)

"""Scores of antecedents: a coarse one of every pair, a fine one of the best few of each span."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from corefmill.coref_model.documents.surface import PairSurface, Strings
from corefmill.coref_model.pairwise.scorer import PairScorer

BORDERS = (1, 2, 3, 4, 5, 8, 16, 32, 64)
"""Where the second bucket of distances begins, and each after it (Lee et al. 2018)."""
BUCKETS = len(BORDERS) + 1

REACH = 3000
"""Spans before a block of spans that can be their antecedents: some 10,000 words, so that the time
of a long document grows with its length alone."""

UNKNOWN, OTHER, SAME = range(3)
"""What two spans' speakers are to each other."""


@dataclass(frozen=True, slots=True)
class SpanFeatures:
    """The m spans that are ranked, in order."""

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
            nn.init.zeros_(self.genre.weight)  # so that a genre never met says nothing
        self.convention = nn.Embedding(conventions, hidden) if conventions > 1 else None
        self.surface = PairSurface(hidden) if surface else None
        self.dropout = nn.Dropout(dropout)

    def forward(self, spans: SpanFeatures, start: int = 0, end: int | None = None) -> Ranked:
        """The spans [start, end), all by default, against those before them, `REACH` at least.

        Memory grows with (end - start) * m, so that blocks of rows bound it.
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
        coarse = coarse + self.prior(bucket(gap.clamp(min=0))).squeeze(-1)
        coarse = coarse + spans.scores[rows, None] + spans.scores[columns]
        if self.surface is not None:
            assert spans.strings is not None
            coarse = coarse + self.surface.before(spans.strings, rows, columns)
        coarse = coarse.masked_fill(gap <= 0, -torch.inf)
        scores, found = coarse.topk(min(self.antecedents, len(columns)), dim=1)  # [b, k]
        found = found + low
        possible = found < rows[:, None]  # [b, k]
        first = rows[:, None].expand_as(found)[possible]  # [p]
        second = found[possible]  # [p]
        fine = torch.zeros_like(scores)
        fine[possible] = self._fine(spans, first, second).to(fine.dtype)
        return Ranked(found, scores + fine)

    def _fine(self, spans: SpanFeatures, first: Tensor, second: Tensor) -> Tensor:  # [p]
        near = bucket(first - second)
        features = self.distance(near)  # [p, h]
        if self.speaker is not None:
            speakers = relation(spans.speakers[first], spans.speakers[second])
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


def bucket(distance: Tensor) -> Tensor:
    """The number of the bucket of each distance."""
    borders = torch.tensor(BORDERS, device=distance.device)
    return torch.bucketize(distance, borders, right=True)


def relation(one: Tensor, other: Tensor) -> Tensor:
    """UNKNOWN where either speaker is, SAME or OTHER."""
    known = (one >= 0) & (other >= 0)
    return torch.where(known, torch.where(one == other, SAME, OTHER), UNKNOWN)

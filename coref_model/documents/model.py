"""Rank antecedents from coarse to fine over an encoder (Lee et al. 2018).

Every span of words up to a width is scored as a mention. The best spans that do not cross, a share
of the number of words, get a vector each. A bilinear score chooses the best earlier spans for each,
which the fine score then compares with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from corefmill.coref_model.documents.agreement import (
    NONE,
    Traits,
    choose_links,
    find_traits,
    join_links,
)
from corefmill.coref_model.documents.inputs import (
    DocumentInput,
    DocumentSettings,
    Span,
    choose_spans,
    make_input,
    with_clusters,
)
from corefmill.coref_model.documents.ranking import (
    GENRES,
    REACH,
    MentionScorer,
    Ranked,
    Ranker,
    SpanFeatures,
)
from corefmill.coref_model.documents.surface import SHAPES, MentionSurface, Strings, find_names
from corefmill.coref_model.encoder.encoder import Encoder, encode_segments, has_bf16
from corefmill.coref_model.pairs.scorer import SpanVectors
from corefmill.corpora.records import Document


def antecedent_loss(
    ranked: Ranked,
    gold: Tensor,
    missed: float = 0.0,
    weights: Tensor | None = None,
    *,
    partial: bool = False,
) -> Tensor:
    """Sum over the m spans -log of the probability of all right antecedents together.

    `gold` [m] is each span's cluster, -1 for none. If no candidate of a span is right, the right
    answer is no antecedent (Lee et al. 2017, section 4). If one is right, no antecedent gets
    `missed` added to its score in training (Durrett and Klein 2013, section 2.2). `weights` [m], if
    given, multiply the losses of the spans. If the annotation is `partial`, only annotated
    candidates compete, and a span counts only if one of them is right, or if it is the first of its
    cluster.
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


def mention_loss(scores: Tensor, gold: Tensor, weights: Tensor | None = None) -> Tensor:
    """Sum the cross-entropy of being a mention over c candidates, with `gold`, `weights` [c]."""
    return functional.binary_cross_entropy_with_logits(
        scores, (gold >= 0).to(scores.dtype), weights, reduction="sum"
    )


WIDTH_FEATURE = 20

FEWEST = 40
"""Least number of spans to rank in a document, since everyday texts have two to three times as many
mentions a word as novels."""

SpanScores = dict[str, float]
"""A span's probability of being a `mention`, and of a `link` to its cluster's `antecedent`."""

_WORDS = 2000
"""Words of a block, whose candidates are scored at once in prediction."""
_ROWS = 8192
"""Rows of vectors, of pieces or spans, that are made at once: no more than documents to learn from
have."""
_PAIRS = 2_000_000
"""Pairs of spans whose coarse scores are in memory at once in prediction."""


class DocumentModel(nn.Module):
    """The encoder and the scorers; x [n, w] are the encoder's vectors of a document's n pieces.

    `singletons` says that clusters of one mention are predicted, and is saved with the parameters.
    Documents without a convention are marked by `convention`, by default the first of the settings.
    Links less probable than `min_confidence` are not made. If `with_scores`, an answer has
    `meta["scores"]`: for each mention of each cluster its probability (`mention`), and the
    probability of its `link` to the cluster's mention number `antecedent`, if any.
    """

    singletons: Tensor
    convention: str | None = None
    min_confidence = 0.0
    with_scores = False

    def __init__(self, encoder: Encoder, settings: DocumentSettings) -> None:
        super().__init__()
        self.encoder = encoder
        self.settings = settings
        width = encoder.width
        self.norm = nn.LayerNorm(width)  # encoders differ much in how long their vectors are
        conventions = len(settings.conventions)
        # What a word's shape and the convention add to its pieces: many encoders see no capitals.
        self.marks = nn.Embedding(SHAPES * max(1, conventions), width) if settings.surface else None
        if self.marks is not None:
            nn.init.zeros_(self.marks.weight)
        self.represent = SpanVectors(width)
        self.widths = nn.Embedding(settings.max_width, WIDTH_FEATURE)
        self.mentions = MentionScorer(width, settings)
        self.surface = MentionSurface(conventions) if settings.surface else None
        size = self.represent.size + WIDTH_FEATURE
        self.narrow = nn.Linear(size, settings.pair_width) if settings.pair_width else nn.Identity()
        self.ranker = Ranker(settings.pair_width or size, settings)
        self.dropout = nn.Dropout(settings.dropout)
        self.register_buffer("singletons", torch.tensor(settings.singletons == "keep"))

    def forward(self, document: Document) -> Document:
        """Predict the document's clusters; no gradient, and bf16 where a processor has it."""
        one = self.make_input(document)
        device = self.encoder.device.type
        with torch.no_grad():
            with torch.autocast(device, torch.bfloat16, enabled=has_bf16(device)):
                x = self.encode(one)
            return self.answer(document, one, x.to(self.norm.weight.dtype))

    def answer(self, document: Document, one: DocumentInput, x: Tensor) -> Document:
        """Predict the document's clusters from its input and encoding."""
        clusters, scores = self.predict_clusters(one, x)
        made = with_clusters(document, clusters)
        return replace(made, meta={**made.meta, "scores": scores}) if self.with_scores else made

    def make_input(
        self, document: Document, weights: Sequence[float] | None = None
    ) -> DocumentInput:
        """Convert a document to the model's input, with `weights` of its sentences in training."""
        if self.convention and "convention" not in document.meta:
            document = replace(document, meta={**document.meta, "convention": self.convention})
        return make_input(document, self.encoder.pieces, self.settings, weights)

    def encode(self, document: DocumentInput) -> Tensor:  # [n, w]
        """Encode the document's pieces, in segments if it is long."""
        length = self.encoder.choose_length("segment", self.settings.segment)
        return encode_segments(
            self.encoder, document.ids, length=length, overlap=self.settings.overlap
        )

    def scale(self, document: DocumentInput, x: Tensor) -> Tensor:  # [n, w]
        """Normalise the encoder's vectors for the scorers, and mark them by shape."""
        scaled: Tensor = self.norm(x)
        if self.marks is not None:
            shapes = np.repeat(document.written.shapes, document.last - document.first + 1)  # [n]
            rows = torch.as_tensor(shapes + SHAPES * document.convention, device=x.device)
            for at in range(0, len(x), _ROWS):
                scaled[at : at + _ROWS] += self.marks(rows[at : at + _ROWS])
        return scaled

    def loss(self, document: DocumentInput, x: Tensor) -> tuple[Tensor, int]:
        """Compute a document's loss, a sum over the ranked spans, and count these spans.

        In a partly annotated document only the marked spans count. A span counts by its weight in
        the sum, but as one in the number: otherwise a document with small weights only would teach
        as much as any other.
        """
        x = self.dropout(self.scale(document, x))
        scores = self.score_mentions(document, x)
        kept = self.choose_ranked(document, scores)
        gold = torch.from_numpy(document.gold).to(x.device)
        ranked = self.ranker(self.represent_spans(document, x, scores, kept))
        chosen = torch.from_numpy(kept).to(x.device)
        weights = chosen_weights = None
        if document.weights is not None:
            weights = torch.from_numpy(document.weights).to(scores)
            chosen_weights = weights[chosen]
        total = antecedent_loss(
            ranked, gold[chosen], self.settings.missed, chosen_weights, partial=document.partial
        )
        if self.settings.mention_loss and not document.partial:
            total = total + self.settings.mention_loss * mention_loss(scores, gold, weights)
        return total, int((gold[chosen] >= 0).sum()) if document.partial else len(kept)

    @torch.no_grad()
    def predict_clusters(
        self, document: DocumentInput, x: Tensor
    ) -> tuple[list[list[Span]], list[list[SpanScores]]]:
        """Predict a document's clusters, and the scores of their spans.

        Memory grows with the numbers of words and of ranked spans, but not with their squares:
        candidates are scored by blocks of words, antecedents by blocks of spans.
        """
        if not len(document.starts):
            return [], []
        x = self.scale(document, x)
        scores = self.score_mentions(document, x)
        kept = self.choose_ranked(document, scores)
        spans = self.represent_spans(document, x, scores, kept)
        pairs = list(zip(document.starts[kept].tolist(), document.ends[kept].tolist(), strict=True))
        likely = (spans.scores > 0).tolist()
        written = document.written
        names = [NONE] * len(pairs)
        if self.settings.surface:
            names = find_names(written, document.starts[kept], document.ends[kept])
        traits = [Traits()] * len(pairs)
        if self.settings.surface and written.lang.partition("-")[0] == "en":
            traits = find_traits(pairs, names, likely, written.texts, written.sentences.tolist())
        rows = max(1, _PAIRS // min(len(kept), 2 * REACH))
        antecedents: list[list[int]] = []
        values: list[list[float]] = []
        for at in range(0, len(kept), rows):
            ranked = self.ranker(spans, at, min(at + rows, len(kept)))
            antecedents += ranked.antecedents.tolist()
            values += ranked.scores.float().tolist()
        links, sure = choose_links(antecedents, values, traits, self.min_confidence)
        mentions = torch.sigmoid(spans.scores.float()).tolist()
        clusters = join_links(links, likely, names)
        clusters = [own for own in clusters if len(own) > 1 or bool(self.singletons)]
        told: list[list[SpanScores]] = []
        for own in clusters:
            places = {number: place for place, number in enumerate(own)}
            told.append([{"mention": round(mentions[number], 4)} for number in own])
            for number, score in zip(own, told[-1], strict=True):
                if links[number] >= 0:
                    score["link"] = round(sure[number], 4)
                    score["antecedent"] = places[links[number]]
        return [[pairs[number] for number in own] for own in clusters], told

    def score_mentions(self, document: DocumentInput, x: Tensor) -> Tensor:  # [c]
        """Score the candidate spans as mentions, in prediction by blocks of words."""
        words = document.words
        logits = self.represent.attend(x).squeeze(-1)
        blocks = []
        for start in range(0, words, words if self.training else _WORDS):
            end = words if self.training else min(start + _WORDS, words)
            beyond = min(end + self.settings.max_width - 1, words)
            pieces = slice(int(document.first[start]), int(document.last[beyond - 1]) + 1)
            own = slice(*np.searchsorted(document.starts, (start, end)).tolist())
            places = (
                document.first[start:beyond] - pieces.start,
                document.last[start:beyond] - pieces.start,
                document.starts[own] - start,
                document.ends[own] - start,
            )
            moved = (torch.as_tensor(one, device=x.device) for one in places)
            blocks.append(self.mentions(x[pieces], logits[pieces], *moved))
        scores = torch.cat(blocks)
        if self.surface is not None and len(document.starts):
            scores = scores + self.surface(
                document.written, document.starts, document.ends, document.convention, x.device
            )
        return scores

    def choose_ranked(self, document: DocumentInput, scores: Tensor) -> np.ndarray:  # [m]
        """Choose the best candidates that do not cross, by index, `ratio` times the words."""
        limit = max(FEWEST, math.ceil(self.settings.ratio * document.words))
        return choose_spans(
            document.starts, document.ends, scores.detach().float().cpu().numpy(), limit
        )

    def represent_spans(
        self, document: DocumentInput, x: Tensor, scores: Tensor, kept: np.ndarray
    ) -> SpanFeatures:
        """Make the vectors and features of the chosen spans, for the ranker."""
        starts, ends = document.starts[kept], document.ends[kept]

        def move(array: object) -> Tensor:
            return torch.as_tensor(array, device=x.device)

        places = move(document.first[starts]), move(document.last[ends - 1] + 1)
        widths = move(ends - starts - 1)
        narrow = []  # [m, d], by blocks of spans, since a span has 3 w numbers before
        for own in torch.arange(len(kept), device=x.device).split(_ROWS):
            vectors = self.represent(x, *(one[own] for one in places))  # [rows, 3 w]
            narrow.append(self.narrow(torch.cat([vectors, self.widths(widths[own])], dim=1)))
        strings = None
        if self.surface is not None:
            every = document.starts, document.ends
            strings = Strings.select(document.written, *every, kept, x.device)
        return SpanFeatures(
            torch.cat(narrow),
            scores[move(kept)],
            move(document.speakers[starts]),
            move(crc32(document.genre.encode()) % GENRES),
            move(document.convention),
            strings,
        )

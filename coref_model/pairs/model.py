"""Cluster event mentions: encoder, spans, pair scorer and a threshold, with their settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import torch
from pydantic import Field
from pydantic.dataclasses import dataclass
from torch import Tensor, nn

from corefmill.coref_model.encoder import Encoder
from corefmill.coref_model.encoder.packed import apply_dropout
from corefmill.coref_model.pairs.clustering import (
    Labels,
    ScoredPairs,
    SharedFeatures,
    numbered,
    scored,
)
from corefmill.coref_model.pairs.embeddings import EmbeddedMentions, embed
from corefmill.coref_model.pairs.features import (
    BUCKETS,
    COUNTED,
    Feature,
    Features,
    features,
    means,
    rarities,
)
from corefmill.coref_model.pairs.sampling import Indices, Topics, groups
from corefmill.coref_model.pairs.scorer import PairScorer, SpanVectors
from corefmill.coref_model.training.config import (
    CHECKED,
    Natural,
    Positive,
    Rate,
    Share,
    TaskSettings,
    Width,
)
from corefmill.corpora.records import EventMention


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class EventSettings(TaskSettings):
    """Settings of the task besides the loop, the encoder and the rates."""

    metric: Literal["conll", "pairwise"]
    hidden: Width
    symmetric: bool
    features: tuple[Feature, ...]
    dropout: Annotated[float, Field(ge=0, lt=1)]
    context: Literal["passage", "mention"]
    window: Natural
    negatives: Literal["uniform", "published"]
    ratio: Rate
    redraw: bool
    within: Literal["topic", "corpus"]
    batch_pairs: Positive
    threshold: Share
    dense: Positive
    neighbours: Positive
    cache: str

    def __post_init__(self) -> None:
        TaskSettings.__post_init__(self)
        if len(set(self.features)) < len(self.features):
            raise ValueError("features: one of them comes twice")


class EventModel(nn.Module):
    """WEC's model (section 4.1), with optional features of pairs.

    `threshold` is the distance below which clusters are merged, `rarity` [BUCKETS] weighs the words
    of features. Both are buffers, so that a checkpoint keeps with the weights what was tuned and
    counted.
    """

    threshold: Tensor
    rarity: Tensor | None

    def __init__(self, encoder: Encoder, settings: EventSettings) -> None:
        super().__init__()
        self.encoder, self.settings = encoder, settings
        self.spans = SpanVectors(encoder.width, settings.hidden)
        self.scorer = PairScorer(self.spans.size, settings.hidden, symmetric=settings.symmetric)
        count = len(settings.features)
        self.shared = nn.Linear(count, settings.hidden, bias=False) if count else None
        self.register_buffer("threshold", torch.tensor(settings.threshold))
        counted = not COUNTED.isdisjoint(settings.features)
        self.register_buffer("rarity", torch.zeros(BUCKETS) if counted else None)

    def represent(self, mentions: EmbeddedMentions) -> Tensor:
        """g, [m, 3 w], of m mentions' pieces."""
        g: Tensor = self.spans(mentions.pieces, mentions.starts[:-1], mentions.starts[1:])
        return g

    def forward(
        self,
        mentions: EmbeddedMentions,
        first: Tensor,
        second: Tensor,
        features: Tensor | None = None,
    ) -> Tensor:
        """[p], the logits of pairs of indices first, second [p] among m mentions.

        `features` are the pairs' own, where the model has some, but for `vector`.
        """
        g = apply_dropout(self.represent(mentions), self.settings.dropout, self.training)
        more = None
        if self.shared is not None:
            assert features is not None
            if "vector" in self.settings.features:
                vectors = means(mentions)  # [m, w]
                cosines = (vectors[first] * vectors[second]).sum(-1, keepdim=True)  # [p, 1]
                features = torch.cat([features, cosines], dim=-1)
            more = self.shared(features)  # [p, h], of [p, f]
        scores: Tensor = self.scorer(g, first, second, more, self._frozen(mentions))
        return scores

    def _frozen(self, mentions: EmbeddedMentions) -> int:
        """Columns of g without a gradient: a span's ends are pieces, and a frozen encoder's get
        none. On a CPU alone: a card adds up the rest in any order; and not under autocast, whose
        types `products` does not know."""
        pieces = mentions.pieces
        kind = pieces.device.type
        if pieces.requires_grad or kind != "cpu" or torch.is_autocast_enabled(kind):
            return 0
        return 2 * pieces.shape[1]

    def count(self, mentions: Sequence[EventMention]) -> None:
        """Count the rarity of words in these mentions' texts, for the features."""
        if self.rarity is not None:
            self.rarity.copy_(rarities(mentions))

    def features(self, mentions: Sequence[EventMention]) -> Features | None:
        """The features of pairs of the mentions but for `vector`; None where the model has none."""
        if self.shared is None:
            return None
        found = features(self.settings.features, mentions, self.encoder, self.rarity)
        return found.to(self.threshold.device)

    def embedded(self, mentions: Sequence[EventMention]) -> EmbeddedMentions:
        """The mentions' pieces; those of a frozen encoder by way of the cache."""
        settings = self.settings
        kept = settings.cache if self.encoder.frozen else ""
        return embed(
            self.encoder,
            mentions,
            settings.context,
            settings.window,
            batch_pieces=settings.batch_pieces,
            cache=Path(kept).expanduser() if kept else None,
        ).to(self.threshold.device)

    @torch.no_grad()
    def links(
        self, mentions: EmbeddedMentions, found: Topics, features: Features | None = None
    ) -> TopicLinks:
        """The scores of pairs, topic by topic; `features` are the mentions', if there are some."""
        g = self.represent(mentions)  # [m, 3 w]
        settings = self.settings
        if features is not None and "vector" in settings.features:
            features = features.with_vectors(mentions)

        def shared(members: Indices) -> SharedFeatures | None:
            if self.shared is None or features is None:
                return None
            return SharedFeatures(features.take(members), self.shared.weight)

        return TopicLinks(
            found,
            [
                scored(
                    self.scorer,
                    g[torch.from_numpy(members).to(g.device)],
                    shared(members),
                    dense=settings.dense,
                    neighbours=settings.neighbours,
                )
                for members in found.members
            ],
        )

    def clusters(self, mentions: Sequence[EventMention]) -> Labels:
        """[m], the cluster of each mention, by the threshold of the model.

        Mentions are clustered within the topics of `meta["topic"]`, or all together, as the
        setting `within` says. Raises `DataError` for no mentions and for one that cannot be
        encoded (see `windows`).
        """
        found = groups(mentions, by_topic=self.settings.within == "topic")
        self.eval()
        links = self.links(self.embedded(mentions), found, self.features(mentions))
        return links.cut(float(self.threshold))


class TopicLinks:
    """The scores of pairs of all topics, which are clustered at one threshold."""

    def __init__(self, found: Topics, topics: Sequence[ScoredPairs]) -> None:
        self._found, self._topics = found, topics
        self._merges = [topic.merges() for topic in topics]

    def cut(self, threshold: float) -> Labels:
        """[m], the clusters of the mentions, numbered over all topics."""
        labels = self._found.chains.copy()
        begin = 0
        for members, topic in zip(self._found.members, self._merges, strict=True):
            labels[members] = topic.cut(threshold) + begin
            begin += len(members)
        return numbered(labels)

    def pairwise(self) -> float:
        """F1 of the pairs whose probability is above one half, by the chains; 0/0 is 0."""
        right = taken = 0
        for members, topic in zip(self._found.members, self._topics, strict=True):
            chosen = topic.logits > 0
            first, second = (members[side[chosen]] for side in topic.pairs())
            right += int((self._found.chains[first] == self._found.chains[second]).sum())
            taken += int(chosen.sum())
        positive, _ = self._found.counts()
        return 2 * right / max(positive + taken, 1)

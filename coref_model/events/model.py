"""The model that clusters event mentions: encoder, spans, pair scorer and a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from coref_model.encoder import Encoder
from coref_model.encoder.dropping import dropped
from coref_model.events.clustering import Labels, numbered
from coref_model.events.embeddings import Embedded, embed
from coref_model.events.links import Scored, scored
from coref_model.events.sampling import Groups, groups
from coref_model.events.settings import EventSettings
from coref_model.pairs import PairScorer
from coref_model.spans import Spans
from corpora.records import EventMention


class EventModel(nn.Module):
    """WEC's model (section 4.1). `threshold` is the distance below which clusters are merged.

    The threshold is a buffer, so that a checkpoint keeps the one that was tuned with its weights.
    """

    threshold: Tensor

    def __init__(self, encoder: Encoder, settings: EventSettings) -> None:
        super().__init__()
        self.encoder, self.settings = encoder, settings
        self.spans = Spans(encoder.width, settings.hidden)
        self.scorer = PairScorer(self.spans.size, settings.hidden, symmetric=settings.symmetric)
        self.register_buffer("threshold", torch.tensor(settings.threshold))

    def represent(self, mentions: Embedded) -> Tensor:
        """g, [m, 3 w], of m mentions' pieces."""
        g: Tensor = self.spans(mentions.pieces, mentions.starts[:-1], mentions.starts[1:])
        return g

    def forward(self, mentions: Embedded, first: Tensor, second: Tensor) -> Tensor:
        """[p], the logits of pairs of places first, second [p] among m mentions."""
        g = dropped(self.represent(mentions), self.settings.dropout, self.training)
        scores: Tensor = self.scorer(g, first, second)
        return scores

    def embedded(self, mentions: Sequence[EventMention]) -> Embedded:
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
    def links(self, mentions: Embedded, found: Groups) -> Links:
        """The scores of pairs, topic by topic."""
        g = self.represent(mentions)  # [m, 3 w]
        settings = self.settings
        return Links(
            found,
            [
                scored(
                    self.scorer,
                    g[torch.from_numpy(members).to(g.device)],
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
        return self.links(self.embedded(mentions), found).cut(float(self.threshold))


class Links:
    """The scores of pairs of all topics, which are clustered at one threshold."""

    def __init__(self, found: Groups, topics: Sequence[Scored]) -> None:
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

"""The task `events`: learns from pairs of mentions, selects by clusters of the dev split."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Annotated, Literal

import torch
from pydantic import Field
from pydantic.dataclasses import dataclass as settings_class
from torch import Tensor, nn
from torch.nn import functional

from corefmill.coref_model.encoder import Encoder
from corefmill.coref_model.pairs import sampling
from corefmill.coref_model.pairs.clustering import (
    Labels,
    ScoredPairs,
    choose_pairs,
    cluster_by_form,
)
from corefmill.coref_model.pairs.embeddings import (
    EmbeddedMentions,
    Window,
    cut_windows,
    embed_mentions,
    encode_windows,
    join_vectors,
)
from corefmill.coref_model.pairs.features import (
    BUCKETS,
    COUNTED,
    Feature,
    Features,
    average_pieces,
    compute_features,
    count_rarities,
)
from corefmill.coref_model.pairs.sampling import (
    PairBatch,
    Topics,
    batch_passages,
    group_by_topic,
    group_pairs,
    shuffle_pairs,
)
from corefmill.coref_model.pairs.scorer import PairScorer, Sides, SpanVectors
from corefmill.coref_model.training.checkpoint import restore
from corefmill.coref_model.training.config import (
    CHECKED,
    Natural,
    Positive,
    Rate,
    TaskSettings,
    Width,
    resolve,
)
from corefmill.coref_model.training.task import (
    ParameterGroup,
    Probe,
    TaskKind,
    average_scores,
    check_kind,
    group_parameters,
)
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.find import Records
from corefmill.corpora.records import EventMention, Record, Source
from corefmill.corpora.scoring import coreference
from corefmill.corpora.scoring.alignment import ScoredDocument
from corefmill.corpora.scoring.metrics import CONLL, parse_metrics
from corefmill.corpora.scoring.table import ScoreTable

_PAIRS = 1024
"""Pairs that are scored at a time; their products stay in a processor's cache."""


@settings_class(frozen=True, kw_only=True, config=CHECKED)
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
    dense: Positive
    neighbours: Positive
    cache: str

    def __post_init__(self) -> None:
        TaskSettings.__post_init__(self)
        if len(set(self.features)) < len(self.features):
            raise ValueError("the setting features names a feature twice")


class EventModel(nn.Module):
    """WEC's model (section 4.1), with optional features of pairs.

    Clusters are merged below the distance `threshold`; `rarity` [BUCKETS] weighs the words of
    features. Both are buffers, so that a checkpoint saves them with the weights.
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
        self.register_buffer("threshold", torch.tensor(0.7))  # until the first evaluation
        counted = not COUNTED.isdisjoint(settings.features)
        self.register_buffer("rarity", torch.zeros(BUCKETS) if counted else None)

    def represent(self, mentions: EmbeddedMentions) -> Tensor:
        """Compute the span vectors g, [m, 3 w], of m mentions from their pieces."""
        g: Tensor = self.spans(mentions.pieces, mentions.starts[:-1], mentions.starts[1:])
        return g

    def forward(
        self,
        mentions: EmbeddedMentions,
        first: Tensor,
        second: Tensor,
        features: Tensor | None = None,
    ) -> Tensor:
        """Score the pairs first, second [p] of m mentions: logits [p].

        `features` are the features of the pairs, without `vector`, if the model uses any.
        """
        g = functional.dropout(self.represent(mentions), self.settings.dropout, self.training)
        # The columns of a span's ends have no gradient if the encoder is frozen.
        pieces = mentions.pieces
        sides = self.scorer.project(g, 0 if pieces.requires_grad else 2 * pieces.shape[1])
        return self._score(sides, average_pieces(mentions), first, second, features)

    def _score(
        self, sides: Sides, vectors: Tensor, first: Tensor, second: Tensor, features: Tensor | None
    ) -> Tensor:
        """Score pairs by the projected mentions, their mean vectors [m, w] and features [p, f]."""
        if features is not None and "vector" in self.settings.features:
            cosines = (vectors[first] * vectors[second]).sum(-1, keepdim=True)  # [p, 1]
            features = torch.cat([features, cosines], dim=-1)
        more = None if self.shared is None else self.shared(features)  # [p, h], of [p, f]
        return self.scorer.score(sides, first, second, more)

    def compute_features(self, mentions: Sequence[EventMention]) -> Features | None:
        """Compute the features of pairs, except `vector`; None if the model uses none."""
        if self.shared is None:
            return None
        return compute_features(self.settings.features, mentions, self.encoder, self.rarity)

    def embed_mentions(
        self, mentions: Sequence[EventMention], *, cached: bool = True
    ) -> EmbeddedMentions:
        """Encode the mentions' pieces; the vectors of a frozen encoder can be cached."""
        settings = self.settings
        kept = settings.cache if cached and self.encoder.frozen else ""
        return embed_mentions(
            self.encoder,
            mentions,
            settings.context,
            settings.window,
            batch_pieces=settings.batch_pieces,
            cache=Path(kept).expanduser() if kept else None,
        ).to(self.threshold.device)

    @torch.no_grad()
    def score_links(
        self, mentions: EmbeddedMentions, found: Topics, features: Features | None = None
    ) -> ScoredPairs:
        """Score pairs within topics; `features` are the mentions', None for none."""
        g, vectors = self.represent(mentions), average_pieces(mentions)  # [m, 3 w], [m, w]
        settings = self.settings
        first, second = choose_pairs(g, found, dense=settings.dense, neighbours=settings.neighbours)
        sides = self.scorer.project(g)
        logits = []
        for i, j in zip(first.split(_PAIRS), second.split(_PAIRS), strict=True):
            own = None if features is None else features.compare_pairs(i, j)
            logits.append(self._score(sides, vectors, i, j, own).float().cpu())
        indices = first.cpu().numpy(), second.cpu().numpy()
        return ScoredPairs(len(g), *indices, torch.cat(logits).numpy())

    def predict_clusters(self, mentions: Sequence[EventMention]) -> Labels:
        """Cluster event mentions, [m], by average link up to the model's threshold.

        Mentions are clustered within the topics of `meta["topic"]`, or all together, as the
        setting `within` says. Raises `DataError` for no mentions and for one that cannot be
        encoded (see `cut_windows`).
        """
        found = group_by_topic(mentions, by_topic=self.settings.within == "topic")
        self.eval()
        links = self.score_links(
            self.embed_mentions(mentions), found, self.compute_features(mentions)
        )
        return links.cut(float(self.threshold))


def count_clusters(
    key: Iterable[Hashable], response: Iterable[Hashable], topics: Iterable[str] | None = None
) -> ScoreTable:
    """Count the clusters of the same mentions in key and response by MUC, B3 and CEAFe.

    Each topic is a document, without `topics` all mentions are one. Singletons count, as is the
    field's custom (WEC, section 4.2).
    """
    names = repeat("all") if topics is None else topics
    placed = list(zip(names, key, response, strict=False))

    def make_documents(side: int) -> list[ScoredDocument]:
        clusters: dict[str, dict[Hashable, list[Hashable]]] = {}
        for number, own in enumerate(placed):
            clusters.setdefault(own[0], {}).setdefault(own[side], []).append(number)
        return [ScoredDocument(name, 0, None, [*own.values()]) for name, own in clusters.items()]

    metrics = parse_metrics("conll")
    return coreference.count(make_documents(1), make_documents(2), metrics, singletons="keep")


def score_clusters(key: Labels, response: Labels) -> dict[str, float]:
    """Compute F1 of MUC, B3 and CEAFe and their mean `conll`, over all mentions [m]."""
    table = count_clusters(key.tolist(), response.tolist())
    return {"conll": table.conll, **{name: table[name].f1 for name in CONLL}}


def tune_threshold(
    splits: Sequence[tuple[Callable[[float], Labels], Labels]],
) -> tuple[float, list[dict[str, float]]]:
    """Find the distance, in hundredths, of the highest CoNLL F1, and the scores.

    A split is a function from a threshold to clusters, and the key; the mean over the splits
    counts. Every twentieth is tried, then the hundredths around the best; of equals the lowest.
    """
    tried: dict[int, list[dict[str, float]]] = {}

    def best(hundredths: range) -> int:
        """Score the thresholds not tried yet, and return the best of all, in hundredths."""
        for at in hundredths:
            if at not in tried:
                tried[at] = [score_clusters(key, cut(at / 100)) for cut, key in splits]
        return max(sorted(tried), key=lambda at: sum(one["conll"] for one in tried[at]))

    near = best(range(5, 100, 5))
    found = best(range(near - 4, near + 5))
    return found / 100, tried[found]


@dataclass(frozen=True, slots=True)
class _MentionSplit:
    """Mentions, their topics and chains, and the baselines' scores."""

    name: str
    mentions: list[EventMention]
    found: Topics
    baselines: dict[str, float]

    @classmethod
    def read(cls, name: str, records: Records, settings: EventSettings) -> _MentionSplit:
        """Read the event mentions of a split, with their topics and the baselines' scores."""
        mentions = list(check_kind(records, EventMention, f"split {name}"))
        if not mentions:
            raise DataError(f"split {name} has no event mentions")
        found = sampling.group_by_topic(mentions, by_topic=settings.within == "topic")
        baselines = {}
        for form in ("lemma", "string") if name != "train" else ():
            labels = cluster_by_form(mentions, found, form)
            if labels is not None:
                baselines[form] = score_clusters(found.chains, labels)["conll"]
        return cls(name, mentions, found, baselines)


class EventTask:
    """Pairs of the train split, and the clusters of the development splits.

    A frozen encoder encodes every mention once, before the first step; a trained one in each step.
    """

    name = "events"

    def __init__(
        self, encoder: Encoder, settings: EventSettings, splits: Mapping[str, Records], seed: int
    ) -> None:
        self.settings = settings
        self.metric = settings.metric
        self._train = _MentionSplit.read("train", splits["train"], settings)
        self._dev = [_MentionSplit.read(n, r, settings) for n, r in splits.items() if n != "train"]
        if not self._train.found.count_pairs()[0]:
            raise DataError("no two mentions of split train share cluster and topic to learn from")
        self.model = EventModel(encoder, settings)
        if self.model.rarity is not None:
            self.model.rarity.copy_(count_rarities(self._train.mentions))
        self._vectors: dict[str, EmbeddedMentions] = {}
        self._features: dict[str, Features | None] = {}
        self._plan: list[Window] = []
        self._window: dict[int, int] = {}
        if not encoder.frozen:
            everywhere = range(len(self._train.mentions))
            self._plan = cut_windows(
                encoder, self._train.mentions, everywhere, settings.context, settings.window
            )
            self._window = {
                index: at for at, one in enumerate(self._plan) for index, _ in one.mentions
            }

    def groups(self) -> list[ParameterGroup]:
        """Group the parameters: a trained encoder, and the rest."""
        return group_parameters(self.model, self.settings, "scorer")

    def batches(self, epoch: int, seed: int) -> Sequence[PairBatch]:
        """Draw the epoch's pairs of mentions in batches; see `coref_model.pairs.sampling`."""
        settings, found = self.settings, self._train.found
        if self._plan:
            return batch_passages(
                found, self._plan, settings.batch_pieces, settings.ratio, (seed, epoch)
            )
        size = settings.batch_pairs
        if settings.negatives == "published":
            return shuffle_pairs(
                sampling.draw_as_published(found, settings.ratio), size, (seed, epoch)
            )
        drawn = (seed, epoch if settings.redraw else 0)
        return group_pairs(
            found, sampling.draw_uniformly(found, settings.ratio, drawn), size, (seed, epoch)
        )

    def loss(self, batch: PairBatch) -> tuple[Tensor, int]:
        """Sum the binary cross-entropy of the batch's pairs (WEC, section 4.1), and count them."""
        device = self.model.threshold.device
        first, second, positive = (
            torch.from_numpy(one).to(device) for one in (batch.first, batch.second, batch.positive)
        )
        shared = self._features_of(self._train)
        features = None
        if shared is not None:
            there = torch.from_numpy(batch.mentions).to(device)  # indices in the split
            features = shared.compare_pairs(there[first], there[second])  # [p, f]
        scores = self.model(self._embed_batch(batch), first, second, features)  # [p]
        loss = functional.binary_cross_entropy_with_logits(
            scores.float(), positive.float(), reduction="sum"
        )
        return loss, len(first)

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Score clusters and pairs of the development splits by F1, and tune the threshold.

        One threshold is tuned on all these splits, and kept in the model. `pairwise` is F1 of the
        pairs at a probability of one half. `lemma` and `string` are the baselines' CoNLL F1;
        `lemma` is left out if a mention has no lemma.
        """
        links = [
            self.model.score_links(self._embed_split(split), split.found, self._features_of(split))
            for split in self._dev
        ]
        threshold, clusters = tune_threshold(
            [(one.cut, split.found.chains) for one, split in zip(links, self._dev, strict=True)]
        )
        self.model.threshold.fill_(threshold)
        return average_scores(
            {
                split.name: {
                    **own,
                    "pairwise": one.score_pairwise(split.found),
                    "threshold": threshold,
                    **split.baselines,
                }
                for split, own, one in zip(self._dev, clusters, links, strict=True)
            }
        )

    def _embed_batch(self, batch: PairBatch) -> EmbeddedMentions:
        """Take the batch's mentions from those of the split, or encode them now."""
        if not self._plan:
            vectors = self._embed_split(self._train)
            return vectors.take(torch.from_numpy(batch.mentions).to(vectors.starts.device))
        indices = batch.mentions.tolist()
        used = dict.fromkeys(self._window[index] for index in indices)
        found = encode_windows(self.model.encoder, [self._plan[at] for at in used])
        return join_vectors([found[index] for index in indices])

    def _features_of(self, split: _MentionSplit) -> Features | None:
        """Compute the features of a split, once the model has the rarities of a checkpoint."""
        if split.name not in self._features:
            self._features[split.name] = self.model.compute_features(split.mentions)
        return self._features[split.name]

    def _embed_split(self, split: _MentionSplit) -> EmbeddedMentions:
        """Encode the mentions of a split, once by a frozen encoder."""
        if split.name not in self._vectors or not self.model.encoder.frozen:
            self._vectors[split.name] = self.model.embed_mentions(split.mentions)
        return self._vectors[split.name]


def _load(encoder: Encoder, settings: EventSettings, tensors: Mapping[str, Tensor]) -> EventModel:
    """Load a checkpoint's model, with this machine's cache folder instead of its own."""
    if settings.cache:
        # A model from elsewhere must not choose a folder to write in.
        settings = replace(settings, cache=resolve(EventSettings, "events").cache)
    return restore(EventModel(encoder, settings), tensors)


def _predict(
    model: EventModel, settings: EventSettings, records: Iterable[Record]
) -> Iterator[Record]:
    """Predict the cluster of each event mention; clusters are named by number."""
    mentions = list(check_kind(records, EventMention, "the input"))
    if not mentions:
        return
    for mention, label in zip(mentions, model.predict_clusters(mentions), strict=True):
        yield replace(mention, cluster=str(int(label)), cluster_title="")


def _probe(model: EventModel, settings: EventSettings) -> Probe:
    """Score the pairs of three mentions in a plain sentence, as a check of the model."""
    text = "The quake struck the town. The fire and the riots followed the quake."
    mentions = [
        EventMention(f"plain{n}", "en", text, *word.span(), str(n), "", "", "", Source("", 0))
        for n, word in enumerate(re.finditer("quake(?= struck)|fire|riots", text))
    ]
    # Without the cache, which is for mentions of a corpus.
    pieces = model.embed_mentions(mentions, cached=False)
    topics = group_by_topic(mentions, by_topic=False)
    links = model.score_links(pieces, topics, model.compute_features(mentions))
    return Probe(links.logits.tolist())


KIND = TaskKind(
    name="events",
    records="events",
    Settings=EventSettings,
    make=EventTask,
    load=_load,
    predict=_predict,
    probe=_probe,
)

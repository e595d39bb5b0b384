"""The task `events`: learns from pairs of mentions, is judged by clusters of the dev split."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional

from corefmill.coref_model.encoder import Encoder
from corefmill.coref_model.pairs import clustering, sampling
from corefmill.coref_model.pairs.clustering import Labels
from corefmill.coref_model.pairs.embeddings import (
    EmbeddedMentions,
    Window,
    embed,
    encoded,
    joined,
    windows,
)
from corefmill.coref_model.pairs.features import Features
from corefmill.coref_model.pairs.model import EventModel, EventSettings
from corefmill.coref_model.pairs.sampling import PairBatch, Topics, of_passages, shared, shuffled
from corefmill.coref_model.training.checkpoint import restore
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.task import (
    ParameterGroup,
    Probe,
    TaskKind,
    averaged,
    checked,
    groups_of,
)
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.find import Records
from corefmill.corpora.records import EventMention, Record, Source
from corefmill.corpora.scoring import coreference
from corefmill.corpora.scoring.alignment import ScoredDocument
from corefmill.corpora.scoring.metrics import CONLL, METRICS
from corefmill.corpora.scoring.table import derive_scores


def clustered(key: Labels, response: Labels) -> dict[str, float]:
    """F1 of MUC, B3 and CEAFe and their mean `conll`, of one document of all mentions.

    `key` and `response` are the clusters [m] of the same mentions; singletons count, as is the
    field's custom (WEC, section 4.2).
    """
    return scored(_text(key), _text(response))


def scored(key: ScoredDocument, response: ScoredDocument) -> dict[str, float]:
    """As `clustered`, where the response may have other mentions than the key."""
    table = coreference.count(
        [key], [response], [METRICS[name] for name in CONLL], singletons="keep"
    )
    scores = table.scores(table.totals())
    found = {name: float(scores[name][2]) for name in CONLL}
    return {"conll": float(derive_scores(scores)["conll"]), **found}


def best_threshold(
    splits: Sequence[tuple[Callable[[float], Labels], Labels]],
) -> tuple[float, list[dict[str, float]]]:
    """The distance, in hundredths, at which the clusters have the highest CoNLL F1, and the scores.

    `splits` are what cuts, and the key; of several the mean counts. Every twentieth is tried, then
    the hundredths around the best; of equals the lowest is taken.
    """
    tried: dict[int, list[dict[str, float]]] = {}

    def best(hundredths: range) -> int:
        for at in hundredths:
            if at not in tried:
                tried[at] = [clustered(key, cut(at / 100)) for cut, key in splits]
        return max(sorted(tried), key=lambda at: sum(one["conll"] for one in tried[at]))

    near = best(range(5, 100, 5))
    found = best(range(near - 4, near + 5))
    return found / 100, tried[found]


def _text(labels: Labels) -> ScoredDocument:
    clusters: dict[int, list[object]] = {}
    for index, label in enumerate(labels.tolist()):
        clusters.setdefault(label, []).append(index)
    return ScoredDocument("all", 0, None, list(clusters.values()))


@dataclass(frozen=True, slots=True)
class _MentionSplit:
    """Mentions, their topics and chains, and the baselines' scores."""

    name: str
    mentions: list[EventMention]
    found: Topics
    baselines: dict[str, float]

    @classmethod
    def of(cls, name: str, records: Records, settings: EventSettings) -> _MentionSplit:
        mentions = list(checked(records, EventMention, f"split {name}"))
        if not mentions:
            raise DataError(f"split {name} has no event mentions")
        found = sampling.groups(mentions, by_topic=settings.within == "topic")
        return cls(name, mentions, found, _baselines(mentions, found) if name != "train" else {})


class EventTask:
    """Pairs of the train split, and the clusters of the development splits.

    A frozen encoder encodes every mention once, before the first step; a trained one in each.
    """

    name = "events"

    def __init__(
        self, encoder: Encoder, settings: EventSettings, splits: Mapping[str, Records], seed: int
    ) -> None:
        self.settings = settings
        self.metric = settings.metric
        self._train = _MentionSplit.of("train", splits["train"], settings)
        self._dev = [_MentionSplit.of(n, r, settings) for n, r in splits.items() if n != "train"]
        if not self._train.found.counts()[0]:
            raise DataError("no two mentions of split train are of one cluster and topic")
        self.model = EventModel(encoder, settings)
        self.model.count(self._train.mentions)
        self._vectors: dict[str, EmbeddedMentions] = {}
        self._features: dict[str, Features | None] = {}
        self._plan: list[Window] = []
        self._window: dict[int, int] = {}
        if not encoder.frozen:
            everywhere = range(len(self._train.mentions))
            self._plan = windows(
                encoder, self._train.mentions, everywhere, settings.context, settings.window
            )
            self._window = {
                index: at for at, one in enumerate(self._plan) for index, _ in one.mentions
            }

    def groups(self) -> list[ParameterGroup]:
        """Group the parameters: a trained encoder, and the rest."""
        return groups_of(self.model, self.settings, "scorer")

    def batches(self, epoch: int, seed: int) -> Sequence[PairBatch]:
        """Pairs of the epoch; see `coref_model.pairs.sampling`."""
        settings, found = self.settings, self._train.found
        if self._plan:
            return of_passages(
                found, self._plan, settings.batch_pieces, settings.ratio, (seed, epoch)
            )
        size = settings.batch_pairs
        if settings.negatives == "published":
            return shuffled(sampling.published(found, settings.ratio), size, (seed, epoch))
        drawn = (seed, epoch if settings.redraw else 0)
        return shared(found, sampling.uniform(found, settings.ratio, drawn), size, (seed, epoch))

    def loss(self, batch: PairBatch) -> tuple[Tensor, int]:
        """The summed binary cross-entropy of the batch's pairs (WEC, section 4.1), and how many."""
        device = self.model.threshold.device
        first, second, positive = (
            torch.from_numpy(one).to(device) for one in (batch.first, batch.second, batch.positive)
        )
        shared = self._shared(self._train)
        features = None
        if shared is not None:
            there = torch.from_numpy(batch.mentions).to(device)  # indices in the split
            features = shared.pairs(there[first], there[second])  # [p, f]
        scores = self.model(self._embedded(batch), first, second, features)  # [p]
        loss = functional.binary_cross_entropy_with_logits(
            scores.float(), positive.float(), reduction="sum"
        )
        return loss, len(first)

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """F1 of the clusters and of the pairs of the development splits, from 0 to 1.

        The threshold is tuned on them, for all in one, and kept in the model. `pairwise` is of
        pairs at a probability of one half. `lemma` and `string` are the baselines' CoNLL F1; the
        first is left out where a mention has no lemma.
        """
        links = [
            self.model.links(self._of(split), split.found, self._shared(split))
            for split in self._dev
        ]
        threshold, clusters = best_threshold(
            [(one.cut, split.found.chains) for one, split in zip(links, self._dev, strict=True)]
        )
        self.model.threshold.fill_(threshold)
        return averaged(
            {
                split.name: {
                    **own,
                    "pairwise": one.pairwise(),
                    "threshold": threshold,
                    **split.baselines,
                }
                for split, own, one in zip(self._dev, clusters, links, strict=True)
            }
        )

    def _embedded(self, batch: PairBatch) -> EmbeddedMentions:
        """The batch's mentions: taken from those of the split, or encoded now."""
        if not self._plan:
            vectors = self._of(self._train)
            return vectors.take(torch.from_numpy(batch.mentions).to(vectors.starts.device))
        indices = batch.mentions.tolist()
        used = dict.fromkeys(self._window[index] for index in indices)
        found = encoded(self.model.encoder, [self._plan[at] for at in used])
        return joined([found[index] for index in indices])

    def _shared(self, split: _MentionSplit) -> Features | None:
        """The features of the split; made when the model is on its device and, where training goes
        on from a checkpoint, has the rarities of that."""
        if split.name not in self._features:
            self._features[split.name] = self.model.features(split.mentions)
        return self._features[split.name]

    def _of(self, split: _MentionSplit) -> EmbeddedMentions:
        """A frozen encoder's vectors are the same at every call."""
        if not self.model.encoder.frozen:
            return self.model.embedded(split.mentions)
        if split.name not in self._vectors:
            self._vectors[split.name] = self.model.embedded(split.mentions)
        return self._vectors[split.name]


def _baselines(mentions: Sequence[EventMention], found: Topics) -> dict[str, float]:
    rows = {
        "lemma": clustering.same_lemma(mentions, found),
        "string": clustering.same_string(mentions, found),
    }
    return {
        name: clustered(found.chains, labels)["conll"]
        for name, labels in rows.items()
        if labels is not None
    }


def _load(encoder: Encoder, settings: EventSettings, tensors: Mapping[str, Tensor]) -> EventModel:
    if settings.cache:
        # Which folder is written in, and cleared of what is damaged, no stranger's model says.
        settings = replace(settings, cache=resolve(EventSettings, "events").cache)
    return restore(EventModel(encoder, settings), tensors)


def _predict(
    model: EventModel, settings: EventSettings, records: Iterable[Record]
) -> Iterator[Record]:
    mentions = list(checked(records, EventMention, "the input"))
    if not mentions:
        return
    for mention, label in zip(mentions, model.clusters(mentions), strict=True):
        yield replace(mention, cluster=str(int(label)), cluster_title="")


def _probe(model: EventModel, settings: EventSettings) -> Probe:
    text = "The quake struck the town. The fire and the riots followed the quake."
    mentions = [
        EventMention(
            f"plain{number}",
            "en",
            text,
            text.index(word),
            text.index(word) + len(word),
            str(number),
            "",
            "",
            "",
            Source("", 0),
        )
        for number, word in enumerate(("quake", "fire", "riots"))
    ]
    first, second = torch.triu_indices(len(mentions), len(mentions), 1)
    device = model.threshold.device
    shared = model.features(mentions)
    features = None if shared is None else shared.pairs(first.to(device), second.to(device))
    # Not by way of the cache, which is for mentions of a corpus.
    pieces = embed(
        model.encoder,
        mentions,
        settings.context,
        settings.window,
        batch_pieces=settings.batch_pieces,
    )
    return Probe(model(pieces.to(device), first.to(device), second.to(device), features).tolist())


KIND = TaskKind(
    name="events",
    records="events",
    Settings=EventSettings,
    make=EventTask,
    load=_load,
    predict=_predict,
    probe=_probe,
)

"""The task `documents`: learns to rank antecedents, selects by the dev split's CoNLL score."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from corefmill.coref_model.documents.inputs import (
    DocumentInput,
    DocumentSettings,
    cut_parts,
    list_spans,
)
from corefmill.coref_model.documents.model import DocumentModel
from corefmill.coref_model.encoder import Encoder
from corefmill.coref_model.encoder.encoder import EncodingCache
from corefmill.coref_model.training.checkpoint import restore
from corefmill.coref_model.training.task import (
    ParameterGroup,
    Probe,
    TaskKind,
    average_scores,
    check_kind,
    group_parameters,
)
from corefmill.corpora import record_meta
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.find import Records
from corefmill.corpora.records import Document, Record, Sentence, Token
from corefmill.corpora.scoring import coreference
from corefmill.corpora.scoring.coreference import Singletons, add_classes
from corefmill.corpora.scoring.metrics import CONLL, METRICS
from corefmill.corpora.scoring.sources import text_of
from corefmill.corpora.scoring.table import ScoreTable, derive_scores

_ONES = 0.05
"""Least share of clusters of one in a corpus that annotates such clusters."""


class DocumentTask:
    """Documents of the train split one by one, and the clusters of the development splits.

    `notes` lists the gold mentions that the model cannot learn or find; in the development splits
    they count as missed. Encodings by a frozen encoder are cached, up to `cache_mb`.
    """

    name = "documents"
    metric = "conll"

    def __init__(
        self, encoder: Encoder, settings: DocumentSettings, splits: Mapping[str, Records], seed: int
    ) -> None:
        self.settings = settings
        self.notes: list[str] = []
        self._dev: dict[str, list[Document]] = {}
        for name, records in splits.items():
            documents = list(check_kind(records, Document, f"split {name}"))
            if not documents:
                raise DataError(f"split {name} has no documents")
            if not any(document.clusters for document in documents):
                raise DataError(
                    f"none of the {len(documents):,} documents of split {name} has clusters"
                )
            self._dev[name] = documents
            left_out: Counter[str] = Counter()
            for document in documents:
                list_spans(document, settings.max_width, left_out)
            self.notes += [f"split {name}: {n:,} mentions {what}" for what, n in left_out.items()]
        train = self._dev.pop("train")
        # The parts with words, each with the weights of its sentences, if the document has any.
        self._train: list[tuple[Document, tuple[float, ...] | None]] = []
        for document in train:
            weights, start = record_meta.read_weights(document), 0
            for part in cut_parts(document, encoder.pieces, settings.batch_pieces):
                end = start + len(part.sentences)
                if any(sentence.tokens for sentence in part.sentences):
                    self._train.append((part, None if weights is None else weights[start:end]))
                start = end
        known = [weights for _, weights in self._train]
        if known and all(weights is not None and not any(weights) for weights in known):
            raise DataError("every sentence of split train has the weight 0: nothing can be learnt")
        if more := len(self._train) - len(train):
            self.notes.append(f"long documents of split train were cut into {more:,} more parts")
        self.model = DocumentModel(encoder, settings)
        if settings.singletons == "auto":
            self.model.singletons.fill_(has_singletons(train))
        if bool(self.model.singletons) and not settings.mention_loss:
            raise UsageError(
                "clusters of one mention cannot be learnt with mention_loss 0",
                remedy="--set mention_loss=1.0, or --set singletons=drop",
            )
        self.encodings = EncodingCache(settings.cache_mb * 2**20 * encoder.frozen)

    def groups(self) -> list[ParameterGroup]:
        """Group the parameters of the scorers and of a trained encoder, by learning rate."""
        return group_parameters(self.model, self.settings, "ranking")

    def batches(self, epoch: int, seed: int) -> Sequence[Sequence[int]]:
        """Shuffle the documents or parts, by number, into batches of `batch_words` words."""
        order = list(range(len(self._train)))
        random.Random(f"{seed} {epoch}").shuffle(order)
        made: list[list[int]] = []
        room = -1
        for number in order:
            words = sum(len(one.tokens) for one in self._train[number][0].sentences)
            if words > room:
                made.append([])
                room = self.settings.batch_words
            made[-1].append(number)
            room -= words
        return made

    def loss(self, batch: Sequence[int]) -> tuple[Tensor, int]:
        """Sum the loss over the ranked spans of a batch's documents, and count these spans."""
        ones = [self.model.make_input(*self._train[number]) for number in batch]
        found = [self.model.loss(one, self._encode(one)) for one in ones]
        return torch.stack([total for total, _ in found]).sum(), sum(count for _, count in found)

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Compute F1 by MUC, B3 and CEAFe, their mean `conll`, and F1 of mentions, from 0 to 1.

        Recall and link accuracy of each class of mentions are added. Singletons count only if both
        the model and the split have them (`choose_singletons`).
        """
        found: dict[str, dict[str, float]] = {}
        for split, documents in self._dev.items():
            inputs = ((one, self.model.make_input(one)) for one in documents)
            answers = [self.model.answer(one, own, self._encode(own)) for one, own in inputs]
            table = count_scores(documents, answers, choose_singletons(self.model, documents))
            scores = table.scores(table.totals())
            found[split] = {
                "conll": float(derive_scores(scores)["conll"]),
                **{name: float(own[2]) for name, own in scores.items()},
            }
        return average_scores(found)

    def _encode(self, one: DocumentInput) -> Tensor:  # [n, w]
        """Encode a document; the encoding of a frozen encoder is cached."""
        return self.encodings.get(one.ids, lambda: self.model.encode(one))


def has_singletons(documents: Iterable[Document]) -> bool:
    """Return whether clusters of one are annotated in these documents."""
    sizes = [len(cluster) for one in documents for cluster in one.clusters]
    return sizes.count(1) >= _ONES * len(sizes)


def choose_singletons(model: Any, key: Sequence[Document]) -> Singletons:
    """Return whether clusters of one count: only where both the model and the key have them."""
    return "keep" if bool(model.singletons) and has_singletons(key) else "drop"


def count_scores(
    key: Sequence[Document], response: Sequence[Document], singletons: Singletons
) -> ScoreTable:
    """Count MUC, B3 and CEAFe of documents, and their classes of mentions (`add_classes`)."""
    metrics = [METRICS[name] for name in CONLL]
    table = coreference.count(
        map(text_of, key), map(text_of, response), metrics, singletons=singletons
    )
    return add_classes(table, key, response, singletons=singletons == "keep")


@torch.no_grad()
def _predict(
    model: DocumentModel, settings: DocumentSettings, records: Iterable[Record]
) -> Iterator[Record]:
    """Predict the clusters of each document."""
    for document in check_kind(records, Document, "the input"):
        yield model(document)


_PLAIN = """Ann Lee met Eve Ford in the garden . Ann Lee smiled , and she gave Eve Ford a letter .
She read the letter . The company said that it had lost money . The company closed its shop .
The dog barked , and then it slept . My friend Tom said : I saw Tom and his brother ."""


def _probe(model: DocumentModel, settings: DocumentSettings) -> Probe:
    """Score the spans of a few plain sentences and count the mentions found, as a check."""
    words = [f"{line.strip()} .".split() for line in _PLAIN.split(" .") if line.strip()]
    sentences = tuple(Sentence(tuple(map(Token, line))) for line in words)
    one = model.make_input(Document("plain", 0, "en", sentences, ()))
    x = model.encode(one)
    scores = model.score_mentions(one, model.scale(one, x)).tolist()
    return Probe(scores, sum(map(len, model.predict_clusters(one, x)[0])))


KIND = TaskKind(
    name="documents",
    records="documents",
    Settings=DocumentSettings,
    make=DocumentTask,
    load=lambda encoder, settings, tensors: restore(DocumentModel(encoder, settings), tensors),
    predict=_predict,
    probe=_probe,
)

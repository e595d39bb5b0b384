"""The task `documents`: learns to rank antecedents, is judged by the dev split's CoNLL score."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import torch
from torch import Tensor

from corefmill.coref_model.documents.inputs import DocumentInput, parts, spans_of
from corefmill.coref_model.documents.model import DocumentModel, DocumentSettings
from corefmill.coref_model.encoder import Encoder
from corefmill.coref_model.encoder.encoder import EncodingCache
from corefmill.coref_model.encoder.pieces import Pieces
from corefmill.coref_model.training.checkpoint import restore
from corefmill.coref_model.training.task import (
    ParameterGroup,
    Probe,
    TaskKind,
    averaged,
    checked,
    groups_of,
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
"""From this share of clusters of one on, a corpus is taken to annotate them."""


_Weighted = tuple[Document, tuple[float, ...] | None]
"""A document or a part of one, with the weights of its sentences, if it has any."""


@dataclass(frozen=True, slots=True)
class _DocumentSplit:
    name: str
    documents: list[Document]
    notes: list[str]

    @classmethod
    def of(cls, name: str, records: Records, settings: DocumentSettings) -> _DocumentSplit:
        documents = list(checked(records, Document, f"split {name}"))
        left_out: Counter[str] = Counter()
        for document in documents:
            spans_of(document, settings.max_width, left_out)
        if not documents:
            raise DataError(f"split {name} has no documents")
        if not any(document.clusters for document in documents):
            raise DataError(
                f"none of the {len(documents):,} documents of split {name} has clusters"
            )
        notes = [f"split {name}: {n:,} mentions {what}" for what, n in left_out.items()]
        return cls(name, documents, notes)


class DocumentTask:
    """Documents of the train split one by one, and the clusters of the development splits.

    `notes` says which gold mentions the model cannot learn or find; in the development splits
    they count as missed. What a frozen encoder makes of a document is kept, up to `cache_mb`.
    """

    name = "documents"
    metric = "conll"

    def __init__(
        self, encoder: Encoder, settings: DocumentSettings, splits: Mapping[str, Records], seed: int
    ) -> None:
        self.settings = settings
        train = _DocumentSplit.of("train", splits["train"], settings)
        self._dev = [_DocumentSplit.of(n, r, settings) for n, r in splits.items() if n != "train"]
        self._train = _to_learn(train.documents, encoder.pieces, settings.batch_pieces)
        self.notes = [note for split in (train, *self._dev) for note in split.notes]
        if more := len(self._train) - len(train.documents):
            self.notes.append(f"long documents of split train were cut into {more:,} more parts")
        self.model = DocumentModel(encoder, settings)
        if settings.singletons == "auto":
            self.model.singletons.fill_(has_singletons(train.documents))
        if bool(self.model.singletons) and not settings.mention_loss:
            raise UsageError(
                "clusters of one cannot be predicted without a loss for mentions",
                remedy="--set mention_loss=1.0, or --set singletons=drop",
            )
        self.encodings = EncodingCache(settings.cache_mb * 2**20)

    def groups(self) -> list[ParameterGroup]:
        """Group the parameters: the scorers, and a trained encoder."""
        return groups_of(self.model, self.settings, "ranking")

    def batches(self, epoch: int, seed: int) -> Sequence[Sequence[int]]:
        """Numbers of the documents (or parts of long ones), shuffled; short ones share a batch."""
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
        """The loss summed over the spans that were ranked, and their number."""
        ones = [self.model.input(*self._train[number]) for number in batch]
        found = [self.model.loss(one, self._encode(one)) for one in ones]
        return torch.stack([total for total, _ in found]).sum(), sum(count for _, count in found)

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """F1 by MUC, B3 and CEAFe, their mean `conll`, and that of mentions, from 0 to 1.

        Besides recall and link accuracy of each class of mentions; see `with_classes`.
        Clusters of one count where the model makes them and the split has them (`has_singletons`).
        """
        found: dict[str, dict[str, float]] = {}
        for name, table in self.tables().items():
            scores = table.scores(table.totals())
            found[name] = {
                "conll": float(derive_scores(scores)["conll"]),
                **{name: float(own[2]) for name, own in scores.items()},
            }
        return averaged(found)

    @torch.no_grad()
    def tables(self) -> dict[str, ScoreTable]:
        """Count the scores of each development split."""
        metrics = [METRICS[name] for name in CONLL]
        found = {}
        for split in self._dev:
            inputs = ((one, self.model.input(one)) for one in split.documents)
            answers = [self.model.answer(one, own, self._encode(own)) for one, own in inputs]
            keep = choose_singletons(self.model, split.documents)
            table = coreference.count(
                map(text_of, split.documents), map(text_of, answers), metrics, singletons=keep
            )
            ones = keep == "keep"
            found[split.name] = add_classes(table, split.documents, answers, singletons=ones)
        return found

    def inputs(self) -> Iterator[DocumentInput]:
        """Every document and part of one that the encoder reads."""
        train = (document for document, _ in self._train)
        for document in chain(train, *(split.documents for split in self._dev)):
            yield self.model.input(document)

    def _encode(self, one: DocumentInput) -> Tensor:  # [n, w]
        if not self.model.encoder.frozen:
            return self.model.encoded(one)
        return self.encodings.of(one, self.model.encoded)


def has_singletons(documents: Iterable[Document]) -> bool:
    """Return whether clusters of one are annotated in these documents."""
    sizes = [len(cluster) for one in documents for cluster in one.clusters]
    return sizes.count(1) >= _ONES * len(sizes)


def choose_singletons(model: Any, key: Sequence[Document]) -> Singletons:
    """Return whether clusters of one count: only where both the model and the key have them."""
    return "keep" if bool(model.singletons) and has_singletons(key) else "drop"


def _to_learn(documents: Iterable[Document], pieces: Pieces, most: int) -> list[_Weighted]:
    """Collect the parts with words; raises `DataError` where no sentence of train counts."""
    found = [
        one
        for document in documents
        for one in _weighted_parts(document, pieces, most)
        if any(sentence.tokens for sentence in one[0].sentences)
    ]
    if found and all(weights is not None and not any(weights) for _, weights in found):
        raise DataError("every sentence of split train has the weight 0")
    return found


def _weighted_parts(document: Document, pieces: Pieces, most: int) -> Iterator[_Weighted]:
    """The document's `parts`, each with the weights of its sentences, if the document has any."""
    weights = record_meta.read_weights(document)
    start = 0
    for part in parts(document, pieces, most):
        end = start + len(part.sentences)
        yield part, None if weights is None else weights[start:end]
        start = end


@torch.no_grad()
def _predict(
    model: DocumentModel, settings: DocumentSettings, records: Iterable[Record]
) -> Iterator[Record]:
    for document in checked(records, Document, "the input"):
        yield model(document)


_PLAIN = """Ann Lee met Eve Ford in the garden . Ann Lee smiled , and she gave Eve Ford a letter .
She read the letter . The company said that it had lost money . The company closed its shop .
The dog barked , and then it slept . My friend Tom said : I saw Tom and his brother ."""


def _probe(model: DocumentModel, settings: DocumentSettings) -> Probe:
    words = [f"{line.strip()} .".split() for line in _PLAIN.split(" .") if line.strip()]
    sentences = tuple(Sentence(tuple(map(Token, line))) for line in words)
    one = model.input(Document("plain", 0, "en", sentences, ()))
    x = model.encoded(one)
    scores = model.mention_scores(one, model.scaled(one, x)).tolist()
    return Probe(scores, sum(map(len, model.clusters(one, x))))


KIND = TaskKind(
    name="documents",
    records="documents",
    Settings=DocumentSettings,
    make=DocumentTask,
    load=lambda encoder, settings, tensors: restore(DocumentModel(encoder, settings), tensors),
    predict=_predict,
    probe=_probe,
)

"""A model of a checkpoint with what it takes to use it: the three tasks behind one class."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import nn

from corefmill.coref_model import encoder as encoders
from corefmill.coref_model import tasks
from corefmill.coref_model.documents.model import DocumentModel
from corefmill.coref_model.encoder import Encoder
from corefmill.coref_model.events.model import EventModel
from corefmill.coref_model.events.settings import EventSettings
from corefmill.coref_model.masked import weights
from corefmill.coref_model.masked.answering import Answering
from corefmill.coref_model.masked.answers import Answer
from corefmill.coref_model.masked.scorer import Scorer
from corefmill.coref_model.masked.task import MaskedSettings, scorer, window
from corefmill.coref_model.prediction import plain
from corefmill.coref_model.training import checkpoint
from corefmill.coref_model.training.checkpoint import Checkpoint
from corefmill.coref_model.training.config import resolve
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.find import HOLDS
from corefmill.corpora.records import Document, EventMention, MaskedExample, Record

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Predictor:
    """A model, its task (`masked`, `events` or `documents`), encoder and settings.

    `checkpoint` is None for a model that was not trained here: an encoder with a head that ships.
    """

    task: str
    model: nn.Module
    encoder: Encoder
    settings: Any
    checkpoint: Checkpoint | None = None

    def records(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records with the model's own labels or clusters in place of theirs.

        A masked example whose candidates tie has the label None. Event mentions are clustered
        together, within their topics where the model was trained so, and named by number. Raises
        `DataError` for records that the model is not for.
        """
        return _GIVEN[self.task](self, records)

    def read(self, text: str, *, lang: str = "en") -> Document:
        """A plain text as a document with clusters; for a model of documents only."""
        (found,) = self.records([plain.document(text, lang)])
        assert isinstance(found, Document)
        return found

    def answers(self, examples: Iterable[MaskedExample]) -> Iterator[Answer]:
        """A score for every candidate of each masked example; for a masked-LM scorer only."""
        if not isinstance(self.model, Scorer):
            raise DataError(f"a model of {self.task} does not score candidates")
        size = window(self.encoder, self.settings.length)
        yield from Answering(self.model, size, self.settings.batch_pieces).answers(examples)


def of_checkpoint(path: str | PathLike[str], *, device: str | None = None) -> Predictor:
    """The predictor of a checkpoint; raises what `checkpoint.read` raises."""
    found = checkpoint.read(Path(path))
    kind = tasks.kind(found.model.task)
    settings = found.settings(kind.Settings)
    if isinstance(settings, EventSettings) and settings.cache:
        # Which folder is written in, and cleared of what is damaged, no stranger's model says.
        settings = replace(settings, cache=resolve(EventSettings, "events").cache)
    encoder = found.encoder()
    model = kind.load(encoder, settings, found.tensors())
    return Predictor(kind.name, placed(model, device), encoder, settings, found)


def placed(model: nn.Module, device: str | None = None) -> nn.Module:
    """The model ready to answer, on `device`, else a GPU where there is one."""
    return model.to(device or ("cuda" if torch.cuda.is_available() else "cpu")).eval()


def _masked(predictor: Predictor, records: Iterable[Record]) -> Iterator[Record]:
    examples = [_of(MaskedExample, record, predictor) for record in records]
    for example, answer in zip(examples, predictor.answers(examples), strict=True):
        yield replace(example, label=answer.choice)


def _events(predictor: Predictor, records: Iterable[Record]) -> Iterator[Record]:
    assert isinstance(predictor.model, EventModel)
    mentions = [_of(EventMention, record, predictor) for record in records]
    if not mentions:
        return
    for mention, label in zip(mentions, predictor.model.clusters(mentions), strict=True):
        yield replace(mention, cluster=str(int(label)), cluster_title="")


def _documents(predictor: Predictor, records: Iterable[Record]) -> Iterator[Record]:
    assert isinstance(predictor.model, DocumentModel)
    with torch.no_grad():
        for record in records:
            yield predictor.model(_of(Document, record, predictor))


_GIVEN: dict[str, Callable[[Predictor, Iterable[Record]], Iterator[Record]]] = {
    "masked": _masked,
    "events": _events,
    "documents": _documents,
}


def _of(kind: type[R], record: Record, predictor: Predictor) -> R:
    if not isinstance(record, kind):
        raise DataError(
            f"a {type(record).__name__}, and the model is for {HOLDS[predictor.task]}",
            remedy="name a model that was trained on records of this kind",
        )
    return record


def untrained(name: str, *, device: str | None = None) -> Predictor:
    """The masked-LM scorer of an encoder as it is, with the head that ships or stands with it.

    Raises `UsageError` for an encoder that is not here, or that has no head: without one it would
    score at random.
    """
    settings = resolve(MaskedSettings, "masked", sets=[f"encoder={json.dumps(name)}"])
    encoder = encoders.load(name)
    if weights.find(encoder).source == "fresh":
        raise UsageError(
            f"{name} has no masked-LM head", remedy="`train mlm --text FILE` makes one for it"
        )
    return Predictor("masked", placed(scorer(encoder, settings), device), encoder, settings)

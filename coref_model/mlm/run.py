"""Continued pretraining from text files to a head on disk; `train mlm` calls it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.masked import weights
from corefmill.coref_model.masked.scorer import Scorer
from corefmill.coref_model.masked.weights import TABLE
from corefmill.coref_model.mlm.export import Recipe, export
from corefmill.coref_model.mlm.packing import Sequences, packed
from corefmill.coref_model.mlm.task import MaskedLanguage, MlmSettings
from corefmill.coref_model.mlm.text import TextDocument, documents, files
from corefmill.coref_model.training import curves, owned
from corefmill.coref_model.training.log import LOG
from corefmill.coref_model.training.loop import TrainingResult, train
from corefmill.coref_model.training.resume import FOLDER
from corefmill.coref_model.training.task import encoder_of
from corefmill.corpora import manifest
from corefmill.corpora.atomic import ensure_folder
from corefmill.corpora.errors import UsageError

CURVES = "curves.png"


@dataclass(frozen=True, slots=True)
class Pretrained:
    """What came of it: the folder of the head, the training's end, and the text's size."""

    folder: Path
    trained: TrainingResult
    documents: int
    sequences: int
    pieces: int


def pretrain(
    texts: Sequence[str],
    settings: MlmSettings,
    out: Path,
    *,
    command: str,
    version: str,
    download: bool = False,
    overwrite: bool = False,
    quiet: bool = False,
) -> Pretrained:
    """Learns from `texts` (files and folders) and writes the head, and what else was trained, to
    `out`.

    A head that the encoder has already goes on learning; without one it begins with the
    frequencies of the text's pieces. `out/resume` holds the text as pieces while it goes on. What
    was killed goes on where it was. Raises `UsageError` for settings that do not fit the encoder,
    and where `out` holds a head already, `DataError` for text that cannot be read.
    """
    paths = files(texts)
    _clear(out, overwrite)
    sources = [_described(path) for path in paths]
    encoder = encoder_of(settings, download=download)
    room = _room(settings, encoder)
    folder = out / FOLDER
    ensure_folder(folder)
    names: list[str] = []
    text = packed(named(paths, names), encoder.pieces, room, folder)
    model = _model(encoder, settings, text)
    task = MaskedLanguage(model, settings, text, settings.seed)
    identity = {"fingerprint": encoder.fingerprint, "texts": [one["sha256"] for one in sources]}
    done = train(task, settings, out, identity=identity, quiet=quiet)
    recipe = Recipe(
        command=command,
        version=version,
        texts=sources,
        documents=len(names),
        sequences=len(text),
        pieces=len(text.pieces),
        settings=asdict(settings),
        scores=done.scores,
        steps=done.steps,
        seconds=done.seconds,
    )
    curves.draw(out / LOG, out / CURVES, task.metric)
    export(model, recipe, out)
    owned.remove(out, owned.RESUME)
    return Pretrained(out, done, len(names), len(text), len(text.pieces))


def _described(path: Path) -> dict[str, Any]:
    """What the head's card says of a text."""
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": manifest.sha256(path)}


def _room(settings: MlmSettings, encoder: Encoder) -> int:
    """Pieces of a sequence besides the encoder's specials."""
    if settings.length > encoder.window:
        raise UsageError(
            f"length is {settings.length}; {encoder.name} reads {encoder.window} pieces at once",
            remedy=f"--set length={encoder.window}",
        )
    room = settings.length - sum(encoder.pieces.specials)
    if room < 1:
        raise UsageError(
            f"length is {settings.length}: no room between the encoder's specials",
            remedy="--set length=128",
        )
    return room


def _clear(out: Path, overwrite: bool) -> None:
    there = owned.check(out, owned.MLM)
    if overwrite:
        owned.remove(out, owned.MLM)
    elif TABLE in there:
        owned.remove(out, owned.RESUME)  # of a training that was killed at its very end
        raise UsageError(
            "a head is here", path=out, remedy="--overwrite replaces it, --out names another folder"
        )
    elif there and FOLDER not in there:
        raise UsageError(
            f"half a head is here: {there[0]}",
            path=out,
            remedy="--overwrite replaces it, --out names another folder",
        )
    owned.claim(out, owned.MLM, overwrite=overwrite)


def named(paths: Sequence[Path], names: list[str]) -> Iterator[TextDocument]:
    """The documents of all files, one after the other, whose names go to `names`."""
    for path in paths:
        for document in documents(path):
            names.append(document.name)
            yield TextDocument(document.name, document.paragraphs)


def _model(encoder: Encoder, settings: MlmSettings, text: Sequences) -> Scorer:
    found = weights.find(encoder, settings.head)
    if found.source == "fresh":
        counts = np.zeros(len(encoder.word_embeddings), np.int64)
        for start in range(0, len(text.pieces), 1 << 20):
            counts += np.bincount(text.pieces[start : start + (1 << 20)], minlength=len(counts))
        return Scorer(encoder, weights.fresh(encoder, torch.from_numpy(counts)))
    if encoder.trained:
        weights.merge(encoder, found.deltas)
    elif found.rank != encoder.lora:
        raise UsageError(
            f"the head that {encoder.name} has comes with deltas of rank {found.rank}",
            remedy=f"--lora {found.rank} goes on with it; --set head=fresh begins again",
        )
    elif found.rank:
        encoder.load_state_dict(dict(found.deltas), strict=False)
    return Scorer(encoder, found.head)

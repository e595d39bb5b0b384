"""A trained model on disk: a folder of safetensors, TOML and the tokenizer, and never a pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import tomli_w
from pydantic import TypeAdapter, ValidationError
from torch import Tensor, nn

from corefmill.coref_model.encoder import Encoder, hollow, load
from corefmill.coref_model.encoder import tensors as tensor_files
from corefmill.coref_model.training import card, owned
from corefmill.coref_model.training.parameters import saved_parameters
from corefmill.coref_model.training.resume import FOLDER
from corefmill.coref_model.training.trained_model import EncoderUsed, TrainedModel
from corefmill.corpora import disk, manifest
from corefmill.corpora.atomic import ensure_folder, replacing, write_whole
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.jsonl import first_fault
from corefmill.corpora.model_folder import numbers_of

MODEL, WEIGHTS, ENCODER = "model.toml", "model.safetensors", "encoder"
CURVES = "curves.png"
_LARGEST_TABLE = 16 << 20

_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.pickle")

_REMEDY = "--overwrite replaces it, --out names another folder"

S = TypeVar("S")


_ADAPTER: TypeAdapter[TrainedModel] = TypeAdapter(TrainedModel)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint that was found whole; its weights are read when they are asked for."""

    path: Path
    model: TrainedModel

    def tensors(self) -> dict[str, Tensor]:
        """The weights by their names, as `saved_parameters` gives them."""
        return tensor_files.read(self.path / WEIGHTS)

    def settings(self, kind: type[S]) -> S:
        """The settings it was trained with; raises `DataError` where they are not of that kind."""
        try:
            return TypeAdapter(kind).validate_json(json.dumps(self.model.settings), strict=True)
        except ValidationError as error:
            raise DataError(
                f"settings.{first_fault(error)}",
                path=self.path / MODEL,
                remedy="another version of corefmill may have written it; train it again",
            ) from None

    def encoder(self) -> Encoder:
        """The encoder it was trained with, into which `tensors` still have to be put.

        Of one that was trained in whole nothing but the checkpoint is needed. Raises `DataError`
        where the encoder of that name is another one now.
        """
        used = self.model.encoder
        if used.trained:
            encoder = hollow(self.path / ENCODER, used.name, numbers_of(self.path / WEIGHTS))
            encoder.fingerprint = used.fingerprint  # what it was trained from, as `load` has it
            return encoder
        # Two random encoders (tiny) differ by their seed alone.
        seed = int(self.model.settings.get("seed", 0))
        encoder = load(used.name, lora=used.lora, seed=seed)
        self.check_encoder(encoder)
        return encoder

    def check_encoder(self, encoder: Encoder) -> None:
        """Raises `DataError` unless the encoder is the one that the model was trained with."""
        used = self.model.encoder
        if encoder.fingerprint != used.fingerprint:
            same = "other weights or another tokenizer now"
            differs = same if encoder.name == used.name else f"not {encoder.name}"
            raise DataError(
                f"trained with the encoder {used.name}, {differs}",
                path=self.path,
                remedy=f"use the encoder {used.name} of fingerprint {used.fingerprint[:12]}, or"
                " train the model again",
            )

    def check_task(self, task: str) -> None:
        """Raises `DataError` unless it is a model of that task."""
        if self.model.task != task:
            raise DataError(
                f"a model of the task {self.model.task}, not {task}",
                path=self.path,
                remedy=f"name a model of {task}, or, for a corpus that is for it, say"
                f" --task {self.model.task}",
            )


def save(out: Path, network: nn.Module, encoder: Encoder, model: Mapping[str, Any]) -> TrainedModel:
    """Writes the checkpoint, `model.toml` last, so that a folder which has it is whole.

    A card, README.md, says what the model is. `model` has the fields of `TrainedModel` but `sha256`
    and `encoder`. Then removes what was there to resume from.
    """
    ensure_folder(out)
    tensor_files.save(saved_parameters(network), out / WEIGHTS)
    encoder.save(out / ENCODER, weights=False)
    used = EncoderUsed(encoder.name, encoder.fingerprint, encoder.trained, encoder.lora)
    made = TrainedModel(**model, sha256=manifest.sha256(out / WEIGHTS), encoder=used)
    write_whole(out / card.NAME, card.of(made))
    with replacing(out / MODEL) as file:
        tomli_w.dump(asdict(made), file)
    owned.remove(out, owned.RESUME)
    return made


def read(path: Path) -> Checkpoint:
    """The checkpoint of a folder. Raises `DataError` where it is none, pickled or changed."""
    if not path.is_dir():
        raise DataError("no folder of a trained model", path=path, remedy="train coref makes one")
    table = path / MODEL
    if not table.exists():
        if any(file for pattern in _PICKLED for file in path.glob(pattern)):
            raise DataError(
                "its weights are pickled, and reading them could run any program",
                path=path,
                remedy="only checkpoints of train coref are read, which are safetensors",
            )
        half = (path / FOLDER).exists()
        raise DataError(
            "the training of this model is not over" if half else f"no {MODEL} in this folder",
            path=path,
            remedy="give the command that began it again; it resumes" if half else None,
        )
    disk.regular(table, _LARGEST_TABLE)
    try:
        # A date, which none of its values is, is reported like any other wrong value.
        model = _ADAPTER.validate_json(json.dumps(disk.toml(table), default=str))
    except ValidationError as error:
        raise DataError(
            first_fault(error),
            path=table,
            remedy="copy the whole folder again, or train the model again",
        ) from None
    weights = path / WEIGHTS
    if not weights.exists():
        raise DataError(f"lacks {WEIGHTS}", path=path, remedy="copy the whole folder again")
    disk.regular(weights)
    if manifest.sha256(weights) != model.sha256:
        raise DataError(
            f"not the weights that {MODEL} describes: they were changed or cut off",
            path=weights,
            remedy="copy the whole folder again, or train the model again",
        )
    return Checkpoint(path, model)


def identity_digest(identity: Mapping[str, Any]) -> str:
    """SHA-256 of all that decides a result."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def finished(out: Path, identity: Mapping[str, Any]) -> TrainedModel | None:
    """The model that the same training made in this folder before, if it was finished.

    Raises `UsageError` where the folder holds anything else than that or a training which is not
    over (whose identity `Resume` checks).
    """
    names = owned.check(out, owned.COREF)
    if not (out / MODEL).exists():
        if names and not (out / FOLDER).exists():
            raise UsageError(f"half a model is here: {names[0]}", path=out, remedy=_REMEDY)
        return None
    try:
        made = read(out).model
    except DataError as error:
        raise UsageError(
            f"a model is here that is not whole: {error.message}", path=out, remedy=_REMEDY
        ) from None
    if made.identity != identity_digest(identity):
        raise UsageError(
            "a model that was trained with other options or data is here", path=out, remedy=_REMEDY
        )
    owned.remove(out, owned.RESUME)  # of a training that was killed at its very end
    return made

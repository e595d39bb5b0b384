"""The encoder: a transformer that turns packed pieces into vectors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from corefmill.coref_model.encoder import layers
from corefmill.coref_model.encoder.attention import Layout, laid_out
from corefmill.coref_model.encoder.packed import Packed
from corefmill.coref_model.encoder.pieces import Pieces
from corefmill.coref_model.encoder.tensors import save as save_tensors
from corefmill.corpora.atomic import ensure_folder, write_whole
from corefmill.corpora.errors import DataError

# What a configuration says of its file or of the program that wrote it, not of the network.
_ASIDE = ("_name_or_path", "architectures", "dtype", "torch_dtype", "transformers_version")


class Encoder(nn.Module):
    """A Hugging Face `network` without its head, read by packed batches.

    Frozen (`trained` false and no LoRA) it has no gradient and no dropout. Its `state_dict`, also
    as a part of a larger module's, holds what is trained alone, and loads over the rest.
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
        self.lora = 0  # rank of the deltas, 0 without; corefmill.coref_model.encoder.lora sets it
        self.packs = layers.known(network.config)
        self.width = int(network.config.hidden_size)
        self.window = _window(network.config, self.packs)  # pieces, specials included
        if hasattr(network, "pooler"):
            network.pooler = None  # of the last layer alone is made use
        network.requires_grad_(trained)
        if checkpointing and not self.packs:
            # Renamed within transformers 5.
            enable = getattr(network, "activation_checkpointing_enable", None)
            (enable or network.gradient_checkpointing_enable)({"use_reentrant": False})
        self.fingerprint = self.current_fingerprint()
        self.train(False)
        nn.Module.register_state_dict_post_hook(self, _drop_frozen)
        nn.Module.register_load_state_dict_pre_hook(self, _keep_frozen)

    @property
    def frozen(self) -> bool:
        """Whether nothing of it is trained."""
        return not self.trained and not self.lora

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.word_embeddings.device

    @property
    def word_embeddings(self) -> Tensor:
        """[vocabulary, w], for a decoder tied to them."""
        weight: Tensor = self.network.get_input_embeddings().weight
        return weight

    def train(self, mode: bool = True) -> Encoder:
        """Dropout on or off; a frozen encoder has none."""
        super().train(mode and not self.frozen)
        return self

    def forward(self, batch: Packed) -> Tensor:
        """The last layer's vectors, [n, w], in the order of the batch's pieces.

        DataError for a sequence longer than the window: nothing is cut off.
        """
        lengths = batch.lengths()
        if not lengths:
            return self.word_embeddings.new_zeros(0, self.width)
        if max(lengths) > self.window:
            raise DataError(
                f"a sequence of {max(lengths)} pieces; {self.name} reads {self.window} at once",
                remedy="cut it, or encode it in segments",
            )
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            if self.packs:
                return self._packed(batch.ids.to(self.device), lengths)
            return self._padded(batch.ids.to(self.device), lengths)

    def current_fingerprint(self) -> str:
        """What `fingerprint` would be of the weights as they stand now, trained or with deltas."""
        return fingerprint(
            self.network.config.to_dict(), self.pieces.definition(), self.network.state_dict()
        )

    def save(self, folder: Path, *, weights: bool = True) -> None:
        """Writes config.json, the tokenizer and (with `weights`) model.safetensors.

        The folder is one that `load` and Hugging Face read; deltas of LoRA are not in it.
        """
        ensure_folder(folder)
        # Libraries write a file bit by bit.
        with TemporaryDirectory() as scratch:
            self.network.config.save_pretrained(scratch)
            self.pieces.save(Path(scratch))
            for path in sorted(Path(scratch).iterdir()):
                write_whole(folder / path.name, path.read_bytes())
        if weights:
            state = {
                name: tensor.detach().cpu()
                for name, tensor in self.network.state_dict().items()
                if not name.endswith((".lora_a", ".lora_b"))
            }
            save_tensors(state, folder / "model.safetensors", {"format": "pt"})

    def _packed(self, ids: Tensor, lengths: list[int]) -> Tensor:
        n = len(ids)
        order = list(range(len(lengths)))
        if not ids.is_cuda:  # whose kernels take lengths as they come
            order.sort(key=lengths.__getitem__)
        layout = laid_out([lengths[at] for at in order], ids.device)
        back = None
        if order != list(range(len(order))):
            # Sequences of one length are laid side by side, and put back at the end.
            rows = torch.arange(n).split(lengths)
            there = torch.cat([rows[at] for at in order])  # [n]
            back = torch.empty_like(there).scatter_(0, there, torch.arange(n)).to(ids.device)
            ids = ids[there.to(ids.device)]
        place = layers.positions(layout.offsets, n) + layers.first_position(self.network.config)
        pieces = layers.embedded(self.network, ids, place, self.training)  # [n, w]
        for layer in layers.layers(self.network):
            pieces = self._through(layer, pieces, layout)
        return pieces if back is None else pieces[back]

    def _through(
        self, layer: Callable[[Tensor, Layout, bool], Tensor], pieces: Tensor, layout: Layout
    ) -> Tensor:
        if self.checkpointing and torch.is_grad_enabled():
            again: Tensor = checkpoint(layer, pieces, layout, self.training, use_reentrant=False)
            return again
        return layer(pieces, layout, self.training)

    def _padded(self, ids: Tensor, lengths: list[int]) -> Tensor:
        rows = torch.nn.utils.rnn.pad_sequence(
            ids.split(lengths), batch_first=True, padding_value=self.pieces.pad_id
        )  # [b, longest]
        real = torch.arange(rows.shape[1]) < torch.tensor(lengths)[:, None]  # [b, longest]
        real = real.to(ids.device)
        vectors = self.network(input_ids=rows, attention_mask=real.long()).last_hidden_state
        chosen: Tensor = vectors[real]
        return chosen


def _window(config: Any, packs: bool) -> int:
    rows = int(getattr(config, "max_position_embeddings", 0) or 512)
    return rows - layers.first_position(config) if packs else rows


def _drop_frozen(module: nn.Module, state: dict[str, Any], prefix: str, _: object) -> None:
    for name, parameter in module.named_parameters():
        if not parameter.requires_grad:
            state.pop(prefix + name, None)


def _keep_frozen(module: nn.Module, state: dict[str, Any], prefix: str, *_: object) -> None:
    for name, parameter in module.named_parameters():
        if not parameter.requires_grad:
            state.setdefault(prefix + name, parameter.detach())


def fingerprint(config: Mapping[str, Any], tokenizer: str, weights: Mapping[str, Tensor]) -> str:
    """SHA-256, in hexadecimal, of an architecture, a tokenizer (as JSON) and named weights."""
    total = hashlib.sha256()
    kept = {key: value for key, value in config.items() if key not in _ASIDE}
    for text in (json.dumps(kept, sort_keys=True, default=str), tokenizer):
        total.update(f"{len(text)}\n{text}".encode())
    for name in sorted(weights):
        tensor = weights[name].detach().cpu().contiguous()
        total.update(f"{name} {tensor.dtype} {list(tensor.shape)}\n".encode())
        total.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return total.hexdigest()

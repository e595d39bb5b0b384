"""The vectors of mentions' pieces: encoded once each where the encoder is frozen, and kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from corefmill.coref_model.encoder import Encoder, pack
from corefmill.coref_model.events.cache import VectorCache, key
from corefmill.coref_model.events.windows import Context, Window, windows
from corefmill.corpora.records import EventMention

SHARD = 2048
"""Mentions that are written to the cache at a time; a run that is killed loses no more."""


@dataclass(frozen=True, slots=True)
class EmbeddedMentions:
    """The pieces of m mentions, one mention after the other."""

    pieces: Tensor  # [n, w]
    starts: Tensor  # [m + 1] int64, where each mention begins; starts[m] == n

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, indices: Tensor) -> EmbeddedMentions:
        """The mentions at `indices` [q], in that order."""
        begins, ends = self.starts[:-1][indices], self.starts[1:][indices]
        lengths = ends - begins  # [q]
        starts = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])  # [q + 1]
        owner = torch.repeat_interleave(lengths)  # [k]
        inside = torch.arange(len(owner), device=owner.device) - starts[owner]  # [k]
        return EmbeddedMentions(self.pieces[begins[owner] + inside], starts)

    def to(self, device: torch.device) -> EmbeddedMentions:
        """The same on `device`."""
        return EmbeddedMentions(self.pieces.to(device), self.starts.to(device))


def joined(vectors: Sequence[Tensor]) -> EmbeddedMentions:
    """The vectors [k, w] of each of one or more mentions as one."""
    pieces = torch.cat(list(vectors))  # [n, w]
    starts = torch.tensor([0, *map(len, vectors)], device=pieces.device).cumsum(0)
    return EmbeddedMentions(pieces, starts)


def encoded(encoder: Encoder, batch: Sequence[Window]) -> dict[int, Tensor]:
    """The vectors [k, w] of each index in the windows, all in one pass, with their gradient."""
    vectors = encoder(pack([window.ids for window in batch]))  # [n, w]
    found: dict[int, Tensor] = {}
    start = 0
    for window in batch:
        for index, positions in window.mentions:
            found[index] = vectors[torch.tensor(positions, device=vectors.device) + start]
        start += len(window.ids)
    return found


def batches(wanted: Sequence[Window], pieces: int) -> Iterator[list[Window]]:
    """The windows by length, longest first, in batches of `pieces` pieces at most, or of one."""
    batch: list[Window] = []
    size = 0
    for window in sorted(wanted, key=lambda one: -len(one.ids)):
        if batch and size + len(window.ids) > pieces:
            yield batch
            batch, size = [], 0
        batch.append(window)
        size += len(window.ids)
    if batch:
        yield batch


@torch.no_grad()
def embed(
    encoder: Encoder,
    mentions: Sequence[EventMention],
    context: Context,
    length: int,
    *,
    batch_pieces: int,
    cache: Path | None = None,
) -> EmbeddedMentions:
    """The vectors of all mentions, on the CPU; those that the cache lacks are added to it.

    Mentions alike in text and span are encoded once.
    """
    keys = [key(mention, context, length) for mention in mentions]
    store = None if cache is None else VectorCache(cache, encoder.fingerprint)
    vectors: dict[bytes, Tensor] = {} if store is None else store.found(keys)
    missing = {name: index for index, name in enumerate(keys) if name not in vectors}
    wanted = windows(encoder, mentions, missing.values(), context, length)
    fresh: dict[bytes, Tensor] = {}
    hidden = len(missing) < SHARD // 4
    with tqdm(total=len(missing), desc="encoding mentions", delay=2, disable=hidden) as bar:
        for batch in batches(wanted, batch_pieces):
            found = encoded(encoder, batch)
            fresh |= {keys[index]: rows.float().cpu() for index, rows in found.items()}
            bar.update(len(found))
            if len(fresh) >= SHARD:
                vectors |= fresh
                if store is not None:
                    store.add(fresh)
                fresh = {}
    vectors |= fresh
    if store is not None:
        store.add(fresh)
    return joined([vectors[name] for name in keys])

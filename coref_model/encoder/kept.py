"""Encodings that are kept, since a frozen encoder makes the same of a text each time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import numpy as np
from torch import Tensor


class InPieces(Protocol):
    """A document or passage as ids of pieces."""

    @property
    def ids(self) -> Sequence[int]:
        """Those that the encoder reads."""


T = TypeVar("T", bound=InPieces)


class EncodingCache:
    """What a frozen encoder made of texts, by their pieces, as long as there is room.

    Tasks may share one where encoder, segments and overlap are the same. `room` is in bytes.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._kept: dict[str, Tensor] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, one: T, encoded: Callable[[T], Tensor]) -> Tensor:  # [n, w]
        """What is kept of the text, else what `encoded` makes of it."""
        key = self.key(one)
        if key not in self._kept:
            x = encoded(one)
            size = x.numel() * x.element_size()
            if size > self._room:
                return x
            self._room -= size
            self._kept[key] = x
        return self._kept[key]

    @staticmethod
    def key(one: InPieces) -> str:
        """What a text's encoding is kept by: a checksum of its pieces."""
        return hashlib.sha256(np.array(one.ids, dtype=np.int64).tobytes()).hexdigest()

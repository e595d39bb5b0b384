"""Encoders: a transformer over batches without padding, its pieces, and ways to adapt it."""

from __future__ import annotations

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.names import hollow, load
from corefmill.coref_model.encoder.packed import Packed, in_batches, pack
from corefmill.coref_model.encoder.pieces import Pieces

__all__ = ["Encoder", "Packed", "Pieces", "hollow", "in_batches", "load", "pack"]

"""Encoders: a transformer over batches without padding, its pieces, and ways to adapt it."""

from __future__ import annotations

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.names import load, load_without_weights
from corefmill.coref_model.encoder.packed import Packed, batch_by_size, pack
from corefmill.coref_model.encoder.pieces import Pieces

__all__ = ["Encoder", "Packed", "Pieces", "batch_by_size", "load", "load_without_weights", "pack"]

"""Encoders: a transformer over batches, its pieces, and ways to adapt it."""

from __future__ import annotations

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.names import load, load_without_weights
from corefmill.coref_model.encoder.pieces import Packed, Pieces, batch_by_size, pack

__all__ = ["Encoder", "Packed", "Pieces", "batch_by_size", "load", "load_without_weights", "pack"]

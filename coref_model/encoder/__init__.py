"""Encoders: a transformer over batches without padding, its pieces, and ways to adapt it."""

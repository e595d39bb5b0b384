"""Masked names and pronouns: the encoder reads a passage once and points at who is meant."""

"""Masked names and pronouns: candidates scored by a masked language model."""

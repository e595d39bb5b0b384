"""Coreference records, the formats they are read from and written to, and the sample."""

"""What `--corpus NAME|DIR` is: its files, its splits, and their records."""

from __future__ import annotations

from collections.abc import Iterable

from corpora.records import Record

Records = Iterable[Record]
"""Records that can be gone through any number of times; those of a corpus stream from its files."""

"""What the passes before the last one found, kept for the manifest and the card."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from corefmill.builders.runner.shards import write_whole
from corefmill.corpora.errors import DataError


@dataclass(frozen=True, slots=True)
class Before:
    """Counts of the whole dump, pages that could not be read, and events by type.

    `error` is what the dump broke off with.
    """

    counts: Counter[str]
    rejects: Counter[str]
    types: Counter[str]
    error: DataError | None

    def write(self, path: Path) -> None:
        """Writes it, whole or not at all."""
        error = self.error
        record = {
            "counts": dict(self.counts),
            "rejects": dict(self.rejects),
            "types": dict(self.types),
            "error": error
            and {
                "message": error.message,
                "path": error.path,
                "line": error.line,
                "remedy": error.remedy,
            },
        }
        write_whole(path, json.dumps(record))

    @classmethod
    def read(cls, path: Path) -> Before:
        """What `write` wrote."""
        record = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            Counter(record["counts"]),
            Counter(record["rejects"]),
            Counter(record["types"]),
            record["error"] and DataError(**record["error"]),
        )

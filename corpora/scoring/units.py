"""A document as it is scored: its clusters, without its words."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """The entities of a document, in order of appearance.

    Mentions are (first token, token after the last) counted over the document, or ids. `tokens`
    is None where the file does not have the tokens. `genre` is what the corpus itself says, if it
    does.
    """

    name: str
    part: int
    tokens: int | None
    clusters: list[list[Hashable]]
    genre: str | None = None

    @property
    def key(self) -> tuple[str, int]:
        """What a response finds it by."""
        return self.name, self.part

    @property
    def title(self) -> str:
        """The document as a table names it."""
        return f"{self.name} part {self.part}" if self.part else self.name

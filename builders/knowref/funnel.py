"""How many sentences each stage of the chain leaves, for the card and the manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corefmill.builders.knowref import paper
from corefmill.builders.knowref.filters import FILTERS, STRUCTURE
from corefmill.builders.knowref.options import ON_CORPUS
from corefmill.builders.knowref.sentences import SURFACE
from corefmill.corpora import tables
from corefmill.corpora.records import MaskedExample

REASONS = {
    "clean": (*SURFACE, *STRUCTURE, *FILTERS, *ON_CORPUS),
    "paper": (*paper.REASONS, *ON_CORPUS),
}
"""By mode, what a sentence is rejected for, in the order in which it is asked."""


@dataclass(frozen=True, slots=True)
class Funnel:
    """A tally of the whole run: `read` sentences, of which `rejects` went by reason."""

    mode: str
    read: int
    rejects: Mapping[str, int]
    name: str = "left_after"

    def watch(self, example: MaskedExample) -> None:
        """Nothing of a single example is counted."""

    def counts(self) -> dict[str, int]:
        """Sentences left after each stage, in the order of the stages."""
        left, found = self.read, {"sentences": self.read}
        for reason in REASONS[self.mode]:
            if reason.startswith("paragraph_"):  # went before sentences were counted
                continue
            left -= self.rejects.get(reason, 0)
            found[reason] = left
        return found

    def section(self) -> Sequence[str]:
        """The card's lines."""
        rows = [
            (reason, left if reason == "sentences" else self.rejects.get(reason, 0), left)
            for reason, left in self.counts().items()
        ]
        shown = [(name, "" if name == "sentences" else gone, left) for name, gone, left in rows]
        return [
            "## The chain",
            "",
            "Each sentence is rejected once, for the first of these that it fails.",
            "",
            *tables.table(("stage", "rejected", "left"), shown),
        ]

"""`build toy`: from a dump or plain text to a corpus of masked repeats."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import partial

from corefmill.builders.corpus.masked import JudgedBuilder, JudgedContents
from corefmill.builders.run.stages import Setup
from tests.builders.corpus.toy.options import ToyOptions
from tests.builders.corpus.toy.stages import REASONS, setup


class ToyContents(JudgedContents):
    """Paragraphs that come once."""

    @staticmethod
    def reasons(mode: str) -> Container[str]:
        """Return what a paragraph is rejected for."""
        return REASONS


class Toy(JudgedBuilder[ToyOptions]):
    """Masked repeats: stages, contents and card."""

    name = "toy"
    title = "Masked repeats"
    contents = ToyContents

    def stages(self) -> Setup:
        """Return what makes the stages in a worker."""
        return partial(setup, self.given.reader)

    def facts(self) -> dict[str, str]:
        """Return the rows of the card's first table."""
        return {"Language": self.lang, "Seed": str(self.options.seed)}

    def limits(self) -> Sequence[str]:
        """Return the known weaknesses of the method."""
        return ("A capitalised word is taken for a name.",)

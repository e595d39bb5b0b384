"""What goes into a corpus of pronoun problems once its run is whole, and KnowRef's form of it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from corefmill.builders.corpus.masked import JudgedContents, WriteMasked
from corefmill.builders.corpus.survey import ExampleTally
from corefmill.builders.knowref import filters, table
from corefmill.builders.knowref.funnel import REASONS, Funnel, MinedTally, PatternTally
from corefmill.corpora.formats import knowref
from corefmill.corpora.records import MaskedExample


class KnowrefContents(JudgedContents):
    """Problems whose sentences come once."""

    stage = "sentence"

    @staticmethod
    def forms(mode: str) -> Mapping[str, WriteMasked]:
        """KnowRef's JSON; the others need labels, which people give."""
        return {".json": write_json}

    @staticmethod
    def reasons(mode: str) -> Container[str]:
        """What a sentence is rejected for."""
        return [reason for reason in REASONS[mode] if not reason.startswith("paragraph_")]

    def tallies(self) -> Sequence[ExampleTally]:
        """How many sentences each stage leaves."""
        rejects = self.result.rejects + self.verdicts.rejected()
        unneeded = filters.unneeded(table.load(self.corpus.lang))
        funnel = Funnel(self.corpus.mode, self.result.counts["sentences"], rejects, unneeded)
        return (funnel,) if self.corpus.mode == "paper" else (PatternTally(), funnel)


class MinedContents(KnowrefContents):
    """Mined pronouns, whose labels let them have all forms."""

    @staticmethod
    def forms(mode: str) -> Mapping[str, WriteMasked]:
        """KnowRef's JSON, and the forms of examples with labels."""
        return {**JudgedContents.forms(mode), **KnowrefContents.forms(mode)}

    @staticmethod
    def reasons(mode: str) -> Container[str]:
        """What a passage is rejected for."""
        return REASONS["mined"]

    def tallies(self) -> Sequence[ExampleTally]:
        """What they are, and how many sentences each stage leaves."""
        rejects = self.result.rejects + self.verdicts.rejected()
        unneeded = filters.unneeded(table.load(self.corpus.lang))
        return MinedTally(), Funnel("mined", self.result.counts["sentences"], rejects, unneeded)


def write_json(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Writes KnowRef's JSON with what its records state of the pronoun; returns their number."""
    return knowref.write(path, map(_described, examples))


def _described(example: MaskedExample) -> MaskedExample:
    said = {
        "is_pronoun_person": True,
        "is_pronoun_plural": False,
        "is_pronoun_male": example.meta.get("gender") == "male",
        "is_agree_on_type": True,
        "is_agree_on_number": True,
        "is_agree_on_gender": True,
    }
    return replace(example, meta={"knowref": said})

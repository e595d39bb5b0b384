"""Assemble a corpus of pronoun problems, and write KnowRef's form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from corefmill.builders.corpus.masked import JudgedContents, WriteMasked
from corefmill.builders.corpus.survey import ExampleTally
from corefmill.builders.knowref import mined, paper
from corefmill.builders.knowref.filters import FILTERS, STRUCTURE
from corefmill.builders.knowref.sentences import MINED_PATTERNS, MINED_SURFACE, PATTERNS, SURFACE
from corefmill.corpora import card_parts
from corefmill.corpora.formats import knowref
from corefmill.corpora.records import MaskedExample


@dataclass(frozen=True, slots=True)
class PronounTally:
    """Count pronouns by place, and by connective or, if mined, by form and by answer.

    The answers show how often a rule that takes the first or the last name would be right."""

    name: str = "pronouns"
    counted: Counter[tuple[str, str]] = field(default_factory=Counter)

    def watch(self, example: MaskedExample) -> None:
        """Count an example's pronoun by place, and by connective or, if mined, by form."""
        self.counted["pattern", example.meta["pattern"]] += 1
        if example.label is None:
            self.counted["connective", example.meta["connective"]] += 1
            return
        start, end = example.target
        self.counted["pronoun", example.text[start:end].lower()] += 1
        before = [owner for owner, _, stop in example.mentions if stop <= start]
        self.counted["answer", "named first"] += before[:1] == [example.label]
        self.counted["answer", "named last"] += before[-1:] == [example.label]

    def counts(self) -> dict[str, dict[str, int]]:
        """Group the counts by kind, largest first."""
        found: dict[str, dict[str, int]] = {}
        for (kind, name), n in sorted(self.counted.items(), key=lambda one: (-one[1], one[0])):
            found.setdefault(kind, {})[name] = n
        return found

    def section(self) -> Sequence[str]:
        """Write the card's section with a table of the counts."""
        places = {**PATTERNS, **MINED_PATTERNS}
        words = {"pattern": "stands", "connective": "follows", "pronoun": "is"}
        rows = [
            (f"{words.get(kind, 'means the person')} {places.get(name, name)}", n)
            for kind, of_kind in self.counts().items()
            for name, n in of_kind.items()
        ]
        return ["## Pronouns", "", *card_parts.table(("the pronoun", "examples"), rows)]


class KnowrefContents(JudgedContents):
    """Problems with different sentences."""

    stage = "sentence"

    @staticmethod
    def forms(mode: str) -> Mapping[str, WriteMasked]:
        """Return the writer of KnowRef's JSON; other forms need labels by people."""
        return {".json": write_json}

    @staticmethod
    def reasons(mode: str) -> Container[str]:
        """List the reasons to reject a sentence."""
        if mode == "paper":
            return [one for one in paper.REASONS if not one.startswith("paragraph_")]
        return (*SURFACE, *STRUCTURE, *FILTERS)

    def tallies(self) -> Sequence[ExampleTally]:
        """Return the counter of pronouns; none in paper mode, where all have the same place."""
        return () if self.corpus.mode == "paper" else (PronounTally(),)


class MinedContents(KnowrefContents):
    """Mined pronouns, with labels and so with all forms."""

    @staticmethod
    def forms(mode: str) -> Mapping[str, WriteMasked]:
        """Return the writers of KnowRef's JSON and of all forms with labels."""
        return {**JudgedContents.forms(mode), **KnowrefContents.forms(mode)}

    @staticmethod
    def reasons(mode: str) -> Container[str]:
        """List the reasons to reject a passage."""
        return (*MINED_SURFACE, *mined.STRUCTURE, *mined.MINED_FILTERS)


def write_json(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write KnowRef's JSON with its statements on the pronoun; returns the number of records."""
    return knowref.write(path, map(_add_verdicts, examples))


def _add_verdicts(example: MaskedExample) -> MaskedExample:
    """Replace the meta of an example by the statements on the pronoun that KnowRef's JSON has."""
    said = {
        "is_pronoun_person": True,
        "is_pronoun_plural": False,
        "is_pronoun_male": example.meta.get("gender") == "male",
        "is_agree_on_type": True,
        "is_agree_on_number": True,
        "is_agree_on_gender": True,
    }
    return replace(example, meta={"knowref": said})

"""Assemble a corpus of pronoun problems, with its funnel, and write KnowRef's form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from corefmill.builders.corpus.masked import JudgedContents, WriteMasked
from corefmill.builders.corpus.survey import ExampleTally
from corefmill.builders.knowref import filters, mined, paper, table
from corefmill.builders.knowref.filters import FILTERS, STRUCTURE
from corefmill.builders.knowref.options import ON_CORPUS
from corefmill.builders.knowref.sentences import MINED_PATTERNS, MINED_SURFACE, PATTERNS, SURFACE
from corefmill.corpora import card_parts
from corefmill.corpora.formats import knowref
from corefmill.corpora.records import MaskedExample


@dataclass(frozen=True, slots=True)
class PatternTally:
    """Count clean mode's problems by pattern and connective."""

    name: str = "pattern"
    counted: Counter[tuple[str, str]] = field(default_factory=Counter)

    def watch(self, example: MaskedExample) -> None:
        """Counts one problem."""
        self.counted[example.meta["pattern"], example.meta["connective"]] += 1

    def counts(self) -> dict[str, dict[str, int]]:
        """Problems by connective, for each pattern."""
        ordered = sorted(self.counted.items(), key=lambda entry: (-entry[1], entry[0]))
        return {
            pattern: {word: n for (kind, word), n in ordered if kind == pattern}
            for pattern in PATTERNS
        }

    def section(self) -> Sequence[str]:
        """The card's lines."""
        rows = [
            (pattern, meaning, sum(found.values()), ", ".join(f"{w} {n}" for w, n in found.items()))
            for (pattern, found), meaning in zip(
                self.counts().items(), PATTERNS.values(), strict=True
            )
        ]
        return [
            "## Patterns",
            "",
            *card_parts.table(("pattern", "the pronoun stands", "problems", "of them"), rows),
        ]


@dataclass(frozen=True, slots=True)
class MinedTally:
    """Counts mined pronouns by where they stand and by their form, and how many mean whoever was
    named first, or last: what a rule without learning would answer."""

    name: str = "mined"
    counted: Counter[tuple[str, str]] = field(default_factory=Counter)

    def watch(self, example: MaskedExample) -> None:
        """Counts one pronoun."""
        start, end = example.target
        self.counted["pattern", example.meta["pattern"]] += 1
        self.counted["pronoun", example.text[start:end].lower()] += 1
        before = [owner for owner, _, stop in example.mentions if stop <= start]
        self.counted["answer", "named first"] += before[:1] == [example.label]
        self.counted["answer", "named last"] += before[-1:] == [example.label]

    def counts(self) -> dict[str, dict[str, int]]:
        """Pronouns by pattern, by form, and by their answer's place."""
        found: dict[str, dict[str, int]] = {"pattern": {}, "pronoun": {}, "answer": {}}
        for (kind, name), n in sorted(self.counted.items(), key=lambda one: (-one[1], one[0])):
            found[kind][name] = n
        return found

    def section(self) -> Sequence[str]:
        """The card's lines."""
        counts = self.counts()
        rows = [(f"stands {MINED_PATTERNS[name]}", n) for name, n in counts["pattern"].items()]
        rows += [(f"is {name}", n) for name, n in counts["pronoun"].items()]
        rows += [(f"means the person {name}", n) for name, n in counts["answer"].items()]
        return ["## Pronouns", "", *card_parts.table(("the pronoun", "examples"), rows)]


REASONS = {
    "clean": (*SURFACE, *STRUCTURE, *FILTERS, *ON_CORPUS),
    "paper": (*paper.REASONS, *ON_CORPUS),
    "mined": (*MINED_SURFACE, *mined.STRUCTURE, *mined.MINED_FILTERS, *ON_CORPUS),
}
"""By mode, or of mined pronouns, what a sentence is rejected for, in the order of the questions."""


@dataclass(frozen=True, slots=True)
class Funnel:
    """A tally of the whole run: `read` sentences, of which `rejects` went by reason; the reasons
    `unneeded` in the language are not shown."""

    mode: str
    read: int
    rejects: Mapping[str, int]
    unneeded: Container[str] = ()
    name: str = "left_after"

    def watch(self, example: MaskedExample) -> None:
        """Nothing of a single example is counted."""

    def counts(self) -> dict[str, int]:
        """Sentences left after each stage, in the order of the stages."""
        left, found = self.read, {"sentences": self.read}
        for reason in REASONS[self.mode]:
            # Paragraphs went before sentences were counted.
            if reason.startswith("paragraph_") or reason in self.unneeded:
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
            *card_parts.table(("stage", "rejected", "left"), shown),
        ]


class KnowrefContents(JudgedContents):
    """Problems with different sentences."""

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
    """Mined pronouns, with labels and so with all forms."""

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
    """Write KnowRef's JSON with its statements on the pronoun; returns the number of records."""
    return knowref.write(path, map(_with_verdicts, examples))


def _with_verdicts(example: MaskedExample) -> MaskedExample:
    said = {
        "is_pronoun_person": True,
        "is_pronoun_plural": False,
        "is_pronoun_male": example.meta.get("gender") == "male",
        "is_agree_on_type": True,
        "is_agree_on_number": True,
        "is_agree_on_gender": True,
    }
    return replace(example, meta={"knowref": said})

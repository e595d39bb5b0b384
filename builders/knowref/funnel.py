"""How many sentences each stage of the chain leaves, for the card and the manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from corefmill.builders.knowref import mined, paper
from corefmill.builders.knowref.filters import FILTERS, STRUCTURE
from corefmill.builders.knowref.options import ON_CORPUS
from corefmill.builders.knowref.sentences import MINED_PATTERNS, MINED_SURFACE, PATTERNS, SURFACE
from corefmill.corpora import card_parts
from corefmill.corpora.records import MaskedExample


@dataclass(frozen=True, slots=True)
class PatternTally:
    """Counts clean mode's problems by the pattern that found them, and by the connective."""

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

"""Which rules and refinements are on: those of a mode, except what `without` names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from corefmill.corpora.errors import UsageError
from corefmill.corpora.spelling import did_you_mean
from corefmill.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class ChosenRules:
    """A language's paper rules with their refinements, and what else clean mode has.

    Raises `UsageError` for an unknown mode, or a name in `without` that the mode does not have.
    """

    paper: Mapping[str, Iterable[str]]
    clean: Collection[str]
    mode: str
    without: Collection[str]

    def __post_init__(self) -> None:
        if self.mode not in ("paper", "clean"):
            raise UsageError(f"no mode {self.mode!r}", remedy="choose paper or clean")
        legal = list(self.paper)
        if self.mode == "clean":
            legal += [f"{rule}/{name}" for rule, names in self.paper.items() for name in names]
            legal += self.clean
        for name in self.without:
            if name not in legal:
                guess = did_you_mean(name, legal)
                raise UsageError(
                    f"{self.mode} mode has no rule or refinement {name!r}{guess}",
                    remedy=f"choose among {', '.join(sorted(legal))}",
                )

    def of(self, made: Iterable[Rule]) -> tuple[Rule, ...]:
        """Those of a language's rules that are on."""
        return tuple(
            rule
            for rule in made
            if rule.name not in self.without and (self.mode == "clean" or rule.name in self.paper)
        )

    def refinements(self, rule: str) -> frozenset[str]:
        """The refinements of a rule that are on."""
        if self.mode == "paper":
            return frozenset()
        return frozenset(name for name in self.paper[rule] if f"{rule}/{name}" not in self.without)

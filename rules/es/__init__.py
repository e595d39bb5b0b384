"""Refinement rules for Spanish: subject pronouns and possessives, by the rules all share."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from corefmill.rules import possessive, subject_deletion
from corefmill.rules.chosen import ChosenRules
from corefmill.rules.es.verbs import persons
from corefmill.rules.es.writing import join
from corefmill.rules.possessive import Paradigm, PossessiveAgreement, by_form
from corefmill.rules.rule import Rule
from corefmill.rules.subject_deletion import DeletionWords, SubjectDeletion
from corefmill.rules.tables import table

__all__ = ("PAPER", "join", "rules")

PAPER = {
    subject_deletion.NAME: subject_deletion.ALL,
    possessive.NAME: possessive.REFINEMENTS,
}
"""The rules, each with the refinements that clean mode adds to it."""


def rules(
    mode: Literal["paper", "clean"], without: Collection[str] = (), *, others: Collection[str] = ()
) -> tuple[Rule, ...]:
    """See `corefmill.rules.languages.LanguageRules`."""
    chosen = ChosenRules(PAPER, others, mode, without)
    words = DeletionWords.of(
        table("es", "pronouns"),
        persons=persons,
        full=lambda elided, following: None,
        join=join,
    )
    paradigms = by_form(Paradigm(**row) for row in table("es", "possessives")["paradigm"])
    return chosen.of(
        (
            SubjectDeletion(words, chosen.refinements(subject_deletion.NAME)),
            PossessiveAgreement(
                paradigms, join, chosen.refinements(possessive.NAME), relation="det"
            ),
        )
    )

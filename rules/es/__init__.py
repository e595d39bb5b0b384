"""Refinement rules for Spanish: subject pronouns and possessives, with the rules all share."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from corefmill.rules import possessive, subject_deletion
from corefmill.rules.choice import Choice
from corefmill.rules.es.verbs import persons
from corefmill.rules.es.writing import join
from corefmill.rules.possessive import Paradigm, PossessiveAgreement, by_form
from corefmill.rules.rule import Rule
from corefmill.rules.subject_deletion import SubjectDeletion, Words
from corefmill.rules.tables import table

PAPER = {
    subject_deletion.NAME: subject_deletion.ALL,
    possessive.NAME: possessive.REFINEMENTS,
}
"""The rules, each with the refinements that clean mode adds to it."""


def rules(mode: Literal["paper", "clean"], without: Collection[str] = ()) -> tuple[Rule, ...]:
    """The rules of a mode; `without` names rules, or refinements as `subject-deletion/focus`.

    Raises `UsageError` for a name that there is not.
    """
    choice = Choice(PAPER, (), mode, without)
    words = Words.of(
        table("es", "pronouns"),
        persons=persons,
        full=lambda elided, following: None,
        join=join,
    )
    paradigms = by_form(Paradigm(**row) for row in table("es", "possessives")["paradigm"])
    made: tuple[Rule, ...] = (
        SubjectDeletion(words, choice.refinements(subject_deletion.NAME)),
        PossessiveAgreement(paradigms, join, choice.refinements(possessive.NAME), relation="det"),
    )
    return tuple(rule for rule in made if choice.has(rule.name))

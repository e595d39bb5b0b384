"""Refinement rules for Italian, in the paper's order (section 4.3)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from corefmill.rules import possessive, subject_deletion
from corefmill.rules.choice import Choice
from corefmill.rules.it import (
    after_che,
    after_preposition,
    demonstrative,
    kin_article,
    neuter,
    nouns,
    participle,
    possessive_article,
    subject_number,
    writing,
)
from corefmill.rules.it.verbs import persons
from corefmill.rules.possessive import Paradigm, PossessiveAgreement, by_form
from corefmill.rules.rule import Rule
from corefmill.rules.subject_deletion import SubjectDeletion, Words
from corefmill.rules.tables import table

PAPER = {
    subject_deletion.NAME: subject_deletion.ALL,
    subject_number.NAME: subject_number.REFINEMENTS,
    after_preposition.NAME: after_preposition.REFINEMENTS,
    after_che.NAME: after_che.REFINEMENTS,
    possessive.NAME: possessive.REFINEMENTS,
    demonstrative.NAME: demonstrative.REFINEMENTS,
    neuter.NAME: tuple(neuter.REFINEMENTS),
}
"""The paper's rules in its order, each with the refinements that clean mode adds to it."""
CLEAN = (possessive_article.NAME, kin_article.NAME, participle.NAME)
"""Rules that clean mode adds, in the order in which they follow."""


def rules(
    mode: Literal["paper", "clean"], without: Collection[str] = (), *, helps: Collection[str] = ()
) -> tuple[Rule, ...]:
    """The rules of a mode; `without` names rules, or refinements as `subject-deletion/focus`.

    It may name `helps`, too, which clean mode has beside its rules. Raises `UsageError` for a name
    that there is not.
    """
    choice = Choice(PAPER, (*CLEAN, *helps), mode, without)
    possessives = (Paradigm(**row) for row in table("it", "possessives")["paradigm"])
    made: tuple[Rule, ...] = (
        SubjectDeletion(_words(), choice.refinements(subject_deletion.NAME)),
        subject_number.SubjectNumber(_words(), choice.refinements(subject_number.NAME)),
        after_preposition.AfterPreposition(choice.refinements(after_preposition.NAME)),
        after_che.AfterChe(choice.refinements(after_che.NAME)),
        PossessiveAgreement(
            by_form(possessives),
            writing.join,
            choice.refinements(possessive.NAME),
            nouns=nouns.NOUNS,
        ),
        demonstrative.DemonstrativeAgreement(choice.refinements(demonstrative.NAME)),
        neuter.NeuterDemonstrative(choice.refinements(neuter.NAME)),
        possessive_article.PossessiveArticle(),
        kin_article.KinArticle(),
        participle.ParticipleAgreement(),
    )
    return tuple(rule for rule in made if choice.has(rule.name))


def _words() -> Words:
    return Words.of(table("it", "pronouns"), persons=persons, full=writing.full, join=writing.join)

"""Refinement rules for Italian, in the paper's order (section 4.3)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from corefmill.rules.after_preposition import AfterPreposition, PrepositionWords
from corefmill.rules.agreement import PossessiveAgreement, paradigms
from corefmill.rules.it.demonstrative import DemonstrativeAgreement, NeuterDemonstrative
from corefmill.rules.it.morphology import NOUNS, persons
from corefmill.rules.it.participle import EssereParticiple, ParticipleAgreement
from corefmill.rules.it.possessive_article import KinArticle, PossessiveArticle
from corefmill.rules.it.subject_pronouns import AfterChe, SubjectNumber
from corefmill.rules.it.writing import fit_article, full, join
from corefmill.rules.rule import ChosenRules, Rule
from corefmill.rules.sound_form import Contraction, SoundForm
from corefmill.rules.subject_deletion import DeletionWords, SubjectDeletion
from corefmill.rules.tree import table

__all__ = ("CLEAN", "PAPER", "join", "rules")

PAPER = {
    rule.name: rule.refinements
    for rule in (
        SubjectDeletion,
        SubjectNumber,
        AfterPreposition,
        AfterChe,
        PossessiveAgreement,
        DemonstrativeAgreement,
        NeuterDemonstrative,
    )
}
"""The paper's rules in its order, each with the refinements that clean mode adds to it."""
CLEAN = tuple(
    rule.name
    for rule in (
        EssereParticiple,
        PossessiveArticle,
        KinArticle,
        ParticipleAgreement,
        SoundForm,
        Contraction,
    )
)
"""Rules that clean mode adds; the first comes before the paper's, the others follow."""


def rules(
    mode: Literal["paper", "clean"], without: Collection[str] = (), *, others: Collection[str] = ()
) -> tuple[Rule, ...]:
    """Make the active Italian rules, in order; see `corefmill.rules.languages.LanguageRules`."""
    chosen = ChosenRules(PAPER, (*CLEAN, *others), mode, without)
    on = chosen.refinements
    pronouns = table("it", "pronouns")
    words = DeletionWords.of(pronouns, persons=persons, full=full, join=join)
    possessives = paradigms("it", "possessives")
    return chosen.of(
        (
            EssereParticiple(join),
            SubjectDeletion(words, on(SubjectDeletion.name)),
            SubjectNumber(words, on(SubjectNumber.name)),
            AfterPreposition(PrepositionWords.of(pronouns), on(AfterPreposition.name), join),
            AfterChe(on(AfterChe.name)),
            PossessiveAgreement(possessives, join, on(PossessiveAgreement.name), nouns=NOUNS),
            DemonstrativeAgreement(on(DemonstrativeAgreement.name)),
            NeuterDemonstrative(on(NeuterDemonstrative.name)),
            PossessiveArticle(join),
            KinArticle(),
            ParticipleAgreement(join),
            SoundForm(fit_article, join),
            Contraction(join),
        )
    )

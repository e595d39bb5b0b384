"""Refinement rules for Italian, in the paper's order (section 4.3)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from corefmill.rules import (
    after_preposition,
    contraction,
    possessive,
    sound_form,
    subject_deletion,
)
from corefmill.rules.after_preposition import AfterPreposition, PrepositionWords
from corefmill.rules.agreement import paradigms
from corefmill.rules.chosen import ChosenRules
from corefmill.rules.it import (
    after_che,
    article_form,
    demonstrative,
    essere_participle,
    kin_article,
    neuter,
    nouns,
    participle,
    possessive_article,
    subject_number,
    writing,
)
from corefmill.rules.it.verbs import persons
from corefmill.rules.it.writing import join
from corefmill.rules.possessive import PossessiveAgreement
from corefmill.rules.rule import Rule
from corefmill.rules.subject_deletion import DeletionWords, SubjectDeletion
from corefmill.rules.tables import table

__all__ = ("CLEAN", "PAPER", "join", "rules")

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
CLEAN = (
    essere_participle.NAME,
    possessive_article.NAME,
    kin_article.NAME,
    participle.NAME,
    sound_form.NAME,
    contraction.NAME,
)
"""Rules that clean mode adds; the first comes before the paper's, the others follow."""


def rules(
    mode: Literal["paper", "clean"], without: Collection[str] = (), *, others: Collection[str] = ()
) -> tuple[Rule, ...]:
    """See `corefmill.rules.languages.LanguageRules`."""
    chosen = ChosenRules(PAPER, (*CLEAN, *others), mode, without)
    on = chosen.refinements
    pronouns = table("it", "pronouns")
    words = DeletionWords.of(pronouns, persons=persons, full=writing.full, join=join)
    return chosen.of(
        (
            essere_participle.EssereParticiple(join),
            SubjectDeletion(words, on(subject_deletion.NAME)),
            subject_number.SubjectNumber(words, on(subject_number.NAME)),
            AfterPreposition(PrepositionWords.of(pronouns), on(after_preposition.NAME), join),
            after_che.AfterChe(on(after_che.NAME)),
            PossessiveAgreement(
                paradigms("it", "possessives"), join, on(possessive.NAME), nouns=nouns.NOUNS
            ),
            demonstrative.DemonstrativeAgreement(on(demonstrative.NAME)),
            neuter.NeuterDemonstrative(on(neuter.NAME)),
            possessive_article.PossessiveArticle(join),
            kin_article.KinArticle(join),
            participle.ParticipleAgreement(join),
            sound_form.SoundForm(article_form.fitted, join),
            contraction.Contraction(join),
        )
    )

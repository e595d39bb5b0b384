"""Refinement rules for Spanish, the paper's first.

No rule puts the `a` of persons before an object (veo a Ana): whether it is needed depends on who or
what is meant and on the verb, and put in wrongly it makes a receiver of an object.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from corefmill.rules import (
    after_preposition,
    agreement,
    contraction,
    needless_article,
    possessive,
    sound_form,
    subject_deletion,
)
from corefmill.rules.after_preposition import AfterPreposition, PrepositionWords
from corefmill.rules.agreement import ArticleGender, DemonstrativeForms, paradigms
from corefmill.rules.chosen import ChosenRules
from corefmill.rules.contraction import Contraction
from corefmill.rules.es import clitics, with_pronoun
from corefmill.rules.es.nouns import NOUNS
from corefmill.rules.es.sounds import fitted, is_stressed
from corefmill.rules.es.verbs import persons
from corefmill.rules.es.writing import join
from corefmill.rules.needless_article import BeforePossessive, NeedlessArticle
from corefmill.rules.possessive import PossessiveAgreement
from corefmill.rules.rule import Rule
from corefmill.rules.sound_form import SoundForm
from corefmill.rules.subject_deletion import DeletionWords, SubjectDeletion
from corefmill.rules.tables import table
from corefmill.rules.tree import strings

__all__ = ("CLEAN", "PAPER", "join", "rules")

PAPER = {
    subject_deletion.NAME: subject_deletion.ALL,
    after_preposition.NAME: (),
    possessive.NAME: possessive.REFINEMENTS,
    agreement.DEMONSTRATIVE: agreement.REFINEMENTS,
}
"""The paper's rules, each with the refinements that clean mode adds to it."""
CLEAN = (
    with_pronoun.NAME,
    clitics.NAME,
    needless_article.NAME,
    agreement.ARTICLE,
    sound_form.NAME,
    contraction.NAME,
)
"""Rules that clean mode adds, in the order in which they follow."""


def rules(
    mode: Literal["paper", "clean"], without: Collection[str] = (), *, others: Collection[str] = ()
) -> tuple[Rule, ...]:
    """See `corefmill.rules.languages.LanguageRules`."""
    chosen = ChosenRules(PAPER, (*CLEAN, *others), mode, without)
    on = chosen.refinements
    pronouns = table("es", "pronouns")
    words = DeletionWords.of(
        pronouns, persons=persons, full=lambda elided, following: None, join=join
    )
    prepositions = PrepositionWords.of(pronouns, but="with_subject")
    possessives, demonstratives, articles = (
        paradigms("es", name) for name in ("possessives", "demonstratives", "articles")
    )
    needless = strings(table("es", "possessives"), "words", "articles")
    return chosen.of(
        (
            SubjectDeletion(words, on(subject_deletion.NAME)),
            AfterPreposition(prepositions, (), join),
            with_pronoun.WithPronoun(),
            clitics.DativeBeforeAccusative(),
            NeedlessArticle(needless, BeforePossessive(possessives), join, near=True),
            PossessiveAgreement(possessives, join, on(possessive.NAME), "det", NOUNS),
            DemonstrativeForms(demonstratives, join, on(agreement.DEMONSTRATIVE), nouns=NOUNS),
            ArticleGender(articles, join, ("around",), nouns=NOUNS, before_vowel=is_stressed),
            SoundForm(fitted, join),
            Contraction(join),
        )
    )

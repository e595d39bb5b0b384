"""Refinement rules for Spanish, the paper's first.

No rule puts the `a` of persons before an object (veo a Ana): whether it is needed depends on who or
what is meant and on the verb, and put in wrongly it makes a receiver of an object.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from corefmill.rules.after_preposition import AfterPreposition, PrepositionWords
from corefmill.rules.agreement import (
    ArticleGender,
    DemonstrativeForms,
    NeedlessArticle,
    PossessiveAgreement,
    paradigms,
)
from corefmill.rules.es.words import (
    NOUNS,
    DativeBeforeAccusative,
    WithPronoun,
    fit_word,
    is_stressed,
    persons,
)
from corefmill.rules.es.writing import join
from corefmill.rules.rule import ChosenRules, Rule
from corefmill.rules.sound_form import Contraction, SoundForm
from corefmill.rules.subject_deletion import DeletionWords, SubjectDeletion
from corefmill.rules.tree import strings, table

__all__ = ("CLEAN", "PAPER", "join", "rules")

PAPER: dict[str, tuple[str, ...]] = {
    SubjectDeletion.name: SubjectDeletion.refinements,
    AfterPreposition.name: (),
    PossessiveAgreement.name: PossessiveAgreement.refinements,
    DemonstrativeForms.name: DemonstrativeForms.refinements,
}
"""The paper's rules, each with the refinements that clean mode adds to it."""
CLEAN = tuple(
    rule.name
    for rule in (
        WithPronoun,
        DativeBeforeAccusative,
        NeedlessArticle,
        ArticleGender,
        SoundForm,
        Contraction,
    )
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
    this = on(DemonstrativeForms.name)
    return chosen.of(
        (
            SubjectDeletion(words, on(SubjectDeletion.name)),
            AfterPreposition(prepositions, (), join),
            WithPronoun(join),
            DativeBeforeAccusative(join),
            NeedlessArticle(needless, possessives, join),
            PossessiveAgreement(
                possessives, join, on(PossessiveAgreement.name), relation="det", nouns=NOUNS
            ),
            DemonstrativeForms(demonstratives, join, this, nouns=NOUNS),
            ArticleGender(articles, join, ("around",), nouns=NOUNS, before_vowel=is_stressed),
            SoundForm(fit_word, join),
            Contraction(join),
        )
    )

"""Refinement rules for French: agreement, the next sound, pronouns after a preposition.

French keeps its subjects, so that no rule takes them out.
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
from corefmill.rules.fr.words import NOUNS, before_vowel, fit_word, join
from corefmill.rules.rule import ChosenRules, Rule
from corefmill.rules.sound_form import Contraction, SoundForm
from corefmill.rules.tree import strings, table

__all__ = ("CLEAN", "PAPER", "join", "rules")

PAPER: dict[str, tuple[str, ...]] = {
    AfterPreposition.name: (),
    PossessiveAgreement.name: PossessiveAgreement.refinements,
    DemonstrativeForms.name: DemonstrativeForms.refinements,
}
"""The paper's rules, as far as French has them, each with the refinements of clean mode."""
CLEAN = tuple(rule.name for rule in (NeedlessArticle, ArticleGender, SoundForm, Contraction))
"""Rules that clean mode adds, in the order in which they follow."""


def rules(
    mode: Literal["paper", "clean"], without: Collection[str] = (), *, others: Collection[str] = ()
) -> tuple[Rule, ...]:
    """See `corefmill.rules.languages.LanguageRules`."""
    chosen = ChosenRules(PAPER, (*CLEAN, *others), mode, without)
    on = chosen.refinements
    possessives, demonstratives, articles = (
        paradigms("fr", name) for name in ("possessives", "demonstratives", "articles")
    )
    needless = strings(table("fr", "possessives"), "words", "articles")
    this = on(DemonstrativeForms.name)
    own = on(PossessiveAgreement.name)
    return chosen.of(
        (
            AfterPreposition(PrepositionWords.of(table("fr", "pronouns")), (), join),
            NeedlessArticle(needless, possessives, join),
            PossessiveAgreement(
                possessives, join, own, relation="det", nouns=NOUNS, before_vowel=before_vowel
            ),
            DemonstrativeForms(demonstratives, join, this, nouns=NOUNS, before_vowel=before_vowel),
            ArticleGender(articles, join, ("around",), nouns=NOUNS),
            SoundForm(fit_word, join),
            Contraction(join),
        )
    )

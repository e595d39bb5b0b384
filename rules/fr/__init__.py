"""Refinement rules for French: forms that agree, fit the next sound, or stand after a preposition.

French keeps its subjects, so that no rule takes them out.
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
)
from corefmill.rules.after_preposition import AfterPreposition, PrepositionWords
from corefmill.rules.agreement import ArticleGender, DemonstrativeForms, paradigms
from corefmill.rules.chosen import ChosenRules
from corefmill.rules.contraction import Contraction
from corefmill.rules.fr.nouns import NOUNS
from corefmill.rules.fr.sounds import before_vowel, fitted
from corefmill.rules.fr.writing import join
from corefmill.rules.needless_article import BeforePossessive, NeedlessArticle
from corefmill.rules.possessive import PossessiveAgreement
from corefmill.rules.rule import Rule
from corefmill.rules.sound_form import SoundForm
from corefmill.rules.tables import table
from corefmill.rules.tree import strings

__all__ = ("CLEAN", "PAPER", "join", "rules")

PAPER = {
    after_preposition.NAME: (),
    possessive.NAME: possessive.REFINEMENTS,
    agreement.DEMONSTRATIVE: agreement.REFINEMENTS,
}
"""The paper's rules, as far as French has them, each with the refinements of clean mode."""
CLEAN = (needless_article.NAME, agreement.ARTICLE, sound_form.NAME, contraction.NAME)
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
    return chosen.of(
        (
            AfterPreposition(PrepositionWords.of(table("fr", "pronouns")), (), join),
            NeedlessArticle(needless, BeforePossessive(possessives), join, near=True),
            PossessiveAgreement(possessives, join, on(possessive.NAME), "det", NOUNS, before_vowel),
            DemonstrativeForms(
                demonstratives,
                join,
                on(agreement.DEMONSTRATIVE),
                nouns=NOUNS,
                before_vowel=before_vowel,
            ),
            ArticleGender(articles, join, ("around",), nouns=NOUNS),
            SoundForm(fitted, join),
            Contraction(join),
        )
    )

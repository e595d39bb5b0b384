"""Refinement rules for Spanish, the paper's first.

No rule adds the `a` of persons before an object (veo a Ana): it depends on the meaning of the
object and on the verb, and a wrong `a` turns an object into a receiver.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Literal

from corefmill.corpora.records import Token
from corefmill.rules.after_preposition import AfterPreposition, PrepositionWords
from corefmill.rules.agreement import (
    ArticleGender,
    DemonstrativeForms,
    NeedlessArticle,
    PossessiveAgreement,
    paradigms,
)
from corefmill.rules.edits import Join, UtteranceEdits, WordRule
from corefmill.rules.es.writing import join
from corefmill.rules.nominal import by_end, describe_nouns_in_s
from corefmill.rules.rule import ChosenRules, Rule
from corefmill.rules.sound_form import Contraction, SoundForm
from corefmill.rules.subject_deletion import DeletionWords, SubjectDeletion
from corefmill.rules.tree import (
    Tree,
    feature,
    low,
    read_words,
    recase,
    table,
    with_initial_of,
)

__all__ = ("CLEAN", "PAPER", "join", "rules")

NOUNS = describe_nouns_in_s("[aeiouáéíóú][^aeiouáéíóú]{1,3}[aeiou]s|x", by_end("es"))
_PLURAL = {"1": "mos", "2": "is", "3": "n"}
"""The endings of every finite plural: cantamos, cantáis, cantan."""
_ALIKE = frozenset(("1s", "3s"))
_TABLE = table("es", "sounds")
_WORD = re.compile(r"[\"'«“‘(¡¿]*([^\W\d_]{2,40}|[^\W\d_](?=[ .]))")
_BACK = {row["form"]: word for word, row in _TABLE["conjunctions"].items()}
_STRESSED = read_words(_TABLE, "stressed", "nouns")


class WithPronoun(WordRule):
    """Rule: merge con and a pronoun, with its mentions, into one word (conmigo)."""

    name = "with-pronoun"

    def __init__(self, join: Join) -> None:
        super().__init__(join)
        self._forms: dict[str, str] = table("es", "pronouns")["with"]

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Replace con before a pronoun by conmigo, contigo or consigo."""
        token = tree.tokens[at]
        form = self._forms.get(low(token))
        if form is None or not at or token.upos != "PRON":
            return
        before = tree.tokens[at - 1]
        if low(before) == "con" and edits.can_delete(at - 1, at):
            edits.delete(self.name, at - 1, at)
            spelled = with_initial_of(before.form, form)
            edits.replace(self.name, at, replace(token, form=spelled))


class DativeBeforeAccusative(WordRule):
    """Rule: le, les -> se before another clitic (le lo da -> se lo da; dárselo)."""

    name = "dative"

    def __init__(self, join: Join) -> None:
        super().__init__(join)
        pronouns = table("es", "pronouns")
        self._forms: dict[str, str] = pronouns["dative"]
        self._accusative = read_words(pronouns, "words", "accusative")

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Replace le or les before an accusative clitic by se."""
        token = tree.tokens[at]
        form = self._forms.get(low(token))
        if form is None or at + 1 >= len(tree.tokens):
            return
        after = tree.tokens[at + 1]
        if token.upos == after.upos == "PRON" and low(after) in self._accusative:
            edits.replace(self.name, at, replace(token, form=recase(token.form, form)))


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
    """Make the active Spanish rules, in order; see `corefmill.rules.languages.LanguageRules`."""
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
    needless = read_words(table("es", "possessives"), "words", "articles")
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


def persons(verb: Token) -> frozenset[str]:
    """List the persons of a finite verb ("1s", "3p"), several if the form is ambiguous.

    The first and third person are alike in the imperfect, the conditional and the subjunctive.
    The result is empty if nothing is known, or if the ending contradicts a plural of the analysis.
    """
    person, number = feature(verb, "Person"), feature(verb, "Number")
    if number == "Plur":
        return frozenset(
            f"{one}p"
            for one, ending in _PLURAL.items()
            if person in (None, one) and low(verb).endswith(ending)
        )
    if number != "Sing":
        return frozenset()
    possible = frozenset(f"{one}s" for one in "123" if person in (None, one))
    alike = feature(verb, "Mood") in ("Sub", "Cnd") or feature(verb, "Tense") == "Imp"
    return possible | _ALIKE if alike and possible & _ALIKE else possible


def fit_word(tree: Tree, at: int, after: str) -> str | None:
    """Choose the form of a Spanish word by the sound of the text `after`; None for no change."""
    token = tree.tokens[at]
    form = _TABLE["articles"].get(low(token))
    if form is not None and token.upos == "DET":
        # Only before a feminine noun in stressed a: la agua, but las aguas, la alta.
        for noun in tree.tokens[at + 1 : at + 2]:
            if low(noun) in _STRESSED and noun.upos == "NOUN" and feature(noun, "Number") != "Plur":
                return str(form)
        return None
    if token.upos != "CCONJ" or at == 0:
        return None
    word = _BACK.get(low(token), low(token))
    said = _WORD.match(after)
    row = _TABLE["conjunctions"].get(word)
    if row is None or said is None or (len(said[1]) > 1 and said[1].isupper()):
        return None  # abbreviations are spelled, or are not: y EE. UU., e IAG
    next_word = said[1].lower()
    asked = next_word.startswith(tuple(row["before"]))
    asked = asked and not next_word.startswith(tuple(row["but"]))
    wanted = str(row["form"]) if asked else word
    return None if wanted == low(token) else wanted


def is_stressed(text: str) -> bool:
    """Tell whether a text begins with a noun in stressed a."""
    said = _WORD.match(text)
    return said is not None and said[1].lower() in _STRESSED

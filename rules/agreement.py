"""Give determiners the form for gender and number of their noun.

The determiners are possessives and, in some languages, demonstratives and articles. Languages where
the next sound matters (`ma amie`: `mon amie`) have forms for it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from corefmill.rules import nominal
from corefmill.rules.edits import Join, UtteranceEdits, WordRule, capital
from corefmill.rules.nominal import ANY, GenderNumber, Nouns
from corefmill.rules.rule import following
from corefmill.rules.tree import (
    Tree,
    feature,
    is_relation,
    low,
    recase,
    table,
    with_features,
)

SPAN = 4
"""Most tokens from a demonstrative to its noun (the paper's section 4.3.2)."""

BeforeVowel = Callable[[str], bool | None]
"""Whether a text begins with a sound before which words elide; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Paradigm:
    """The four forms of an agreeing word; a language of one gender repeats them.

    `vowel` has the forms that change before a vowel: ma -> mon.
    """

    ms: str
    fs: str
    mp: str
    fp: str
    vowel: Mapping[str, str] = field(default_factory=dict)

    def form(self, agreement: GenderNumber, *, vowel: bool = False) -> str:
        """Return the form for a gender and number; unknown ones are masculine, singular."""
        form = str(getattr(self, agreement.key))
        return self.vowel.get(form, form) if vowel else form

    @property
    def forms(self) -> tuple[str, ...]:
        """All forms."""
        return (self.ms, self.fs, self.mp, self.fp, *self.vowel.values())

    def agreement(self, form: str) -> GenderNumber:
        """Read gender and number of a form, None for each that several of the four forms share."""
        return GenderNumber.common_to(
            key
            for key in ("ms", "fs", "mp", "fp")
            if form in (own := getattr(self, key), self.vowel.get(own))
        )


def paradigms(lang: str, name: str) -> Mapping[str, Paradigm]:
    """Read each form's paradigm from a table of a language's rules."""
    listed = (Paradigm(**row) for row in table(lang, name)["paradigm"])
    return {form: paradigm for paradigm in listed for form in paradigm.forms}


class ParadigmAgreement(WordRule):
    """Rule: give determiners the form for their noun; `keeps_number` keeps their own number."""

    refinements: ClassVar[tuple[str, ...]] = ("around",)
    """`around`: article and adjectives have a vote on gender and number (`rules/nominal.py`)."""
    keeps_number = False

    def __init__(
        self,
        paradigms: Mapping[str, Paradigm],
        join: Join,
        refinements: Collection[str],
        *,
        nouns: Nouns = ANY,
        before_vowel: BeforeVowel = lambda text: False,
    ) -> None:
        super().__init__(join)
        self.paradigms = paradigms
        self.nouns = nouns
        self._before_vowel = before_vowel
        self._around = "around" in refinements

    @abstractmethod
    def noun(self, tree: Tree, at: int) -> int | None:
        """Find the noun of an agreeing word, None for any other word."""

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Replace a determiner that does not agree with its noun."""
        noun = self.noun(tree, at)
        if noun is None:
            return
        token = tree.tokens[at]
        paradigm = self.paradigms[low(token)]
        own = paradigm.agreement(low(token))
        found = nominal.read_noun_agreement(
            tree, noun, but=at, around=self._around, own=own, nouns=self.nouns
        )
        number = own.number if self.keeps_number else found.number or own.number
        wanted = GenderNumber(found.gender or own.gender, number)
        vowel = self._before_vowel(following(edits.utterance, at))
        ways = (False, True) if vowel is None else (vowel,)
        forms = [paradigm.form(wanted, vowel=way) for way in ways]
        if low(token) not in forms:
            changed = with_features(token, Gender=wanted.gender, Number=wanted.number)
            edits.replace(self.name, at, replace(changed, form=recase(token.form, forms[0])))


class DemonstrativeForms(ParadigmAgreement):
    """Rule: make a demonstrative agree with its noun (esta hombre -> este hombre)."""

    name = "demonstrative"
    kind = "Dem"

    def noun(self, tree: Tree, at: int) -> int | None:
        """Find the noun of a demonstrative: its head, not far ahead."""
        token, noun = tree.tokens[at], tree.head(at)
        if noun is None or not at < noun <= at + SPAN or low(token) not in self.paradigms:
            return None
        shown = is_relation(token, "det") and feature(token, "PronType") in (self.kind, None)
        return noun if shown and tree.tokens[noun].upos == "NOUN" else None


class ArticleGender(DemonstrativeForms):
    """Rule: give an article the gender of its noun's form (la problema -> el problema).

    The noun's ending must show its gender, and its analysis must not contradict, since a pipeline
    takes the gender of any other noun from its article, right or wrong. The ends -a and -o need the
    analysis, too (el defensa). A plural article of a singular (los azulgrana), an article with a
    number (unos 100 millones), behind a noun (Anne le devance: a pronoun), or with another noun
    before its own stays.
    """

    name = "article-gender"
    refinements = ()
    kind = "Art"
    keeps_number = True

    def noun(self, tree: Tree, at: int) -> int | None:
        """Find the noun of an article: its head, not far ahead."""
        noun = super().noun(tree, at)
        if noun is None or tree.children(noun, "nummod") or tree.tokens[noun].form.isupper():
            return None
        between = [token.upos for token in tree.tokens[max(0, at - 1) : noun] if token.upos]
        if not {"NOUN", "PROPN", "PRON"}.isdisjoint(between):
            return None
        token, form = tree.tokens[noun], low(tree.tokens[at])
        shown, said = self.nouns.by_end(token), feature(token, "Gender")
        numbers = (self.paradigms[form].agreement(form).number, shown.number)
        if shown.gender is None or numbers == ("Plur", "Sing"):
            return None
        unsure = said is None and low(token).rstrip("s")[-1] in "ao"
        return None if unsure or said not in (shown.gender, None) else noun


class PossessiveAgreement(ParadigmAgreement):
    """Rule: make a possessive agree with its noun; invariable ones (loro) stay.

    `relation` is the name of the link from a possessive to its noun in the language's treebanks.
    """

    name = "possessive"
    refinements = ("relation", "around")
    """`relation`: beside its noun, a possessive counts with any determiner's label."""

    def __init__(
        self,
        paradigms: Mapping[str, Paradigm],
        join: Join,
        refinements: Collection[str],
        relation: str = "det:poss",
        nouns: Nouns = ANY,
        before_vowel: BeforeVowel = lambda text: False,
    ) -> None:
        super().__init__(paradigms, join, refinements, nouns=nouns, before_vowel=before_vowel)
        self._deprel = relation
        self._relation = "relation" in refinements

    def noun(self, tree: Tree, at: int) -> int | None:
        """Find the noun of a possessive, None for any other word."""
        token = tree.tokens[at]
        head = tree.head(at)
        if low(token) not in self.paradigms or head is None:
            return None
        if token.deprel == self._deprel:
            return head
        loose = is_relation(token, "det", "amod", "nmod:poss")
        return head if self._relation and loose else None


class NeedlessArticle(WordRule):
    """Rule: delete an article before a bare possessive (la su casa -> su casa)."""

    name = "needless-article"
    near = True
    """Whether the place of the article alone shows its noun, whatever the tree."""

    def __init__(self, articles: Collection[str], possessives: Collection[str], join: Join) -> None:
        super().__init__(join)
        self._articles = articles
        self._possessives = possessives

    def is_bare(self, tree: Tree, at: int) -> bool:
        """Tell whether the word is a possessive before its noun."""
        noun = tree.head(at)
        return (
            low(tree.tokens[at]) in self._possessives
            and is_relation(tree.tokens[at], "det")
            and noun is not None
            and noun > at
            and tree.tokens[noun].upos == "NOUN"
        )

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Delete an article that stands before a bare possessive."""
        if not at or not self.is_bare(tree, at):
            return
        article = tree.tokens[at - 1]
        of_noun = self.near or (article.upos == "DET" and tree.head(at - 1) == tree.head(at))
        if of_noun and low(article) in self._articles and edits.can_delete(at - 1, at):
            edits.delete(self.name, at - 1, at)
            if article.form[:1].isupper():
                edits.adjust(at, capital(tree.tokens[at]))

"""Makes a possessive adjective agree with its noun (section 4.3.2, table 12, first rule)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from corefmill.rules import nominal
from corefmill.rules.edits import Join, UtteranceEdits
from corefmill.rules.nominal import ANY, GenderNumber, Nouns
from corefmill.rules.tree import Tree, is_relation, like, low, with_features
from corefmill.rules.word_rule import WordRule

NAME = "possessive"
REFINEMENTS = ("relation", "around")
"""`relation`: a possessive before or after its noun counts whatever determiner it is labelled as;
`around`: article and adjectives have a vote on gender and number (`rules/nominal.py`)."""


@dataclass(frozen=True, slots=True)
class Paradigm:
    """The four forms of a word that agrees; a language whose genders are alike repeats them."""

    ms: str
    fs: str
    mp: str
    fp: str

    def form(self, agreement: GenderNumber) -> str:
        """The form for a gender and number that are both known."""
        return str(getattr(self, agreement.key))

    def agreement(self, form: str) -> GenderNumber:
        """What one of the forms says itself; None where several of the four are alike."""
        return GenderNumber.shared(
            key for key in ("ms", "fs", "mp", "fp") if getattr(self, key) == form
        )


def by_form(paradigms: Iterable[Paradigm]) -> Mapping[str, Paradigm]:
    """Each form's paradigm."""
    return {
        form: paradigm
        for paradigm in paradigms
        for form in (paradigm.ms, paradigm.fs, paradigm.mp, paradigm.fp)
    }


class PossessiveAgreement(WordRule):
    """Rewrites the forms of the paradigms; what has none (loro) is never touched.

    `relation` is what the language's treebanks call a possessive's link to its noun.
    """

    name = NAME

    def __init__(
        self,
        paradigms: Mapping[str, Paradigm],
        join: Join,
        refinements: Collection[str],
        relation: str = "det:poss",
        nouns: Nouns = ANY,
    ) -> None:
        super().__init__(join)
        self._nouns = nouns
        self._paradigms = paradigms
        self._deprel = relation
        self._relation = "relation" in refinements
        self._around = "around" in refinements

    def noun(self, tree: Tree, at: int) -> int | None:
        """The noun of a possessive, None for any other word."""
        token = tree.tokens[at]
        head = tree.head(at)
        if low(token) not in self._paradigms or head is None:
            return None
        if token.deprel == self._deprel:
            return head
        loose = is_relation(token, "det", "amod", "nmod:poss")
        return head if self._relation and loose else None

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        noun = self.noun(tree, at)
        if noun is None:
            return
        token = tree.tokens[at]
        paradigm = self._paradigms[low(token)]
        own = paradigm.agreement(low(token))
        found = nominal.of_noun(tree, noun, but=at, around=self._around, own=own, nouns=self._nouns)
        wanted = GenderNumber(found.gender or own.gender, found.number or own.number)
        form = paradigm.form(wanted)
        if form == low(token):
            return
        changed = with_features(token, Gender=wanted.gender, Number=wanted.number)
        edits.replace(NAME, at, replace(changed, form=like(token.form, form)))

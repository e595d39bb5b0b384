"""Makes a possessive adjective agree with its noun (section 4.3.2, table 12, first rule)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from corefmill.rules.agreement import BeforeVowel, Paradigm, ParadigmAgreement
from corefmill.rules.edits import Join
from corefmill.rules.nominal import ANY, Nouns
from corefmill.rules.tree import Tree, is_relation, low

NAME = "possessive"
REFINEMENTS = ("relation", "around")
"""`relation`: a possessive before or after its noun counts whatever determiner it is labelled as;
`around`: article and adjectives have a vote on gender and number (`rules/nominal.py`)."""


class PossessiveAgreement(ParadigmAgreement):
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
        before_vowel: BeforeVowel = lambda text: False,
    ) -> None:
        super().__init__(paradigms, join, refinements, nouns=nouns, before_vowel=before_vowel)
        self._deprel = relation
        self._relation = "relation" in refinements

    def noun(self, tree: Tree, at: int) -> int | None:
        """The noun of a possessive, None for any other word."""
        token = tree.tokens[at]
        head = tree.head(at)
        if low(token) not in self.paradigms or head is None:
            return None
        if token.deprel == self._deprel:
            return head
        loose = is_relation(token, "det", "amod", "nmod:poss")
        return head if self._relation and loose else None

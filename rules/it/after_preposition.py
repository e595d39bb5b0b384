"""io and tu after a preposition become me and te (section 4.3.2, table 11, rules 2 and 3)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.it.writing import join
from corefmill.rules.tables import table
from corefmill.rules.tree import Tree, is_relation, like, low, strings
from corefmill.rules.word_rule import WordRule

NAME = "after-preposition"
REFINEMENTS = ("third", "coordination")
"""`third`: di egli, con ella become lui and lei too; `coordination`: tra me e tu becomes te."""


class AfterPreposition(WordRule):
    """per io -> per me."""

    name = NAME

    def __init__(self, refinements: Collection[str]) -> None:
        super().__init__(join)
        pronouns = table("it", "pronouns")
        self._forms = dict(pronouns["oblique"])
        if "third" in refinements:
            self._forms |= pronouns["oblique_third"]
        self._prepositions = strings(pronouns, "words", "prepositions")
        self._coordination = "coordination" in refinements

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        token = tree.tokens[at]
        form = self._forms.get(low(token))
        if form is None or not at:
            return
        before = tree.tokens[at - 1]
        name = NAME if low(token) in table("it", "pronouns")["oblique"] else f"{NAME}/third"
        if low(before) not in self._prepositions:
            if not (self._coordination and self._is_second(tree, at)):
                return
            name = f"{NAME}/coordination"
        edits.replace(name, at, replace(token, form=like(token.form, form)))
        if low(before) == "ad":  # which stands before a vowel: ad ella, a lei
            edits.adjust(at - 1, replace(before, form=before.form[:-1]))

    def _is_second(self, tree: Tree, at: int) -> bool:
        """Whether the pronoun is the second of two after a preposition: tra me e tu."""
        head = tree.head(at)
        return (
            head is not None
            and is_relation(tree.tokens[at], "conj")
            and tree.tokens[head].upos == "PRON"
            and head > 0
            and low(tree.tokens[head - 1]) in self._prepositions
        )

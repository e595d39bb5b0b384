"""io and tu after a preposition become me and te (section 4.3.2, table 11, rules 2 and 3)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from corefmill.rules.draft import Draft
from corefmill.rules.it.writing import join
from corefmill.rules.rule import Change, Utterance
from corefmill.rules.tables import table
from corefmill.rules.tree import Tree, is_relation, like, low, strings

NAME = "after-preposition"
REFINEMENTS = ("third", "coordination")
"""`third`: di egli, con ella become lui and lei too; `coordination`: tra me e tu becomes te."""


class AfterPreposition:
    """per io -> per me."""

    name = NAME

    def __init__(self, refinements: Collection[str]) -> None:
        pronouns = table("it", "pronouns")
        self._forms = dict(pronouns["oblique"])
        if "third" in refinements:
            self._forms |= pronouns["oblique_third"]
        self._prepositions = strings(pronouns, "words", "prepositions")
        self._coordination = "coordination" in refinements

    def apply(self, utterance: Utterance) -> tuple[Utterance, tuple[Change, ...]]:
        """See `corefmill.rules.rule.Rule`."""
        tree = Tree(utterance.tokens)
        draft = Draft(utterance, join)
        for at, token in enumerate(utterance.tokens):
            form = self._forms.get(low(token))
            if form is None or not at:
                continue
            name = NAME if low(token) in table("it", "pronouns")["oblique"] else f"{NAME}/third"
            if not self._follows(tree, at):
                if not (self._coordination and self._second(tree, at)):
                    continue
                name = f"{NAME}/coordination"
            draft.replace(name, at, replace(token, form=like(token.form, form)))
            before = utterance.tokens[at - 1]
            if low(before) == "ad":  # which stands before a vowel: ad ella, a lei
                draft.adjust(at - 1, replace(before, form=before.form[:-1]))
        return draft.done()

    def _follows(self, tree: Tree, at: int) -> bool:
        return low(tree.tokens[at - 1]) in self._prepositions

    def _second(self, tree: Tree, at: int) -> bool:
        """Whether the pronoun is the second of two after a preposition: tra me e tu."""
        head = tree.head(at)
        return (
            head is not None
            and is_relation(tree.tokens[at], "conj")
            and tree.tokens[head].upos == "PRON"
            and head > 0
            and low(tree.tokens[head - 1]) in self._prepositions
        )

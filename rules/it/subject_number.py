"""Gives a subject pronoun the number of its verb (section 4.3.2, table 11, first rule)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from rules.draft import Draft
from rules.it.verbs import persons
from rules.it.writing import join
from rules.rule import Change, Utterance
from rules.subject_deletion import Clause, Words, clause_after, clause_of
from rules.tables import table
from rules.tree import Tree, feature, is_relation, like, low, with_features

NAME = "subject-number"
REFINEMENTS = ("position", "coordination", "person")
"""`position`: a pronoun right before a finite verb is its subject; `coordination`: io e Maria
andiamo; `person`: a verb in the third person asks for no noi."""


class SubjectNumber:
    """Tu siete -> Voi siete: the same person in the other number."""

    name = NAME

    def __init__(self, words: Words, refinements: Collection[str]) -> None:
        self._words = words
        self._position = "position" in refinements
        self._coordination = "coordination" in refinements
        self._person = "person" in refinements

    def apply(self, utterance: Utterance) -> tuple[Utterance, tuple[Change, ...]]:
        """See `rules.rule.Rule`."""
        tree = Tree(utterance.tokens)
        draft = Draft(utterance, join)
        for at in range(len(utterance.tokens)):
            clause = clause_after(tree, at, self._words) if self._position else None
            clause = clause or clause_of(tree, at, self._words.pronouns)
            if clause is not None and clause.finite:
                self._mend(draft, tree, clause)
        return draft.done()

    def _mend(self, draft: Draft, tree: Tree, clause: Clause) -> None:
        pronouns = table("it", "pronouns")
        at, token = clause.pronoun, tree.tokens[clause.pronoun]
        person, number = pronouns["subject"][low(token)][0]
        possible = persons(tree.tokens[clause.verb])
        own = {other for other in possible if other[0] == person}
        if not possible or any(other[1] == number for other in own or possible):
            return
        if self._coordination and not clause.near and _coordinated(tree, at):
            draft.keep(f"{NAME}/coordination", at)
        elif self._person and not own:
            draft.keep(f"{NAME}/person", at)
        else:
            form = pronouns["number"][low(token)]
            if low(token) in pronouns["number_feminine"] and _feminine(tree, clause):
                form = pronouns["number_feminine"][low(token)]
            changed = with_features(token, Number="Sing" if number == "p" else "Plur")
            draft.replace(NAME, at, replace(changed, form=like(token.form, form)))


def _coordinated(tree: Tree, at: int) -> bool:
    return bool(tree.children(at, "conj", "cc")) or is_relation(tree.tokens[at], "conj")


def _feminine(tree: Tree, clause: Clause) -> bool:
    """Whether a participle or adjective of the predicate is feminine singular."""
    head = tree.tokens[clause.head]
    return feature(head, "Gender") == "Fem" and feature(head, "Number") == "Sing"

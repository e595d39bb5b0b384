"""Give a subject pronoun the number of its verb (the paper's table 11, first rule)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from corefmill.rules.edits import UtteranceEdits, WordRule
from corefmill.rules.it.morphology import persons
from corefmill.rules.it.writing import join
from corefmill.rules.subject_deletion import (
    Clause,
    DeletionWords,
    find_clause,
    find_clause_by_position,
)
from corefmill.rules.tree import (
    Tree,
    feature,
    is_relation,
    low,
    read_words,
    recase,
    table,
    with_features,
)

_AND = ("e", "ed", "o", "od", "né")


class SubjectNumber(WordRule):
    """Rule: give a subject pronoun its verb's number (Tu siete -> Voi siete)."""

    name = "subject-number"
    refinements = ("position", "coordination", "person", "adjoined", "mention")
    """`position`: a pronoun right before a finite verb is its subject; `coordination`: io e Maria
    andiamo; `person`: a verb in the third person asks for no noi; `adjoined`: essi stessi, noi due:
    the next word has the pronoun's number, too; `mention`: a mention of a cluster has its number
    from there, so that it is the verb that is wrong."""

    def __init__(self, words: DeletionWords, refinements: Collection[str]) -> None:
        super().__init__(join)
        self._words = words
        self._on = frozenset(refinements)

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Replace a subject pronoun by that of the same person in the verb's number."""
        # First, the word is the subject of a finite verb of its person, in the other number.
        clause = find_clause_by_position(tree, at, self._words) if "position" in self._on else None
        clause = clause or find_clause(tree, at, self._words.pronouns)
        if clause is None or not clause.finite:
            return
        pronouns = table("it", "pronouns")
        token = tree.tokens[at]
        person, number = pronouns["subject"][low(token)][0]
        possible = persons(tree.tokens[clause.verb])
        own = {other for other in possible if other[0] == person}
        if not possible or any(other[1] == number for other in own or possible):
            return
        # Second, a refinement may keep it; else it takes the number of the verb.
        mentions = edits.utterance.mentions
        reasons = {
            "coordination": _is_coordinated(tree, clause),
            "adjoined": _is_joined_by(tree, at, number),
            "mention": any((m.start, m.end) == (at, at + 1) for m in mentions),
            "person": not own,
        }
        kept = next((name for name, holds in reasons.items() if holds and name in self._on), None)
        if kept is not None:
            edits.keep(f"{self.name}/{kept}", at)
        else:
            form = pronouns["number"][low(token)]
            head = tree.tokens[clause.head]  # a participle or adjective of the predicate
            feminine = feature(head, "Gender") == "Fem" and feature(head, "Number") == "Sing"
            if low(token) in pronouns["number_feminine"] and feminine:
                form = pronouns["number_feminine"][low(token)]
            changed = with_features(token, Number="Sing" if number == "p" else "Plur")
            edits.replace(self.name, at, replace(changed, form=recase(token.form, form)))


def _is_coordinated(tree: Tree, clause: Clause) -> bool:
    """Tell whether a pronoun is coordinated, by the tree or the words beside: lui o lei."""
    at, subjects = clause.pronoun, table("it", "pronouns")["subject"]
    for other, between in ((at + 2, at + 1), (at - 2, at - 1)):
        inside = 0 <= other < len(tree.tokens)
        if inside and low(tree.tokens[between]) in _AND and low(tree.tokens[other]) in subjects:
            return True
    in_tree = tree.children(at, "conj", "cc") or is_relation(tree.tokens[at], "conj")
    return not clause.near and bool(in_tree)


def _is_joined_by(tree: Tree, at: int, number: str) -> bool:
    """Tell whether the next word (tutti, stessi) modifies the pronoun in its number."""
    if at + 1 >= len(tree.tokens):
        return False
    word = low(tree.tokens[at + 1])
    adjoined = read_words(table("it", "pronouns"), "words", "adjoined")
    if word in adjoined:
        return (word[-1] in "ie") == (number == "p")
    return number == "p" and word in ("due", "tre", "quattro")

"""Delete subject pronouns made needless by the verb's ending (the paper's 4.3.1, table 10).

The paper's criterion is lost with its table 10. By its prose, a personal pronoun is deleted if it
depends on a verb as its subject. The paper's examples fix two limits, which hold in both modes: the
pronoun must have a subject's form (`che me sia pronto` is for a later rule) and the verb's number
("Tu siete", too). A mention on the pronoun moves to the finite verb of the clause, the auxiliary or
the copula if there is one: "ha" of "Egli ha detto".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping
from dataclasses import dataclass
from typing import Any

from corefmill.corpora.records import Token
from corefmill.rules.edits import Join, UtteranceEdits, WordRule, capital
from corefmill.rules.tree import NUMBERS, Tree, feature, is_relation, low

CAPITAL = "capital"


@dataclass(frozen=True, slots=True)
class DeletionWords:
    """A language's words for the deletion of subject pronouns, in small letters.

    `pronouns` are the subject forms, each with its persons and numbers ("1s", "3p"). `lists` are
    other words by name: `focus` and `contrast` stand right before or after a pronoun, `adjoined`
    right after it, `clitics` may stand between it and its verb, `prepositions` may govern it,
    `oblique` are the pronouns with the same form behind a preposition; `unstressed` pronouns are
    also deleted behind a verb; `whereas` are the conjunctions of contrast. `persons`
    returns the possible persons of a verb's form, none if unknown. `full` writes a word in full
    that was elided before the pronoun, if the next word requires it; None for no change.
    """

    pronouns: Mapping[str, frozenset[str]]
    lists: Mapping[str, frozenset[str]]
    persons: Callable[[Token], frozenset[str]]
    full: Callable[[Token, Token], Token | None]
    join: Join

    @classmethod
    def of(
        cls,
        table: dict[str, Any],
        *,
        persons: Callable[[Token], frozenset[str]],
        full: Callable[[Token, Token], Token | None],
        join: Join,
    ) -> DeletionWords:
        """Read the words from a language's table `pronouns`."""
        pronouns, lists = (
            {name: frozenset(known) for name, known in table[key].items()}
            for key in ("subject", "words")
        )
        return cls(pronouns, lists, persons, full, join)


@dataclass(frozen=True, slots=True)
class Clause:
    """A subject pronoun, the head of its clause, and the verb that inherits its mention.

    `near` says that the clause was found by the pronoun's position right before the verb.
    """

    pronoun: int
    head: int
    verb: int
    finite: bool
    near: bool = False


def find_clause(tree: Tree, at: int, pronouns: Container[str]) -> Clause | None:
    """Find the clause whose subject in the tree is the pronoun; None without a verb."""
    token = tree.tokens[at]
    head = tree.head(at)
    if head is None or low(token) not in pronouns or not is_relation(token, "nsubj"):
        return None
    found = find_finite_verb(tree, head)
    if found is not None:
        return Clause(at, head, found, finite=True)
    if tree.tokens[head].upos not in ("VERB", "AUX"):
        return None
    return Clause(at, head, head, finite=False)


def find_clause_by_position(tree: Tree, at: int, words: DeletionWords) -> Clause | None:
    """Find the clause of a pronoun that stands right before a finite verb of its person.

    The tree, often wrong about such pronouns, does not matter here. It decides about pronouns after
    a preposition, the second pronoun of a pair, and pronouns before a verb with another subject.
    """
    token = tree.tokens[at]
    mine = words.pronouns.get(low(token))
    if mine is None or token.upos == "DET" or _is_governed(tree, at, words):
        return None
    # Right before the verb, clitics aside: egli non lo canta.
    verb = at + 1
    while verb < len(tree.tokens) and low(tree.tokens[verb]) in words.lists["clitics"]:
        verb += 1
    if verb == len(tree.tokens) or feature(tree.tokens[verb], "VerbForm") != "Fin":
        return None
    # The verb has the pronoun's person, in either number: "Tu siete" is for the rule on numbers.
    persons = {person[0] for person in mine}
    if not any(person[0] in persons for person in words.persons(tree.tokens[verb])):
        return None
    # The head of the clause is behind an auxiliary or a copula; another subject there wins.
    head = tree.head(verb) if is_relation(tree.tokens[verb], "aux", "cop") else verb
    if head is None or head == at:
        head = verb
    if any(other != at for other in tree.children(head, "nsubj", "csubj")):
        return None
    return Clause(at, head, verb, finite=True, near=True)


def _is_governed(tree: Tree, at: int, words: DeletionWords) -> bool:
    """Tell whether a preposition governs the pronoun, directly or in a coordinated pair."""
    token, head = tree.tokens[at], tree.head(at)
    if at and low(tree.tokens[at - 1]) in words.lists["prepositions"]:
        return True
    if at and tree.tokens[at - 1].upos == "ADP" and low(token) in words.lists["oblique"]:
        return True
    return (
        is_relation(token, "conj")
        and head is not None
        and tree.tokens[head].upos in ("PRON", "NOUN", "PROPN")
    )


def find_finite_verb(tree: Tree, head: int) -> int | None:
    """Find the finite verb of a clause: the first auxiliary of `head`, its copula or itself.

    Returns None if none of these is finite.
    """
    for child in tree.children(head, "aux", "cop"):
        if feature(tree.tokens[child], "VerbForm") == "Fin":
            return child
    return head if feature(tree.tokens[head], "VerbForm") == "Fin" else None


def agrees(tree: Tree, clause: Clause, words: DeletionWords) -> bool:
    """Tell whether pronoun and verb agree in number, as far as is known."""
    possible = words.persons(tree.tokens[clause.verb])
    mine = words.pronouns[low(tree.tokens[clause.pronoun])]
    numbers = {person[1] for person in mine}
    return not possible or any(person[1] in numbers for person in possible)


def _is_other_person(tree: Tree, clause: Clause, words: DeletionWords) -> bool:
    """Tell whether the verb is of another person than the pronoun."""
    possible = words.persons(tree.tokens[clause.verb])
    return bool(possible) and possible.isdisjoint(words.pronouns[low(tree.tokens[clause.pronoun])])


def _has_no_finite_verb(tree: Tree, clause: Clause, words: DeletionWords) -> bool:
    """Tell whether the clause has no finite verb to show the person."""
    return not clause.finite


def _is_coordinated(tree: Tree, clause: Clause, words: DeletionWords) -> bool:
    """Tell whether the pronoun is coordinated: lui e Maria, né io né lui."""
    return not clause.near and bool(tree.children(clause.pronoun, "conj", "cc"))


def _is_in_focus(tree: Tree, clause: Clause, words: DeletionWords) -> bool:
    """Tell whether the pronoun is in focus: anche lui, lui stesso, proprio tu; non lui."""
    after = clause.pronoun + 1
    if clause.pronoun and feature(tree.tokens[clause.pronoun - 1], "PronType") == "Neg":
        return True
    adjoined = after < len(tree.tokens) and low(tree.tokens[after]) in words.lists["adjoined"]
    return adjoined or _has_word_beside(tree, clause, words.lists["focus"])


def _is_in_contrast(tree: Tree, clause: Clause, words: DeletionWords) -> bool:
    """Tell whether the pronoun is in contrast: lui invece, mentre tu; io canto e tu balli."""
    if _has_word_beside(tree, clause, words.lists["contrast"]):
        return True
    whereas = words.lists["whereas"]
    if any(low(tree.tokens[child]) in whereas for child in tree.children(clause.head)):
        return True
    return any(_is_other_subject(tree, clause, words, at) for at in range(len(tree.tokens)))


def _is_other_subject(tree: Tree, clause: Clause, words: DeletionWords, at: int) -> bool:
    """Tell whether the word `at` is another clause's subject, told apart by the pronoun.

    Two persons' pronouns of the third person always are (lei ... lui), others in coordinated
    clauses. So is a noun of the other gender in the clause above: Anna rise quando lui tacque.
    """
    other, own = tree.tokens[at], tree.tokens[clause.pronoun]
    head, below = tree.head(at), tree.tokens[clause.head]
    if head is None or low(other) == low(own) or not is_relation(other, "nsubj"):
        return False
    is_above = head == tree.head(clause.head)
    if (persons := words.pronouns.get(low(other))) is None:
        genders = {feature(other, "Gender"), feature(own, "Gender")}
        alike = other.upos == "NOUN" and feature(other, "Number") == feature(own, "Number")
        under = is_above and is_relation(below, "advcl")
        return under and alike and genders == {"Masc", "Fem"}
    beside = ("conj", "parataxis")
    both = {person[0] for person in persons | words.pronouns[low(own)]}
    of_things = words.lists.get("of_things", frozenset())
    return (
        (both == {"3"} and of_things.isdisjoint({low(other), low(own)}))
        or (is_above and is_relation(below, *beside))
        or (tree.head(head) == clause.head and is_relation(tree.tokens[head], *beside))
    )


def _is_postverbal(tree: Tree, clause: Clause, words: DeletionWords) -> bool:
    """Tell whether the pronoun follows its verb: l'ho fatto io; sono io ..."""
    unstressed = words.lists.get("unstressed", frozenset())
    return clause.pronoun > clause.verb and low(tree.tokens[clause.pronoun]) not in unstressed


def _has_modifier(tree: Tree, clause: Clause, words: DeletionWords) -> bool:
    """Tell whether the pronoun has a modifier: noi due, voi italiani."""
    children, own = tree.children(clause.pronoun), low(tree.tokens[clause.pronoun])
    if clause.near:  # the words behind belong to the verb, and so do clitics
        before = clause.pronoun - 1
        token, numbers = tree.tokens[before], {one[1] for one in words.pronouns[own]}
        return (
            before in children
            and token.upos in ("DET", "ADJ", "PRON")
            and low(token) not in words.lists["clitics"]
            and NUMBERS.get(feature(token, "Number") or "") in (None, *numbers)
        )
    return bool(children)


def _is_apart_from_verb(tree: Tree, clause: Clause, words: DeletionWords) -> bool:
    """Tell whether a word besides clitics and adverbs precedes the verb: io, in fondo, credo."""
    between = tree.tokens[clause.pronoun + 1 : clause.verb]
    clitics = words.lists["clitics"]
    return any(token.upos not in ("ADV", "AUX") and low(token) not in clitics for token in between)


def _is_ambiguous(tree: Tree, clause: Clause, words: DeletionWords) -> bool:
    """Tell whether the verb's form serves several persons in the singular: che io sia.

    Such a form is mostly read as the third person, so that a pronoun of that person is deleted, but
    for one with a capital within a sentence: come Lei dice.
    """
    at = clause.pronoun
    mine = words.pronouns[low(tree.tokens[at])]
    if at and tree.tokens[at].form[:1].isupper() and tree.tokens[at - 1].upos != "PUNCT":
        return True
    singular = sum(one[1] == "s" for one in words.persons(tree.tokens[clause.verb]))
    return "3s" not in mine and singular > 1


def _has_word_beside(tree: Tree, clause: Clause, words: Collection[str]) -> bool:
    """Tell whether one of the words stands beside the pronoun or depends on it."""
    near = (clause.pronoun - 1, clause.pronoun + 1)
    around = {at for at in near if 0 <= at < len(tree.tokens)}
    around.update(tree.children(clause.pronoun))
    return any(low(tree.tokens[at]) in words for at in around)


POSITION = "position"
"""The refinement that finds a pronoun by position, see `find_clause_by_position`."""
ELISION = "elision"
"""The refinement that writes a word before the pronoun in full: ch'egli disse, che disse."""

REFINEMENTS: Mapping[str, Callable[[Tree, Clause, DeletionWords], bool]] = {
    "nonfinite": _has_no_finite_verb,
    "person": _is_other_person,
    "coordination": _is_coordinated,
    "focus": _is_in_focus,
    "contrast": _is_in_contrast,
    "postverbal": _is_postverbal,
    "modified": _has_modifier,
    "apart": _is_apart_from_verb,
    "ambiguous": _is_ambiguous,
}
"""The reasons to keep a pronoun in clean mode, in the order of the checks."""


class SubjectDeletion(WordRule):
    """Rule: delete subject pronouns; `refinements` are reasons to keep one (`REFINEMENTS`)."""

    name = "subject-deletion"
    refinements = (POSITION, *REFINEMENTS, ELISION)

    def __init__(self, words: DeletionWords, refinements: Collection[str]) -> None:
        super().__init__(words.join)
        self._words = words
        self._refinements = tuple(name for name in REFINEMENTS if name in refinements)
        self._elision = ELISION in refinements
        self._position = POSITION in refinements

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Delete a subject pronoun, unless a refinement or a mention on the verb keeps it."""
        # First, the pronoun's clause: by its place before the verb, else by the tree.
        clause = find_clause_by_position(tree, at, self._words) if self._position else None
        clause = clause or find_clause(tree, at, self._words.pronouns)
        if clause is None or not agrees(tree, clause, self._words):
            return
        # Second, a reason to keep it, the first that holds; it is recorded, to be counted.
        for name in self._refinements:
            if REFINEMENTS[name](tree, clause, self._words):
                edits.keep(f"{self.name}/{name}", at)
                return
        # Third, its mention moves to the verb, unless another mention stands on that alone.
        if not edits.can_delete(at, clause.verb):
            edits.keep(f"{self.name}/occupied", at)
            return
        edits.delete(self.name, at, clause.verb)
        follower = at + 1
        if follower >= len(tree.tokens):
            return
        # Fourth, the words around: a capital at the beginning, and a word elided before it (ch').
        pronoun = tree.tokens[at]
        before = tree.tokens[at - 1] if at else None
        opens = before is None or (before.upos == "PUNCT" and before.form not in (",", ";"))
        if pronoun.form[:1].isupper() and opens:
            raised = capital(edits.token(follower))
            if raised != edits.token(follower):
                edits.replace(CAPITAL, follower, raised)
        if at and self._elision:
            full = self._words.full(edits.token(at - 1), edits.token(follower))
            if full is not None:
                edits.replace(f"{self.name}/{ELISION}", at - 1, full)

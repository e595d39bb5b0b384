"""A participle with essere agrees with its subject: Maria è partito -> Maria è partita.

Not in the paper. It comes before subject pronouns are deleted, since lei shows what è does not.
"""

from __future__ import annotations

from corefmill.rules import nominal
from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.it.articles import opened
from corefmill.rules.it.nouns import NOUNS
from corefmill.rules.it.participle import agree, ending_of, is_participle
from corefmill.rules.it.verbs import persons
from corefmill.rules.tables import table
from corefmill.rules.tree import Tree, feature, is_relation, low, strings
from corefmill.rules.word_rule import WordRule

NAME = "participle-essere"
_NAMED = ("appos", "flat")
"""What beside a noun may have another gender: il ministro Anna Rossi."""


class EssereParticiple(WordRule):
    """Where gender and number of the subject are known, and the number is the verb's."""

    name = NAME

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        if not is_participle(tree.tokens[at]):
            return
        number, subject = _number(tree, at), _subject(tree, at)
        if number is None or subject is None:
            return
        gender = _gender(tree, subject, at, number)
        if gender is None:
            return
        ending = ending_of(gender, number)
        for word in (at, *tree.children(at, "aux")):
            if is_participle(tree.tokens[word]):  # è stata vista
                agree(NAME, edits, word, ending)


def _number(tree: Tree, at: int) -> str | None:
    """s or p by the third person of essere beside a participle, None where there is none."""
    auxiliaries = [tree.tokens[aux] for aux in tree.children(at, "aux")]
    if not auxiliaries or any(aux.lemma != "essere" for aux in auxiliaries):
        return None
    finite = [aux for aux in auxiliaries if feature(aux, "VerbForm") == "Fin"]
    found = {one[1] for aux in finite for one in persons(aux) if one[0] == "3"}
    return min(found) if len(found) == 1 else None


def _subject(tree: Tree, at: int) -> int | None:
    """The one subject, before its verb."""
    subjects = tree.children(at, "nsubj", "csubj")
    clitics = [tree.tokens[one] for one in tree.children(at) if tree.tokens[one].upos == "PRON"]
    if any(feature(clitic, "Person") in ("1", "2") for clitic in clitics):
        return None  # alcuni minuti prima mi sono fatta male
    if len(subjects) != 1 or subjects[0] > at or not is_relation(tree.tokens[subjects[0]], "nsubj"):
        return None
    return subjects[0]


def _gender(tree: Tree, subject: int, at: int, number: str) -> str | None:
    """m or f of the subject or the subjects that a verb in this number agrees with, else None."""
    joined = tree.children(subject, "conj")
    if joined and number == "s":
        return None
    single = "" if joined else number
    found = {_of_one(tree, one, at, single) for one in (subject, *joined)}
    if "m" in found:
        return "m"
    return "f" if found == {"f"} else None


def _of_one(tree: Tree, subject: int, at: int, number: str) -> str | None:
    """m or f of a pronoun, a person's name, or a noun in a number ("": in any); else None."""
    token, names = tree.tokens[subject], table("it", "names")
    if token.upos == "PRON":
        return table("it", "pronouns")["gender"].get(low(token)) if number != "p" else None
    if token.upos == "PROPN" and number != "p":
        known = (gender for gender in ("m", "f") if low(token) in strings(names, "person", gender))
        return next(known, _of_article(tree, subject))
    if token.upos != "NOUN" or low(token) in strings(names, "nouns", "by_meaning"):
        return None
    if tree.children(subject, *_NAMED) and low(token) not in strings(names, "nouns", "titles"):
        return None
    found = nominal.of_noun(tree, subject, but=at, around=True, nouns=NOUNS)
    fits = found.known and found.key[1] == (number or found.key[1])
    return found.key[0] if fits else None


def _of_article(tree: Tree, name: int) -> str | None:
    """m or f of the article before a name: la Rossi."""
    for at in tree.children(name, "det"):
        known = opened(low(tree.tokens[at]))
        genders = {one.gender for one in known.readings} if known is not None else set()
        if len(genders) == 1:
            return min(genders)
    return None

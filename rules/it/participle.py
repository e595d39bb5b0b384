"""Participles agree: with the clitic object of avere, with the subject of essere."""

from __future__ import annotations

from dataclasses import replace

from corefmill.corpora.records import Token
from corefmill.rules import nominal
from corefmill.rules.edits import UtteranceEdits, WordRule
from corefmill.rules.it.morphology import NOUNS, persons
from corefmill.rules.it.writing import ARTICLES
from corefmill.rules.tree import Tree, feature, is_relation, low, read_words, table, with_features

_ACCUSATIVE = ("lo", "la", "li")
_OBJECTS = (*_ACCUSATIVE, "l'")
_HOSTS = ("aver", "avere", "avendo")
_ENDINGS = {"lo": "o", "la": "a", "li": "i", "le": "e"}
_FEATURES = {
    "o": ("Masc", "Sing"),
    "a": ("Fem", "Sing"),
    "i": ("Masc", "Plur"),
    "e": ("Fem", "Plur"),
}


class ParticipleAgreement(WordRule):
    """Rule: make a participle agree with its clitic object (le ha visto -> le ha viste)."""

    name = "participle"

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        if is_participle(tree.tokens[at]) and (ending := _find_ending(tree, at)) is not None:
            agree(self.name, edits, at, ending)


def is_participle(token: Token) -> bool:
    """Tell whether a word is a participle with an ending for gender and number."""
    return feature(token, "VerbForm") == "Part" and token.form[-1:] in _FEATURES


def ending_of(gender: str, number: str) -> str:
    """Return the ending for a gender (m, f) and number (s, p)."""
    return {"ms": "o", "fs": "a", "mp": "i", "fp": "e"}[gender + number]


def agree(rule: str, edits: UtteranceEdits, at: int, ending: str) -> None:
    """Replace the ending of a participle."""
    token = edits.token(at)
    if ending != token.form[-1]:
        gender, number = _FEATURES[ending]
        changed = with_features(token, Gender=gender, Number=number)
        edits.replace(rule, at, replace(changed, form=token.form[:-1] + ending))


def _find_ending(tree: Tree, at: int) -> str | None:
    """Find the ending that a clitic object before avere requires of the participle."""
    if (enclitic := _find_enclitic(tree, at)) is not None:
        return _ENDINGS[enclitic]
    auxiliaries = [aux for aux in tree.children(at, "aux") if tree.tokens[aux].lemma == "avere"]
    if not auxiliaries:
        return None
    objects = [child for child in tree.children(at) if is_relation(tree.tokens[child], "obj")]
    before = auxiliaries[0] - 1
    if before >= 0 and low(tree.tokens[before]) in _ACCUSATIVE:
        # With any tree: right before the auxiliary it can only be a clitic.
        objects = [before]
    if len(objects) != 1 or objects[0] > at or tree.tokens[objects[0]].upos != "PRON":
        return None
    clitic = objects[0]
    if low(tree.tokens[clitic]) == "le" and clitic and low(tree.tokens[clitic - 1]) == "che":
        return None  # il problema che le ho posto: che is the object, or may be
    return _ENDINGS.get(low(tree.tokens[clitic]))


def _find_enclitic(tree: Tree, at: int) -> str | None:
    """Find a clitic attached to avere before the participle: avendoli visti, averla vista.

    The tree does not matter here, either; le is also a dative and stays.
    """
    clitic = at - 1
    while clitic > 0 and tree.tokens[clitic].upos == "ADV":
        clitic -= 1
    if clitic < 1 or low(tree.tokens[clitic]) not in _ACCUSATIVE:
        return None
    host = low(tree.tokens[clitic - 1])
    return low(tree.tokens[clitic]) if host in _HOSTS else None


_NAMED = ("appos", "flat")
"""Relations of words beside a noun that may have another gender: il ministro Anna Rossi."""


class EssereParticiple(WordRule):
    """Rule: give a participle after essere the subject's gender and the verb's number."""

    name = "participle-essere"

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Replace a participle after essere that does not agree with its subject."""
        if not is_participle(tree.tokens[at]):
            return
        number, subject = _read_number(tree, at), _find_subject(tree, at)
        if number is None or subject is None:
            return
        gender = _find_gender(tree, subject, at, number)
        if gender is None:
            return
        ending = ending_of(gender, number)
        for word in (at, *tree.children(at, "aux")):
            if is_participle(tree.tokens[word]):  # è stata vista
                agree(self.name, edits, word, ending)


def _read_number(tree: Tree, at: int) -> str | None:
    """Read the number (s or p) of the third person of essere beside a participle."""
    auxiliaries = [tree.tokens[aux] for aux in tree.children(at, "aux")]
    if not auxiliaries or any(aux.lemma != "essere" for aux in auxiliaries):
        return None
    finite = [aux for aux in auxiliaries if feature(aux, "VerbForm") == "Fin"]
    found = {one[1] for aux in finite for one in persons(aux) if one[0] == "3"}
    return min(found) if len(found) == 1 else None


def _find_subject(tree: Tree, at: int) -> int | None:
    """Find the only subject of a participle, before its verb."""
    subjects = tree.children(at, "nsubj", "csubj")
    clitics = [tree.tokens[one] for one in tree.children(at) if tree.tokens[one].upos == "PRON"]
    if any(feature(one, "Person") in ("1", "2") or low(one) in _OBJECTS for one in clitics):
        return None  # alcuni minuti prima mi sono fatta male; Marco se l'è cavata
    if len(subjects) != 1 or subjects[0] > at or not is_relation(tree.tokens[subjects[0]], "nsubj"):
        return None
    return subjects[0]


def _find_gender(tree: Tree, subject: int, at: int, number: str) -> str | None:
    """Find the common gender (m or f) of a verb's coordinated subjects, in this number."""
    joined = tree.children(subject, "conj")
    if joined and number == "s":
        return None
    single = "" if joined else number
    found = {_find_gender_of_one(tree, one, at, single) for one in (subject, *joined)}
    if "m" in found:
        return "m"
    return "f" if found == {"f"} else None


def _find_gender_of_one(tree: Tree, subject: int, at: int, number: str) -> str | None:
    """Find the gender (m or f) of one pronoun, name or noun in a number; None if unknown."""
    token, names = tree.tokens[subject], table("it", "names")
    if token.upos == "PRON":
        return table("it", "pronouns")["gender"].get(low(token)) if number != "p" else None
    if token.upos == "PROPN" and number != "p":
        known = (
            gender for gender in ("m", "f") if low(token) in read_words(names, "person", gender)
        )
        return next(known, _read_article_gender(tree, subject))
    if token.upos != "NOUN" or low(token) in read_words(names, "nouns", "by_meaning"):
        return None
    if tree.children(subject, *_NAMED) and low(token) not in read_words(names, "nouns", "titles"):
        return None
    found = nominal.read_noun_agreement(tree, subject, but=at, around=True, nouns=NOUNS)
    fits = found.is_known and found.key[1] == (number or found.key[1])
    return found.key[0] if fits else None


def _read_article_gender(tree: Tree, name: int) -> str | None:
    """Read the gender (m or f) of the article before a name: la Rossi."""
    for at in tree.children(name, "det"):
        known = ARTICLES.split(low(tree.tokens[at]))
        genders = {one.gender for one in known.readings} if known is not None else set()
        if len(genders) == 1:
            return min(genders)
    return None

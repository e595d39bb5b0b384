"""Clean mode's filters on grammatical gender: words that agree with a candidate, and things that a
pronoun may mean by theirs."""

from __future__ import annotations

from collections.abc import Container

from corefmill.builders.knowref.problem import Problem, needed_where
from corefmill.builders.persons.table import Gender

PART_OF_NAME = ("appos", "compound", "flat", "nmod:desc")
_AGREEING = ("ADJ", "VERB", "AUX", "DET")
_ARGUMENTS = ("nsubj", "obj", "iobj")
_OTHER: dict[Gender, str] = {"male": "Fem", "female": "Masc"}


def contrary_word(problem: Problem) -> bool:
    """A word that agrees with a candidate, or is said of it, is of another gender than the pronoun:
    "Ann as a young man", "Umberto restava indecisa"."""
    read = problem.read
    if not read.head or not read.feats:
        return False
    other = _OTHER[problem.gender]
    candidates = {i for name in problem.mentions for i in problem.inside((name.start, name.end))}
    for index, kind in enumerate(read.upos):
        if kind in _AGREEING and f"Gender={other}" in read.feats[index].split("|"):
            if _agrees(problem, index, candidates):
                return True
        elif kind == "NOUN" and index not in candidates and _said_of(problem, index, candidates):
            gender = problem.gender_of_noun(read.lemma[index].lower())
            if gender not in (None, "", problem.gender):
                return True
    return False


@needed_where("male_things", "female_things")
def thing_of_gender(problem: Problem) -> bool:
    """Before the connective a thing of the pronoun's grammatical gender is a subject or an object,
    so that the pronoun may mean it: "Anna gab Eva die Uhr, weil sie ..."

    A possessive seldom means a thing.
    """
    read, target = problem.read, problem.word_at(problem.spans.pronoun)
    wanted = {f"Gender={gender}" for gender in problem.table.things_of(problem.gender)}
    if not wanted or not read.head or not read.feats or target is None:
        return False
    if read.deprel[target].split(":")[0] in ("det", "nmod"):
        return False
    for index, (_, end) in enumerate(read.words):
        if end > problem.spans.connective[0]:
            return False
        feats = set(read.feats[index].split("|"))
        if read.upos[index] != "NOUN" or "Number=Plur" in feats or not wanted & feats:
            continue
        argument = read.deprel[index].split(":")[0] in _ARGUMENTS
        if argument and problem.gender_of_noun(read.lemma[index].lower()) == "":
            return True
    return False


def _agrees(problem: Problem, index: int, candidates: Container[int]) -> bool:
    """Whether a word with a gender has it of a candidate: its attribute, or its predicate, or a
    verb beside that ("Anna była lekarzem")."""
    read = problem.read
    if read.head[index] in candidates and index not in candidates:
        return read.deprel[index].split(":")[0] in ("amod", "acl", "det", "appos")
    if read.upos[index] == "AUX":
        index = read.head[index]
    below = [i for i, head in enumerate(read.head) if head == index and i != index]
    if any(read.upos[i] == "AUX" and read.lemma[i] in problem.table.no_agreement for i in below):
        return False
    return any(i in candidates and read.deprel[i].startswith("nsubj") for i in below)


def _said_of(problem: Problem, index: int, candidates: Container[int]) -> bool:
    """Whether a noun says what a candidate is: "Ann, the king", "Ann was king", "as king"."""
    read = problem.read
    below = [i for i, head in enumerate(read.head) if head == index and i != index]
    if any(i in candidates and read.deprel[i].startswith("nsubj") for i in below):
        return True
    if read.deprel[index] in PART_OF_NAME and read.head[index] in candidates:
        return True
    words = problem.table.as_words
    return any(read.deprel[i] == "case" and read.forms[i].lower() in words for i in below)

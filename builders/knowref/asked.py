"""Whether what looks like a pronoun is the one that is asked for: "sie" is she or they."""

from __future__ import annotations

from corefmill.builders.knowref.problem import Problem, needed_where
from corefmill.corpora.records import Span

_NOBODY = ("expl", "case", "fixed", "mark", "cc")
"""The relations of "il" in "il faut", "il y a dix ans", and of "nim" that is "before"."""
_FINITE = "VerbForm=Fin"
_VERBS = ("cop", "aux")


@needed_where("also_plural", "also_other")
def not_the_pronoun(problem: Problem) -> bool:
    """By the parse the pronoun is another word ("sie" for they, "zijn" for to be), or before it
    stands one of its gender that is a pronoun."""
    if not problem.read.upos:
        return False
    asked = problem.spans.pronoun
    if not _means_one(problem, asked):
        return True
    before = (
        match.span()
        for match in problem.table.pronoun.finditer(problem.text)
        if match.end() <= asked[0] and problem.table.gender_of(match.group()) == problem.gender
    )
    return any(_means_one(problem, span) for span in before)


def _means_one(problem: Problem, span: Span) -> bool:
    """Whether a word that may be a pronoun for one person is one, by its tag and its number."""
    form, table = problem.text[slice(*span)], problem.table
    if not table.is_ambiguous(form):
        return True
    index = problem.word_at(span)
    if index is None or problem.read.upos[index] not in ("PRON", "DET"):
        return False
    if problem.read.deprel and problem.read.deprel[index].split(":")[0] in _NOBODY:
        return False
    feats = set(problem.read.feats[index].split("|")) if problem.read.feats else set()
    owns = "Poss=Yes" in feats
    if form.lower() not in table.also_plural:
        return owns or "Number=Plur" not in feats
    if owns:  # its number is that of what is owned
        return "Number[psor]=Sing" in feats
    if "Person=2" in feats or _is_polite(problem, span):
        return False
    # No "they" of these languages looks like one in the dative.
    own = feats & {"Number=Sing", "Case=Dat"}
    number = _number_of_verb(problem, index)
    return bool(own) if number is None else number == "Sing"


def _is_polite(problem: Problem, span: Span) -> bool:
    """Whether a capital makes it the polite "you": "Sie" anywhere but at a sentence's head."""
    heads = (0, problem.sentence.second)
    return problem.text[span[0]].isupper() and span[0] not in heads


def _number_of_verb(problem: Problem, index: int) -> str | None:
    """The number of the finite verb of which a word is the subject, None where none is told."""
    read = problem.read
    if not read.deprel or not read.deprel[index].startswith("nsubj"):
        return None
    head = read.head[index]
    helping = [i for i, above in enumerate(read.head) if above == head and i != head]
    verbs = [head, *(i for i in helping if read.deprel[i].split(":")[0] in _VERBS)]
    told = [set(read.feats[i].split("|")) for i in verbs] if read.feats else []
    numbers = (
        feat.removeprefix("Number=")
        for feats in told
        if _FINITE in feats
        for feat in sorted(feats)
        if feat.startswith("Number=")
    )
    return next(numbers, None)

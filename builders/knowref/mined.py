"""Mine pronouns: only one of the two persons before a pronoun has its gender, and is the label.

Both persons get names of one gender, so that the label costs nothing and the text no longer shows
it. (Emami et al. 2019, section 3, swap names, too, but ask people for the label.)
"""

from __future__ import annotations

from corefmill.builders.knowref.filters import (
    FILTERS,
    not_the_pronoun,
    one_person,
    three_persons,
)
from corefmill.builders.knowref.problem import Problem, ProblemFilter
from corefmill.builders.persons.name_filters import list_filters

_OBJECTS = ("obj", "iobj", "obl")
_SUBJECTS = ("nsubj", "nsubjpass")
OF_UNMINED = ("no_clause", "aside")
"""Filters that mined pronouns do not need, which have no connective and a label by gender."""
_SHARING = ("xcomp", "conj")
"""Relations of a verb that shares the subject of the verb above."""


def not_told_apart(problem: Problem) -> bool:
    """Drop problems whose two persons are not known to be a man and a woman."""
    return problem.label is None


def inflected_name(problem: Problem) -> bool:
    """Drop problems with an inflected name, which no drawn name could replace."""
    return problem.inflected


def own_clause(problem: Problem) -> bool:
    """Drop problems whose pronoun is an object of its answer's own verb: "Ann saw her"."""
    read, word = problem.read, problem.word_at(problem.spans.pronoun)
    if problem.label is None or not read.head:
        return False
    if word is None or read.deprel[word].split(":")[0] not in _OBJECTS:
        return False
    answer = problem.candidates[problem.label]
    inside = {
        i
        for name in problem.names
        if name.text == answer
        for i in problem.find_words((name.start, name.end))
    }
    subjects = {
        head
        for i, (head, relation) in enumerate(zip(read.head, read.deprel, strict=True))
        if i in inside and relation.split(":")[0] in _SUBJECTS
    }
    # In "wanted to see her", the subject of "wanted" is also the subject of "see".
    verb, passed = read.head[word], set[int]()
    while verb not in passed:
        if verb in subjects:
            return True
        passed.add(verb)
        if read.deprel[verb].split(":")[0] not in _SHARING:
            break
        verb = read.head[verb]
    return False


def noun_of_other_gender(problem: Problem) -> bool:
    """Drop problems with a noun of the other gender, which would not fit the drawn name:
    "his sister Ann"."""
    other = {"male": "female", "female": "male"}[problem.gender]
    return any(problem.table.gender_of_noun(lemma.lower()) == other for lemma in problem.read.lemma)


STRUCTURE = list_filters(not_the_pronoun, one_person, three_persons, not_told_apart, inflected_name)
"""Filters that define a mined pronoun; `--without` cannot leave them out."""

MINED_FILTERS: dict[str, ProblemFilter] = {
    **list_filters(own_clause, noun_of_other_gender),
    **{name: stops for name, stops in FILTERS.items() if name not in OF_UNMINED},
}
"""In the order in which they are asked."""

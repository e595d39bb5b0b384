"""Mined pronouns: of the two persons before a pronoun one alone is of its gender: the label.

Both get names of one gender (`swap`), so that the label comes free and the text no longer tells it
(the trick of Emami et al. 2019, section 3, turned round: theirs asks people for the label).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from corefmill.builders.knowref.filters import (
    FILTERS,
    not_the_pronoun,
    one_person,
    three_persons,
)
from corefmill.builders.knowref.problem import Problem, ProblemFilter

_OBJECTS = ("obj", "iobj", "obl")
_SUBJECTS = ("nsubj", "nsubjpass")
OF_UNMINED = ("no_clause", "aside")
"""Filters that mined pronouns do not need: no connective is asked for, and gender says of somebody
that the pronoun means them."""
_CONTROLLED = "xcomp"


class MinedProblem(Problem):
    """A problem with all persons before the pronoun, of either gender, as candidates."""

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """The persons named before the pronoun."""
        return self.named_before

    @cached_property
    def label(self) -> int | None:
        """The candidate of the pronoun's gender; None unless gender tells them apart."""
        genders = [self.gender_of(name) for name in self.candidates]
        if len(genders) != 2 or None in genders or genders[0] == genders[1]:
            return None
        return genders.index(self.gender)


def not_told_apart(problem: Problem) -> bool:
    """The two persons are not known to be a man and a woman."""
    return isinstance(problem, MinedProblem) and problem.label is None


def inflected_name(problem: Problem) -> bool:
    """A name stands in a form that another would not have, so that none can replace it."""
    return problem.inflected


def own_clause(problem: Problem) -> bool:
    """The pronoun is an object of the verb whose subject is the one it would mean: "Ann saw her"
    is somebody else."""
    read, word = problem.read, problem.word_at(problem.spans.pronoun)
    if not isinstance(problem, MinedProblem) or problem.label is None or not read.head:
        return False
    if word is None or read.deprel[word].split(":")[0] not in _OBJECTS:
        return False
    answer = problem.candidates[problem.label]
    inside = {
        i
        for name in problem.names
        if name.text == answer
        for i in problem.inside((name.start, name.end))
    }
    subjects = {
        head
        for i, (head, relation) in enumerate(zip(read.head, read.deprel, strict=True))
        if i in inside and relation.split(":")[0] in _SUBJECTS
    }
    return any(verb in subjects for verb in _verbs(problem, read.head[word]))


def _verbs(problem: Problem, verb: int) -> Iterator[int]:
    """List a verb and those above with the same subject: "wanted" of "wanted to see"."""
    read, passed = problem.read, set[int]()
    while verb not in passed:
        passed.add(verb)
        yield verb
        if read.deprel[verb].split(":")[0] not in (_CONTROLLED, "conj"):
            return
        verb = read.head[verb]


def noun_of_other_gender(problem: Problem) -> bool:
    """A noun for a person of the other gender, which may be said of one who gets another name:
    "his sister Ann"."""
    other = {"male": "female", "female": "male"}[problem.gender]
    return any(problem.gender_of_noun(lemma.lower()) == other for lemma in problem.read.lemma)


STRUCTURE: dict[str, ProblemFilter] = {
    function.__name__: function
    for function in (
        not_the_pronoun,
        one_person,
        three_persons,
        not_told_apart,
        inflected_name,
    )
}
"""What makes a mined pronoun at all; these cannot be left out."""

MINED_FILTERS: dict[str, ProblemFilter] = {
    "own_clause": own_clause,
    "noun_of_other_gender": noun_of_other_gender,
    **{name: stops for name, stops in FILTERS.items() if name not in OF_UNMINED},
}
"""In the order in which they are asked."""

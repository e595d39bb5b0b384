"""Whether what looks like a pronoun is the one that is asked for: "sie" is she or they."""

from __future__ import annotations

from corefmill.builders.knowref.problem import Problem, needed_where
from corefmill.builders.persons.reference_words import means_one
from corefmill.corpora.records import Span


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
    if not problem.table.is_ambiguous(problem.text[slice(*span)]):
        return True
    index = problem.word_at(span)
    opens = span[0] in (0, problem.sentence.second)
    return index is not None and means_one(problem.read, index, problem.table, opens=opens)

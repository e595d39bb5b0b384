"""Mine pronouns: only one of the two persons before a pronoun has its gender, and is the label.

Both persons get names of one gender, so that the label costs nothing and the text no longer shows
it. (Emami et al. 2019, section 3, swap names, too, but ask people for the label.)
"""

from __future__ import annotations

import re

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
OF_UNMINED = ("no_clause",)
"""Filters that mined pronouns do not need, which have no connective."""
_SPEECH_END = re.compile(r"[\"'“”’«»—–-]\s*(?:(?P<verb>\w+)[ -])?$")
_WORD = re.compile(r"\W(?P<verb>\w+)")


def not_told_apart(problem: Problem) -> bool:
    """Drop problems whose two persons are not known to be a man and a woman."""
    return problem.label is None


def inflected_name(problem: Problem) -> bool:
    """Drop problems with an inflected name, which no drawn name could replace."""
    return problem.inflected


def own_clause(problem: Problem) -> bool:
    """Drop problems whose pronoun is an object of its answer's own verb: "Ann saw her".

    A verb without a subject has that of the verb above: "Ann wanted to see her", "laughed at
    seeing her".
    """
    read, word = problem.read, problem.word_at(problem.spans.pronoun)
    if problem.label is None or word is None or not read.head:
        return False
    if read.deprel[word].split(":")[0] not in _OBJECTS:
        return False
    answer = problem.candidates[problem.label]
    inside = {
        i
        for name in problem.names
        if name.text == answer
        for i in problem.find_words((name.start, name.end))
    }
    verb, passed = read.head[word], set[int]()
    while verb not in passed:
        passed.add(verb)
        subjects = {
            i
            for i, (head, relation) in enumerate(zip(read.head, read.deprel, strict=True))
            if head == verb and relation.split(":")[0] in _SUBJECTS
        }
        if subjects:
            return not subjects.isdisjoint(inside)
        verb = read.head[verb]
    return False


def speech_tag(problem: Problem) -> bool:
    """Drop problems whose pronoun says what stands before: the names are in the speech, or "she" is
    somebody else: "'There is Ann, with Bob,' she said"."""
    start, end = problem.spans.pronoun
    before, after = _SPEECH_END.search(problem.text, 0, start), _WORD.match(problem.text, end)
    said = {before["verb"] if before else None, after["verb"] if after else None}
    return before is not None and not said.isdisjoint(problem.words.saying)


def noun_of_other_gender(problem: Problem) -> bool:
    """Drop problems with a noun of the other gender, which would not fit the drawn name:
    "his sister Ann"."""
    other = {"male": "female", "female": "male"}[problem.gender]
    return any(problem.table.gender_of_noun(lemma.lower()) == other for lemma in problem.read.lemma)


STRUCTURE = list_filters(not_the_pronoun, one_person, three_persons, not_told_apart, inflected_name)
"""Filters that define a mined pronoun; `--without` cannot leave them out."""

MINED_FILTERS: dict[str, ProblemFilter] = {
    **list_filters(own_clause, speech_tag, noun_of_other_gender),
    **{name: stops for name, stops in FILTERS.items() if name not in OF_UNMINED},
}
"""In the order in which they are asked."""

"""Clean mode's filter on connectives that join no clauses."""

from __future__ import annotations

from corefmill.builders.knowref.problem import Problem

_JOINS = ("cc", "mark", "advmod")
_VERBAL = ("VERB", "AUX")
_NO_CLAUSE_BEGINS = ("VERB", "ADP", "PUNCT")
"""Behind "after" or "if" these begin no clause with a subject: "soon after, ..." """
_SUBJECTS = ("nsubj", "csubj", "expl", "cop")
_CLOSE_PLACES = ("nsubj", "nmod", "det", "expl")
"""What a pronoun right behind a close connective is: a subject or somebody's, and not "for him"."""


def no_clause(problem: Problem) -> bool:
    """The connective joins no clauses: "Ann or Bo", "after the war", "so ill"."""
    read = problem.read
    connective, pronoun = problem.spans.connective, problem.spans.pronoun
    words = problem.inside(connective)
    at, target = words.stop - 1, problem.word_at(pronoun)
    if not words or target is None:
        return True
    if not read.upos:
        return False
    if read.upos[target] not in ("PRON", "DET") or _is_article(problem, target):
        return True
    verbal = [index for index, kind in enumerate(read.upos) if kind in _VERBAL]
    if not verbal or verbal[-1] < at:
        return True
    if not read.head or problem.spans.pattern in ("opener", "next_sentence"):
        return False
    joins = any(read.deprel[index].split(":")[0] in _JOINS for index in words)
    if problem.spans.pattern == "close":
        place = read.deprel[target].split(":")[0]
        if read.deprel[at] == "case" or (place not in _CLOSE_PLACES and not _is_clitic(problem)):
            return True
        if not joins:  # a semicolon, or "which" and its like
            return False
    if not joins:
        return True
    if read.upos[at + 1] in _NO_CLAUSE_BEGINS and read.deprel[at].split(":")[0] != "cc":
        return True
    head = read.head[_joint(problem, at)]
    if head <= at:
        return True
    if target == at + 1 and verbal[0] < at:
        return verbal[-1] < head  # "but his mother came", whatever the tree makes of it
    return not _is_clause(problem, head) or not _below(problem, target, head)


def _joint(problem: Problem, at: int) -> int:
    """The word on which a connective of several hangs: "parce" of "parce que"."""
    read = problem.read
    inside = read.deprel[at] == "fixed" and read.head[at] in problem.inside(
        problem.spans.connective
    )
    return read.head[at] if inside else at


def _is_clitic(problem: Problem) -> bool:
    return problem.pronoun in problem.table.clitics


def _is_article(problem: Problem, target: int) -> bool:
    """Whether the parser takes a clitic for the article that is spelled so: "la sera"."""
    return _is_clitic(problem) and problem.read.upos[target] != "PRON"


def _below(problem: Problem, word: int, head: int) -> bool:
    """Whether the word hangs on `head`, however far below."""
    passed: set[int] = set()
    while word != head and word not in passed:
        passed.add(word)
        word = problem.read.head[word]
    return word == head


def _is_clause(problem: Problem, head: int) -> bool:
    """Whether a word is a verb, or a predicate with a subject or copula of its own."""
    read = problem.read
    return read.upos[head] == "VERB" or any(
        relation.split(":")[0] in _SUBJECTS and above == head
        for relation, above in zip(read.deprel, read.head, strict=True)
    )

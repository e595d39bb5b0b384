"""Clean mode's filters on a parsed problem: each says whether it must go.

A filter's name is its reject reason and the name that `--without` takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps

from corefmill.builders.knowref.problem import Problem
from corefmill.builders.persons import name_filters as names
from corefmill.builders.persons.table import requires

ProblemFilter = Callable[[Problem], bool]

_JOINS = ("cc", "mark", "advmod")
_VERBAL = ("VERB", "AUX")
_NO_CLAUSE_BEGINS = ("VERB", "ADP", "PUNCT")
"""Behind "after" or "if" these begin no clause with a subject: "soon after, ..." """
_SUBJECTS = ("nsubj", "csubj", "expl", "cop")
_PART_OF_NAME = ("appos", "compound", "flat", "nmod:desc")
_NOT_SINGULAR = "Number=Plur"
_OFTEN, _SEEN = 0.15, 5
"""Of 294 candidates of the novels the persons stay below 0.09, and Helstone has 0.25."""


def several_sentences(problem: Problem) -> bool:
    """The pipeline finds more than one sentence where the text was not cut."""
    return len(problem.read.sentences) > 1


def one_person(problem: Problem) -> bool:
    """Fewer than two persons are named before the connective."""
    return len(problem.candidates) < 2


def three_persons(problem: Problem) -> bool:
    """More than two persons are named before the connective."""
    return len(problem.candidates) > 2


def no_clause(problem: Problem) -> bool:
    """The connective joins no clauses: "Ann or Bo", "after the war", "so ill"."""
    read = problem.read
    connective, pronoun = problem.spans.connective, problem.spans.pronoun
    words = problem.inside(connective)
    at, target = words.stop - 1, problem.index(pronoun)
    if not words or target is None:
        return True
    if not read.upos:
        return False
    if read.upos[target] not in ("PRON", "DET"):
        return True
    verbal = [index for index, kind in enumerate(read.upos) if kind in _VERBAL]
    if not verbal or verbal[-1] < at:
        return True
    if not read.head or problem.text[connective[0]] == ",":
        return False
    if not any(read.deprel[index].split(":")[0] in _JOINS for index in words):
        return True
    if read.upos[at + 1] in _NO_CLAUSE_BEGINS and read.deprel[at].split(":")[0] != "cc":
        return True
    head = read.head[at]
    if head <= at:
        return True
    if target == at + 1 and verbal[0] < at:
        return verbal[-1] < head  # "but his mother came", whatever the tree makes of it
    return not _is_clause(problem, head) or not _below(problem, target, head)


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


def plural_person(problem: Problem) -> bool:
    """A candidate is several persons: "the Bertrams", "Messrs. Guppy"."""
    for name in problem.mentions:
        if name.text.split()[0] in problem.table.plural_titles:
            return True
        inside = problem.inside((name.start, name.end))
        if problem.read.feats and inside and _NOT_SINGULAR in problem.read.feats[inside[-1]]:
            return True
    return False


def gender_differs(problem: Problem) -> bool:
    """A candidate's honorific or first name gives another gender than the pronoun."""
    genders = map(problem.gender_of, problem.candidates)
    return any(gender not in (None, problem.gender) for gender in genders)


def coordinated(problem: Problem) -> bool:
    """The candidates stand side by side: "Ann and Bo", "Ann, Bo and the cat"."""
    first, second = problem.mentions[0], problem.mentions[-1]
    between = problem.text[first.end : second.start].strip(", ")
    return not between or between.lower() in problem.words.conjunctions


def name_again(problem: Problem) -> bool:
    """A candidate is named once more, which makes the problem too easy (spec C1, S3)."""
    return any(
        sum(name.text == candidate for name in problem.names) > 1
        for candidate in problem.candidates
    )


def person_between(problem: Problem) -> bool:
    """Between connective and pronoun stands somebody else whom the pronoun may mean."""
    left, right = problem.spans.connective[1], problem.spans.pronoun[0]
    named = (name.text for name in problem.names if left <= name.start and name.end <= right)
    if any(problem.gender_of(name) in (None, problem.gender) for name in named):
        return True
    return any(_persons(problem, left, right))


def third_person(problem: Problem) -> bool:
    """Before the connective stands a noun for somebody else whom the pronoun may mean."""
    return any(_persons(problem, 0, problem.spans.connective[0]))


def _persons(problem: Problem, left: int, right: int) -> Iterator[int]:
    """The nouns from `left` to `right` for one more person of the pronoun's gender, as indexes."""
    read = problem.read
    if not read.upos or not read.lemma:
        return
    predicates = {
        head for relation, head in zip(read.deprel, read.head, strict=True) if relation == "cop"
    }
    for index, (start, end) in enumerate(read.words):
        if not (left <= start and end <= right) or read.upos[index] not in ("NOUN", "PROPN"):
            continue
        gender = problem.gender_of_noun(read.lemma[index].lower())
        if gender == "" or gender not in (None, problem.gender) or problem.named(index):
            continue
        if read.feats and _NOT_SINGULAR in read.feats[index]:
            continue
        if index not in predicates and not _beside_name(problem, index):
            yield index


def _beside_name(problem: Problem, index: int) -> bool:
    """Whether a noun belongs to a name: "her sister Ann", "Ann, the doctor, ..."."""
    read = problem.read
    if index + 1 < len(read.words) and problem.named(index + 1):
        return read.words[index + 1][0] - read.words[index][1] <= 2
    if not read.head:
        return False
    return (read.deprel[index] in _PART_OF_NAME and problem.named(read.head[index])) or any(
        relation in _PART_OF_NAME and above == index and problem.named(below)
        for below, (relation, above) in enumerate(zip(read.deprel, read.head, strict=True))
    )


def with_article(problem: Problem) -> bool:
    """An article stands right before a candidate: "the Bertrams", "the Lincoln"."""
    read = problem.read
    if not read.upos:
        return False
    firsts = (problem.index((name.start, name.end)) for name in problem.mentions)
    return any(first and read.upos[first - 1] == "DET" for first in firsts)


def bracketed(problem: Problem) -> bool:
    """A candidate stands in brackets, or brackets follow it: "Ann (played by Bea)"."""
    for name in problem.mentions:
        before = problem.text[: name.start]
        if before.count("(") > before.count(")") or problem.text.startswith(" (", name.end):
            return True
    return False


def being_named(problem: Problem) -> bool:
    """A candidate is a name that is given, not used: "to be called Ann"."""
    before = (problem.text[: name.start].split()[-1:] for name in problem.mentions)
    return any(word and word[0].lower() in problem.table.naming for word in before)


def addressed(problem: Problem) -> bool:
    """A candidate is spoken to: "Look at her, Ann, and you will see"."""
    if not {form.lower() for form in problem.read.forms} & problem.table.addressing:
        return False
    text = problem.text
    return any(
        text.startswith(",", name.end) and (not name.start or text[: name.start].endswith(", "))
        for name in problem.mentions
    )


def doubtful_first(problem: Problem) -> bool:
    """A first word that is no given name and comes again, but never within a sentence."""
    first = problem.mentions[0]
    bare_word = first.start == 0 and first.text.isalpha()
    return (
        bare_word
        and problem.genders.of(first.text) == "unknown"
        and problem.usage.count(first.text) > 1
        and not problem.usage.within_sentence(first.text)
    )


@requires("before_things")
def often_place(problem: Problem) -> bool:
    """A candidate of one word that, time and again, follows words like "in" or "at"."""
    return any(
        problem.usage.share_after(name, problem.words.before_things) > _OFTEN
        and problem.usage.count(name) >= _SEEN
        for name in problem.candidates
        if name.isalpha()
    )


def other_gender(problem: Problem) -> bool:
    """A pronoun of the other gender, which can mean nobody but a candidate of no known gender."""
    table, read = problem.table, problem.read
    pronouns = [table.gender_of(form) for form in read.forms]
    if not any(gender not in (None, problem.gender) for gender in pronouns):
        return False
    if all(problem.gender_of(name) == problem.gender for name in problem.candidates):
        return False
    others = [problem.gender_of(name.text) for name in problem.names]
    nouns = (problem.gender_of_noun(lemma.lower()) for lemma in read.lemma)
    return all(gender in (None, "", problem.gender) for gender in (*others, *nouns))


def unseen_name(problem: Problem) -> bool:
    """Before the pronoun stands an honorific with a name that the recogniser has not seen."""
    read = problem.read
    titles = problem.words.male_titles | problem.words.female_titles
    return any(
        form in titles
        and read.words[index][1] < problem.spans.pronoun[0]
        and not problem.named(index)
        and read.forms[index + 1][:1].isupper()
        for index, form in enumerate(read.forms[:-1])
    )


STRUCTURE: dict[str, ProblemFilter] = {
    function.__name__: function for function in (several_sentences, one_person, three_persons)
}
"""What makes a problem at all; these cannot be left out."""


def _on_view(stops: names.ViewFilter) -> ProblemFilter:
    @wraps(stops)
    def stops_problem(problem: Problem) -> bool:
        return stops(problem.view)

    return stops_problem


FILTERS: dict[str, ProblemFilter] = {
    **{
        function.__name__: function
        for function in (
            no_clause,
            plural_person,
            gender_differs,
            coordinated,
            name_again,
            person_between,
            third_person,
            with_article,
            bracketed,
            being_named,
            addressed,
            unseen_name,
            other_gender,
            doubtful_first,
            often_place,
        )
    },
    **{
        function.__name__: _on_view(function)
        for function in (
            names.odd_name,
            names.shared_name_part,
            names.part_of_longer_name,
            names.names_a_thing,
            names.article_no_person,
            names.seldom_person,
            names.used_as_thing,
            names.common_word,
        )
    },
}
"""In the order in which they are asked; the last ones are common to builders of persons."""

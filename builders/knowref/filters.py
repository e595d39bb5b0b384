"""Filter parsed problems (clean mode): each function tells whether to drop a problem.

A filter's name is its reject reason and the name that `--without` takes.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import wraps

from corefmill.builders.knowref.problem import Problem, ProblemFilter
from corefmill.builders.persons import name_filters as names
from corefmill.builders.persons.name_filters import list_filters
from corefmill.builders.persons.reference_words import means_one_person
from corefmill.builders.persons.table import Gender, requires
from corefmill.corpora.records import Span

PART_OF_NAME = ("appos", "compound", "flat", "nmod:desc")
_AGREEING = ("ADJ", "VERB", "AUX", "DET")
_PERSONAL = {"PronType=Dem", "PronType=Prs"}
_PREDICATES = ("conj", "dep", "advcl", "acl", "xcomp", "appos")
_TELLING = ("nsubj", "obj")
_STRONG = {"PronType=Dem", "Emph=Yes"}
_ARGUMENTS = ("nsubj", "obj", "iobj", "obl")
_OTHER: dict[Gender, str] = {"male": "Fem", "female": "Masc"}


def contrary_word(problem: Problem) -> bool:
    """Drop problems where a word on a candidate has another gender than the pronoun:
    "Ann as a young man", "Umberto restava indecisa"."""
    read = problem.read
    if not read.head or not read.feats:
        return False
    other = _OTHER[problem.gender]
    candidates = {
        i for name in problem.mentions for i in problem.find_words((name.start, name.end))
    }
    for index, kind in enumerate(read.upos):
        feats = {*read.feats[index].split("|")}
        if kind == "NOUN" and index not in candidates and _is_said_of(problem, index, candidates):
            gender = problem.table.gender_of_noun(read.lemma[index].lower())
            if gender not in (None, "", problem.gender):
                return True
        if f"Gender={other}" not in feats:
            continue
        head, relation = read.head[index], read.deprel[index].split(":")[0]
        # A "noun" that hangs on a verb like a clause is a predicate: "contempló a Ana, el mísero".
        hangs = read.upos[head] in ("VERB", "ADJ") or head in candidates
        is_predicate = relation == "root" or (relation in _PREDICATES and hangs)
        may_agree = kind in _AGREEING or (kind == "NOUN" and is_predicate)
        if may_agree and _agrees_with_candidate(problem, index, candidates):
            return True
        # "La vit", "ésta", "de lui": the person of the other gender, whose new name is of the
        # pronoun's. "Lui parla" has no gender.
        if problem.mined and (
            (relation in _TELLING and _PERSONAL & feats) or (kind == "PRON" and _STRONG & feats)
        ):
            return True
    return False


def _agrees_with_candidate(problem: Problem, index: int, candidates: Container[int]) -> bool:
    """Tell whether a word takes its grammatical gender from a candidate.

    An attribute takes it from a noun of its gender, a predicate from the nearest subject above, or
    from an object: "vit Anne fatiguée". Without either it may be of a subject left out.
    """
    read, passed = problem.read, set[int]()
    gender = next(one for one in read.feats[index].split("|") if one.startswith("Gender="))
    is_article = read.upos[index] == "DET"
    index = read.head[index] if read.upos[index] == "AUX" else index
    while index not in passed:
        passed.add(index)
        below = [i for i, head in enumerate(read.head) if head == index and i != index]
        auxiliaries = (read.lemma[i] for i in below if read.upos[i] == "AUX")
        if len(passed) == 1 and not problem.table.no_agreement.isdisjoint(auxiliaries):
            return False
        arguments = [i for i in below if read.deprel[i].split(":")[0] in _ARGUMENTS]
        if any(i in candidates for i in arguments):
            return True
        subjects = (i for i in arguments if read.deprel[i].startswith("nsubj"))
        if any("PronType=Rel" not in read.feats[i] for i in subjects):
            return False
        index = read.head[index]
        if read.upos[index] in ("NOUN", "PROPN", "PRON"):
            other = "Gender=" in read.feats[index] and gender not in read.feats[index]
            return index in candidates or (other and not is_article)
    return True


def _is_said_of(problem: Problem, index: int, candidates: Container[int]) -> bool:
    """Tell whether a noun is predicated of a candidate: "Ann, the king", "as king"."""
    read = problem.read
    below = [i for i, head in enumerate(read.head) if head == index and i != index]
    return (
        any(i in candidates and read.deprel[i].startswith("nsubj") for i in below)
        or (read.deprel[index] in PART_OF_NAME and read.head[index] in candidates)
        or any(
            read.deprel[i] == "case" and read.forms[i].lower() in problem.table.as_words
            for i in below
        )
    )


def not_the_pronoun(problem: Problem) -> bool:
    """Drop problems whose pronoun is another word ("sie" for they, "zijn" for to be), or stands
    behind a true pronoun of the same gender."""
    if not problem.read.upos:
        return False
    asked, table = problem.spans.pronoun, problem.table

    def is_pronoun(span: Span) -> bool:
        if not table.is_ambiguous(problem.text[slice(*span)]):
            return True
        index, opens = problem.word_at(span), span[0] in (0, problem.sentence.second)
        return index is not None and means_one_person(problem.read, index, table, opens=opens)

    return not is_pronoun(asked) or any(
        is_pronoun(match.span())
        for match in table.pronoun.finditer(problem.text)
        if match.end() <= asked[0] and table.gender_of(match.group()) == problem.gender
    )


_JOINS = ("cc", "mark", "advmod")
_VERBAL = ("VERB", "AUX")
_NO_CLAUSE_BEGINS = ("VERB", "ADP", "PUNCT")
"""Behind "after" or "if" these begin no clause with a subject: "soon after, ..." """
_SUBJECTS = ("nsubj", "csubj", "expl", "cop")
_CLOSE_PLACES = ("nsubj", "nmod", "det", "expl")
"""What a pronoun right behind a close connective is: a subject or somebody's, and not "for him"."""


def no_clause(problem: Problem) -> bool:
    """Drop problems whose connective does not join clauses: "Ann or Bo", "after the war"."""
    read = problem.read
    words, target = (
        problem.find_words(problem.spans.connective),
        problem.word_at(problem.spans.pronoun),
    )
    at = words.stop - 1
    if not words or target is None:
        return True
    if not read.upos:
        return False
    # 1. By the tags. A clitic may be read as the article that is spelled so: "la sera". Behind the
    #    connective there must be a verb.
    is_clitic = problem.pronoun in problem.table.clitics
    if read.upos[target] not in (("PRON",) if is_clitic else ("PRON", "DET")):
        return True
    verbal = [index for index, kind in enumerate(read.upos) if kind in _VERBAL]
    if not verbal or verbal[-1] < at:
        return True
    if not read.head or problem.spans.pattern in ("opener", "next_sentence"):
        return False
    # 2. By the connective's relation. A close one ("Ann said that she") may be a semicolon, or
    #    "which" and its like, which join by themselves; no object must follow: "for him".
    joins = any(read.deprel[index].split(":")[0] in _JOINS for index in words)
    if problem.spans.pattern == "close":
        place = read.deprel[target].split(":")[0]
        if read.deprel[at] == "case" or (place not in _CLOSE_PLACES and not is_clitic):
            return True
        if not joins:
            return False
    if not joins:
        return True
    if read.upos[at + 1] in _NO_CLAUSE_BEGINS and read.deprel[at].split(":")[0] != "cc":
        return True
    # 3. By the clause that it joins: the clause lies behind the connective, contains the pronoun,
    #    and has a verb, or a predicate with subject or copula. "parce" is the head of "parce que".
    is_fixed = read.deprel[at] == "fixed" and read.head[at] in words
    head = read.head[read.head[at] if is_fixed else at]
    if head <= at:
        return True
    if target == at + 1 and verbal[0] < at:
        return verbal[-1] < head  # "but his mother came", whatever the tree makes of it
    is_clause = read.upos[head] == "VERB" or any(
        relation.split(":")[0] in _SUBJECTS and above == head
        for relation, above in zip(read.deprel, read.head, strict=True)
    )
    passed: set[int] = set()  # a parser may err in a ring
    while target != head and target not in passed:
        passed.add(target)
        target = read.head[target]
    return not is_clause or target != head


_ELIDED = ("'", "’", "´")
_NOT_SINGULAR = "Number=Plur"
_OFTEN, _SEEN = 0.15, 5
"""Of 294 candidates of the novels the persons stay below 0.09, and Helstone has 0.25."""


def several_sentences(problem: Problem) -> bool:
    """Drop problems in which the pipeline finds more sentences than the surface test did."""
    return len(problem.read.sentences) > (2 if problem.sentence.second else 1)


def one_person(problem: Problem) -> bool:
    """Drop problems with fewer than two persons named before the connective."""
    return len(problem.named_before) < 2


def gender_differs(problem: Problem) -> bool:
    """Drop problems with fewer than two persons of the pronoun's gender before the connective."""
    return len(problem.candidates) < 2


def three_persons(problem: Problem) -> bool:
    """Drop problems with more than two persons before the connective whom the pronoun may mean."""
    return len(problem.candidates) > 2


def coordinated(problem: Problem) -> bool:
    """Drop problems with the candidates side by side: "Ann and Bo", "by Ann and by Bo", "Alix de
    Vaunoy"."""
    first, second = problem.mentions[0], problem.mentions[-1]
    between = problem.text[first.end : second.start].strip(", ")
    before = problem.text[: first.start].split()
    if before and f" {between}".endswith(f" {before[-1]}"):  # its preposition stands before both
        between = between.removesuffix(before[-1]).rstrip(", ")
    words = problem.words
    return not between or between.lower() in words.conjunctions | words.within_names


def name_again(problem: Problem) -> bool:
    """Drop problems that name a candidate again behind the connective: too easy (spec C1, S3)."""
    left = problem.spans.connective[0]
    return any(n.text in problem.candidates and n.start >= left for n in problem.names)


def person_between(problem: Problem) -> bool:
    """Drop problems with a person between connective and pronoun that the pronoun may mean."""
    read, word = problem.read, problem.word_at(problem.spans.pronoun)
    left, (right, _) = problem.spans.connective[1], problem.spans.pronoun
    fitting = [n for n in problem.names if problem.gender_of(n.text) in (None, problem.gender)]
    if any(left <= name.start and name.end <= right for name in fitting):
        return True
    if any(_persons(problem, left, right)):
        return True
    # The pronoun may also mean somebody named behind it, the subject of a clause above: "at the
    # house that he came to, Joe was known".
    if not read.head or word is None:
        return False
    above = {word}
    while (word := read.head[word]) not in above:
        above.add(word)
    return any(
        read.deprel[i].startswith("nsubj") and read.head[i] in above
        for name in fitting
        if name.start > right and name.text not in problem.candidates
        for i in problem.find_words((name.start, name.end))
    )


def third_person(problem: Problem) -> bool:
    """Drop problems with a noun for a third person of the gender before the connective."""
    return any(_persons(problem, 0, problem.spans.connective[0]))


def _persons(problem: Problem, left: int, right: int) -> Iterator[int]:
    """Find the nouns between two offsets for further persons of the pronoun's gender."""
    read = problem.read
    if not read.upos or not read.lemma:
        return
    predicates = {
        head for relation, head in zip(read.deprel, read.head, strict=True) if relation == "cop"
    }
    for index, (start, end) in enumerate(read.words):
        if not (left <= start and end <= right) or read.upos[index] not in ("NOUN", "PROPN"):
            continue
        gender = problem.table.gender_of_noun(read.lemma[index].lower())
        if gender == "" or gender not in (None, problem.gender) or problem.is_named(index):
            continue
        if read.feats and _NOT_SINGULAR in read.feats[index]:
            continue
        # A noun beside a name is the name's: "her sister Ann", "Ann, the doctor, ...".
        if index + 1 < len(read.words) and problem.is_named(index + 1):
            beside = read.words[index + 1][0] - end <= 2
        else:
            beside = bool(read.head) and any(
                read.deprel[below] in PART_OF_NAME and problem.is_named(name)
                for below, name in (
                    (index, read.head[index]),
                    *((i, i) for i, above in enumerate(read.head) if above == index),
                )
            )
        if index not in predicates and not beside:
            yield index


def with_article(problem: Problem) -> bool:
    """Drop problems with an article before a candidate that persons' names do not take ("the
    Bertrams", "the Lincoln"), or with an elided one, which few names could follow ("l'Anna").
    """
    read = problem.read
    if any(problem.text[name.start - 1 : name.start] in _ELIDED for name in problem.mentions):
        return True
    if not read.upos:
        return False
    firsts = (problem.index((name.start, name.end)) for name in problem.mentions)
    return any(
        first
        and read.upos[first - 1] == "DET"
        and read.forms[first - 1].lower() not in problem.table.name_articles
        for first in firsts
    )


@requires("before_things")
def often_place(problem: Problem) -> bool:
    """Drop problems with a one-word candidate that often follows words like "in" or "at"."""
    return any(
        problem.usage.compute_share_after(name, problem.words.before_things) > _OFTEN
        and problem.usage.count(name) >= _SEEN
        for name in problem.candidates
        if name.isalpha()
    )


def gender_unknown(problem: Problem) -> bool:
    """Drop problems with a candidate of unknown gender; half of these are not of the pronoun's."""
    return any(problem.gender_of(name) is None for name in problem.candidates)


STRUCTURE = list_filters(
    several_sentences, not_the_pronoun, one_person, gender_differs, three_persons
)
"""Filters that define a problem; `--without` cannot leave them out."""


def _make_problem_filter(stops: names.ViewFilter) -> ProblemFilter:
    """Make a filter of problems from a filter of drafts that all builders with persons share."""

    @wraps(stops)
    def stops_problem(problem: Problem) -> bool:
        return stops(problem.view)

    return stops_problem


FILTERS = list_filters(
    no_clause,
    coordinated,
    name_again,
    person_between,
    third_person,
    with_article,
    contrary_word,
    gender_unknown,
    often_place,
    _make_problem_filter(names.shared_name_part),
    _make_problem_filter(names.no_person),
)
"""In the order in which they are asked; the last ones are common to builders of persons."""

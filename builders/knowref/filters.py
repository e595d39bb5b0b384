"""Clean mode's filters on a parsed problem: each says whether it must go.

A filter's name is its reject reason and the name that `--without` takes.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import wraps
from itertools import combinations

from corefmill.builders.knowref.problem import Problem, ProblemFilter
from corefmill.builders.persons import name_filters as names
from corefmill.builders.persons.name_filters import list_filters
from corefmill.builders.persons.names import bare
from corefmill.builders.persons.reference_words import means_one
from corefmill.builders.persons.table import Gender, requires
from corefmill.corpora.records import Span

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
            gender = problem.table.gender_of_noun(read.lemma[index].lower())
            if gender not in (None, "", problem.gender):
                return True
    return False


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
        if argument and problem.table.gender_of_noun(read.lemma[index].lower()) == "":
            return True
    return False


def _agrees(problem: Problem, index: int, candidates: Container[int]) -> bool:
    """Tell whether a word has its gender of a candidate.

    So does an attribute or a predicate, and a verb beside a predicate: "Anna była lekarzem".
    """
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
    """By the parse the pronoun is another word ("sie" for they, "zijn" for to be), or before it
    stands one of its gender that is a pronoun."""
    if not problem.read.upos:
        return False
    asked, table = problem.spans.pronoun, problem.table

    def is_pronoun(span: Span) -> bool:
        if not table.is_ambiguous(problem.text[slice(*span)]):
            return True
        index, opens = problem.word_at(span), span[0] in (0, problem.sentence.second)
        return index is not None and means_one(problem.read, index, table, opens=opens)

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
    """The connective joins no clauses: "Ann or Bo", "after the war", "so ill"."""
    read = problem.read
    words, target = problem.inside(problem.spans.connective), problem.word_at(problem.spans.pronoun)
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
    #    "which" and its like, which join by themselves; what follows must be no object: "for him".
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
    # 3. By the clause that it joins: it lies behind, has a verb, or a predicate with a subject or
    #    copula, and the pronoun is in it. "parce" is the head of "parce que".
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
_BEFORE_PLURALS = ("DET", "NUM")
_DASHES = re.compile(r"--|—")
_SURE = ("honorific", "given name")
_OFTEN, _SEEN = 0.15, 5
"""Of 294 candidates of the novels the persons stay below 0.09, and Helstone has 0.25."""


def several_sentences(problem: Problem) -> bool:
    """The pipeline finds more than one sentence where the text was not cut."""
    return len(problem.read.sentences) > (2 if problem.sentence.second else 1)


def one_person(problem: Problem) -> bool:
    """Fewer than two persons are named before the connective."""
    return len(problem.named_before) < 2


def gender_differs(problem: Problem) -> bool:
    """Fewer than two of them may be meant by the pronoun's gender."""
    return len(problem.candidates) < 2


def three_persons(problem: Problem) -> bool:
    """More than two persons whom the pronoun may mean are named before the connective."""
    return len(problem.candidates) > 2


def plural_person(problem: Problem) -> bool:
    """A candidate is several persons: "the Bertrams", "Messrs. Guppy".

    A parser calls every surname in -s a plural; one is, where no honorific stands before it but an
    article or the like ("the elder Bertrams", but not "poor Traddles"), or where the article has it
    in the singular.
    """
    read = problem.read
    for name in problem.mentions:
        if name.text.split()[0] in problem.table.plural_titles:
            return True
        inside = problem.inside((name.start, name.end))
        if not read.feats or not inside or _NOT_SINGULAR not in read.feats[inside[-1]]:
            continue
        if bare(name.text, problem.words) != name.text:
            continue
        left = inside[0]
        while left and read.upos and read.upos[left - 1] == "ADJ":
            left -= 1
        before = read.upos[left - 1] if left and read.upos else ""
        if before in _BEFORE_PLURALS or problem.usage.count(name.text.split()[-1][:-1]):
            return True
    return False


def two_names_of_one(problem: Problem) -> bool:
    """The candidates may well be one person under two names: "Aldous", "Huxley".

    Not where one has an honorific: "Julia" and "Mrs. Dodd" of one sentence are child and mother.
    """
    if any(bare(name, problem.words) != name for name in problem.candidates):
        return False
    return any(problem.persons.same(*pair) for pair in combinations(problem.candidates, 2))


def coordinated(problem: Problem) -> bool:
    """The candidates stand side by side: "Ann and Bo", "Ann, Bo, the cat", "by Ann and by Bo"."""
    first, second = problem.mentions[0], problem.mentions[-1]
    between = problem.text[first.end : second.start].strip(", ")
    before = problem.text[: first.start].split()
    if before and f" {between}".endswith(f" {before[-1]}"):  # its preposition stands before both
        between = between.removesuffix(before[-1]).rstrip(", ")
    return not between or between.lower() in problem.words.conjunctions


def name_again(problem: Problem) -> bool:
    """A candidate is named once more, which makes the problem too easy (spec C1, S3)."""
    left = problem.spans.connective[0]
    return any(n.text in problem.candidates and n.start >= left for n in problem.names)


def person_between(problem: Problem) -> bool:
    """Somebody else stands between connective and pronoun whom the pronoun may mean."""
    read, word = problem.read, problem.word_at(problem.spans.pronoun)
    left, (right, _) = problem.spans.connective[1], problem.spans.pronoun
    fitting = [n for n in problem.names if problem.gender_of(n.text) in (None, problem.gender)]
    if any(left <= name.start and name.end <= right for name in fitting):
        return True
    if any(_persons(problem, left, right)):
        return True
    # The pronoun's clause may also announce somebody named behind it, the subject of a clause
    # above: "at the house that he came to, Joe was known".
    if not read.head or word is None:
        return False
    above = {word}
    while (word := read.head[word]) not in above:
        above.add(word)
    return any(
        read.deprel[i].startswith("nsubj") and read.head[i] in above
        for name in fitting
        if name.start > right and name.text not in problem.candidates
        for i in problem.inside((name.start, name.end))
    )


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
    """An article stands right before a candidate ("the Bertrams", "the Lincoln") that does not go
    with persons' names, or an elided one, which goes with no other name ("l'Anna")."""
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


def bracketed(problem: Problem) -> bool:
    """A candidate stands in brackets, or brackets follow it: "Ann (played by Bea)"."""
    for name in problem.mentions:
        before = problem.text[: name.start]
        if before.count("(") > before.count(")") or problem.text.startswith(" (", name.end):
            return True
    return False


def aside(problem: Problem) -> bool:
    """Both candidates are named in an aside between dashes that ends before the pronoun, which
    means somebody outside of it: "He knew--Ann sat with Bea--that she had written"."""
    text, (asked, _) = problem.text, problem.spans.pronoun
    dashes = [match.start() for match in _DASHES.finditer(text, 0, asked)]
    first, last = problem.mentions[0].start, problem.mentions[-1].end
    before = sum(dash < first for dash in dashes)
    within = sum(first <= dash < last for dash in dashes)
    return before % 2 == 1 and within == 0 and len(dashes) > before


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
    """A pronoun of the other gender, which can mean nobody but a candidate whose own gender is not
    told by an honorific or a given name."""
    read = problem.read
    if not problem.table.genders_told(problem.text) - {problem.gender}:
        return False
    told = (problem.persons.gender(name).reason for name in problem.candidates)
    if all(reason in _SURE for reason in told):
        return False
    others = [problem.gender_of(name.text) for name in problem.names]
    nouns = (problem.table.gender_of_noun(lemma.lower()) for lemma in read.lemma)
    return all(gender in (None, "", problem.gender) for gender in (*others, *nouns))


def gender_unknown(problem: Problem) -> bool:
    """Nothing says whether a candidate is of the pronoun's gender; half of these are not."""
    return any(problem.gender_of(name) is None for name in problem.candidates)


def unseen_name(problem: Problem) -> bool:
    """Before the pronoun stands an honorific with a name that the recogniser has not seen."""
    read = problem.read
    titles = problem.words.male_titles | problem.words.female_titles
    return any(
        form in titles
        and read.words[index][1] < problem.spans.pronoun[0]
        and not problem.is_named(index)
        and read.forms[index + 1][:1].isupper()
        for index, form in enumerate(read.forms[:-1])
    )


STRUCTURE = list_filters(
    several_sentences, not_the_pronoun, one_person, gender_differs, three_persons
)
"""What makes a problem at all; these cannot be left out."""


def _on_view(stops: names.ViewFilter) -> ProblemFilter:
    """Ask a filter of all builders with persons."""

    @wraps(stops)
    def stops_problem(problem: Problem) -> bool:
        return stops(problem.view)

    return stops_problem


FILTERS = list_filters(
    no_clause,
    plural_person,
    two_names_of_one,
    coordinated,
    name_again,
    person_between,
    third_person,
    with_article,
    contrary_word,
    thing_of_gender,
    bracketed,
    being_named,
    addressed,
    unseen_name,
    aside,
    other_gender,
    gender_unknown,
    doubtful_first,
    often_place,
    _on_view(names.odd_name),
    _on_view(names.shared_name_part),
    _on_view(names.part_of_longer_name),
    _on_view(names.names_a_thing),
    _on_view(names.article_no_person),
    _on_view(names.in_italics),
    _on_view(names.seldom_person),
    _on_view(names.used_as_thing),
    _on_view(names.common_word),
)
"""In the order in which they are asked; the last ones are common to builders of persons."""

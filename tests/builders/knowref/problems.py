"""Problems of one marked line, parsed by hand.

    "[Ann] told [Bea] the news, but she slept."

Names stand in [ ]; in English the parts of speech come from a little lexicon, relations are given
as "slept cc but; ..." (head, relation, dependent; the last word of that form).

In other languages the words that matter are given as "schlief VERB root - Number=Sing; ..." (the
last word of that form, tag, relation, head, features); a name is PROPN, any other word X.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corefmill.builders.knowref import table
from corefmill.builders.knowref.problem import Problem
from corefmill.builders.knowref.sentences import ProblemSpans, RawSentence, find_mined, find_spans
from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.persons import table as names_table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.usage import Usage
from tests.builders.wikicrem.passages import Marked, article, kind_of, marked, relate, words_of

GENDERS = Genders("en", names_table.load("en"))

_SINGULAR = {"doctors": "doctor", "men": "man"}


def parsed(text: str, relations: str = "", plural: str = "") -> Analysis:
    """The parse of a text; the words of `plural` are so, besides those that look it."""
    tokens = words_of(text)
    words = [text[start:end] for start, end in tokens]
    deprel, head = relate(words, relations)
    many = {*_SINGULAR, *plural.split()}
    return Analysis(
        text,
        tokens,
        ((0, len(text)),),
        (),
        upos=tuple(map(kind_of, words)),
        deprel=deprel,
        head=head,
        feats=tuple("Number=Plur" if word in many else "Number=Sing" for word in words),
        lemma=tuple(_SINGULAR.get(word, word.lower()) for word in words),
    )


def problem(line: str, relations: str = "", plural: str = "", **more: Any) -> Problem:
    """What filters see of the line, in an article that has the text `elsewhere` too; if `mined`,
    its first pronoun is."""
    read = marked(line)
    return _seen("en", read, parsed(read.text, relations, plural), **more)


def problem_in(lang: str, line: str, words: str, **more: Any) -> Problem:
    """What filters see of the line of a language, at its first pronoun that may be one."""
    read = marked(line)
    return _seen(lang, read, tree(read, words), **more)


def tree(read: Marked, words: str) -> Analysis:
    """The parse of a marked line whose words are given; its names are the persons found."""
    tokens = words_of(read.text)
    forms = [read.text[start:end] for start, end in tokens]
    last = {form: index for index, form in enumerate(forms)}
    size = len(forms)
    upos, deprel, head = ["X"] * size, ["dep"] * size, list(range(size))
    feats, lemma = [""] * size, [form.lower() for form in forms]
    for index, (start, end) in enumerate(tokens):
        if any(name.start <= start and end <= name.end for name in read.names):
            upos[index] = "PROPN"
    for given in filter(None, words.split("; ")):
        form, tag, relation, above, *more = given.split()
        at = last[form]
        upos[at], deprel[at] = tag, relation
        head[at] = at if above == "-" else last[above]
        feats[at] = more[0] if more else ""
        lemma[at] = more[1] if more[1:] else lemma[at]
    return Analysis(
        read.text,
        tokens,
        ((0, len(read.text)),),
        (),
        upos=tuple(upos),
        deprel=tuple(deprel),
        head=tuple(head),
        feats=tuple(feats),
        lemma=tuple(lemma),
    )


def _seen(
    lang: str, read: Marked, analysis: Analysis, elsewhere: str = "", *, mined: bool = False
) -> Problem:
    own, names = table.load(lang), names_table.load(lang)
    genders = GENDERS if lang == "en" else Genders(lang, names)
    whole = article(read.text, elsewhere)
    found = (find_mined if mined else find_spans)(read.text, own, names)
    assert isinstance(found, ProblemSpans), found
    entities = tuple(Entity(name.start, name.end, "PERSON") for name in read.names)
    usage = Usage(whole, [replace(analysis, entities=entities)], names)
    persons = Persons(usage, genders)
    return Problem(
        sentence=RawSentence(whole, whole.paragraphs[0], 0, read.text, found, usage, persons),
        read=analysis,
        names=read.names,
        usage=usage,
        persons=persons,
        table=own,
        words=names,
        mined=mined,
    )

"""Problems of one marked line, parsed by hand.

    "[Ann] told [Bea] the news, but she slept."

Names stand in [ ]; the parts of speech come from a little lexicon, relations are given as
"slept cc but; ..." (head, relation, dependent; the last word of that form).
"""

from __future__ import annotations

from corefmill.builders.knowref import table
from corefmill.builders.knowref.problem import Problem
from corefmill.builders.knowref.sentences import ProblemSpans, RawSentence, find_spans
from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.persons import table as names_table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.usage import Usage
from tests.builders.wikicrem.passages import article, marked, words_of

EN, NAMES = table.load("en"), names_table.load("en")
GENDERS = Genders("en", NAMES)

_KINDS = {
    "ADP": "after by for of to with",
    "ADV": "early so",
    "AUX": "had was were",
    "CCONJ": "and but or",
    "DET": "a the",
    "NOUN": "book day doctor doctors king men mother news sister war",
    "PRON": "he her him his it she",
    "PUNCT": ", .",
    "SCONJ": "although because if when while",
    "VERB": "came left liked met said saw slept told won",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_SINGULAR = {"doctors": "doctor", "men": "man"}


def parsed(text: str, relations: str = "", plural: str = "") -> Analysis:
    """The parse of a text; the words of `plural` are so, besides those that look it."""
    tokens = words_of(text)
    words = [text[start:end] for start, end in tokens]
    last = {word: index for index, word in enumerate(words)}
    deprel, head = ["dep"] * len(words), list(range(len(words)))
    for relation in filter(None, relations.split("; ")):
        ruler, name, dependent = relation.split()
        deprel[last[dependent]], head[last[dependent]] = name, last[ruler]
    many = {*_SINGULAR, *plural.split()}
    return Analysis(
        text,
        tokens,
        ((0, len(text)),),
        (),
        upos=tuple(
            _KIND_OF.get(word.lower(), "PROPN" if word.istitle() else "X") for word in words
        ),
        deprel=tuple(deprel),
        head=tuple(head),
        feats=tuple("Number=Plur" if word in many else "Number=Sing" for word in words),
        lemma=tuple(_SINGULAR.get(word, word.lower()) for word in words),
    )


def problem(line: str, relations: str = "", *, plural: str = "", elsewhere: str = "") -> Problem:
    """What filters see of the line, in an article that has the text `elsewhere` too."""
    read = marked(line)
    whole = article(read.text, elsewhere)
    found = find_spans(read.text, EN, NAMES)
    assert isinstance(found, ProblemSpans), found
    entities = tuple(Entity(name.start, name.end, "PERSON") for name in read.names)
    analysis = parsed(read.text, relations, plural)
    shown = Analysis(read.text, analysis.tokens, analysis.sentences, entities)
    usage = Usage(whole, [shown])
    persons = Persons(usage, GENDERS)
    return Problem(
        sentence=RawSentence(whole, whole.paragraphs[0], 0, read.text, found, usage, persons),
        read=analysis,
        names=read.names,
        usage=usage,
        persons=persons,
        table=EN,
        words=NAMES,
        genders=GENDERS,
    )

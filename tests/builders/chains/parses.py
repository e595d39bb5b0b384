"""Articles with parses written by hand, as far as they are asked for.

"[Ann] met [Bo] ; she/PRON laughed"   names in [ ], tags behind /
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corefmill.builders.chains.resolve import NamedParagraph, PersonList, ReadSentence, Resolver
from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.persons import reference_words, table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.spread import spread_names
from corefmill.builders.persons.usage import Usage
from corefmill.builders.wiki.markup.records import Link
from tests.builders.wikicrem.passages import article, relate

WORD = re.compile(r"(?P<open>\[?)(?P<form>Mrs?\.|[\w']+|[^\w\s])(?:/(?P<tag>\w+))?(?P<close>\]?)")


def read(marked: Sequence[str], relations: str = "") -> Analysis:
    """The analysis of sentences joined by blanks; `relations` are "saw obj her; saw nsubj Ann",
    of the last word of a form."""
    text, begun = "", 0
    tokens, sentences, tags = [], [], []
    entities = []
    for sentence in marked:
        first = len(text)
        for match in WORD.finditer(sentence):
            start = len(text)
            text += match["form"]
            if match["open"]:
                begun = start
            if match["close"]:
                entities.append(Entity(begun, len(text), "PERSON"))
            tokens.append((start, len(text)))
            tags.append(match["tag"] or ("PUNCT" if not match["form"].isalnum() else "X"))
            text += " "
        sentences.append((first, len(text) - 1))
    text = text.rstrip()
    forms = [text[start:end] for start, end in tokens]
    deprel, head = relate(forms, relations)
    return Analysis(
        text,
        tuple(tokens),
        tuple(sentences),
        tuple(entities),
        upos=tuple(tags),
        deprel=deprel,
        head=head,
        feats=("",) * len(tokens),
        lemma=tuple(form.lower() for form in forms),
    )


def resolved(
    paragraphs: Sequence[Analysis],
    lang: str = "en",
    links: Sequence[Link] = (),
    *,
    names_alone: bool = False,
) -> tuple[list[ReadSentence], PersonList]:
    """The sentences of an article, linked, and its persons."""
    words = table.load(lang)
    own = article(*(one.text for one in paragraphs), links=links)
    named = spread_names(paragraphs, words)
    usage = Usage(own, paragraphs, words)
    people = PersonList(usage, Persons(usage, Genders(lang, words)), words)
    people.join_names([name.text for names in named for name in names])
    resolver = Resolver(people, words, reference_words.load(lang), names_alone)
    rows = zip(own.paragraphs, paragraphs, named, strict=True)
    return resolver.resolve_article(NamedParagraph(*row) for row in rows), people


def told(sentences: Sequence[ReadSentence]) -> list[str]:
    """Each name and pronoun with the number of its person, or with what is in doubt."""
    return [
        f"{sentence.paragraph.read.text[one.start : one.end]} {one.fault or one.person}"
        for sentence in sentences
        for one in sentence.referents
    ]

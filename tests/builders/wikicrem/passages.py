"""Views and analyses of one line of text with its names marked.

    "[Ann] met [Bob]. | {Ann} left."

Names stand in [ ], the one to mask in { }, and " | " parts sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.persons.drafts import Draft, DraftContext, draft_by_paper
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.names import Name
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.table import PersonWords, load
from corefmill.builders.persons.usage import Usage
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.dump.siteinfo import SiteInfo
from corefmill.builders.wiki.markup.records import Link, Paragraph
from corefmill.corpora.records import Span

_MARKS = re.compile(r"[\[{](?P<name>[^\]}]+)[\]}]|(?P<border> \| )")


@dataclass(frozen=True)
class Marked:
    """The line without its marks, and what they said."""

    text: str
    names: tuple[Name, ...]
    target: Name | None
    sentences: tuple[Span, ...]


def marked(line: str, shift: int = 0) -> Marked:
    """Reads a marked line whose text begins at offset `shift` of a longer one."""
    text, position, begin = "", 0, 0
    names: list[Name] = []
    sentences: list[Span] = []
    target = None
    for match in _MARKS.finditer(line):
        text += line[position : match.start()]
        position = match.end()
        if match["border"]:
            sentences.append((begin + shift, len(text) + shift))
            text += " "
            begin = len(text)
            continue
        name = Name(len(text) + shift, len(text) + len(match["name"]) + shift, match["name"])
        text += name.text
        names.append(name)
        if match.group().startswith("{"):
            target = name
    text += line[position:]
    sentences.append((begin + shift, len(text) + shift))
    return Marked(text, tuple(names), target, tuple(sentences))


def words_of(text: str) -> tuple[Span, ...]:
    """Words and signs, one by one."""
    return tuple(match.span() for match in re.finditer(r"\w+|[^\w\s]", text))


def analysed(line: str) -> Analysis:
    """The analysis of a marked line: its names are the persons that the recogniser finds."""
    read = marked(line)
    entities = tuple(Entity(name.start, name.end, "PERSON") for name in read.names)
    return Analysis(read.text, words_of(read.text), read.sentences, entities)


_KINDS = {
    "ADJ": "late old poor young",
    "ADP": "after at by for in of on plus to with",
    "ADV": "early now so then there",
    "AUX": "had is was were",
    "CCONJ": "and but or",
    "DET": "a the",
    "NOUN": "book day death doctor doctors dog festival film gift hat king men mill miller mother"
    " name news niece painter sister spring war",
    "NUM": "2",
    "PART": "s",
    "PRON": "he her him his it she us",
    "SCONJ": "although because if when while",
    "VERB": "built came left liked lost met rained said saw slept told won",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}


def kind_of(word: str) -> str:
    """The part of speech of a word, by a little lexicon; X for what is not in it."""
    if not word.isalnum():
        return "PUNCT"
    return _KIND_OF.get(word.lower(), "PROPN" if word[0].isupper() else "X")


def parsed(text: str, relations: str = "") -> Analysis:
    """A parse by hand: parts of speech from a little lexicon, and the relations that are given.

    Those are written "left nsubj Ann; ..." (head, relation, dependent), and of a word that occurs
    twice they mean the last, or the first as "Ann/1". Other words are without a head.
    """
    tokens = words_of(text)
    words = [text[start:end] for start, end in tokens]
    deprel, head = relate(words, relations)
    return Analysis(
        text,
        tokens,
        ((0, len(text)),),
        (),
        upos=tuple(map(kind_of, words)),
        deprel=deprel,
        head=head,
    )


def relate(words: Sequence[str], relations: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The relation and the head of each word, as `parsed` takes them."""
    last = {word: index for index, word in enumerate(words)}
    last |= {f"{word}/1": words.index(word) for word in words}
    deprel, head = ["dep"] * len(words), list(range(len(words)))
    for relation in filter(None, relations.split("; ")):
        ruler, name, dependent = relation.split()
        deprel[last[dependent]], head[last[dependent]] = name, last[ruler]
    return tuple(deprel), tuple(head)


WIKI = SiteInfo("en", "enwiki", "first-letter", {0: ("",)})


def article(
    *texts: str,
    title: str = "Mill",
    is_person: bool | None = None,
    links: Sequence[Link] = (),
    site: SiteInfo | None = None,
) -> Article:
    """An article of such paragraphs; the links are the first one's."""
    paragraphs = [
        Paragraph(text, "prose", index, "", [] if index else [*links], [], [], [])
        for index, text in enumerate(texts)
    ]
    return Article("test-7", title, 7, paragraphs, is_person, site)


def view(
    line: str,
    *,
    before: str = "",
    after: str = "",
    elsewhere: str = "",
    italic: str = "",
    bold: str = "",
    lost: Sequence[int] = (),
    syntax: Analysis | None = None,
    table: PersonWords | None = None,
    **about: Any,
) -> DraftContext:
    """What filters see of the draft that masks the name in { }, by the rules of `mine`.

    The paragraph holds `before` and `after` round the line, and the article another one,
    `elsewhere`, and is `about` something. `italic` and `bold` are pieces of the line,
    `syntax` is the passage's.
    """
    before += " " if before else ""
    read = marked(line, len(before))
    (draft,) = (
        draft
        for group in draft_by_paper(read.sentences, read.names)
        for draft in group
        if draft.target == read.target and len(draft.sentences) == len(read.sentences)
    )
    text = before + read.text + (f" {after}" if after else "")
    whole = article(text, elsewhere, **about)
    paragraph = whole.paragraphs[0]
    paragraph.lost = [*lost]
    for piece, spans in ((italic, paragraph.italic), (bold, paragraph.bold)):
        if piece:
            start = text.index(piece)
            spans.append((start, start + len(piece)))
    entities = tuple(Entity(name.start, name.end, "PERSON") for name in read.names)
    analysis = Analysis(text, words_of(text), read.sentences, entities)
    words, usage = table or load("en"), Usage(whole, [analysis])
    return show_draft(draft, analysis, Persons(usage, Genders("en", words)), syntax)


def show_draft(
    draft: Draft, read: Analysis, persons: Persons, syntax: Analysis | None = None
) -> DraftContext:
    """What filters see of a draft in the first paragraph of the article of these persons."""
    whole = persons._usage.article
    return DraftContext(
        article=whole,
        paragraph=whole.paragraphs[0],
        draft=draft,
        read=read,
        read_from=0,
        usage=persons._usage,
        persons=persons,
        table=persons._table,
        syntax=syntax,
    )

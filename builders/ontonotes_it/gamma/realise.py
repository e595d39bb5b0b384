"""The Italian utterance that a translation with placeholders stands for (section 4.2.6).

Each placeholder gives way to its mention's own words. A nominal mention is its own translation,
with the article that goes with it; prepositions contract with the article that they meet, and what
is elided before a vowel is written in full before a consonant. Pronouns, possessives, reflexives
and demonstratives come from pronouns.toml by role and class. In clean mode, and where the
translation's tree is given, objects lean on their verbs; in paper mode they stay in place.

Nothing outside the placeholders changes but articles, prepositions and conjunctions right before
them, a clitic beside a new one, the last letter of a verb that takes an enclitic, the determiner
before a possessive, a blank where a placeholder goes away, and capitals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from corefmill.builders.nlp.analysis import Analysis
from corefmill.builders.ontonotes_it.gamma import nominal, pronouns
from corefmill.builders.ontonotes_it.gamma.context import begins_sentence, capital
from corefmill.builders.ontonotes_it.gamma.edits import Edits
from corefmill.builders.ontonotes_it.gamma.nominal import Noun
from corefmill.builders.ontonotes_it.gamma.pronouns import Mode, Pronoun
from corefmill.builders.ontonotes_it.gamma.tree import Tree
from corefmill.corpora.records import Span


class Kind(Protocol):
    """class(id) of a mention: human or thing, m or f, s or p."""

    @property
    def type(self) -> str: ...
    @property
    def gender(self) -> str: ...
    @property
    def number(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Found:
    """A placeholder that survived translation, and the mention that it stands for.

    `span` is the placeholder's in the translation, `mention` the English tokens, `tag` the Penn tag
    of their root, `translated` what the translator makes of the mention alone (None: nothing). The
    English `relation` of the root in its utterance (UD's or spaCy's name) helps where it is known.
    """

    span: Span
    kind: Kind
    cluster: str
    mention: Sequence[str]
    tag: str
    translated: str | None = None
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A mention in the Italian utterance: [start, end) in code points, and how it was placed.

    A span that begins within a word begins at the article's letters in a preposition that holds it
    (`del` holds `l`), or at an enclitic (`vederlo` holds `lo`); such a mention has the last words
    of that token and none before. `role` is nominal, subject, object, strong, clitic, enclitic,
    dative, possessive, possessive_after, reflexive, emphatic or demonstrative.
    """

    start: int
    end: int
    cluster: str
    role: str


@dataclass(frozen=True, slots=True)
class Realised:
    """The Italian utterance, and where its mentions are, in the order in which they were given."""

    text: str
    spans: tuple[Placed, ...]


def realise(
    translation: str,
    found: Sequence[Found],
    analysis: Analysis | None = None,
    *,
    mode: Mode = "clean",
    capitalised: bool = True,
) -> Realised:
    """Puts every mention in its place; `analysis` is the translation's, placeholders and all.

    `capitalised` says whether the utterance begins with a capital. Raises `ValueError` for spans
    that are empty, overlap or lie outside the translation, and for a mention without words.
    """
    order = sorted(range(len(found)), key=lambda number: found[number].span)
    last = 0
    for number in order:
        start, end = found[number].span
        if not last <= start < end <= len(translation):
            raise ValueError(f"span [{start}, {end}) is empty, overlaps or is out of bounds")
        if not any(token.strip() for token in found[number].mention):
            raise ValueError(f"the mention at [{start}, {end}) has no words")
        last = end
    if analysis is not None and analysis.text != translation:
        raise ValueError("the analysis is of another text")
    tree = Tree(analysis if mode == "clean" else None)
    edits = Edits(translation, [one.span for one in found], tree.words)
    roles = [""] * len(found)
    # From the right, so that what stands left of a placeholder is still what was analysed.
    for number in reversed(order):
        roles[number] = _place(edits, number, found[number], tree, mode)
    text = edits.text
    if capitalised:
        first = next((place for place, letter in enumerate(text) if letter.isalnum()), len(text))
        text = text[:first] + capital(text[first:])
    placed = (
        Placed(start, end, one.cluster, role)
        for (start, end), one, role in zip(edits.spans, found, roles, strict=True)
    )
    return Realised(text, tuple(placed))


def _place(edits: Edits, number: int, one: Found, tree: Tree, mode: Mode) -> str:
    kind, form = one.kind, one.mention[0].lower()
    if len(one.mention) == 1 and pronouns.is_pronoun(form, one.tag):
        pronoun = Pronoun(form, one.tag, one.relation, kind.type, kind.gender, kind.number)
        role = pronouns.place(edits, number, pronoun, tree, tree.at(one.span[0]), mode)
    else:
        words, subject = one.translated or "", pronouns.is_subject(one.relation)
        noun = Noun(words, one.mention, one.tag, kind.gender, kind.number, subject)
        nominal.place(edits, number, noun)
        role = "nominal"
    start, end = edits.spans[number]
    if one.mention[0][:1].isupper() and start and begins_sentence(edits.text, start):
        edits.replace(start, start + 1, capital(edits.text[start]), number)
        edits.spans[number] = (start, end)
    return role

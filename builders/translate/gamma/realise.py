"""Put mentions back into a translation with placeholders (section 4.2.6).

Each placeholder gives way to its mention's own words. A nominal mention is its own translation,
with the article that goes with it; prepositions contract with the article that they meet, and what
is elided before a vowel is written in full before a consonant. Pronouns, possessives, reflexives
and demonstratives come from the language's pronouns.toml by role and class. In clean mode, and
where the translation's tree is given, objects become clitics of their verbs; in paper mode they
stay there.

Nothing outside the placeholders changes but articles, prepositions and conjunctions right before
them, a clitic beside a new one, the last letter of a verb that takes an enclitic, the determiner
before a possessive, a blank where a placeholder goes away, and capitals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from corefmill.builders.nlp.backend import Analysis
from corefmill.builders.translate.gamma import nominal, pronouns
from corefmill.builders.translate.gamma.edits import (
    TextEdits,
    begins_sentence,
    capital,
    capitalise,
    numerals,
)
from corefmill.builders.translate.gamma.language import TargetLanguage
from corefmill.builders.translate.gamma.mention import MentionToPlace, Mode
from corefmill.builders.translate.gamma.target import TranslationTree
from corefmill.corpora.records import Span


@dataclass(frozen=True, slots=True)
class PlacedMention:
    """A mention in the utterance: [start, end) in code points, and how it was placed.

    A span that begins within a word begins at the article's letters in a preposition that holds it
    (`del` holds `l`), or at an enclitic (`vederlo` holds `lo`); such a mention has the last words
    of that token and none before. `role` is nominal, subject, object, strong, clitic, enclitic,
    dative, possessive, possessive_after, reflexive, emphatic, demonstrative or marked.
    """

    key: str
    start: int
    end: int
    role: str


@dataclass(frozen=True, slots=True)
class Realised:
    """The utterance and the places of its mentions, in their given order."""

    text: str
    mentions: tuple[PlacedMention, ...]


def realise(
    language: TargetLanguage,
    translation: str,
    mentions: Sequence[MentionToPlace],
    analysis: Analysis | None = None,
    *,
    mode: Mode = "clean",
    capitalised: bool = True,
    around: Mapping[str, Span] = MappingProxyType({}),
) -> Realised:
    """Puts every mention in its place; `analysis` is the translation's, placeholders and all.

    `capitalised` says whether the utterance begins with a capital. `around` are the spans of marked
    mentions, by their keys.
    """
    tree = TranslationTree(analysis if mode == "clean" else None)
    nobody = numerals(translation) if mode == "clean" else ()
    edits = TextEdits(
        language,
        translation,
        [mention.span for mention in mentions],
        tree.spans,
        nobody,
        list(around.values()),
    )
    roles = [""] * len(mentions)
    # From the right, so that what stands left of a placeholder is still what was analysed.
    for index in sorted(range(len(mentions)), key=lambda at: mentions[at].span, reverse=True):
        roles[index] = _place(edits, index, mentions[index], tree, mode)
    text = capitalise(edits.text) if capitalised else edits.text
    placed = tuple(
        PlacedMention(mention.key, start, end, role)
        for (start, end), mention, role in zip(
            edits.spans[: len(mentions)], mentions, roles, strict=True
        )
    )
    marked = (
        PlacedMention(key, start, end, "marked")
        for key, (start, end) in zip(around, edits.around, strict=True)
    )
    return Realised(text, (*placed, *marked))


def _place(
    edits: TextEdits, owner: int, mention: MentionToPlace, tree: TranslationTree, mode: Mode
) -> str:
    if len(mention.words) == 1 and pronouns.is_pronoun(mention.form, mention.tag):
        role = pronouns.place(edits, owner, mention, tree, mode)
    else:
        nominal.place(edits, owner, mention, tree, mode)
        role = "nominal"
    start, end = edits.spans[owner]
    if mention.words[0][:1].isupper() and start and begins_sentence(edits.text, start):
        edits.replace(start, start + 1, capital(edits.text[start]), owner)
        edits.spans[owner] = (start, end)
    return role

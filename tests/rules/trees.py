"""Utterances for tests, written as one line a word: form, lemma, tag, features, head, relation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corefmill.corpora.records import Span, Token
from corefmill.rules import documents as surfaces
from corefmill.rules.rule import KeyedMention, Utterance, Written


def utterance(
    rows: str, mentions: Iterable[tuple[str, int, int]] = (), **written: str
) -> Utterance:
    """Rows of six columns, `_` for none; `~` after the form: no space after it.

    `written` gives the form of a written token by its words, `w2_3="del"` for the words 2 and 3,
    counted from 1.
    """
    tokens = []
    for row in rows.strip().splitlines():
        form, lemma, upos, feats, head, deprel = row.split()
        tokens.append(
            Token(
                form.removesuffix("~"),
                lemma=lemma,
                upos=upos,
                feats=None if feats == "_" else feats,
                head=int(head),
                deprel=deprel,
                space_after=not form.endswith("~"),
            )
        )
    ranges = []
    for name, form in written.items():
        first, last = map(int, name[1:].split("_"))
        ranges.append(Written(first - 1, last, form))
    return Utterance(
        tuple(tokens), tuple(KeyedMention(*mention) for mention in mentions), tuple(ranges)
    )


@dataclass(frozen=True, slots=True)
class Surface:
    """An utterance as written: its text, its tokens' characters, and each word's token."""

    text: str
    tokens: tuple[Span, ...]
    token_of: tuple[int, ...]

    def characters(self, start: int, end: int) -> Span:
        """The characters of the written tokens that hold any of the words [start, end)."""
        return self.tokens[self.token_of[start]][0], self.tokens[self.token_of[end - 1]][1]


def surface(utterance: Utterance) -> Surface:
    """The utterance as written; `Surface.text` is `corefmill.rules.rule.text` of it."""
    starts = {written.start: written for written in utterance.written}
    text = ""
    spans: list[Span] = []
    owner: list[int] = []
    at = 0
    while at < len(utterance.tokens):
        held = starts.get(at)
        end = held.end if held else at + 1
        form = held.form if held else utterance.tokens[at].form
        owner += [len(spans)] * (end - at)
        spans.append((len(text), len(text) + len(form)))
        text += form + " " * utterance.tokens[end - 1].space_after
        at = end
    return Surface(text.removesuffix(" "), tuple(spans), tuple(owner))


def from_text(
    text: str,
    words: Sequence[Token],
    spans: Sequence[Span],
    mentions: Iterable[tuple[str, int, int]] = (),
) -> Utterance:
    """The utterance of a text; mentions are (key, start, end) in characters."""
    utterance, pieces = surfaces.from_text(text, words, spans)
    return replace(utterance, mentions=tuple(surfaces.mention(*one, pieces) for one in mentions))

"""From an analysed text to an utterance with its mentions, and from an utterance to its text.

`from_text` takes what a pipeline says of a text: words, and for each the characters of the written
token that holds it; words that share a token's characters make a `Written` (`della`: di + la). It
takes mentions as characters. `places` gives the way back: where each word stands in the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from corefmill.corpora.records import Span, Token
from corefmill.rules.rule import Mention, Utterance, Written


@dataclass(frozen=True, slots=True)
class Surface:
    """An utterance as written: its text, its tokens' characters, and each word's token."""

    text: str
    tokens: tuple[Span, ...]
    token_of: tuple[int, ...]

    def forms(self) -> tuple[str, ...]:
        """The tokens as written: `Quell'`, `avviso`, `della`."""
        return tuple(self.text[start:end] for start, end in self.tokens)

    def of_words(self, start: int, end: int) -> Span:
        """The written tokens [first, last) that hold any of the words [start, end)."""
        return self.token_of[start], self.token_of[end - 1] + 1

    def characters(self, start: int, end: int) -> Span:
        """The characters of the written tokens that hold any of the words [start, end)."""
        return self.tokens[self.token_of[start]][0], self.tokens[self.token_of[end - 1]][1]


def from_text(
    text: str,
    words: Sequence[Token],
    spans: Sequence[Span],
    mentions: Iterable[tuple[str, int, int]] = (),
) -> Utterance:
    """The utterance of a text: words with the characters of their written token, and mentions.

    Mentions are (cluster, start, end) in characters. One covers every word whose characters it
    touches; in a token of several words it may begin or end within: `l presidente` in `del
    presidente` leaves `di` out. What blanks separate two tokens becomes one. `space_after` of the
    words is not read. Raises `ValueError` for spans that leave written characters out, or a mention
    that touches no word.
    """
    utterance, pieces = in_pieces(text, words, spans)
    found = tuple(mention(*given, pieces) for given in mentions)
    return replace(utterance, mentions=found)


def in_pieces(
    text: str, words: Sequence[Token], spans: Sequence[Span]
) -> tuple[Utterance, list[Span]]:
    """As `from_text`, without mentions; and the characters of each word, by which `mention` finds
    it."""
    tokens: list[Token] = []
    written: list[Written] = []
    pieces: list[Span] = []
    position = 0
    last = len(text.rstrip())
    groups = groupby(zip(words, spans, strict=True), key=lambda pair: pair[1])
    for (start, end), pairs in groups:
        if start < position or text[position:start].strip() or not text[start:end].strip():
            raise ValueError(f"the token at {start} to {end} does not follow from {position}")
        held = [word for word, _ in pairs]
        if len(held) > 1:
            written.append(Written(len(tokens), len(tokens) + len(held), text[start:end]))
            pieces += [(start + left, start + right) for left, right in _cut(text[start:end], held)]
        else:
            pieces.append((start, end))
        space = end < last and text[end].isspace()
        tokens += [_spaced(word, word.form, False) for word in held[:-1]]
        form = held[-1].form if len(held) > 1 else text[start:end]
        tokens.append(_spaced(held[-1], form, space))
        position = end
    if text[position:].strip():
        raise ValueError(f"no word holds what is written from {position} on")
    if tokens:
        tokens[-1] = _spaced(tokens[-1], tokens[-1].form, True)
    return Utterance(tuple(tokens), (), tuple(written)), pieces


def _spaced(word: Token, form: str, space: bool) -> Token:
    if word.form == form and word.space_after == space:
        return word
    return replace(word, form=form, space_after=space)


def _cut(form: str, held: Sequence[Token]) -> list[Span]:
    """The characters of a written token for each of its words: del is de + l, dirlo is dir + lo.

    The last words have as many characters at the end as their form shares with it, the first what
    is left; no word is without any while there are as many characters as words.
    """
    size = len(form)
    ends = [size]
    for number in range(len(held) - 1, 0, -1):
        end = ends[0]
        word = held[number].form.casefold()
        shared = 0
        low = form[:end].casefold()
        while shared < len(word) and low.endswith(word[len(word) - shared - 1 :]):
            shared += 1
        ends.insert(0, max(end - max(shared, 1), min(number, end - 1), 0))
    return list(zip([0, *ends], ends, strict=False))


def mention(cluster: str, start: int, end: int, pieces: Sequence[Span]) -> Mention:
    """The words that characters touch. Raises `ValueError` where they touch none."""
    touched = [
        at for at, (left, right) in enumerate(pieces) if left < end and start < max(right, left + 1)
    ]
    if not touched or start >= end:
        raise ValueError(f"the mention of {cluster} at {start} to {end} touches no word")
    return Mention(cluster, touched[0], touched[-1] + 1)


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

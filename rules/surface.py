"""From an analysed text to an utterance with its mentions; `rule.text` leads back to the text.

`from_text` takes what a pipeline says of a text: words, and for each the offsets of the written
token that holds it; words that share a token's characters make a `Written` (`della`: di + la).
`mention` turns the offsets of a mention into words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from corefmill.corpora.records import Span, Token
from corefmill.rules.rule import KeyedMention, Utterance, Written


def from_text(
    text: str, words: Sequence[Token], spans: Sequence[Span]
) -> tuple[Utterance, list[Span]]:
    """The utterance of a text without mentions, and the offsets of its words, for `mention`.

    `spans` are the offsets of each word's written token. What blanks separate two tokens becomes
    one. `space_after` of the words is not read. Raises `ValueError` for spans that leave written
    characters out.
    """
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


def mention(key: str, start: int, end: int, pieces: Sequence[Span]) -> KeyedMention:
    """A mention of every word whose characters it touches; `pieces` are from `from_text`.

    In a token of several words it may begin or end within: `l presidente` in `del presidente`
    leaves `di` out. Raises `ValueError` where it touches none.
    """
    touched = [
        at for at, (left, right) in enumerate(pieces) if left < end and start < max(right, left + 1)
    ]
    if not touched or start >= end:
        raise ValueError(f"mention {key} at {start} to {end} touches no word")
    return KeyedMention(key, touched[0], touched[-1] + 1)

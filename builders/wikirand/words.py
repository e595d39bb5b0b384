"""Which tokens are words, and the example that a passage and two words make."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from corefmill.builders.run.stages import seeded
from corefmill.corpora.records import MaskedExample, Source, Span


def is_word(token: str, *, ascii_only: bool) -> bool:
    """Two or more letters and nothing else; the published form has no others than ASCII ones."""
    if len(token) < 2 or (ascii_only and not token.isascii()):
        return False
    # Vowel signs of many scripts are marks, which `isalpha` does not take for letters.
    return token.isalpha() or all(unicodedata.category(letter)[0] in "LM" for letter in token)


def words(text: str, tokens: Sequence[Span], *, ascii_only: bool) -> Iterator[Span]:
    """The spans of those tokens that are words."""
    return (
        (start, end) for start, end in tokens if is_word(text[start:end], ascii_only=ascii_only)
    )


def example(
    passage: Mapping[str, Any], vocabulary: Sequence[str], *, lang: str, mode: str, seed: int
) -> MaskedExample:
    """Masks a word drawn from the passage, and draws the wrong one from the vocabulary.

    All else stays; occurrences of either word count whatever their case. In paper mode the right
    word comes first. `vocabulary` must hold two words that differ by more than case.
    """
    text, tokens = passage["text"], passage["tokens"]
    rng = seeded(seed, "mask", passage["id"])
    target = rng.choice(list(words(text, tokens, ascii_only=mode == "paper")))
    right = text[target[0] : target[1]]
    wrong = _other(right, vocabulary, rng)
    label = 0 if mode == "paper" else rng.randrange(2)
    candidates = (right, wrong) if label == 0 else (wrong, right)
    folded = [word.casefold() for word in candidates]
    return MaskedExample(
        id=passage["id"],
        lang=lang,
        text=text,
        sentences=tuple((start, end) for start, end in passage["spans"]),
        target=target,
        candidates=candidates,
        mentions=tuple(
            (folded.index(word), start, end)
            for start, end in tokens
            if (word := text[start:end].casefold()) in folded and (start, end) != target
        ),
        label=label,
        source=Source(**passage["source"]),
        meta={"tokens": tokens},
    )


def _other(right: str, vocabulary: Sequence[str], rng: random.Random) -> str:
    while True:
        word = rng.choice(vocabulary)
        if word.casefold() != right.casefold():
            return word

"""What speaks for or against a translated utterance, without a model of the language.

None of it is a judgement: which evidence counts how much, a calibration says (calibration.py).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import log
from typing import NamedTuple

from corefmill.corpora.records import Token
from corefmill.rules.rule import Utterance
from corefmill.rules.tree import Tree, feature, is_relation

_LETTERS = 3
"""Of a word that tells that it was copied; shorter ones are alike in many languages."""


class ToWeigh(NamedTuple):
    """An utterance of the source, its translation after the rules, and how often placeholders
    were drawn."""

    text: str
    forms: tuple[str, ...]
    translated: Utterance
    draws: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of one utterance; None is what nobody was asked.

    `length` is the logarithm of its words. `copied` is the share of its words that stand in the
    source in the same small letters. `disagreeing` is the share of genders and numbers that differ
    between a noun and its determiners and adjectives, and of numbers between subject and verb, by
    the parser. `redrawn` is how often placeholders had to be drawn anew. `unknown` is the share of
    the source's words that the translator did not know, `back` the chrF of the translation back
    with the source.
    """

    length: float
    copied: float
    disagreeing: float
    redrawn: float
    unknown: float | None = None
    back: float | None = None

    def as_json(self) -> dict[str, float]:
        """What is known, to four places."""
        return {name: round(value, 4) for name, value in asdict(self).items() if value is not None}


def evidence_of(given: ToWeigh, unknown: int | None = None, back: float | None = None) -> Evidence:
    """The evidence; `unknown` is a number of words of the source, `back` a chrF in [0, 1]."""
    tokens = given.translated.tokens
    return Evidence(
        length=log(len(tokens)),
        copied=_copied(tokens, given.forms),
        disagreeing=_disagreeing(tokens),
        redrawn=float(given.draws - 1),
        unknown=None if unknown is None else unknown / len(given.forms),
        back=back,
    )


def _copied(tokens: tuple[Token, ...], forms: tuple[str, ...]) -> float:
    source = {form.lower() for form in forms}
    words = [token.form for token in tokens if token.form.isalpha()]
    words = [word for word in words if len(word) >= _LETTERS]
    copied = sum(word.islower() and word in source for word in words)
    return copied / len(words) if words else 0.0


def _disagreeing(tokens: tuple[Token, ...]) -> float:
    tree = Tree(tokens)
    pairs = differing = 0
    for at, token in enumerate(tokens):
        head = tree.head(at)
        if head is None:
            continue
        for name in _shared(token):
            own, other = feature(token, name), feature(tokens[head], name)
            if own is not None and other is not None:
                pairs += 1
                differing += own != other
    return differing / pairs if pairs else 0.0


def _shared(token: Token) -> tuple[str, ...]:
    """The features that a word shares with its head."""
    if is_relation(token, "det", "amod"):
        return ("Gender", "Number")
    return ("Number",) if is_relation(token, "nsubj") else ()

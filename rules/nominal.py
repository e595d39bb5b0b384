"""Gender and number of a noun, by itself and by the words that agree with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpora.records import Token
from rules.tree import Tree, feature, low

_ONE = frozenset(("1", "un", "uno", "una"))
_ARTICLE, _NOUN, _OTHER, _OWN = 3.0, 2.0, 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Agreement:
    """Gender and number as Universal Dependencies name them, None where not known."""

    gender: str | None
    number: str | None

    @property
    def known(self) -> bool:
        """Whether both are."""
        return self.gender is not None and self.number is not None


NOTHING = Agreement(None, None)


def of_noun(
    tree: Tree, noun: int, *, but: int, around: bool, own: Agreement = NOTHING
) -> Agreement:
    """What the noun's own features say, or with `around` what most of its words say.

    The article weighs most, since its form leaves no doubt where an analysis of the noun may be
    wrong; then the noun, its adjectives, and a numeral for the plural. The word `but`, which is to
    agree with the noun, has no say but to part the rest where they are even (`own`).
    """
    if not around:
        token = tree.tokens[noun]
        return Agreement(_single(token, "Gender"), _single(token, "Number"))
    genders: dict[str, float] = {}
    numbers: dict[str, float] = {}
    for at in [noun, *tree.children(noun)]:
        if at == but:
            continue
        token = tree.tokens[at]
        weight = _NOUN if at == noun else _weight(token)
        _vote(genders, _single(token, "Gender"), weight)
        _vote(numbers, _single(token, "Number"), weight)
        if at < noun and token.deprel == "nummod" and low(token) not in _ONE:
            _vote(numbers, "Plur", _NOUN)
    for votes, value in ((genders, own.gender), (numbers, own.number)):
        if value in votes:
            _vote(votes, value, _OWN)
    return Agreement(_most(genders), _most(numbers))


def _weight(token: Token) -> float:
    if token.upos == "DET":
        return _ARTICLE if feature(token, "PronType") == "Art" else _OTHER
    return _OTHER if token.upos == "ADJ" or token.deprel == "amod" else 0


def _vote(votes: dict[str, float], value: str | None, weight: float) -> None:
    if value is not None and weight:
        votes[value] = votes.get(value, 0) + weight


def _most(votes: dict[str, float]) -> str | None:
    return max(votes, key=lambda value: votes[value]) if votes else None


def _single(token: Token, name: Literal["Gender", "Number"]) -> str | None:
    value = feature(token, name)
    return None if value is None or "," in value else value

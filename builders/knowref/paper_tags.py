"""Paper mode's rules on part-of-speech tags: the pattern and the noun phrases (spec C1, S1, S3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corefmill.builders.knowref.paper_surface import CONNECTIVES, PRONOUNS

REASONS = (
    "no_pattern",
    "pronoun_before_candidate",
    "same_candidate",
    "over_5_phrases",
    "no_free_connective",
    "over_2_connectives",
    "under_2_phrases",
    "phrase_again",
)

# DT? JJ* NN+ IN? DT? JJ* NN*, in one letter a tag. The grammar's second rule, with a conjunction,
# never finds a noun that the first has left. A preposition or conjunction behind a noun goes into
# its phrase ("Ann because"), and a connective that is inside a phrase is none: the rule keeps
# mostly those behind a comma.
_PHRASE = re.compile("D?J*N+I?D?J*N*")
_LETTER = {"DT": "D", "IN": "I"}
_WORD = re.compile(r"\w{3,}")
_MOST_PHRASES, _MOST_CONNECTIVES = 5, 2


@dataclass(frozen=True, slots=True)
class _Phrase:
    start: int
    end: int
    key: str
    """The lemmas without articles and adjectives."""
    described: str
    """The articles and adjectives."""
    has_adjective: bool


def fault(forms: Sequence[str], tags: Sequence[str], lemmas: Sequence[str]) -> str | None:
    """The reason why a tagged sentence is not kept, None if it is."""
    return _pattern_fault(forms, tags) or _phrases_fault(forms, tags, lemmas)


def _pattern_fault(forms: Sequence[str], tags: Sequence[str]) -> str | None:
    """Two candidate words, a connective behind them and a pronoun behind that, greedily matched."""
    pronouns = [index for index, form in enumerate(forms) if form in PRONOUNS]
    last = pronouns[-1] if pronouns else 0
    connectives = [i for i in range(last) if forms[i] in CONNECTIVES]
    nouns = [
        index
        for index in range(connectives[-1] if connectives else 0)
        if tags[index].startswith("NN") and _WORD.fullmatch(forms[index])
    ]
    if len(nouns) < 2:
        return "no_pattern"
    first, second = nouns[-2:]  # greedy: the last two
    if any(form.lower() in PRONOUNS for form in forms[:second]):
        return "pronoun_before_candidate"
    return "same_candidate" if forms[first] == forms[second] else None


def _phrases_fault(forms: Sequence[str], tags: Sequence[str], lemmas: Sequence[str]) -> str | None:
    letters = "".join(
        "J" if tag.startswith("JJ") else "N" if tag.startswith("NN") else _LETTER.get(tag, "x")
        for tag in tags
    )
    phrases = [
        _phrase(*match.span(), letters, forms, lemmas) for match in _PHRASE.finditer(letters)
    ]
    if len(phrases) > _MOST_PHRASES:
        return "over_5_phrases"
    inside = {index for phrase in phrases for index in range(phrase.start, phrase.end)}
    free = [i for i, form in enumerate(forms) if form in CONNECTIVES and i not in inside]
    connectives = [i for i in free if i - 1 not in free]
    if not connectives:
        return "no_free_connective"
    if len(connectives) > _MOST_CONNECTIVES:
        return "over_2_connectives"
    faults = [_connective_fault(phrases, connective) for connective in connectives]
    return None if None in faults else faults[-1]


def _connective_fault(phrases: Sequence[_Phrase], connective: int) -> str | None:
    before = [phrase for phrase in phrases if phrase.end <= connective]
    if len({phrase.key for phrase in before}) < 2:
        return "under_2_phrases"
    described = {phrase.described for phrase in before}
    after = {
        phrase.key
        for phrase in phrases
        if phrase.start > connective and (not phrase.has_adjective or phrase.described in described)
    }
    return "phrase_again" if after & {phrase.key for phrase in before} else None


def _phrase(
    start: int, end: int, letters: str, forms: Sequence[str], lemmas: Sequence[str]
) -> _Phrase:
    words = range(start, end)
    return _Phrase(
        start,
        end,
        "_".join(lemmas[index] or forms[index] for index in words if letters[index] not in "DJ"),
        "_".join(forms[index] for index in words if letters[index] in "DJ"),
        "J" in letters[start:end],
    )

"""Paper mode's rules on trees and names: the two noun phrases and the pronoun (spec C1, S5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corefmill.builders.knowref.paper_surface import CONNECTIVES, PRONOUNS
from corefmill.corpora.records import Span

REASONS = ("under_5_words", "no_connective_passes", "pronoun_not_person", "candidate_not_person")

_PERSONAL = ("he", "she", "her", "his", "hers", "him")
_WITHIN = ("compound", "flat", "nmod:poss", "nmod:desc", "appos", "conj", "amod", "nummod", "det")
_BINDING = ("case", "cc", "mark", "punct")
_FEWEST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Chosen:
    """Word indexes: the two phrases, the connective behind them, the pronoun."""

    phrases: tuple[Span, Span]
    connective: int
    pronoun: int


def choose(
    forms: Sequence[str],
    tags: Sequence[str],
    relations: Sequence[str],
    heads: Sequence[int],
    is_person: Sequence[bool],
) -> Chosen | str:
    """The problem, or the reason why there is none.

    Of several connectives the last one that passes counts; the pronoun is the sentence's first.
    """
    if len(forms) < _FEWEST_WORDS:
        return "under_5_words"
    phrases = noun_phrases(tags, relations, heads)
    pronouns = [index for index, form in enumerate(forms) if form in PRONOUNS]
    inside = {index for start, end in phrases for index in range(start, end)}
    listed = [index for index, form in enumerate(forms) if form in CONNECTIVES]
    found = None
    for connective in listed:
        if connective - 1 in listed or connective in inside:
            continue
        before = [phrase for phrase in phrases if phrase[1] <= connective]
        smallest = [p for p in before if not any(_contains(p, other) for other in before)]
        if len(smallest) == 2 and pronouns and pronouns[0] > connective:
            found = Chosen((smallest[0], smallest[1]), connective, pronouns[0])
    if found is None:
        return "no_connective_passes"
    if forms[found.pronoun] not in _PERSONAL:
        return "pronoun_not_person"
    if not all(is_person[end - 1] for _, end in found.phrases):
        return "candidate_not_person"
    return found


def noun_phrases(tags: Sequence[str], relations: Sequence[str], heads: Sequence[int]) -> list[Span]:
    """The spans of the noun phrases, in order, each once."""
    spans = {
        _span(_top(index, tags, relations, heads), relations, heads)
        for index, tag in enumerate(tags)
        if tag.startswith("N")
    }
    return sorted(spans)


def _top(index: int, tags: Sequence[str], relations: Sequence[str], heads: Sequence[int]) -> int:
    seen = {index}
    while relations[index] in _WITHIN and tags[heads[index]].startswith("N"):
        index = heads[index]
        if index in seen:  # a parser may err in a ring
            break
        seen.add(index)
    return index


def _span(top: int, relations: Sequence[str], heads: Sequence[int]) -> Span:
    """From the first to the last word below `top`, without what binds the phrase to its clause."""
    below = {top}
    grew = True
    while grew:
        more = {i for i, head in enumerate(heads) if head in below and i not in below}
        below |= more
        grew = bool(more)
    start, end = min(below), max(below) + 1
    while start < top and relations[start] in _BINDING:
        start += 1
    return start, end


def _contains(phrase: Span, other: Span) -> bool:
    return other != phrase and phrase[0] <= other[0] and other[1] <= phrase[1]

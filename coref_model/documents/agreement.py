"""Links that fit a whole cluster: English pronouns and names that contradict each other.

A ranker sees two spans at a time, and a chain of likely links may put "he", "she" and two other
names into one cluster. Here the links are made from left to right, each to the antecedent of the
highest score after what speaks against its cluster was taken off:

1. Gender: "he", "she" and "it" are no one, and "Mrs. Lee" is no "he". A given name says less.
2. Names: two names without a common word are mostly two ("Tanaka", "Lopez"; but see `_alike`).
3. Binding (Chomsky 1981, principle B): "him" is nobody who stands right before it in its clause,
   so that in "Ann met Eve. She smiled at her." the last word is not the third one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp

from corefmill.coref_model.documents.names import MAN, NONE, UNKNOWN, WOMAN, SpanName

THING = 3

AGAINST = 8.0
"""What a contradiction by pronouns, titles or binding takes off: more than most links have."""
LIKELY = 4.0
"""What a given name of the other gender, or another name, takes off."""

_GENDERS = {
    **dict.fromkeys(("he", "him", "his", "himself"), MAN),
    **dict.fromkeys(("she", "her", "hers", "herself"), WOMAN),
    **dict.fromkeys(("it", "its", "itself"), THING),
}
_OBJECTS = {"him", "her", "them", "me", "us"}
_AFTER_OBJECT = {"a", "an", "the", "that", "this", "to", "and", "but", "or", "in", "on", "at"}
_AFTER_OBJECT |= {"for", "from", "with", "by", "of", "as", "when", "while", "if", "again", "about"}
_AFTER_OBJECT |= {"into", "out", "up", "down", "off", "so", "because", "before", "after", "what"}
_AFTER_OBJECT |= {"how", "who", "where", "anyway", "there", "back", "until", "than", "not", "now"}
_REACH = 3
"""Words between an object and whoever it cannot be: "She [smiled at] her"."""


@dataclass(frozen=True, slots=True)
class SpanTraits:
    """What a span says of whom it means.

    `gender` is that of a pronoun or a title, `given` that of a given name. `barred` are the numbers
    of earlier spans that it cannot mean (3).
    """

    gender: int = UNKNOWN
    given: int = UNKNOWN
    name: SpanName = NONE
    barred: tuple[int, ...] = ()


@dataclass(slots=True)
class _Cluster:
    genders: set[int] = field(default_factory=set)
    given: set[int] = field(default_factory=set)
    names: set[tuple[str, ...]] = field(default_factory=set)

    def add(self, traits: SpanTraits) -> None:
        self.genders |= {traits.gender} - {UNKNOWN}
        self.given |= {traits.given} - {UNKNOWN}
        if traits.name.words:
            self.names.add(traits.name.words)

    def against(self, traits: SpanTraits) -> float:
        """What speaks against the span's being one of the cluster."""
        own = {traits.gender} - {UNKNOWN}
        total = 0.0
        if _differ(own, self.genders):
            total += AGAINST
        elif _differ(own, self.given) or _differ({traits.given} - {UNKNOWN}, self.genders):
            total += LIKELY
        words = traits.name.words
        if words and self.names and not any(_alike(words, other) for other in self.names):
            total += LIKELY
        return total


def _differ(one: set[int], other: set[int]) -> bool:
    return bool(one and other and not one & other)


def _alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two names share a word, or one has the initials of the other."""
    initials = ("".join(word[0] for word in name) for name in (one, other))
    first, second = initials
    return bool({*one} & {*other}) or "".join(one) == second or "".join(other) == first


def find_traits(
    spans: Sequence[tuple[int, int]],
    names: Sequence[SpanName],
    likely: Sequence[bool],
    forms: Sequence[str],
    sentences: Sequence[int],
) -> list[SpanTraits]:
    """Return the traits of spans of words [start, end), in order of their starts.

    `likely` says which spans are mentions by their own score, `forms` and `sentences` are those of
    the document's words.
    """
    found: list[SpanTraits] = []
    for number, ((start, end), name) in enumerate(zip(spans, names, strict=True)):
        word = forms[start].lower()
        gender = _GENDERS.get(word, UNKNOWN) if end == start + 1 else UNKNOWN
        barred: tuple[int, ...] = ()
        if end == start + 1 and word in _OBJECTS and _is_object(word, forms, sentences, end):
            low = max(0, number - 60)
            before = [
                (other, spans[other])
                for other in range(low, number)
                if likely[other] and spans[other][1] <= start
            ]
            barred = tuple(
                other
                for other, (a, b) in before
                if start - b <= _REACH
                and sentences[a] == sentences[start]
                and all(forms[at].isalpha() for at in range(b, start))
                # "Ann's friend saw him": the friend is barred, and Ann is not.
                and not any((c, d) != (a, b) and c <= a and b <= d for _, (c, d) in before)
            )
        titled = name.gender if name.titled else UNKNOWN
        found.append(
            SpanTraits(gender or titled, UNKNOWN if name.titled else name.gender, name, barred)
        )
    return found


def _is_object(word: str, forms: Sequence[str], sentences: Sequence[int], end: int) -> bool:
    """Whether a pronoun is no possessive: `her` is one before most words."""
    if word != "her":
        return True
    if end == len(forms) or sentences[end] != sentences[end - 1]:
        return True
    after = forms[end].lower()
    return not after.isalpha() or after in _AFTER_OBJECT


def choose_links(
    antecedents: Sequence[Sequence[int]],
    scores: Sequence[Sequence[float]],
    traits: Sequence[SpanTraits],
    min_confidence: float = 0.0,
) -> tuple[list[int], list[float]]:
    """Return each span's antecedent and the probability of that link.

    `antecedents` and `scores` have the candidates of each span, having none a score of 0. Where
    that is as good or better, or the link less probable than `min_confidence`, there is none: -1.
    """
    links: list[int] = []
    sure: list[float] = []
    home: list[_Cluster] = []
    for own, candidates, values in zip(traits, antecedents, scores, strict=True):
        best, link, probability = 0.0, -1, 0.0
        barred = {id(home[number]) for number in own.barred}
        for score, candidate in sorted(zip(values, candidates, strict=True), reverse=True):
            if score <= best:
                break
            cluster = home[candidate]
            value = score - cluster.against(own) - AGAINST * (id(cluster) in barred)
            if value > best:
                best, link = value, candidate
                top = max(values)
                probability = exp(score - top) / (exp(-top) + sum(exp(v - top) for v in values))
        if probability < min_confidence:
            link = -1
        links.append(link)
        sure.append(probability)
        home.append(_Cluster() if link < 0 else home[link])
        home[-1].add(own)
    return links, sure

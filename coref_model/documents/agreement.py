"""Read names, and link spans so that English pronouns and names agree in a cluster.

A span is a name where it ends in capitalised words: "Mr. Darcy", "the old Tom Sawyer" (of which
the name is "Tom Sawyer"), "Bank of England", but not "the king of France" and not "Ann and Eve".
Articles, titles and a possessive "'s" are no part of a name; a title still tells a gender.

A ranker sees two spans at a time, and a chain of likely links may put "he", "she" and two other
names into one cluster. Here the links are made from left to right, each to the antecedent of the
highest score after what speaks against its cluster was taken off:

1. Gender: "he", "she" and "it" are no one, and "Mrs. Lee" is no "he". A given name says less.
2. Names: two names without a common word are mostly two ("Tanaka", "Lopez"; but see `_alike`).
3. Binding (Chomsky 1981, principle B): "him" is nobody who stands right before it in its clause,
   so that in "Ann met Eve. She smiled at her." the last word is not the third one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp

from corefmill.corpora import languages
from corefmill.corpora.statistics import pronouns

UNKNOWN, MAN, WOMAN = range(3)

_MEN = {"mr", "mister", "sir", "lord", "monsieur", "m", "herr", "don", "señor", "signor", "father"}
_WOMEN = {"mrs", "ms", "miss", "lady", "madame", "mme", "frau", "dame", "doña", "señora", "signora"}
_MEN |= {"uncle", "king", "prince", "brother"}
_WOMEN |= {"aunt", "queen", "princess", "sister", "madam"}
_OTHERS = {"dr", "doctor", "prof", "professor", "captain", "capt", "colonel", "col", "general"}
_OTHERS |= {"president", "senator", "judge", "justice", "rev", "reverend", "major", "sergeant"}
_TITLES = {
    **dict.fromkeys(sorted(_MEN), MAN),
    **dict.fromkeys(sorted(_WOMEN), WOMAN),
    **dict.fromkeys(sorted(_OTHERS), UNKNOWN),
}
_POSSESSIVE = {"'s", "’s", "'", "’"}
_ARTICLES = {"the", "a", "an"}
_WITHIN = {"of", "the", "de", "la", "le", "du", "da", "di", "del", "van", "von", "der", "den"}
_WITHIN |= {"for", "&", "-", "."}
_NO_NAMES = _ARTICLES | {"this", "that", "these", "those", "there", "here", "yes", "no", "oh"}


@dataclass(frozen=True, slots=True)
class SpanName:
    """The small-letter words of a name, and the gender that its title or first word suggests."""

    words: tuple[str, ...]
    gender: int = UNKNOWN
    titled: bool = False  # whether the gender is that of a title

    @property
    def full(self) -> bool:
        """Whether it has more than one word."""
        return len(self.words) > 1


NONE = SpanName(())


def find_name(forms: Sequence[str], lang: str = "en") -> SpanName:
    """Return the name in a span of these words; `NONE` where it has none."""
    words = list(forms)
    if words and words[-1] in _POSSESSIVE:
        words.pop()
    while words and words[0].lower() in _ARTICLES:
        words.pop(0)
    if not words or not words[-1][:1].isupper():
        return NONE
    if not words[0][:1].isupper():
        # "the old Tom Sawyer": adjectives may come before a name, but nothing that a comma, a
        # preposition or a conjunction sets apart.
        first = next(at for at, word in enumerate(words) if word[:1].isupper())
        if any(not word.isalpha() or word in _CLOSED for word in words[:first]):
            return NONE
        words = words[first:]
    small = [word.lower() for word in words]
    if any(not a[:1].isupper() and b not in _WITHIN for a, b in zip(words, small, strict=True)):
        return NONE
    gender = UNKNOWN
    while len(small) > 1 and (title := small[0].rstrip(".")) in _TITLES:
        gender = gender or _TITLES[title]
        small.pop(0)
        if small[0] == ".":
            small.pop(0)
    if not small or (len(small) == 1 and _is_no_name(small[0], lang)):
        return NONE
    return SpanName(tuple(small), gender or _suggested(small[0]), bool(gender))


def _is_no_name(word: str, lang: str) -> bool:
    return word in _NO_NAMES or not word[:1].isalpha() or word in pronouns(lang)


_CLOSED = {"of", "in", "on", "at", "to", "from", "for", "with", "by", "and", "or", "but", "as"}


def _suggested(word: str) -> int:
    said = languages.gender_of_name(word).removeprefix("mostly_")
    return {"male": MAN, "female": WOMAN}.get(said, UNKNOWN)


def join_by_name(names: Sequence[Sequence[SpanName]]) -> list[int]:
    """Join clusters that share a name: for each cluster, the first that it belongs to.

    `names` has the names of each cluster's mentions. Two clusters are joined by a name of one
    string unless their full names or genders contradict each other ("John Smith", "John" and
    "John Brown", "John" stay apart). A full name is surer than a single word and joins first.
    """
    home = list(range(len(names)))
    members = {number: list(own) for number, own in enumerate(names)}

    def root(number: int) -> int:
        while home[number] != number:
            number = home[number]
        return number

    for full in (True, False):
        by_name: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, own in enumerate(names):
            for words in dict.fromkeys(name.words for name in own if name.words):
                if (len(words) > 1) == full:
                    by_name[words].append(number)
        for numbers in by_name.values():
            for number in numbers[1:]:
                one, other = sorted((root(numbers[0]), root(number)))
                if one != other and not _contradict(members[one], members[other]):
                    home[other] = one
                    members[one] += members.pop(other)
    return [root(number) for number in range(len(names))]


def _contradict(one: Sequence[SpanName], other: Sequence[SpanName]) -> bool:
    genders = ({name.gender for name in own if name.titled} for own in (one, other))
    first, second = genders
    if first and second and not first & second:
        return True
    full, others = ({name.words for name in own if name.full} for own in (one, other))
    return bool(full and others and not full & others)


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
    """Traits of a span's referent.

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
        """Sum the penalties for adding the span to the cluster."""
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
    """Choose each span's antecedent, with the probability of the link.

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

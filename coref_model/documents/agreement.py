"""Read names, and link spans so that English pronouns and names agree in a cluster.

A span is a name if it ends in capitalised words: "Mr. Darcy", "the old Tom Sawyer" (the name is
"Tom Sawyer"), "Bank of England", but not "the king of France" and not "Ann and Eve".
Articles, titles and a possessive "'s" are not part of a name; a title still tells a gender.

A ranker sees two spans at a time, and a chain of likely links may put "he", "she" and two other
names into one cluster. Here the links are made from left to right, each to the antecedent with the
highest score after the penalties for its cluster:

1. Gender: "he", "she" and "it" do not corefer, nor do "Mrs. Lee" and "he". A given name says less.
2. Names: names without a common word mostly mean two ("Tanaka", "Lopez").
3. Binding (Chomsky 1981, principle B): "him" is not a person named right before it in its clause.
   So in "Ann met Eve. She smiled at her." the word "her" is not "She".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from math import exp

from corefmill.corpora import languages
from corefmill.corpora.files import disk
from corefmill.corpora.statistics import pronouns

UNKNOWN, MAN, WOMAN = range(3)

_WORDS = {
    name: said.split() for name, said in disk.read_package_table(__file__, "agreement").items()
}
_TITLES = {
    title: gender
    for titles, gender in (("men", MAN), ("women", WOMAN), ("others", UNKNOWN))
    for title in _WORDS[titles]
}
_POSSESSIVE = {"'s", "’s", "'", "’"}
_ARTICLES = {"the", "a", "an"}
_WITHIN, _CLOSED, _NO_NAMES, _AFTER_OBJECT = (
    frozenset(_WORDS[name]) for name in ("within", "closed", "no_names", "after_object")
)


@dataclass(frozen=True, slots=True)
class SpanName:
    """The small-letter words of a name, and the gender that its title or first word suggests."""

    words: tuple[str, ...]
    gender: int = UNKNOWN
    titled: bool = False  # whether the gender is that of a title


NONE = SpanName(())


def find_name(forms: Sequence[str], lang: str = "en") -> SpanName:
    """Find the name in a span of these words; `NONE` if it has none."""
    # Neither a possessive ending nor an article belongs to a name, and it ends in a capital word.
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
    # From there on only particles of names may be small: "Bank of England", "Ludwig van ...".
    small = [word.lower() for word in words]
    if any(not a[:1].isupper() and b not in _WITHIN for a, b in zip(words, small, strict=True)):
        return NONE
    # A title is not part of the name, but tells a gender: "Mr. Lee", "Captain Mrs. Lee".
    gender = UNKNOWN
    while len(small) > 1 and (title := small[0].rstrip(".")) in _TITLES:
        gender = gender or _TITLES[title]
        small.pop(0)
        if small[0] == ".":
            small.pop(0)
    # A single capital word may be one that opens a sentence: "This", "She".
    word = small[0] if small else ""
    no_name = word in _NO_NAMES or not word[:1].isalpha() or word in pronouns(lang)
    if not small or (len(small) == 1 and no_name):
        return NONE
    likely = languages.gender_of_name(word).removeprefix("mostly_")
    given = {"male": MAN, "female": WOMAN}.get(likely, UNKNOWN)
    return SpanName(tuple(small), gender or given, bool(gender))


def join_links(
    links: Sequence[int], likely: Sequence[bool], names: Sequence[SpanName]
) -> list[list[int]]:
    """Join spans to clusters by their links, and clusters that share a name.

    `links` has the number of each span's earlier antecedent, or -1 for none. A span without links
    is a cluster of its own if it is `likely` a mention, and otherwise left out. Clusters that share
    a name are joined unless their full names or genders contradict each other ("John Smith", "John"
    and "John Brown", "John" stay apart). A full name is surer than a single word and joins first.
    """
    home: list[int] = []  # the first span of each span's cluster
    clusters: dict[int, list[int]] = {}
    for number, link in enumerate(links):
        home.append(number if link < 0 else home[link])
        clusters.setdefault(home[number], []).append(number)
    by_name: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for first, own in list(clusters.items()):
        if len(own) == 1 and not likely[first]:
            del clusters[first]
            continue
        for words in dict.fromkeys(names[number].words for number in own):
            by_name[words].append(first)
    by_name.pop((), None)

    def contradict(one: Sequence[int], other: Sequence[int]) -> bool:
        both = [[names[number] for number in own] for own in (one, other)]
        genders = ({name.gender for name in own if name.titled} for own in both)
        full = ({name.words for name in own if len(name.words) > 1} for own in both)
        return _differ(*genders) or _differ(*full)

    for _, (first, *others) in sorted(by_name.items(), key=lambda item: len(item[0]) == 1):
        for number in others:
            one, other = sorted((home[first], home[number]))
            if one != other and not contradict(clusters[one], clusters[other]):
                for moved in clusters[other]:
                    home[moved] = one
                clusters[one] += clusters.pop(other)
    return [sorted(own) for own in clusters.values()]


THING = 3

AGAINST = 8.0
"""Penalty of a contradiction by pronouns, titles or binding, above most links' scores."""
LIKELY = 4.0
"""Penalty of a given name of the other gender, or of another name."""

PRONOUN_GENDERS = {
    **dict.fromkeys(("he", "him", "his", "himself"), MAN),
    **dict.fromkeys(("she", "her", "hers", "herself"), WOMAN),
    **dict.fromkeys(("it", "its", "itself"), THING),
}
_OBJECTS = {"him", "her", "them", "me", "us"}
_REACH = 3
"""Most words between an object and a mention that binding excludes: "She [smiled at] her"."""


@dataclass(slots=True)
class Traits:
    """Traits of the referent of a span, or of a cluster.

    `genders` are those of pronouns and titles, `given` those of given names, `words` the words of
    names. `barred` are the numbers of earlier spans that a span cannot corefer with (rule 3).
    """

    genders: set[int] = field(default_factory=set)
    given: set[int] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    barred: tuple[int, ...] = ()


def _differ(one: Set[object], other: Set[object]) -> bool:
    """Tell whether both sets have members, and none in common."""
    return bool(one and other and not one & other)


def find_traits(
    spans: Sequence[tuple[int, int]],
    names: Sequence[SpanName],
    likely: Sequence[bool],
    forms: Sequence[str],
    sentences: Sequence[int],
) -> list[Traits]:
    """Find the traits of spans of words [start, end), in order of their starts.

    `likely` says which spans are mentions by their own score, `forms` and `sentences` are those of
    the document's words.
    """
    found: list[Traits] = []
    for number, ((start, end), name) in enumerate(zip(spans, names, strict=True)):
        word = forms[start].lower()
        made = Traits(words={*name.words})
        (made.genders if name.titled else made.given).update({name.gender} - {UNKNOWN})
        if end == start + 1 and word in PRONOUN_GENDERS:
            made.genders = {PRONOUN_GENDERS[word]}
        found.append(made)
        is_object = end == start + 1 and word in _OBJECTS
        if is_object and word == "her" and end < len(forms) and sentences[end] == sentences[start]:
            # `her` is a possessive before most words.
            after = forms[end].lower()
            is_object = not after.isalpha() or after in _AFTER_OBJECT
        if is_object:
            # A pronoun cannot mean a span that ends a few words before it in its sentence, without
            # a comma between; 60 spans reach farther back than that.
            low = max(0, number - 60)
            before = [
                (other, spans[other])
                for other in range(low, number)
                if likely[other] and spans[other][1] <= start
            ]
            made.barred = tuple(
                other
                for other, (a, b) in before
                if start - b <= _REACH
                and sentences[a] == sentences[start]
                and all(forms[at].isalpha() for at in range(b, start))
                # "Ann's friend saw him": the friend is barred, and Ann is not.
                and not any((c, d) != (a, b) and c <= a and b <= d for _, (c, d) in before)
            )
    return found


def choose_links(
    antecedents: Sequence[Sequence[int]],
    scores: Sequence[Sequence[float]],
    traits: Sequence[Traits],
    min_confidence: float = 0.0,
) -> tuple[list[int], list[float]]:
    """Choose each span's antecedent, with the probability of the link.

    `antecedents` and `scores` have the candidates of each span; no antecedent has the score 0. The
    antecedent is -1 if no candidate scores above 0, or if the link is less probable than
    `min_confidence`.
    """
    links: list[int] = []
    sure: list[float] = []
    home: list[Traits] = []
    for own, candidates, values in zip(traits, antecedents, scores, strict=True):
        # A penalty only lowers a score: below the best value so far, no candidate can win.
        best, link, probability = 0.0, -1, 0.0
        barred = {id(home[number]) for number in own.barred}
        for score, candidate in sorted(zip(values, candidates, strict=True), reverse=True):
            if score <= best:
                break
            cluster = home[candidate]
            value = score - LIKELY * _differ(own.words, cluster.words)
            value -= AGAINST * (id(cluster) in barred)
            if _differ(own.genders, cluster.genders):
                value -= AGAINST
            elif _differ(own.genders, cluster.given) or _differ(own.given, cluster.genders):
                value -= LIKELY
            if value > best:
                best, link = value, candidate
                top = max(values)
                probability = exp(score - top) / (exp(-top) + sum(exp(v - top) for v in values))
        if probability < min_confidence:
            link = -1
        links.append(link)
        sure.append(probability)
        home.append(Traits() if link < 0 else home[link])
        home[-1].genders |= own.genders
        home[-1].given |= own.given
        home[-1].words |= own.words
    return links, sure

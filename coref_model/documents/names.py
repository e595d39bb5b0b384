"""Names within spans: their words, the gender that they suggest, and clusters that share one.

A span is a name where it ends in capitalised words: "Mr. Darcy", "the old Tom Sawyer" (of which
the name is "Tom Sawyer"), "Bank of England", but not "the king of France" and not "Ann and Eve".
Articles, titles and a possessive "'s" are no part of a name; a title still tells a gender.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

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

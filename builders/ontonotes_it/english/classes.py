"""class(id) of a mention: type, gender and number of what it names (section 4.2.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from corefmill.builders.ontonotes_it.english.class_words import (
    DEFAULTS,
    NOUN_WEIGHT,
    PRONOUN_WEIGHT,
    PRONOUNS,
    TITLES,
    is_person,
)
from corefmill.builders.ontonotes_it.english.english import Parsed
from corefmill.builders.ontonotes_it.english.parts import Marked, Part, Utterance
from corefmill.builders.ontonotes_it.english.simplify import is_noun
from corefmill.builders.persons.gender import Genders

Key: TypeAlias = tuple[int, int]
"""Where a mention of a part is: the utterance's number, and the first token."""

_PEOPLE = ("PERSON", "NORP")
_GENDERS = {"male": "m", "mostly_male": "m", "female": "f", "mostly_female": "f"}
_PLURAL = ("NNS", "NNPS")
_FIELDS = ("type", "gender", "number")


class Class(NamedTuple):
    """The triple (type, gender, number): human or thing, m or f, s or p."""

    type: Literal["human", "thing"]
    gender: Literal["m", "f"]
    number: Literal["s", "p"]


@dataclass(frozen=True, slots=True)
class Sign:
    """What one mention tells of its entity, None where it tells nothing; its weight in a vote."""

    type: str | None = None
    gender: str | None = None
    number: str | None = None
    weight: int = NOUN_WEIGHT

    def filled(self, gender: str | None, number: str | None) -> Sign:
        """The sign with gender and number from elsewhere where it has none itself."""
        return replace(self, gender=self.gender or gender, number=self.number or number)


def is_pronoun(utterance: Utterance, mention: Marked) -> bool:
    """Whether a mention's root is a personal pronoun or a possessive."""
    return utterance.tags[mention.root] in ("PRP", "PRP$")


def by_source(utterance: Utterance, mention: Marked) -> Sign:
    """Step 1 to the letter: pronouns by table 6; nouns and determiners tell nothing."""
    if is_pronoun(utterance, mention):
        return Sign(*PRONOUNS[utterance.forms[mention.root].lower()], weight=PRONOUN_WEIGHT)
    return Sign()


class Helped:
    """Step 1 with what clean mode knows besides: names of persons, nouns for people, pairs."""

    def __init__(self, genders: Genders) -> None:
        self._genders = genders

    def __call__(self, utterance: Utterance, mention: Marked, parsed: Parsed) -> Sign:
        """The sign of a mention in its parsed utterance."""
        if not is_noun(utterance.tags[mention.root]):
            return by_source(utterance, mention)
        inside = range(mention.start, mention.end)
        number = "p" if _is_pair(utterance, mention, parsed) else None
        if parsed.names[mention.root] == "PERSON":
            gender = None if number else self._of_name(utterance, inside, parsed)
            return Sign("human", gender, number)
        noun = utterance.forms[mention.root]
        common = utterance.tags[mention.root] in ("NN", "NNS")
        human = parsed.names[mention.root] in _PEOPLE or (common and is_person(noun))
        return Sign("human" if human else None, None, number)

    def _of_name(self, utterance: Utterance, inside: range, parsed: Parsed) -> str | None:
        for word in inside:
            if gender := TITLES.get(utterance.forms[word].lower()):
                return gender
        first = next(word for word in inside if parsed.names[word] == "PERSON")
        return _GENDERS.get(self._genders.of(utterance.forms[first]))


def _is_pair(utterance: Utterance, mention: Marked, parsed: Parsed) -> bool:
    """Whether "and" joins something to the root: in UD it hangs on what is joined."""
    for word in range(mention.start, mention.end):
        if utterance.tags[word] == "CC" and utterance.forms[word].lower() in ("and", "&"):
            joined = parsed.heads[word]
            if joined in range(mention.start, mention.end) and is_noun(utterance.tags[joined]):
                return parsed.heads[joined] == mention.root != joined
    return False


def by_tag(utterance: Utterance, mention: Marked) -> str | None:
    """The number that a noun's own tag tells, which clean mode asks after the translation."""
    tag = utterance.tags[mention.root]
    if not is_noun(tag):
        return None
    return "p" if tag in _PLURAL else "s"


def classes(part: Part, signs: Mapping[Key, Sign]) -> dict[Key, Class]:
    """Step 3: what a mention does not tell, the others of its cluster vote on (tables 7 and 8).

    A pronoun weighs more than a noun. Without votes, or where two values have as many, the default
    is taken.
    """
    found: dict[Key, Class] = {}
    for cluster in part.clusters().values():
        keys = [(utterance.number, mention.start) for utterance, mention in cluster]
        votes: dict[str, Counter[str]] = {name: Counter() for name in _FIELDS}
        for key in keys:
            for name, counter in votes.items():
                if value := getattr(signs[key], name):
                    counter[value] += signs[key].weight
        for key in keys:
            # A mention that tells nothing of a field has no vote in it, so all votes are others'.
            values: list[Any] = [
                getattr(signs[key], name) or _won(name, votes[name]) for name in _FIELDS
            ]
            found[key] = Class(*values)
    return found


def _won(name: str, votes: Counter[str]) -> str:
    best = votes.most_common(2)
    if not best or (len(best) == 2 and best[0][1] == best[1][1]):
        return DEFAULTS[name]
    return best[0][0]

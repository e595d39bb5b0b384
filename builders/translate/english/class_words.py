"""The tables of `classes.toml`, read once."""

from __future__ import annotations

from corefmill.corpora import beside

_TABLE = beside.table(__file__, "classes")

PRONOUNS: dict[str, tuple[str | None, str | None, str | None]] = {
    word: (kind or None, gender or None, number or None)
    for word, (kind, gender, number) in _TABLE["pronouns"].items()
}
"""Third-person pronouns with their type, gender and number, None where they do not show it."""

SPEAKERS: frozenset[str] = frozenset(_TABLE["speakers"]["words"])
PRONOUN_WEIGHT: int = _TABLE["weights"]["pronoun"]
NOUN_WEIGHT: int = _TABLE["weights"]["noun"]
DEFAULTS: dict[str, str] = _TABLE["defaults"]
TITLES: dict[str, str] = {
    word: gender for gender, words in _TABLE["titles"].items() for word in words
}
"""Words before a name, with the gender that they show."""

_PEOPLE = frozenset(_TABLE["people"]["words"])
_PLURALS: dict[str, str] = _TABLE["people"]["plurals"]
_COMPOUNDS = ("man", "woman", "person")


def is_person(noun: str) -> bool:
    """Whether a noun, in the singular or plural, names a person or people."""
    word = noun.lower()
    for ending, one in _PLURALS.items():
        if word.endswith(ending):
            word = word.removesuffix(ending) + one
            break
    forms = {word, word.removesuffix("s"), word.removesuffix("es")}
    if word.endswith("ies"):
        forms.add(f"{word[:-3]}y")
    return not forms.isdisjoint(_PEOPLE) or word.endswith(_COMPOUNDS)

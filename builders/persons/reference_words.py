"""Read a language's pronouns and nouns for persons, and tell pronouns from other words."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.table import Gender
from corefmill.corpora.files.errors import UsageError

_NOBODY = ("expl", "case", "fixed", "mark", "cc")
"""The relations of "il" in "il faut", "il y a dix ans", and of "nim" that is "before"."""
_FINITE = "VerbForm=Fin"
_VERBS = ("cop", "aux")


def means_one_person(read: Analysis, index: int, words: ReferenceWords, *, opens: bool) -> bool:
    """Tell a pronoun for one person from other words, by its tag and number.

    `index` is the word's; `opens` says that it begins a sentence, where a capital tells nothing.
    """
    form = read.form(index)
    if not words.is_ambiguous(form):
        return True
    if not read.upos or read.upos[index] not in ("PRON", "DET"):
        return False
    if read.deprel and read.deprel[index].split(":")[0] in _NOBODY:
        return False
    feats = set(read.feats[index].split("|")) if read.feats else set()
    owns = "Poss=Yes" in feats
    if form.lower() not in words.also_plural:
        return owns or "Number=Plur" not in feats
    if owns:  # a possessive has the number of the owned thing
        return "Number[psor]=Sing" in feats
    if "Person=2" in feats or (form[0].isupper() and not opens):
        return False  # a capital makes it the polite "you": "Sie"
    # A subject has the number of its finite verb, main or auxiliary, which tells more than its own.
    if read.deprel and read.deprel[index].startswith("nsubj"):
        head = read.head[index]
        helping = [i for i, above in enumerate(read.head) if above == head and i != head]
        verbs = [head, *(i for i in helping if read.deprel[i].split(":")[0] in _VERBS)]
        for of_verb in (set(read.feats[i].split("|")) for i in verbs if read.feats):
            numbers = sorted(feat for feat in of_verb if feat.startswith("Number="))
            if _FINITE in of_verb and numbers:
                return numbers[0] == "Number=Sing"
    # No "they" of these languages looks like one in the dative.
    return bool(feats & {"Number=Sing", "Case=Dat"})


@dataclass(frozen=True)
class ReferenceWords:
    """The words of reference/LANG.toml, with each key explained there."""

    male_pronouns: frozenset[str]
    female_pronouns: frozenset[str]
    male_reflexives: frozenset[str]
    female_reflexives: frozenset[str]
    also_plural: frozenset[str]
    also_other: frozenset[str]
    male_things: frozenset[str]
    female_things: frozenset[str]
    male_people: frozenset[str]
    female_people: frozenset[str]
    people: frozenset[str]
    drops_subjects: bool

    def is_ambiguous(self, pronoun: str) -> bool:
        """Tell whether a pronoun may be another word: "sie" for they, "zijn" for to be."""
        form = pronoun.lower()
        return form in self.also_plural or form in self.also_other

    def gender_of(self, pronoun: str) -> Gender | None:
        """Look up a pronoun's gender, None for any other word."""
        form = pronoun.lower()
        if form in self.male_pronouns:
            return "male"
        return "female" if form in self.female_pronouns else None

    def gender_of_reflexive(self, word: str) -> Gender | None:
        """Look up the gender of a reflexive pronoun, None for any other word."""
        if word in self.male_reflexives:
            return "male"
        return "female" if word in self.female_reflexives else None

    def gender_of_noun(self, lemma: str) -> Gender | str | None:
        """Look up the gender of the person that a noun names: None for either, "" for no person."""
        if lemma in self.male_people:
            return "male"
        if lemma in self.female_people:
            return "female"
        return None if lemma in self.people else ""

    def things_of(self, gender: Gender) -> frozenset[str]:
        """List the grammatical genders of the things that a pronoun of this gender may mean."""
        return self.male_things if gender == "male" else self.female_things


@cache
def load(lang: str) -> ReferenceWords:
    """Load the table of a language; raises `UsageError` if corefmill has none."""
    return ReferenceWords(**read_words("persons/reference", lang))


@cache
def has_table(lang: str) -> bool:
    """Tell whether corefmill has a language's table of pronouns."""
    return resources.files(__package__).joinpath("reference", f"{lang}.toml").is_file()


def read_words(folder: str, lang: str) -> dict[str, Any]:
    """Read LANG.toml of a folder below builders/: names in their order, all other words as sets.

    Raises `UsageError` if corefmill has no such file.
    """
    place = resources.files("corefmill.builders").joinpath(folder)
    path = place.joinpath(f"{lang}.toml")
    if not path.is_file():
        known = ", ".join(sorted(entry.name.partition(".")[0] for entry in place.iterdir()))
        raise UsageError(
            f"the language {lang!r} has no table of pronouns",
            remedy=f"choose one of {known}, or add builders/{folder}/{lang}.toml",
        )
    words: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    for key, value in words.items():
        if isinstance(value, list):
            words[key] = tuple(value) if key.endswith("_names") else frozenset(value)
    return words

"""Read a language's pronouns and nouns for persons, and tell pronouns from other words."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, fields
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.table import Gender
from corefmill.corpora.files.errors import DataError, UsageError

_NOBODY = ("expl", "case", "fixed", "mark", "cc")
"""The relations of "il" in "il faut", "il y a dix ans", and of "nim" that is "before"."""
_FINITE = "VerbForm=Fin"
_VERBS = ("cop", "aux")


def means_one(read: Analysis, index: int, words: ReferenceWords, *, opens: bool) -> bool:
    """Tell a pronoun for one person from other words, by its tag and number.

    `index` is the word's; `opens` says whether it begins a sentence, where a capital says nothing.
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
    if owns:  # its number is that of what is owned
        return "Number[psor]=Sing" in feats
    if "Person=2" in feats or (form[0].isupper() and not opens):
        return False  # a capital makes it the polite "you": "Sie"
    # No "they" of these languages looks like one in the dative.
    own = feats & {"Number=Sing", "Case=Dat"}
    number = _number_of_verb(read, index)
    return bool(own) if number is None else number == "Sing"


def _number_of_verb(read: Analysis, index: int) -> str | None:
    """Find the number of a subject's finite verb, None if it is not told."""
    if not read.deprel or not read.deprel[index].startswith("nsubj"):
        return None
    head = read.head[index]
    helping = [i for i, above in enumerate(read.head) if above == head and i != head]
    verbs = [head, *(i for i in helping if read.deprel[i].split(":")[0] in _VERBS)]
    told = [set(read.feats[i].split("|")) for i in verbs] if read.feats else []
    numbers = (
        feat.removeprefix("Number=")
        for feats in told
        if _FINITE in feats
        for feat in sorted(feats)
        if feat.startswith("Number=")
    )
    return next(numbers, None)


@dataclass(frozen=True)
class ReferenceWords:
    """The words of reference/LANG.toml, with each key explained there."""

    male_pronouns: tuple[str, ...]
    female_pronouns: tuple[str, ...]
    male_reflexives: tuple[str, ...]
    female_reflexives: tuple[str, ...]
    also_plural: frozenset[str]
    also_other: frozenset[str]
    male_things: frozenset[str]
    female_things: frozenset[str]
    plural_titles: frozenset[str]
    male_people: frozenset[str]
    female_people: frozenset[str]
    people: frozenset[str]
    drops_subjects: bool

    def is_ambiguous(self, pronoun: str) -> bool:
        """Whether a pronoun may be another word: "sie" for they, "zijn" for to be."""
        form = pronoun.lower()
        return form in self.also_plural or form in self.also_other

    def gender_of(self, pronoun: str) -> Gender | None:
        """Look up a pronoun's gender, None for any other word."""
        form = pronoun.lower()
        if form in self.male_pronouns:
            return "male"
        return "female" if form in self.female_pronouns else None

    def gender_of_reflexive(self, word: str) -> Gender | None:
        """The same of "himself"."""
        if word in self.male_reflexives:
            return "male"
        return "female" if word in self.female_reflexives else None

    def gender_of_noun(self, lemma: str) -> Gender | str | None:
        """The gender of a noun for a person, None for either, "" if it is for no person."""
        if lemma in self.male_people:
            return "male"
        if lemma in self.female_people:
            return "female"
        return None if lemma in self.people else ""

    def things_of(self, gender: Gender) -> frozenset[str]:
        """The grammatical genders of things for a pronoun of a person's gender."""
        return self.male_things if gender == "male" else self.female_things


_FOLDER = "reference"
_OWN = frozenset(field.name for field in fields(ReferenceWords))


@cache
def load(lang: str) -> ReferenceWords:
    """The table of a language. Raises `UsageError` where none ships, `DataError` for a key too many
    or too few."""
    folder = resources.files("corefmill.builders.persons").joinpath(_FOLDER)
    words = read_table(folder, lang, fields(ReferenceWords))
    if words is None:
        raise UsageError(
            f"no pronouns of {lang!r} are known",
            remedy=f"there are {', '.join(languages(folder))}; a table in"
            f" builders/persons/{_FOLDER} adds one",
        )
    return ReferenceWords(**words)


def languages(folder: Traversable) -> list[str]:
    """List the languages with a table in the folder, in order."""
    return sorted(entry.name.partition(".")[0] for entry in folder.iterdir())


def read_table(
    folder: Traversable, lang: str, wanted: Iterable[Field[Any]]
) -> dict[str, Any] | None:
    """The values of the folder's LANG.toml as the types of the fields `wanted`; None for no file.

    Raises `DataError` unless the file has exactly these keys.
    """
    path = folder.joinpath(f"{lang}.toml")
    if not path.is_file():
        return None
    words = tomllib.loads(path.read_text("utf-8"))
    types = {field.name: str(field.type).partition("[")[0] for field in wanted}
    if wrong := set(words) ^ set(types):
        raise DataError(
            f"key {min(wrong)!r} is unknown or missing, known are {', '.join(types)}",
            path=f"{folder.name}/{lang}.toml",
        )
    make: Mapping[str, Callable[[Any], Any]] = {"tuple": tuple, "frozenset": frozenset}
    return {key: make.get(types[key], bool)(value) for key, value in words.items()}


def is_own(field: Field[Any]) -> bool:
    """Tell whether a field of a larger table is kept here."""
    return field.name in _OWN

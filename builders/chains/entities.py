"""Which names of an article are one person's, and of which gender that person is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from corefmill.builders.persons.names import name_words
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.table import Gender, PersonWords
from corefmill.builders.persons.usage import Usage

_DOUBTFUL = ("mostly", "either", "unknown")
"""What says of a gender too little to link a pronoun by it."""


@dataclass(slots=True)
class NamedPerson:
    """A person of an article, by all names that are surely hers or his."""

    names: list[str]
    gender: Gender | None = None


@dataclass(slots=True)
class PersonList:
    """The persons of an article, found once from all names that it has, the fullest first.

    A name joins a person if all names of that person may well be its own; where it fits two, or
    some names of one and not the others, it is nobody's for sure.
    """

    usage: Usage
    persons: Persons
    words: PersonWords
    found: list[NamedPerson] = field(default_factory=list)
    name_words: set[str] = field(default_factory=set)
    """The words of all names that hardly are another's: no honorifics, no "di", no "Will"."""
    _owners: dict[str, int | None] = field(default_factory=dict)

    def read(self, names: Sequence[str]) -> None:
        """Takes the names of the article, each as often as it stands there."""
        counted = Counter(names)
        order = sorted(counted, key=lambda name: (-len(self._own(name)), -counted[name], name))
        for name in order:
            self._owners[name] = self._join(name)
        own = {word for name in counted for word in self._own(name)}
        self.name_words = {word for word in own if self._is_telling(word)}
        for person in self.found:
            person.gender = self._gender(person.names)

    def owner(self, name: str) -> int | None:
        """The number of the person of this name in `found`, None where several fit."""
        return self._owners[name]

    def evidence(self, name: str, other: str) -> str:
        """What links a name to another of the same person: one of evidence.toml."""
        own, others = self._own(name), self._own(other)
        if name == other:
            return "same_full_name" if len(name.split()) > 1 else "same_word"
        return "part_of_name" if set(own) & set(others) else "second_name"

    def _join(self, name: str) -> int | None:
        fitting: list[int] = []
        partly: list[int] = []
        for number, person in enumerate(self.found):
            same = [self._may_be_one(name, other) for other in person.names]
            if all(same):
                fitting.append(number)
            elif any(same):
                partly.append(number)
        if len(fitting) == 1 and not partly:
            self.found[fitting[0]].names.append(name)
            return fitting[0]
        if fitting or (partly and len(self._own(name)) == 1):
            return None
        self.found.append(NamedPerson([name]))
        return len(self.found) - 1

    def _may_be_one(self, name: str, other: str) -> bool:
        """What their links say, else what `Persons.same` does of names with a word in common or a
        single one."""
        ends = [self.usage.anchors.get(one) for one in (name, other)]
        if None not in ends:
            return ends[0] == ends[1]
        own, others = self._own(name), self._own(other)
        if min(len(own), len(others)) > 1 and not set(own) & set(others):
            return False
        return self.persons.same(name, other) and not self._of_one_family(name, other)

    def _of_one_family(self, name: str, other: str) -> bool:
        """Whether names may be relatives': "Mrs. Archer" and "Newland Archer", whose gender nothing
        tells, a married woman and somebody with a given name, Miss Bennet and Miss Jane Bennet."""
        for one, full in ((name, other), (other, name)):
            title = one.split()[0]
            told = self.words.gender_of_title(title)
            if told and len(self._own(one)) == 1 and len(self._own(full)) > 1:
                is_married = title in self.words.married_titles
                if full.split()[0] == title:
                    return told == "female" and not is_married
                if is_married or self.persons.gender(full).form != told:
                    return True
        return False

    def _is_telling(self, word: str) -> bool:
        if not word[0].isupper() or word in self.words.no_names_or_titles:
            return False
        return self.usage.count(word.lower()) <= self.usage.count(word)

    def _own(self, name: str) -> list[str]:
        return name_words(name, self.words)

    def _gender(self, names: Sequence[str]) -> Gender | None:
        """The gender that all names that tell one tell."""
        told = [self.persons.gender(name) for name in names]
        forms = {one.form for one in told if one.form and one.reason not in _DOUBTFUL}
        return min(forms) if len(forms) == 1 else None

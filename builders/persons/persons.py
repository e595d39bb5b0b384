"""The persons of an article: of which gender a name is, and which names are one person's."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from corefmill.builders.persons import pronouns
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.name_uses import NameUse, name_uses
from corefmill.builders.persons.names import bare
from corefmill.builders.persons.usage import Usage

Form = Literal["male", "female"]

_CLEAR = 0.9
"""The share that one gender must have of a name's honorifics to be the name's."""


@dataclass(frozen=True, slots=True)
class KnownGender:
    """What a document says of a name's gender (`form` is None if nothing), and what says it.

    `reason` is "honorific" (before the name, here or elsewhere), "given name" (its own, or that of
    the full name elsewhere), "pronouns" (those that follow the name), "list" (nothing but the list
    of given names), "mostly" (the list, which calls the name mostly of this gender), "either" (what
    is said of the name speaks for both) or "unknown".
    """

    form: Form | None
    reason: str

    def as_meta(self) -> dict[str, str]:
        """The record's fields: `gender`, left out where it is not known, and `gender_by`."""
        known = {} if self.form is None else {"gender": self.form}
        return {**known, "gender_by": self.reason}


class Persons:
    """What an article says of its persons' names. Whatever is asked twice is found out once."""

    def __init__(self, usage: Usage, genders: Genders) -> None:
        self._usage = usage
        self._genders = genders
        self._table = genders.words
        self._known: dict[str, KnownGender] = {}
        self._uses: dict[str, list[NameUse]] = {}

    def gender(self, name: str) -> KnownGender:
        """The gender of the person of this name, honorific and all."""
        if name not in self._known:
            self._known[name] = self._gender(name)
        return self._known[name]

    def opposed(self, one: str, other: str) -> bool:
        """Whether both genders are known, and differ."""
        return {self.gender(one).form, self.gender(other).form} == {"male", "female"}

    def same(self, one: str, other: str) -> bool:
        """Whether two names may well be one person's."""
        first, second = (bare(name, self._table).split() for name in (one, other))
        if self.opposed(one, other):
            return False
        if set(first) & set(second):
            return set(first) <= set(second) or set(second) <= set(first)
        return self._full_name(first[0], second[-1]) or self._full_name(second[0], first[-1])

    def _full_name(self, given: str, surname: str) -> bool:
        """Whether the document has a name that begins with the one word and ends with the other."""
        return any(use.before[:1] == (given,) for use in self._uses_of(surname))

    def _gender(self, name: str) -> KnownGender:
        words = name.split()
        own = bare(name, self._table)
        if own != name:
            for word in words[: len(words) - len(own.split())]:
                if form := self._of_title(word):
                    return KnownGender(form, "honorific")
        if " " in own:
            return self._of_full_name(own)
        return self._of_word(own, titled=own != name)

    def _of_full_name(self, name: str) -> KnownGender:
        """By the honorific before it elsewhere, else by its first word."""
        titled = self._by_titles(name)
        if titled is not None and titled.form:
            return titled
        return self._by_list(name, name.split()[0])

    def _of_word(self, word: str, *, titled: bool) -> KnownGender:
        """A surname or a given name, as the document has it; behind a rank a surname."""
        contrary = None
        if not titled:
            contrary = self._by_titles(word)
            if contrary is not None and contrary.form:
                return contrary
        uses = self._uses_of(word)
        firsts = Counter(use.before[0] for use in uses if use.before)
        given = sum(bool(use.after) and not use.before for use in uses)
        if not titled and given > firsts.total():
            return self._by_list(word, word)
        forms = [form for first in firsts if (form := self._listed(first)) is not None]
        if forms and len(set(forms)) == 1:
            return KnownGender(forms[0], "given name")
        if form := self._by_pronouns(word):
            return KnownGender(form, "pronouns")
        if forms or contrary is not None:
            return KnownGender(None, "either")
        if titled or firsts:
            return KnownGender(None, "unknown")
        return self._by_list(word, word, alone=True)

    def _by_list(self, name: str, first: str, *, alone: bool = False) -> KnownGender:
        """By the list of given names, and by pronouns where that is in doubt."""
        listed = self._genders.of(first)
        strong = self._listed(first)
        if strong and not alone:
            return KnownGender(strong, "given name")
        if form := self._by_pronouns(name):
            return KnownGender(form, "pronouns")
        if listed in ("unknown", "andy"):
            return KnownGender(None, "either" if listed == "andy" else "unknown")
        return KnownGender(
            "female" if listed.endswith("female") else "male", "list" if strong else "mostly"
        )

    def _listed(self, given: str) -> Form | None:
        """The gender of a given name that is of one gender only."""
        listed = self._genders.of(given)
        if listed == "male":
            return "male"
        return "female" if listed == "female" else None

    def _of_title(self, title: str) -> Form | None:
        if title in self._table.male_titles:
            return "male"
        return "female" if title in self._table.female_titles else None

    def _by_titles(self, name: str) -> KnownGender | None:
        """By the honorifics right before the name elsewhere; None where it has none."""
        titles = [use.title for use in self._uses_of(name) if not use.before and not use.after]
        counted = Counter(self._of_title(title) for title in titles if title)
        if not counted:
            return None
        most: Form = "male" if counted["male"] >= counted["female"] else "female"
        if counted[most] >= _CLEAR * counted.total():
            return KnownGender(most, "honorific")
        form = self._by_pronouns(name)
        return KnownGender(form, "pronouns" if form else "either")

    def _by_pronouns(self, name: str) -> Form | None:
        return pronouns.gender(name, self._usage, self._table)

    def _uses_of(self, name: str) -> list[NameUse]:
        if name not in self._uses:
            self._uses[name] = name_uses(name, self._usage, self._table)
        return self._uses[name]

"""The gender of the right candidates, as section 3 of the paper counts it."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

from corefmill.builders.persons import table
from corefmill.builders.persons.names import name_words
from corefmill.builders.persons.table import PersonWords
from corefmill.corpora import card_parts, languages
from corefmill.corpora.records import MaskedExample

FORMS = ("male", "mostly_male", "andy", "mostly_female", "female", "unknown")


class Genders:
    """The gender that the lists of given names tell of the first word of a name."""

    def __init__(self, lang: str, words: PersonWords) -> None:
        self._lang = lang
        self.words = words
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """One of FORMS."""
        first = name_words(name, self.words)[0]
        if first not in self._known:
            form = self._listed(first)
            if form == "unknown":
                # The list has "Edouard", as capitals were once written.
                form = self._listed(unicodedata.normalize("NFD", first[0])[0] + first[1:])
            self._known[first] = form
        return self._known[first]

    def is_sure(self, given: str) -> bool:
        """Whether the list has a given name as of one gender wherever it has it."""
        return len(languages.genders_of_name(given)) == 1

    def is_usual(self, given: str) -> bool:
        """Whether it is so sure, and frequent in the language: no rare name, which is a surname in
        most texts."""
        return self.is_sure(given) and languages.is_frequent_name(given, self._lang)

    def _listed(self, first: str) -> str:
        """The language decides where usage differs. Where it has the name as either's the world
        does."""
        own = languages.gender_of_name(first, self._lang)
        return own if own not in ("unknown", "andy") else languages.gender_of_name(first)


def _guesser() -> Callable[[str], str] | None:
    """Return what gender-guesser makes of a given name, if it is installed."""
    try:
        from gender_guesser.detector import Detector
    except ModuleNotFoundError:
        return None
    return cast("Callable[[str], str]", Detector(case_sensitive=False).get_gender)


class GenderTally:
    """Counts the right candidates by gender, for the card and the manifest."""

    name = "answer_gender"

    def __init__(self, lang: str, *, paper: bool = False) -> None:
        """With `paper` the gender is gender-guesser's, as the paper has it, where that is installed
        (the extra `gender`)."""
        self._genders = Genders(lang, table.load(lang))
        self._guess = _guesser() if paper else None
        self._counted: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()

    def watch(self, example: MaskedExample) -> None:
        """Counts one example."""
        if example.answer is not None:
            self._counted[self._form(example, example.answer)] += 1
            if reason := example.meta.get("gender_by"):
                self._reasons[reason] += 1

    def _form(self, example: MaskedExample, answer: str) -> str:
        """As the builder found it in the document, else by the name alone."""
        if self._guess is not None:
            return self._guess(name_words(answer, self._genders.words)[0])
        if "gender_by" not in example.meta:
            return self._genders.of(answer)
        form, reason = example.meta.get("gender"), example.meta["gender_by"]
        if form is None:
            return "andy" if reason == "either" else "unknown"
        return f"mostly_{form}" if reason == "mostly" else str(form)

    def counts(self) -> dict[str, Any]:
        """Examples by gender, and by what says it; those that do not occur are left out."""
        said = {"by": dict(sorted(self._reasons.items()))} if self._reasons else {}
        return {**dict(sorted(self._counted.items())), **said}

    def _said(self) -> list[str]:
        """How many owe their gender to what, where the builder has said so."""
        if not self._reasons:
            return []
        rows = sorted(self._reasons.items(), key=lambda row: (-row[1], row[0]))
        return ["", *card_parts.table(("known by", "examples"), rows)]

    def section(self) -> list[str]:
        """The card's lines, with the paper's two figures: the "mostly" forms are counted in."""
        counted = self._counted
        male = counted["male"] + counted["mostly_male"]
        female = counted["female"] + counted["mostly_female"]
        return [
            "## Gender of the right candidate",
            "",
            "By gender-guesser, of the first word. `andy` is either."
            if self._guess is not None
            else "By what the document says of the name: honorifics, given names, pronouns; else as"
            " the lists of given names of the language have its first word. `andy` is either.",
            "",
            *card_parts.table(("gender", "examples"), [(form, counted[form]) for form in FORMS]),
            *self._said(),
            "",
            f"Male or mostly male {male:,}, female or mostly female {female:,}"
            + (f"; female / male = {female / male:.2f} (the paper: 0.53)." if male else "."),
        ]

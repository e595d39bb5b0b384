"""Tell the gender of a name by lists of given names and by pronouns, and count it for the card."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any

from corefmill.builders.persons import table
from corefmill.builders.persons.names import split_name_words
from corefmill.builders.persons.prose import DASH
from corefmill.builders.persons.table import Gender, PersonWords
from corefmill.corpora import card_parts, languages
from corefmill.corpora.records import MaskedExample, Span

_MARGIN, _SHARE = 2, 0.2
"""By how many pronouns one gender must lead: two, and a fifth of all, so that three agreeing ones
are enough. On 288 names of 20 novels whose honorifics were hidden 64 % had an answer so, and 3 %
of these were wrong, most of them where the honorific was another person's."""
_CLEAR_MARGIN, _CLEAR_SHARE = 6, 0.5
"""The same where a given name says the contrary: where Dick is, a woman may be spoken of."""
_PLACES = 400  # of a name; more would cost time and change nothing
_REACH = 200  # characters on either side of a name
_STEP = re.compile(r"[^\W\d_][\w'’-]*|[.!?;:\"“”„»«\n]")
_ENDS = '.!?\n"“”„»«'
_BORDER = re.compile(r"[.!?\"“”„»«\n]\s*")
_CAPITAL = re.compile(r"(?<![\w'’-])[^\W\d_a-zà-ÿ][\w’'-]+")


def gender_by_pronouns(
    places: Sequence[Span], text: str, table: PersonWords, named: Gender | None = None
) -> Gender | None:
    """Decide a name's gender by the pronouns behind the name's places; None if the count is close.

    At each place two pronouns count: the first one behind the name in its sentence, and one that
    begins the next sentence. Neither counts if another name stands before it.
    """
    counted = {"male": 0, "female": 0}
    for start, end in places[:_PLACES]:
        after = text[end : end + _REACH]
        # Behind a dash somebody speaks, or stops speaking.
        if table.speech_dashes and (dash := DASH.search(after)):
            after = after[: dash.start()]
        forms = _list_genders_behind(after, table)
        if forms and not _behind_name(text[max(0, start - _REACH) : start], table):
            for form in forms:
                counted[form] += 1
    male, female = counted["male"], counted["female"]
    told: Gender = "male" if male > female else "female"
    margin, share = (_MARGIN, _SHARE) if named in (None, told) else (_CLEAR_MARGIN, _CLEAR_SHARE)
    return told if abs(male - female) >= margin + share * (male + female) else None


def _behind_name(before: str, table: PersonWords) -> bool:
    """Tell whether the text before a name has another name in the same sentence."""
    start = max((border.end() for border in _BORDER.finditer(before)), default=0)
    return any(
        match.start() > start  # a sentence begins with a capital, too
        and match.group() not in table.titles
        and match.group() not in table.nouns
        and not (table.names_vary and match.group()[0].islower())
        for match in _CAPITAL.finditer(before, start)
    )


def _list_genders_behind(after: str, table: PersonWords) -> list[Gender]:
    """List the genders of the pronouns behind a name that may mean the bearer of the name."""
    found: list[Gender] = []
    within = True
    for match in _STEP.finditer(after):
        word = match.group()
        if not within:
            form = table.gender_of_pronoun(word.lower())
            return [*found, form] if form else found
        if word in _ENDS:
            if word not in ".!?":
                break
            within = False
        elif word[0].isupper() and word != "I" and word not in table.nouns:
            break
        elif not found and (form := table.gender_of_pronoun(word)):
            found.append(form)
    return found


FORMS = ("male", "mostly_male", "andy", "mostly_female", "female", "unknown")


class Genders:
    """The gender of given names, by a language's lists."""

    def __init__(self, lang: str, words: PersonWords) -> None:
        self._lang = lang
        self.words = words
        self._known: dict[str, str] = {}

    def find_gender(self, name: str) -> str:
        """Look up the gender of a full name by the first word; returns one of FORMS."""
        first = split_name_words(name, self.words)[0]
        if first not in self._known:
            form = self._look_up(first)
            if form == "unknown":
                # The list has "Edouard", as capitals were once written.
                form = self._look_up(unicodedata.normalize("NFD", first[0])[0] + first[1:])
            self._known[first] = form
        return self._known[first]

    def is_sure(self, given: str) -> bool:
        """Tell whether all lists have a given name as of one gender."""
        return len(languages.genders_of_name(given)) == 1

    def is_usual(self, given: str) -> bool:
        """Tell whether a given name is sure and frequent in the language; a rare one is a surname
        in most texts."""
        return self.is_sure(given) and languages.is_frequent_name(given, self._lang)

    def _look_up(self, first: str) -> str:
        """Look up a given name in the language's list, else in the world's."""
        own = languages.gender_of_name(first, self._lang)
        return own if own not in ("unknown", "andy") else languages.gender_of_name(first)


class GenderTally:
    """Counts the right candidates by gender, for the card and the manifest."""

    name = "answer_gender"

    def __init__(self, lang: str) -> None:
        self._genders = Genders(lang, table.load(lang))
        self._counted: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()

    def watch(self, example: MaskedExample) -> None:
        """Count the gender of one example's right candidate, and how the gender is known."""
        if example.answer is not None:
            self._counted[self._form(example, example.answer)] += 1
            if reason := example.meta.get("gender_by"):
                self._reasons[reason] += 1

    def _form(self, example: MaskedExample, answer: str) -> str:
        """Return the gender that the builder found in the document, else that of the name alone."""
        if "gender_by" not in example.meta:
            return self._genders.find_gender(answer)
        form, reason = example.meta.get("gender"), example.meta["gender_by"]
        if form is None:
            return "andy" if reason == "either" else "unknown"
        return f"mostly_{form}" if reason == "mostly" else str(form)

    def counts(self) -> dict[str, Any]:
        """Count examples by gender, and by the reason for it."""
        said = {"by": dict(sorted(self._reasons.items()))} if self._reasons else {}
        return {**dict(sorted(self._counted.items())), **said}

    def section(self) -> list[str]:
        """Write the card's section: a table of genders, and the ratio of women to men."""
        counted = self._counted
        male = counted["male"] + counted["mostly_male"]
        female = counted["female"] + counted["mostly_female"]
        return [
            "## Gender of the right candidate",
            "",
            "By what the document says of the name: honorifics, given names, pronouns; else as"
            " the lists of given names of the language have its first word. `andy` is either.",
            "",
            *card_parts.table(
                ("gender", "examples"), [(form, counted[form]) for form in FORMS if counted[form]]
            ),
            "",
            f"Male or mostly male {male:,}, female or mostly female {female:,}"
            + (f"; female / male = {female / male:.2f} (the paper: 0.53)." if male else "."),
        ]

"""Read a language's words about persons (tables/LANG.toml), and decline names by its endings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import Any, Literal, NamedTuple, TypeVar

CASES = ("Nom", "Gen", "Dat", "Acc", "Ins", "Loc", "Voc")
"""The columns of a row, as CoNLL-U's `Case` has them; a row may end earlier."""

_KNOWN_WORDS = 1 << 16
"""Words whose readings are kept; the memory is bounded whatever a text holds."""


class Forms(NamedTuple):
    """The forms of a word, or the endings of a row, in one case.

    Forms are `weak` if a nominative may look the same. Before a weak last word, the other words of
    a name keep the nominative: "Anna Peters" may be the genitive of "Anna Peter".
    """

    forms: tuple[str, ...]
    weak: bool


@dataclass
class WordReading:
    """A possible nominative of a word: its cases, and whether the ending is weak."""

    cases: set[int] = field(default_factory=set)
    weak: bool = True


WordReadings = Mapping[str, WordReading]
Row = Sequence[Forms]


class Declension:
    """A table's `declensions`: a row lists the endings of one kind of word, case by case.

    "na ny nie nę" declines "Anna". "-" stands for no ending, "s/ens" for two forms of one case,
    "?s" for a weak form. A row that begins with "=" has whole words. A word is declined by the rows
    with its longest nominative ending: "Kowalska" by the row of "ska", not by the row of "ka".
    """

    def __init__(self, rows: Iterable[str]) -> None:
        self._rows: dict[str, list[Row]] = {}
        self._endings: dict[str, list[tuple[str, int, bool]]] = {}
        self._whole_rows: dict[str, Row] = {}
        self._whole: dict[str, dict[str, WordReading]] = {}
        for row in rows:
            cells = [_parse_cell(cell) for cell in row.removeprefix("=").split()]
            if row.startswith("="):
                self._add_whole(cells)
                self._add_whole([Forms(tuple(map(str.capitalize, f)), weak) for f, weak in cells])
                continue
            self._rows.setdefault(cells[0].forms[0], []).append(cells)
            for case, (forms, weak) in enumerate(cells):
                for form in forms:
                    self._endings.setdefault(form, []).append((cells[0].forms[0], case, weak))
        self.cases = max((len(row) for rows in self._rows.values() for row in rows), default=0)
        self._longest = max(map(len, self._endings), default=0)
        self._longest_nominative = max(map(len, self._rows), default=0)
        self.readings = lru_cache(_KNOWN_WORDS)(self._readings)
        self.decline = lru_cache(_KNOWN_WORDS)(self._decline)
        self.every_form = lru_cache(_KNOWN_WORDS)(self._every_form)

    def _add_whole(self, row: Row) -> None:
        """Add a row of whole words: index its forms by the nominative."""
        lemma = row[0].forms[0]
        self._whole_rows[lemma] = row
        for case, (forms, weak) in enumerate(row):
            for form in forms:
                reading = self._whole.setdefault(form, {}).setdefault(lemma, WordReading())
                reading.cases.add(case)
                reading.weak &= weak

    def _decline(self, word: str) -> Row:
        """Decline a word by the first of its rows; empty where it has none."""
        return next(iter(self._decline_by_rows(word)), ())

    def _readings(self, word: str) -> WordReadings:
        """List the possible nominatives of a word, with their cases."""
        if word in self._whole:
            return self._whole[word]
        found: dict[str, WordReading] = {}
        spelled = word.replace("’", "'")
        # The longest ending first: of "Kowalskiego" the row of "ki" says more than that of "y".
        for size in range(min(self._longest, len(word) - 1), -1, -1):
            stem = len(word) - size
            for nominative, case, weak in self._endings.get(spelled[stem:], ()):
                lemma = word[:stem] + nominative
                if len(nominative) != self._measure_ending(lemma):
                    continue
                reading = found.setdefault(lemma, WordReading())
                reading.cases.add(case)
                reading.weak &= weak
        return found

    def _measure_ending(self, word: str) -> int | None:
        """Measure the nominative ending by which a word declines; None without one."""
        if word in self._whole_rows:
            return None
        for size in range(min(self._longest_nominative, len(word) - 1), -1, -1):
            if word[len(word) - size :] in self._rows:
                return size
        return None

    def _decline_by_rows(self, word: str) -> list[Row]:
        """List the forms of a word, case by case, by each of its rows."""
        if word in self._whole_rows:
            return [self._whole_rows[word]]
        size = self._measure_ending(word)
        if size is None:
            return []
        stem = len(word) - size
        return [
            [Forms(tuple(word[:stem] + ending for ending in forms), weak) for forms, weak in row]
            for row in self._rows[word[stem:]]
        ]

    def _every_form(self, word: str) -> tuple[str, ...]:
        """List all forms of a word by all its rows, itself first."""
        forms = (form for row in self._decline_by_rows(word) for cell in row for form in cell.forms)
        return tuple(dict.fromkeys((word, *forms)))


def _parse_cell(cell: str) -> Forms:
    """Parse a cell of a declension's row: "?s/ens" is two weak forms, "-" no ending."""
    forms = cell.removeprefix("?").split("/")
    return Forms(tuple("" if form == "-" else form for form in forms), cell.startswith("?"))


Gender = Literal["male", "female"]

Stops = TypeVar("Stops", bound=Callable[..., bool])

_PERSON_SHARE, _FREQUENT_SHARE = 0.6, 0.25
_FREQUENT, _SELDOM = 10, 0.1
_ELIDED = re.compile(r"\w+['’](?=\w)")


def requires(key: str) -> Callable[[Stops], Stops]:
    """Mark a filter as idle in languages whose table has no words at `key`."""

    def mark(stops: Stops) -> Stops:
        stops.__dict__["requires"] = key
        return stops

    return mark


def list_idle_filters(
    in_force: Iterable[str], filters: Mapping[str, Callable[..., bool]], lang: str
) -> tuple[str, ...]:
    """List the filters without effect, because the language's table lacks their words."""
    words = load(lang)
    needed = {name: getattr(filters.get(name), "requires", None) for name in in_force}
    return tuple(name for name, key in needed.items() if key and not getattr(words, key))


@dataclass(frozen=True)
class PersonWords:
    """The words of tables/LANG.toml, with each key explained there; empty where unknown."""

    never_names: frozenset[str] = frozenset()
    never_persons: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    male_titles: frozenset[str] = frozenset()
    female_titles: frozenset[str] = frozenset()
    married_titles: frozenset[str] = frozenset()
    male_pronouns: frozenset[str] = frozenset()
    female_pronouns: frozenset[str] = frozenset()
    also_called: frozenset[str] = frozenset()
    diminutives: frozenset[str] = frozenset()
    nicknames: frozenset[str] = frozenset()
    conjunctions: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    relatives: frozenset[str] = frozenset()
    genitive: frozenset[str] = frozenset()
    possessive: frozenset[str] = frozenset()
    saying: frozenset[str] = frozenset()
    before_things: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    landed_titles: frozenset[str] = frozenset()
    elided: frozenset[str] = frozenset()
    elided_e: frozenset[str] = frozenset()
    subject_articles: frozenset[str] = frozenset()
    speech_dashes: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    particles: frozenset[str] = frozenset()
    nouns: frozenset[str] = frozenset()
    thing_endings: frozenset[str] = frozenset()
    male_endings: frozenset[str] = frozenset()
    female_endings: frozenset[str] = frozenset()
    female_nominatives: frozenset[str] = frozenset()
    declensions: tuple[str, ...] = ()
    lang: str = field(default="", compare=False)
    title_forms: Mapping[str, Mapping[str, frozenset[int]]] = field(
        default_factory=dict, compare=False
    )
    """Map each form of an honorific to the honorifics that have the form, in small letters if they
    have such, and to the cases of the form."""

    def gender_of_title(self, title: str) -> Gender | None:
        """Look up an honorific's gender."""
        return _which(title, self.male_titles, self.female_titles)

    def gender_of_pronoun(self, pronoun: str) -> Gender | None:
        """Look up the gender of a pronoun in small letters, None for any other word.

        The word may join the pronoun to a verb or an elided word: "dit-elle" has the gender of
        "-elle", "qu'elle" that of "elle".
        """
        if not pronoun.isalpha():
            pronoun = pronoun[len(self.elided_prefix(pronoun)) :]
            pronoun = pronoun[max(0, pronoun.rfind("-")) :]
        return _which(pronoun, self.male_pronouns, self.female_pronouns)

    def elided_prefix(self, word: str) -> str:
        """Find the elided word at the head of a word ("qu'" of "qu'Emma"), "" for none."""
        match = _ELIDED.match(word)
        return match.group() if match and plain(match.group()) in self.elided else ""

    def gender_of_ending(self, surname: str) -> Gender | None:
        """Look up the gender of a surname by its ending."""
        if surname.endswith(tuple(self.male_endings)):
            return "male"
        return "female" if surname.endswith(tuple(self.female_endings)) else None

    @cached_property
    def no_names(self) -> frozenset[str]:
        """The words that alone are never a person's name."""
        return self.never_names | self.never_persons | self.nouns

    @property
    def names_vary(self) -> bool:
        """Whether a name may stand in several forms."""
        return bool(self.declensions or self.particles)

    @cached_property
    def within_names(self) -> frozenset[str]:
        """The words within names that identify nobody."""
        return self.prepositions | self.particles

    @cached_property
    def declension(self) -> Declension:
        """The table's rows of endings."""
        return Declension(self.declensions)

    def forms_of(self, word: str) -> tuple[str, ...]:
        """List all forms of a word of a name, itself first."""
        if word in self.particles:
            return word, word.capitalize()
        if word in self.titles:
            return word, *(form for form, of in self.title_forms.items() if word in of)
        return self.declension.every_form(word)

    def is_genitive(self, word: str, is_known: Callable[[str], bool]) -> bool:
        """Tell whether a word is the genitive of a name that the document has: "Wolfgangs".

        Such a word is no subject, an honorific of kin before it is another person's ("die Mutter
        Wolfgangs"), and no other name can take its place.
        """
        read = self.declension.readings(word).items()
        return any(of.weak and one != word and is_known(one) for one, of in read)

    def may_be(self, word: str) -> tuple[str, ...]:
        """List the possible nominatives of a word, itself first."""
        return tuple(dict.fromkeys((word, *self.declension.readings(word))))

    @cached_property
    def name_groups(self) -> Mapping[str, frozenset[str]]:
        """Map each name of `nicknames` to the groups that list the name."""
        groups: dict[str, set[str]] = {}
        for group in sorted(self.nicknames):
            for name in group.split():
                groups.setdefault(name, set()).add(group)
        return {name: frozenset(having) for name, having in groups.items()}

    def choose_least_share(self, name: str, times: int, behind_things: float) -> float:
        """Choose the least share of places in which a name must be called a person.

        The document has the name `times` times, and a share `behind_things` of these places are
        behind words of `thing_marks`. The recogniser misses forms of names that decline, and half
        of the surnames with prepositions. In such languages less than half the share is enough for
        a frequent name that is seldom behind such words. Where names decline, half the share is
        enough for a given name of `nicknames`, and three quarters for any name if there are more
        than four cases. The first exception lets in 31 names of 20 German and Polish novels, 30 of
        them persons, and 26 names of French and Spanish novels, 24 of them persons.
        """
        is_missed = self.declensions or self.prepositions
        if is_missed and times >= _FREQUENT and behind_things <= _SELDOM:
            return _FREQUENT_SHARE
        if self.declensions and name.partition(" ")[0] in self.name_groups:
            return _PERSON_SHARE / 2
        return _PERSON_SHARE * 3 / 4 if self.declension.cases > 4 else _PERSON_SHARE

    @cached_property
    def thing_marks(self) -> frozenset[str]:
        """The words before a name that show a thing: "in", and "the" where all nouns have
        capitals."""
        return self.before_things | self.articles

    @cached_property
    def no_names_or_titles(self) -> frozenset[str]:
        """The words never used alone as a person's name, and honorifics."""
        return self.no_names | self.titles


def plain(word: str) -> str:
    """Write a word as tables do: in small letters, with a straight apostrophe."""
    return word.lower().replace("’", "'")


def _which(word: str, male: frozenset[str], female: frozenset[str]) -> Gender | None:
    if word in male:
        return "male"
    return "female" if word in female else None


@cache
def load(lang: str) -> PersonWords:
    """Load the table of a language, an empty table if corefmill has none."""
    path = resources.files("corefmill.builders.persons").joinpath("tables", f"{lang}.toml")
    given = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    sets: dict[str, Any] = {key: frozenset(values) for key, values in given.items()}
    sets["declensions"] = tuple(given.get("declensions", ()))  # in their order
    words = PersonWords(lang=lang, **sets)
    if not words.names_vary:
        return words
    # The table has honorifics in the nominative: add their other forms, and map each form to its
    # possible honorifics and cases.
    found: dict[str, dict[str, set[int]]] = {}
    forms: dict[str, set[str]] = {}
    for title in sorted(words.titles):
        small = title.lower() if title.lower() in words.titles else title
        cells = words.declension.decline(title) or [Forms((title,), False)] * len(CASES)
        for case, (endings, weak) in enumerate(cells):
            for form in (*endings, title) if weak else endings:
                forms.setdefault(title, {title}).add(form)
                found.setdefault(form, {}).setdefault(small, set()).add(case)
    of_key: dict[str, Any] = {
        key: frozenset(form for title in getattr(words, key) for form in forms.get(title, {title}))
        for key in ("titles", "male_titles", "female_titles", "married_titles", "landed_titles")
    }
    of_key["male_titles"] -= words.female_titles
    of_key["female_titles"] -= of_key["male_titles"]
    made = {
        form: {title: frozenset(cases) for title, cases in of.items()} for form, of in found.items()
    }
    return replace(words, title_forms=made, **of_key)

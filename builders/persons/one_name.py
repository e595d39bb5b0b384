"""Which of a document's names are one: "Kowalskiego" is Kowalski, "Annas" is Anna, and
"Van den Berg" the "van den Berg" that has a first name before it.

What compares names compares what `one_names` calls them. A language whose table has neither
declensions nor particles calls every name what the text does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from corefmill.builders.persons.declension import CASES, Forms
from corefmill.builders.persons.names import Name, bare
from corefmill.builders.persons.table import PersonWords

_LONGEST = 5
"""Words of a name; what is longer is no name, and has too many readings to try."""


class NameReading(NamedTuple):
    """What a name may be in the nominative: in which cases the text has it then, whether by a weak
    ending, and how many of its words the table cannot decline so."""

    cases: frozenset[int]
    weak: bool
    undeclined: int


def renamed(names: Sequence[Sequence[Name]], table: PersonWords) -> list[list[Name]]:
    """The names of a document's passages, each called what `one_names` calls it."""
    if not table.names_vary:
        return [list(here) for here in names]
    called = one_names((name.text for here in names for name in here), table)
    return [[replace(name, text=called[name.text]) for name in here] for here in names]


def one_names(names: Iterable[str], table: PersonWords) -> dict[str, str]:
    """What to call each name: equal for the forms of one name, in the nominative.

    Of several nominatives the one is chosen that most other names of the document may be of. Where
    others speak for either, as for "Józefa" beside "Józef" and "Józefę", the name is called
    "Józef/Józefa": it is neither's for sure, and `odd_name` stops it. "Wokulskiego" is Wokulski, a
    name by its ending, whatever else it may be.
    """
    read = {name: readings(name, table) for name in sorted(set(names))}
    having: dict[str, set[str]] = defaultdict(set)
    for name, found in read.items():
        for reading in found:
            having[reading].add(name)
    words: dict[str, set[str]] = defaultdict(set)
    for name, found in read.items():
        for word, one in _pairs(name, found, table):
            words[one].add(word)
    called = {}
    told: dict[str, set[str]] = defaultdict(set)
    for name in sorted(read, key=lambda name: (-len(name.split()), name)):
        if " " not in name:
            continue
        called[name] = _longer(name, read[name], having, words, table)
        for word, one in _pairs(name, {called[name]: None}, table):
            told[one].add(name if word != one or len(name.split()) > 1 else word)
    for name, found in read.items():
        if " " not in name:
            for reading in found:
                told[reading].add(name)
    for name, found in read.items():
        if " " not in name:
            called[name] = _single(name, found, told, table)
    return called


def name_forms(name: str, table: PersonWords) -> list[str]:
    """The forms of a name, one for each case, itself first."""
    return list(dict.fromkeys((name, *(declined(name, case, table) for case in range(len(CASES))))))


def declined(name: str, case: int, table: PersonWords) -> str:
    """A name in a case: "Jana Kowalskiego", but "Anna Müllers", where the ending is weak, and
    "pani Reuss", where a woman's honorific leaves a surname as it is."""
    words = name.split()
    titles = len(words) - len(bare(name, table).split())
    of_woman = any(word in table.female_titles for word in words[:titles])
    made = []
    for at, word in enumerate(words):
        cell = _cell(word, case, table)
        is_last = at == len(words) - 1
        keeps = not is_last and (word.lower() in table.particles or (cell and cell.weak))
        if at >= titles and of_woman and table.female_nominatives:
            keeps = keeps or not word.endswith(tuple(sorted(table.female_nominatives)))
        made.append(word if cell is None or keeps else cell.forms[0])
    return " ".join(made)


def _cell(word: str, case: int, table: PersonWords) -> Forms | None:
    cells = table.declension.declined(word)
    return cells[case] if case < len(cells) else None


def cases(form: str, name: str, table: PersonWords) -> frozenset[int]:
    """The cases in which a form of a name may be; all where the table does not say."""
    found = readings(form, table).get(name)
    return found.cases if found else frozenset(range(len(CASES)))


def readings(name: str, table: PersonWords) -> dict[str, NameReading]:
    """What the name may be in the nominative, its words being in one case; at least itself."""
    words = name.split()
    if len(words) > _LONGEST:
        return {name: NameReading(frozenset({0}), False, 0)}
    own = bare(name, table).split()
    titles = len(words) - len(own)
    found: dict[str, NameReading] = {}
    for case in range(len(CASES)):
        choices = [
            _nominatives(word, case, table, title=at < titles, last=at == len(words) - 1)
            for at, word in enumerate(words)
        ]
        if any(not choice for choice in choices):
            continue  # an honorific that is in another case
        for chosen in product(*choices):
            undeclined = sum(one.undeclined for one in chosen)
            if undeclined == len(own) and case and not titles:
                continue
            called = " ".join(one.word for one in chosen)
            weak = any(one.weak for one in chosen)
            before = found.get(called, NameReading(frozenset(), True, undeclined))
            found[called] = NameReading(
                before.cases | {case},
                before.weak and weak,
                min(before.undeclined, undeclined),
            )
    return found or {name: NameReading(frozenset({0}), False, 0)}


class _Nominative(NamedTuple):
    word: str
    weak: bool = False
    undeclined: bool = False


def _nominatives(
    word: str, case: int, table: PersonWords, *, title: bool, last: bool
) -> list[_Nominative]:
    """What a word of a name may be in the nominative if it is in this case."""
    if title:
        forms = table.title_forms.get(word)
        if forms is None:
            return [_Nominative(word)]
        return [_Nominative(one) for one, cases in forms.items() if case in cases]
    if not last and word.lower() in table.particles:
        return [_Nominative(word.lower())]
    found = table.declension.readings(word)
    fitting = [_Nominative(one, of.weak) for one, of in found.items() if case in of.cases]
    return fitting or [_Nominative(word, undeclined=True)]


def _pairs(
    name: str, found: Mapping[str, NameReading | None], table: PersonWords
) -> set[tuple[str, str]]:
    """The words of a name without honorifics and particles, each with what it may be."""
    words = name.split()
    titles = len(words) - len(bare(name, table).split())
    return {
        (word, one)
        for reading in found
        for word, one in list(zip(words, reading.split(), strict=True))[titles:]
        if word.lower() not in table.particles
    }


def _longer(
    name: str,
    found: Mapping[str, NameReading],
    having: Mapping[str, set[str]],
    words: Mapping[str, set[str]],
    table: PersonWords,
) -> str:
    """What to call a name of several words: what other names say, then what their words do."""

    def score(reading: str) -> tuple[int, int, int, int, bool]:
        pairs = zip(name.split(), reading.split(), strict=True)
        by_words = 0 if found[reading].weak else sum(_votes(w, words[one], one) for w, one in pairs)
        by_names = _votes(name, having[reading], reading)
        return by_names, by_words, *_likelihood(name, reading, found[reading], table)

    return max(found, key=score)


def _single(
    name: str,
    found: Mapping[str, NameReading],
    told: Mapping[str, set[str]],
    table: PersonWords,
) -> str:
    """What to call a name of one word, or both names where others speak for either."""

    def score(reading: str) -> tuple[int, int, int, bool]:
        by_names = _votes(name, told[reading], reading)
        return by_names, *_likelihood(name, reading, found[reading], table)

    best = max(found, key=score)
    if not _votes(name, told[best], best):
        return best
    own = {name}
    rivals = [
        one
        for one in found
        if one != best
        and told[one] - told[best] - own
        and told[best] - told[one] - own
        and (found[best].weak or not _is_usual(best, table) or _is_usual(one, table))
    ]
    return "/".join(sorted((best, *rivals)))


def _is_usual(word: str, table: PersonWords) -> bool:
    """Whether the table knows a word as a given name or, by its ending, as a surname."""
    return word in table.name_groups or table.gender_of_ending(word) is not None


def _likelihood(
    name: str, reading: str, found: NameReading, table: PersonWords
) -> tuple[int, int, bool]:
    """Where no other name tells: what the table can decline, what it knows as a given name, and
    the name as it stands."""
    known = 0 if found.weak else sum(word in table.name_groups for word in reading.split())
    return -found.undeclined, known, reading == name


def _votes(name: str, having: set[str], reading: str) -> int:
    """How many others may be forms of the reading; the nominative itself counts twice."""
    return len(having - {name}) + (reading in having and reading != name)

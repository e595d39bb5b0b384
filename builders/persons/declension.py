"""How a language declines names: the forms of a word, and the words of which it may be a form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

CASES = ("Nom", "Gen", "Dat", "Acc", "Ins", "Loc", "Voc")
"""The columns of a row, as CoNLL-U's `Case` has them; a row may end earlier."""

_KNOWN_WORDS = 1 << 16
"""Words whose readings are kept; the memory is bounded whatever a text holds."""


class Forms(NamedTuple):
    """The forms of a word, or the endings of a row, in one case.

    `weak` where a nominative may as well look so, and where a word that is not the last of its name
    keeps the nominative: "Anna Peters" may be the genitive of "Anna Peter".
    """

    forms: tuple[str, ...]
    weak: bool


@dataclass
class WordReading:
    """A word of which another may be a form: in which cases, and whether by a weak ending only."""

    cases: set[int] = field(default_factory=set)
    weak: bool = True


WordReadings = Mapping[str, WordReading]
Row = Sequence[Forms]


class Declension:
    """A table's `declensions`: a row lists the endings of one kind of word, case by case.

    "na ny nie nę" declines "Anna". "-" is no ending, "s/ens" are two forms of one case, "?s" is
    weak. A row that begins with "=" has whole words. A word is declined by the rows with the
    longest nominative ending that it has, "Kowalska" by that of "ska" and not by that of "ka".
    """

    def __init__(self, rows: Iterable[str]) -> None:
        self._rows: dict[str, list[Row]] = {}
        self._endings: dict[str, list[tuple[str, int, bool]]] = {}
        self._whole_rows: dict[str, Row] = {}
        self._whole: dict[str, dict[str, WordReading]] = {}
        for row in rows:
            cells = [_cell(cell) for cell in row.removeprefix("=").split()]
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
        self.declined = lru_cache(_KNOWN_WORDS)(self._declined)
        self.every_form = lru_cache(_KNOWN_WORDS)(self._every_form)

    def _add_whole(self, row: Row) -> None:
        lemma = row[0].forms[0]
        self._whole_rows[lemma] = row
        for case, (forms, weak) in enumerate(row):
            for form in forms:
                reading = self._whole.setdefault(form, {}).setdefault(lemma, WordReading())
                reading.cases.add(case)
                reading.weak &= weak

    def _readings(self, word: str) -> WordReadings:
        """The words of which this may be a form, and in which cases; empty where none is."""
        if word in self._whole:
            return self._whole[word]
        found: dict[str, WordReading] = {}
        spelled = word.replace("’", "'")
        # The longest ending first: of "Kowalskiego" the row of "ki" says more than that of "y".
        for size in range(min(self._longest, len(word) - 1), -1, -1):
            stem = len(word) - size
            for nominative, case, weak in self._endings.get(spelled[stem:], ()):
                lemma = word[:stem] + nominative
                if len(nominative) != self._fitting(lemma):
                    continue
                reading = found.setdefault(lemma, WordReading())
                reading.cases.add(case)
                reading.weak &= weak
        return found

    def _fitting(self, word: str) -> int | None:
        """The length of the nominative ending whose rows decline a word; none for whole words."""
        if word in self._whole_rows:
            return None
        for size in range(min(self._longest_nominative, len(word) - 1), -1, -1):
            if word[len(word) - size :] in self._rows:
                return size
        return None

    def _rows_of(self, word: str) -> list[Row]:
        if word in self._whole_rows:
            return [self._whole_rows[word]]
        size = self._fitting(word)
        if size is None:
            return []
        stem = len(word) - size
        return [
            [Forms(tuple(word[:stem] + ending for ending in forms), weak) for forms, weak in row]
            for row in self._rows[word[stem:]]
        ]

    def _declined(self, word: str) -> Row:
        """The forms of a word, case by case, by the first of its rows; none where it has none."""
        return next(iter(self._rows_of(word)), ())

    def _every_form(self, word: str) -> tuple[str, ...]:
        """All forms of a word by all its rows, itself first."""
        forms = (form for row in self._rows_of(word) for cell in row for form in cell.forms)
        return tuple(dict.fromkeys((word, *forms)))


def _cell(cell: str) -> Forms:
    forms = cell.removeprefix("?").split("/")
    return Forms(tuple("" if form == "-" else form for form in forms), cell.startswith("?"))

"""The given names that ship, with the languages in which men and women bear them.

tools/given_names.py makes the table of Faker's lists and our own names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

_OTHER_CODES = {"nb": "no", "nn": "no"}
_CLEAR = 4
"""So many times as many lists of one gender make a name mostly of it; with fewer it is either's."""


class _Lists(NamedTuple):
    """The number of lists that have a name, by language."""

    male: Mapping[str, int]
    female: Mapping[str, int]


def gender(name: str, lang: str | None = None) -> str:
    """Tell a name's gender: male, mostly_male, andy, mostly_female, female, or unknown.

    The lists of the language decide where they have the name, else those of all languages.
    """
    lists = _lists(name)
    code = _OTHER_CODES.get(lang or "", lang)
    counts = [
        by.get(code, 0) if code in {*lists.male, *lists.female} else sum(by.values())
        for by in lists
    ]
    male, female = counts
    if not male and not female:
        return "unknown"
    if not male or not female:
        return "male" if male else "female"
    if max(counts) < _CLEAR * min(counts):
        return "andy"
    return "mostly_male" if male > female else "mostly_female"


def forms(name: str) -> set[str]:
    """Return the genders that a name has in any language."""
    return {gender for gender, found in _lists(name)._asdict().items() if found}


def is_frequent(name: str, lang: str) -> bool:
    """Tell whether at least two of a language's lists have a name, or the only one it has."""
    code = _OTHER_CODES.get(lang, lang)
    listed = max(found.get(code, 0) for found in _lists(name))
    return listed >= min(2, _most(code))


@cache
def _most(code: str) -> int:
    """Return the number of lists that have a language's most frequent name."""
    return max(
        (int(n) for n in re.findall(rf"\b{code}(\d+)", "\n".join(_table().values()))), default=1
    )


@cache
def _lists(name: str) -> _Lists:
    line = _table().get(name.lower())
    male, female = line.split("\t") if line is not None else ("", "")
    return _Lists(_counts(male), _counts(female))


def _counts(cell: str) -> dict[str, int]:
    return {lang: int(n) for lang, n in re.findall(r"([a-z]+)(\d+)", cell)}


@cache
def _table() -> dict[str, str]:
    """Return the table's lines by name; what stands in one is read once it is asked for."""
    file = resources.files(__package__).joinpath("given_names.tsv")
    lines = file.read_text("utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines)

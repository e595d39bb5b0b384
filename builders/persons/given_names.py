"""The list of given names that comes with gender-guesser, and what it says of a name.

That package reads its list into a table of tables, which takes longer than the gender of all names
of a novel. Here a name's lines are kept as they are until somebody asks for that name; what is said
of it is what the package says, to the letter.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from gender_guesser.detector import Detector

_FORMS = {
    "M": "male",
    "1M": "mostly_male",
    "?M": "mostly_male",
    "F": "female",
    "1F": "mostly_female",
    "?F": "mostly_female",
    "?": "andy",
}
_FIRST_COUNTRY = 30  # the column of the first country


def gender(name: str, country: str | None = None) -> str:
    """male, mostly_male, andy, mostly_female, female or unknown, in a country or everywhere."""
    lines = _lines().get(name.lower())
    if lines is None:
        return "unknown"
    said = {_FORMS[line.split(None, 1)[0]]: line.strip()[_FIRST_COUNTRY:-1] for line in lines}
    most, best = (0, 0), "andy"
    for form, frequencies in said.items():
        found = _weight(frequencies, country)
        if found > most:
            most, best = found, form
    return best if most[0] > 0 else "andy"


def forms(name: str) -> set[str]:
    """What the list has a name as, in whatever country."""
    return {_FORMS[line.split(None, 1)[0]] for line in _lines().get(name.lower(), ())}


def frequency(name: str, country: str) -> int:
    """How frequent a name is in a country, from 0 to 13; one more is twice as many."""
    lines = _lines().get(name.lower(), ())
    digits = (line[_FIRST_COUNTRY + Detector.COUNTRIES.index(country)] for line in lines)
    return max((int(digit, 16) for digit in digits if digit != " "), default=0)


def _weight(frequencies: str, country: str | None) -> tuple[int, int]:
    """How frequent a name is: in a country by its digit, else by the number of countries that have
    it, and then by the sum of their digits."""
    if country is not None:
        return ord(frequencies[Detector.COUNTRIES.index(country)]) - ord(" "), 0
    digits = [ord(digit) for digit in frequencies.replace(" ", "")]
    return len(digits), sum(code - 55 if code > 64 else code - 48 for code in digits)


@cache
def _lines() -> dict[str, list[str]]:
    """The list's lines by the name in small letters; one that has a "+" stands for three."""
    file = resources.files("gender_guesser").joinpath("data/nam_dict.txt")
    found: dict[str, list[str]] = {}
    for line in file.read_text("utf-8").split("\n"):
        if not line.strip() or line[0] in "#=":
            continue
        name = line.split(None, 2)[1].lower()
        for joint in ("", " ", "-") if "+" in name else ("",):
            found.setdefault(name.replace("+", joint), []).append(line)
    return found

"""Name languages, detect the language of a text, and look up given names by language.

tools/given_names.py makes the table of given names from Faker's lists and our own names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from corefmill.corpora.files import disk

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier


def language_name(lang: str) -> str:
    """Return the name of a language, or its code where the table has none."""
    found: dict[str, str] = disk.read_package_table(__file__, "languages")
    return found.get(lang, lang)


def language_key(lang: str) -> str:
    """Return the name of a language in small letters, as a key of JSON: `english`."""
    return language_name(lang).lower()


def language_code(key: str) -> str:
    """Return the code of a `language_key`, or the key itself where the table has none."""
    found: dict[str, str] = disk.read_package_table(__file__, "languages")
    return next((lang for lang, name in found.items() if name.lower() == key), key)


SHORTEST_TEXT = 200
"""Letters that a text must have: of shorter ones the answer is too often wrong."""
_LONGEST_TEXT = 20_000
"""Characters that are looked at."""
_CERTAIN = 0.9

_ALIKE = (
    {"no", "nb", "nn", "da"},
    {"bs", "hr", "sh", "sr"},
    {"id", "ms"},
    {"zh", "yue", "wuu"},
    {"ar", "ary", "arz"},
    {"el", "grc"},
    {"en", "simple", "pcm", "sco"},
)
"""Languages that are written so much alike that one is not reported for another."""


def detect_language(text: str, shortest: int = SHORTEST_TEXT) -> tuple[str, float] | None:
    """Detect the language of a text: its ISO 639 code, and a certainty from 0 to 1.

    None for a text of fewer than `shortest` letters, for one that is no prose, and where py3langid,
    which comes with the extras build and train, is not installed.
    """
    text = text[:_LONGEST_TEXT]
    if sum(map(str.isalpha, text)) < shortest or (identifier := _identifier()) is None:
        return None
    lang, certainty = identifier.classify(text)
    return None if lang == "zxx" else (lang, certainty)


def other_language(text: str, lang: str, shortest: int = SHORTEST_TEXT) -> str | None:
    """Return the language of a text where it is certainly another than `lang`, else None."""
    own = lang.lower().replace("_", "-").partition("-")[0]
    found = detect_language(text, shortest)
    if found is None or found[1] < _CERTAIN or found[0] == own:
        return None
    if any({own, found[0]} <= group for group in _ALIKE):
        return None
    identifier = _identifier()
    # Of a language that the identifier does not know, a neighbour is its best answer.
    known = identifier is not None and own in identifier.labels
    return found[0] if known or own == "simple" else None


_WORDS = re.compile(r"[^\W\d_]+")
_FEWEST_WORDS = 4
_CLEARLY = 4
"""So many times as many words of another language as of its own make a text foreign."""


def foreign_language(text: str, lang: str) -> str | None:
    """Return the language of a text that does not look like `lang`, however short; else None.

    It is for warnings: of a few words the answer may be wrong. Long texts are identified as by
    `other_language`, short ones by their function words or their script.
    """
    if (found := other_language(text, lang)) is not None:
        return found
    tables = _function_words()
    own = tables.get("en" if lang == "simple" else re.split("[-_]", lang.lower())[0], frozenset())
    text = text[:_LONGEST_TEXT]
    letters = [letter for letter in text if letter.isalpha()]
    # First, the script: all the languages of the table are written in Latin letters.
    latin = sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    if own and 2 * latin < len(letters):
        guess = detect_language(text, 1)
        return guess[0] if guess and guess[0] not in tables else "und"
    # Second, the different words that only one of the two languages has. A single "la" or "der" is
    # mostly of a name; of two or more hardly any word of the text's own language may stand there.
    words = _WORDS.findall(text.lower())
    if len(words) < _FEWEST_WORDS:
        return None
    there = set(words)
    scores = {
        other: (len(there & (table - own)), len(there & (own - table)))
        for other, table in tables.items()
        if table != own
    }
    best = max(scores, key=lambda other: scores[other][0] - scores[other][1])
    theirs, ours = scores[best]
    return best if theirs >= 2 and theirs >= _CLEARLY * ours else None


@cache
def _function_words() -> dict[str, frozenset[str]]:
    """Read function_words.toml: the frequent words of closed classes of a language, by its code."""
    table = disk.read_package_table(__file__, "function_words")
    return {lang: frozenset(words.split()) for lang, words in table.items()}


@cache
def _identifier() -> LanguageIdentifier | None:
    """Load the language identifier of py3langid; None where that package is not installed."""
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ModuleNotFoundError:
        return None
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


_OTHER_CODES = {"nb": "no", "nn": "no"}
_CLEAR = 4
"""So many times as many lists of one gender make a name mostly of it; with fewer it is either's."""


class _Lists(NamedTuple):
    """The number of lists with a name, by language."""

    male: Mapping[str, int]
    female: Mapping[str, int]


def gender_of_name(name: str, lang: str | None = None) -> str:
    """Tell a name's gender: male, mostly_male, andy, mostly_female, female, or unknown.

    The lists of the language decide where they have the name, else those of all languages.
    """
    lists = _find_lists(name)
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


def genders_of_name(name: str) -> set[str]:
    """Return the genders of a given name in any language."""
    return {gender for gender, found in _find_lists(name)._asdict().items() if found}


def is_frequent_name(name: str, lang: str) -> bool:
    """Tell whether at least two of a language's lists have a name, or the only one it has."""
    code = _OTHER_CODES.get(lang, lang)
    listed = max(found.get(code, 0) for found in _find_lists(name))
    return listed >= min(2, _count_most_lists(code))


@cache
def _count_most_lists(code: str) -> int:
    """Return the number of lists with the most frequent name of a language."""
    return max(
        (int(n) for n in re.findall(rf"\b{code}(\d+)", "\n".join(_given_names().values()))),
        default=1,
    )


@cache
def _find_lists(name: str) -> _Lists:
    line = _given_names().get(name.lower())
    male, female = line.split("\t") if line is not None else ("", "")
    return _Lists(_parse_counts(male), _parse_counts(female))


def _parse_counts(cell: str) -> dict[str, int]:
    return {lang: int(n) for lang, n in re.findall(r"([a-z]+)(\d+)", cell)}


@cache
def _given_names() -> dict[str, str]:
    """Read the table of given names by name, as lines still to be parsed."""
    file = resources.files(__package__).joinpath("given_names.tsv")
    lines = file.read_text("utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines)

"""Gives the two persons of a problem other names, of the pronoun's gender, drawn with the seed.

With names of one gender both candidates fit the pronoun by construction, and what is known of the
persons (public figures, the characters of a novel) no longer answers for the sentence.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.persons.table import Gender
from corefmill.builders.run.stages import seeded
from corefmill.corpora.records import Span

_TRIES = 100
"""Pairs of names that are drawn; where none fits, the last is taken."""
_LAST_WORD = re.compile(r"(?<!\w)(\w+) $")


def normalised(sentence: str) -> str:
    """The sentence as it is hashed: composed characters, single blanks, none at either end."""
    return " ".join(unicodedata.normalize("NFC", sentence).split())


def digest(sentence: str) -> str:
    """SHA-224 of the sentence in hexadecimal, as the published sets have it (spec C1, S7)."""
    return hashlib.sha224(sentence.encode()).hexdigest()


def drawn(
    sentence: str,
    gender: Gender,
    table: KnowrefWords,
    seed: int,
    mentions: Sequence[tuple[int, int, int]] = (),
) -> tuple[str, str]:
    """Two names that the sentence does not hold, which go with the words before the `mentions`,
    (person, start, end), that they replace.

    They depend on the sentence and the seed alone, so that a sentence that comes twice is the same
    problem twice.
    """
    rng = seeded(seed, "names", digest(normalised(sentence)))
    free = [name for name in table.names_of(gender) if name not in sentence]
    before = {(person, _word_before(sentence, start)) for person, start, _ in mentions}
    for _ in range(_TRIES):
        names = rng.sample(free, 2)
        if all(table.goes_behind(word, names[person]) for person, word in sorted(before)):
            break
    first, second = names
    return first, second


def _word_before(sentence: str, start: int) -> str:
    """The word before an offset, in small letters; none where more than a blank is between."""
    found = _LAST_WORD.search(sentence[:start])
    return found[1].casefold() if found else ""


def renamed(
    text: str, spans: Sequence[tuple[int, Span]], names: Sequence[str], keep: Sequence[Span]
) -> tuple[str, list[tuple[int, int, int]], list[Span]]:
    """The text with `names[i]` instead of each span (i, (start, end)).

    Returns it with the new spans, and where the spans of `keep` went, whose borders lie in none.
    """
    made, position = "", 0
    moved: list[tuple[int, int, int]] = []
    shifts: list[tuple[int, int]] = []
    for index, (start, end) in sorted(spans, key=lambda entry: entry[1]):
        made += text[position:start]
        moved.append((index, len(made), len(made) + len(names[index])))
        made += names[index]
        position = end
        shifts.append((end, len(made) - end))
    made += text[position:]

    def shift(offset: int) -> int:
        return offset + next((by for end, by in reversed(shifts) if end <= offset), 0)

    return made, moved, [(shift(start), shift(end)) for start, end in keep]

"""The gender of a name by the pronouns that a document uses behind it: cheap, by counting."""

from __future__ import annotations

import re
from typing import Literal

from corefmill.builders.persons.table import PersonWords
from corefmill.builders.persons.usage import Usage

_LEAST, _CLEAR = 3, 0.8
_PLACES = 400  # of a name; more would cost time and change nothing
_REACH = 200  # characters behind a name
_WORD = re.compile(r"[^\W\d_][\w'’-]*|[.!?;:\"“”‘»«\n]")


def gender(name: str, usage: Usage, table: PersonWords) -> Literal["male", "female"] | None:
    """The gender of the pronouns that follow the name before any other name does, if clear."""
    male = female = 0
    for offset in usage.offsets(name)[:_PLACES]:
        end = offset + len(name)
        for match in _WORD.finditer(usage.text, end, end + _REACH):
            word = match.group()
            if word in table.male_pronouns:
                male += 1
                break
            if word in table.female_pronouns:
                female += 1
                break
            if not word.islower():
                break
    total = male + female
    if total < _LEAST or max(male, female) < _CLEAR * total:
        return None
    return "male" if male > female else "female"

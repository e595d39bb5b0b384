"""What persons a Spanish verb's form can stand for."""

from __future__ import annotations

from corefmill.corpora.records import Token
from corefmill.rules.tree import feature, low

_PLURAL = {"1": "mos", "2": "is", "3": "n"}
"""How every finite plural ends: cantamos, cantáis, cantan."""
_ALIKE = frozenset(("1s", "3s"))


def persons(verb: Token) -> frozenset[str]:
    """Person and number ("1s", "3p") of a finite form, several where it is ambiguous.

    The first and third person are alike in the imperfect, the conditional and the subjunctive.
    Empty where nothing is known, or where the analysis claims a plural that the ending belies.
    """
    person, number = feature(verb, "Person"), feature(verb, "Number")
    if number == "Plur":
        return frozenset(
            f"{one}p"
            for one, ending in _PLURAL.items()
            if person in (None, one) and low(verb).endswith(ending)
        )
    if number != "Sing":
        return frozenset()
    possible = frozenset(f"{one}s" for one in "123" if person in (None, one))
    alike = feature(verb, "Mood") in ("Sub", "Cnd") or feature(verb, "Tense") == "Imp"
    return possible | _ALIKE if alike and possible & _ALIKE else possible

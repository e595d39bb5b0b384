"""Gender, number and person of Italian words by their form alone."""

from __future__ import annotations

from corefmill.corpora.records import Token
from corefmill.rules import nominal
from corefmill.rules.nominal import Nouns
from corefmill.rules.tree import NUMBERS, feature, low, table

by_end = nominal.by_end("it")


def is_invariable(token: Token) -> bool:
    """Tell whether singular and plural are alike: città, virtù. An analysis can but guess those."""
    return token.upos == "NOUN" and low(token).endswith(("à", "è", "é", "ì", "ò", "ù"))


NOUNS = Nouns(by_end, is_invariable)


_PLURAL = {"1": ("mo",), "2": ("te",), "3": ("no", "ro")}
"""The endings of every finite plural, in all tenses and moods: -iamo, -vate, -ranno, rimasero."""
_NO_SINGULAR = ("rono", "bbero", "ssero", "vano", "ranno", "mmo")
"""Endings that no singular has."""


def persons(verb: Token) -> frozenset[str]:
    """List the persons of a finite verb ("1s", "3p"), several if the form is ambiguous.

    The result is empty if nothing is known, or if the ending contradicts the analysed number.
    """
    form = low(verb)
    known = table("it", "verbs")["persons"].get(form)
    if known is not None:
        return frozenset(known)
    person, number = feature(verb, "Person"), NUMBERS.get(feature(verb, "Number") or "")
    if number is None:
        return frozenset()
    if number == "p":
        return frozenset(
            f"{one}p"
            for one, ending in _PLURAL.items()
            if person in (None, one) and form.endswith(ending)
        )
    if form.endswith(_NO_SINGULAR):
        return frozenset()
    if feature(verb, "Mood") == "Sub":
        if form.endswith("ssi"):
            return frozenset(("1s", "2s"))
        if not form.endswith("sse"):
            return frozenset(("1s", "2s", "3s"))
    return frozenset(f"{one}s" for one in "123" if person in (None, one))

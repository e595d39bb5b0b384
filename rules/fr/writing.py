"""How French words that follow each other are written: de + le is du, à + les aux."""

from __future__ import annotations

from collections.abc import Sequence

from corefmill.corpora.records import Token
from corefmill.rules.tables import table
from corefmill.rules.tree import low, with_initial_of


def join(words: Sequence[Token]) -> str | None:
    """The token that the words are written as, None where they stand apart."""
    if len(words) != 2 or words[1].upos != "DET":
        return None
    form = table("fr", "sounds")["contractions"].get(low(words[0]), {}).get(low(words[1]))
    return None if form is None else with_initial_of(words[0].form, form)

"""How Spanish words that follow each other are written: de + el is del."""

from __future__ import annotations

from collections.abc import Sequence

from corefmill.corpora.records import Token
from corefmill.rules.tables import table
from corefmill.rules.tree import like, low

_CLITICS = frozenset(("me", "te", "se", "nos", "os", "lo", "la", "los", "las", "le", "les"))


def join(words: Sequence[Token]) -> str | None:
    """The token that the words are written as: de + el del, dar + lo darlo; None where none."""
    if len(words) == 2 and low(words[1]) == "el" and words[1].upos == "DET":
        form = table("es", "contractions")["contractions"].get(low(words[0]))
        return None if form is None else like(words[0].form, form)
    if words[0].upos in ("VERB", "AUX") and all(low(word) in _CLITICS for word in words[1:]):
        return "".join(word.form for word in words)
    return None

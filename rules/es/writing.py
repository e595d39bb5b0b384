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
    if words[0].upos in ("VERB", "AUX") and all(map(_is_clitic, words[1:])):
        return "".join((_stressed(words[0].form, len(words) - 1), *(w.form for w in words[1:])))
    return None


def _is_clitic(word: Token) -> bool:
    return low(word) in _CLITICS and word.upos != "DET"


def _stressed(verb: str, clitics: int) -> str:
    """Infinitive or gerund with the accent that it needs before clitics: dárselo, dándolo."""
    for end, accented in table("es", "contractions")["stressed"].items():
        if verb.endswith(end) and clitics > (end[-1] == "r"):
            return verb.removesuffix(end) + str(accented)
    return verb

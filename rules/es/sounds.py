"""Spanish words that are others before another sound: el agua, e hijos, u hoy."""

from __future__ import annotations

import re

from corefmill.rules.tables import table
from corefmill.rules.tree import Tree, feature, low, strings

_TABLE = table("es", "sounds")
_WORD = re.compile(r"[\"'«“‘(¡¿]*([^\W\d_]{2,40}|[^\W\d_](?=[ .]))")
_BACK = {row["form"]: word for word, row in _TABLE["conjunctions"].items()}
_STRESSED = strings(_TABLE, "stressed", "nouns")


def fitted(tree: Tree, at: int, after: str) -> str | None:
    """The form of a word before what follows (`corefmill.rules.sound_form.Fitted`)."""
    token = tree.tokens[at]
    form = _TABLE["articles"].get(low(token))
    if form is not None and token.upos == "DET":
        return str(form) if _is_stressed(tree, at + 1) else None
    if token.upos != "CCONJ" or at == 0:
        return None
    word = _BACK.get(low(token), low(token))
    said = _WORD.match(after)
    row = _TABLE["conjunctions"].get(word)
    if row is None or said is None or (len(said[1]) > 1 and said[1].isupper()):
        return None  # abbreviations are spelled, or are not: y EE. UU., e IAG
    next_word = said[1].lower()
    asked = next_word.startswith(tuple(row["before"]))
    asked = asked and not next_word.startswith(tuple(row["but"]))
    wanted = str(row["form"]) if asked else word
    return None if wanted == low(token) else wanted


def is_stressed(text: str) -> bool:
    """Whether a text begins with a noun that begins with a stressed a."""
    said = _WORD.match(text)
    return said is not None and said[1].lower() in _STRESSED


def _is_stressed(tree: Tree, at: int) -> bool:
    """Whether the word is a feminine noun that begins with a stressed a."""
    if at >= len(tree.tokens):
        return False
    noun = tree.tokens[at]
    return low(noun) in _STRESSED and noun.upos == "NOUN" and feature(noun, "Number") != "Plur"

"""The form of an article before the next sound, for `SoundForm`: il studente -> lo studente."""

from __future__ import annotations

import re

from corefmill.rules import nominal
from corefmill.rules.it import articles
from corefmill.rules.it.articles import opened
from corefmill.rules.it.nouns import NOUNS
from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.tree import GENDERS, Tree, feature, is_relation, low

_QUOTE = re.compile(r"\A[\"'«“‘(](?=\w)")
_VOWEL = re.compile(r"[aeiouyàèéìòù]", re.IGNORECASE)
_SMALL_ROMAN = re.compile(r"[ivx]+(?!\w)")
_SHORT = 7
"""Letters of a word before which la is always elided."""
_LONGEST = 40
_CLITICS = ("lo", "gli")


def fitted(tree: Tree, at: int, after: str) -> str | None:
    """The form of `il` or `un` before a text, alone or in a preposition; None for other words.

    Gender and number stay as they are; of l', which shows no gender, they are the noun's, and where
    that is not known it stays. What both are written stays too: una before a vowel, la before a
    long word or a name (la indennità, la holding, la Apple), and any before an abbreviation. So do
    lo and gli with no preposition before them, which may be pronouns that a tree has for articles.
    """
    token = tree.tokens[at]
    known = opened(low(token)) if token.upos == "DET" else None
    if known is None or known.preposition:
        return None
    after = _QUOTE.sub("", after)
    article = known.readings[0].family in ("definite", "indefinite")
    if not article or not _fits_noun(tree, at) or _is_free(low(token), after):
        return None
    own = {reading.gender for reading in known.readings}
    shown = _gender(tree, at)
    # A gender that is not the noun's is a pronoun's: il bene della società lo forma.
    if shown not in own and (shown is not None or len(own) > 1):
        return None
    form = articles.fitted(low(token), after, shown)
    if form == low(token) or (low(token) in _CLITICS and not _is_governed(tree, at)):
        return None
    return form


def _is_governed(tree: Tree, at: int) -> bool:
    return at > 0 and tree.tokens[at - 1].upos == "ADP"


def _fits_noun(tree: Tree, at: int) -> bool:
    """Whether the word is the article of what follows: no pronoun, and no numeral ("capitolo I il
    re"), that is taken for one."""
    head = tree.head(at)
    if head is None or head <= at or not is_relation(tree.tokens[at], "det"):
        return False
    following = opened(low(tree.tokens[at + 1]))
    has_own = following is not None and following.readings[0].family == "definite"
    return not has_own and feature(tree.tokens[at + 1], "VerbForm") != "Fin"


def _is_free(form: str, after: str) -> bool:
    """Whether before this text the article may stand in more forms than one, or none is known."""
    word = next(iter(re.findall(r"[^\W\d_]+", after[:_LONGEST])), "")
    if not after[:1].isalnum() or (word and not _VOWEL.search(word)):
        return True
    if form not in ("la", "una") or onset(after) is not Onset.VOWEL:
        return bool(_SMALL_ROMAN.match(after))
    return form == "una" or not word.islower() or word[0] == "h" or len(word) > _SHORT


def _gender(tree: Tree, at: int) -> str | None:
    """m or f of the noun of an article, by all but the article; None where that is not known."""
    noun = tree.head(at)
    found = None if noun is None else nominal.of_noun(tree, noun, but=at, around=True, nouns=NOUNS)
    return None if found is None else GENDERS.get(found.gender or "")

"""An article takes the form that the next sound asks for: il studente -> lo studente.

Not in the paper: a translator chooses the form for the word that it knows, and a mention's own
words, or an unknown one, stand there in the end.
"""

from __future__ import annotations

import re
from dataclasses import replace

from corefmill.rules import nominal
from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.it.articles import fitted, opened
from corefmill.rules.it.nouns import NOUNS
from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.it.writing import following
from corefmill.rules.tree import GENDERS, Tree, feature, is_relation, low, with_initial_of
from corefmill.rules.word_rule import WordRule

NAME = "article-form"
_QUOTE = re.compile(r"\A[\"'«“‘(](?=\w)")
_VOWEL = re.compile(r"[aeiouyàèéìòù]", re.IGNORECASE)
_SMALL_ROMAN = re.compile(r"[ivx]+(?!\w)")
_SHORT = 7
"""Letters of a word before which la is always elided."""
_LONGEST = 40


class ArticleForm(WordRule):
    """Fits `il` and `un`, alone or in a preposition; gender and number stay as they are.

    Of l', which shows no gender, they are the noun's; where that is not known it stays. What both
    are written stays too: una before a vowel, la before a long word or a name (la indennità, la
    holding, la Apple), and any before an abbreviation.
    """

    name = NAME

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        token = tree.tokens[at]
        known = opened(low(token)) if token.upos == "DET" else None
        if known is None or known.readings[0].family not in ("definite", "indefinite"):
            return
        if known.preposition:
            return
        after = _QUOTE.sub("", following(edits.utterance, at))
        if not _fits_noun(tree, at) or _is_free(low(token), after):
            return
        own = {reading.gender for reading in known.readings}
        shown = _gender(tree, at)
        # A gender that is not the noun's is a pronoun's: il bene della società lo forma.
        if shown not in own and (shown is not None or len(own) > 1):
            return
        form = fitted(low(token), after, shown)
        if form != low(token):
            blank = token.space_after or low(token).endswith("'")
            form = with_initial_of(token.form, form)
            space = blank and not form.endswith("'")
            edits.replace(NAME, at, replace(token, form=form, space_after=space))


def _fits_noun(tree: Tree, at: int) -> bool:
    """Whether the word is the article of what follows, and no pronoun that is taken for one."""
    head = tree.head(at)
    return (
        head is not None
        and head > at
        and is_relation(tree.tokens[at], "det")
        and feature(tree.tokens[at + 1], "VerbForm") != "Fin"
    )


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

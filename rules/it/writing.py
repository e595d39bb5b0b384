"""Write adjacent Italian words: di + il is del, lo before studente, ch' in full."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from corefmill.corpora.records import Token
from corefmill.rules import nominal
from corefmill.rules.articles import Articles
from corefmill.rules.it.morphology import NOUNS
from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.tree import GENDERS, Tree, feature, is_relation, low, recase, table

_ORDER = (Onset.PLAIN, Onset.STRONG, Onset.VOWEL)
ARTICLES = Articles(table("it", "articles"), lambda following: _ORDER.index(onset(following)))

_QUOTE = re.compile(r"\A[\"'«“‘(](?=\w)")
_VOWEL = re.compile(r"[aeiouyàèéìòù]", re.IGNORECASE)
_FREE = re.compile(r"[ivx]+(?!\w)|1[ '’]|solo d")
"""A small Roman number, a day (il 1 gennaio), a pronoun's adjective (uno solo di loro)."""
_SHORT = 7
"""Most letters of a word before which la is always elided."""
_LONGEST = 40
_CLITICS = ("lo", "gli")


def fit_article(tree: Tree, at: int, after: str) -> str | None:
    """Choose the form of an article, alone or in a preposition, before a text; None otherwise.

    Gender and number stay; l', which shows no gender, takes the noun's, or stays if that is
    unknown. Forms with two correct spellings stay, too: una before a vowel, la before a long word
    or a name (la indennità, la holding, la Apple), and any article before an abbreviation. So do lo
    and gli without a preposition, since the tree may take a pronoun for an article.
    """
    token = tree.tokens[at]
    known = ARTICLES.split(low(token)) if token.upos == "DET" else None
    if known is None or known.preposition:
        return None
    after = _QUOTE.sub("", after)
    article = known.readings[0].family in ("definite", "indefinite")
    if not article or not _fits_noun(tree, at) or _is_free(low(token), after):
        return None
    own = {reading.gender for reading in known.readings}
    noun = tree.head(at)
    assert noun is not None  # see `_fits_noun`
    found = nominal.read_noun_agreement(tree, noun, but=at, around=True, nouns=NOUNS)
    shown = GENDERS.get(found.gender or "")
    # An article of another gender than the noun's is a pronoun: il bene della società lo forma.
    if shown not in own and (shown is not None or len(own) > 1):
        return None
    form = ARTICLES.fit(low(token), after, shown)
    governed = at > 0 and tree.tokens[at - 1].upos == "ADP"
    if form == low(token) or (low(token) in _CLITICS and not governed):
        return None
    return form


def _fits_noun(tree: Tree, at: int) -> bool:
    """Tell whether the word is an article, no pronoun and no numeral ("capitolo I il re")."""
    head = tree.head(at)
    if head is None or head <= at or not is_relation(tree.tokens[at], "det"):
        return False
    following = ARTICLES.split(low(tree.tokens[at + 1]))
    has_own = following is not None and following.readings[0].family == "definite"
    return not has_own and feature(tree.tokens[at + 1], "VerbForm") != "Fin"


def _is_free(form: str, after: str) -> bool:
    """Tell whether the article has several correct forms before this text, or none is known."""
    word = next(iter(re.findall(r"[^\W\d_]+", after[:_LONGEST])), "")
    if not after[:1].isalnum() or (word and not _VOWEL.search(word)):
        return True
    if form not in ("la", "una") or onset(after) is not Onset.VOWEL:
        return bool(_FREE.match(after))
    return form == "una" or not word.islower() or word[0] == "h" or len(word) > _SHORT


def join(words: Sequence[Token]) -> str | None:
    """Join words into one written token (di + il: del, dir + lo: dirlo), else None."""
    forms = [word.form for word in words]
    if len(words) == 2 and ARTICLES.contracts(forms[0]):
        known = ARTICLES.split(forms[1])
        definite = known is not None and known.family == "definite"
        if definite and words[1].upos == "DET" and feature(words[1], "Definite") == "Def":
            return ARTICLES.contract(forms[0], forms[1])
    if words[0].upos in ("VERB", "AUX") and all(
        feature(word, "Clitic") == "Yes" for word in words[1:]
    ):
        return "".join(forms)
    return None


def before_enclitic(verb: str, kind: str) -> str | None:
    """Form the stem of a verb before an enclitic: veder, por, vedendo, prendi; else None.

    `kind` is Inf, Ger or, of an imperative, Fin.
    """
    if kind == "Inf":
        stem = verb.removesuffix("re") if verb.endswith("rre") else verb.removesuffix("e")
        return stem if stem.endswith("r") else None
    imperatives = tuple(table("it", "verbs")["imperatives"])
    whole = verb.endswith("ndo") if kind == "Ger" else verb.endswith(imperatives)
    return verb if whole and len(verb) > 3 and kind in ("Ger", "Fin") else None


def full(word: Token, following: Token) -> Token | None:
    """Write an elided word in full before a consonant; None if it may stay."""
    form = table("it", "pronouns")["full"].get(low(word))
    if form is None or onset(following.form) is Onset.VOWEL:
        return None
    return replace(word, form=recase(word.form, form), space_after=True)

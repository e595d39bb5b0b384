"""How Italian words that follow each other are written: di + il is del, ch' before a vowel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corefmill.corpora.records import Token
from corefmill.rules.it.articles import contracted, contracts, opened
from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.tables import table
from corefmill.rules.tree import feature, like, low


def join(words: Sequence[Token]) -> str | None:
    """The token that the words are written as: di + il del, dir + lo dirlo; None where none."""
    forms = [word.form for word in words]
    if len(words) == 2 and contracts(forms[0]) and _is_article(words[1]):
        return contracted(forms[0], forms[1])
    if words[0].upos in ("VERB", "AUX") and all(_is_clitic(word) for word in words[1:]):
        return "".join(forms)
    return None


def _is_article(word: Token) -> bool:
    known = opened(word.form)
    definite = known is not None and known.readings[0].family == "definite"
    return definite and word.upos == "DET" and feature(word, "Definite") == "Def"


def _is_clitic(word: Token) -> bool:
    return feature(word, "Clitic") == "Yes"


def before_enclitic(verb: str, kind: str) -> str | None:
    """What an enclitic is written onto: vedere veder, porre por, vedendo, prendi; None for none.

    `kind` is Inf, Ger or, of an imperative, Fin.
    """
    if kind == "Inf":
        stem = verb.removesuffix("re") if verb.endswith("rre") else verb.removesuffix("e")
        return stem if stem.endswith("r") else None
    imperatives = tuple(table("it", "verbs")["imperatives"])
    whole = verb.endswith("ndo") if kind == "Ger" else verb.endswith(imperatives)
    return verb if whole and len(verb) > 3 and kind in ("Ger", "Fin") else None


def full(word: Token, following: Token) -> Token | None:
    """An elided word in full before one that begins with a consonant; None where it may stay."""
    form = table("it", "pronouns")["full"].get(low(word))
    if form is None or onset(following.form) is Onset.VOWEL:
        return None
    return replace(word, form=like(word.form, form), space_after=True)

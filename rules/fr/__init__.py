"""Refinement rules for French: agreement, the next sound, pronouns after a preposition.

French does not drop subjects, so that no rule deletes them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Literal

from corefmill.corpora.records import Token
from corefmill.rules.after_preposition import AfterPreposition, PrepositionWords
from corefmill.rules.agreement import (
    ArticleGender,
    DemonstrativeForms,
    NeedlessArticle,
    PossessiveAgreement,
    paradigms,
)
from corefmill.rules.nominal import by_end, describe_nouns_in_s, read_noun_agreement
from corefmill.rules.rule import ChosenRules, Rule
from corefmill.rules.sound_form import Contraction, SoundForm
from corefmill.rules.tree import Tree, feature, low, read_words, table, with_initial_of

__all__ = ("CLEAN", "PAPER", "join", "rules")

NOUNS = describe_nouns_in_s("[sxz]", by_end("fr"))
_TABLE = table("fr", "sounds")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_ORDINAL = re.compile(r"[IVX]+(?:e|ème|er|re)?$")
_VOWELS = frozenset("aàâäæeéèêëiîïoôöœuùûü")
_LONGEST = 40
"""Most letters of a word that are read."""
_FULL = {form: word for word, form in _TABLE["elided"].items() if word not in ("le", "la")}
_ARTICLES = ("le", "la")

PAPER: dict[str, tuple[str, ...]] = {
    AfterPreposition.name: (),
    PossessiveAgreement.name: PossessiveAgreement.refinements,
    DemonstrativeForms.name: DemonstrativeForms.refinements,
}
"""The paper's rules, as far as French has them, each with the refinements of clean mode."""
CLEAN = tuple(rule.name for rule in (NeedlessArticle, ArticleGender, SoundForm, Contraction))
"""Rules that clean mode adds, in the order in which they follow."""


def rules(
    mode: Literal["paper", "clean"], without: Collection[str] = (), *, others: Collection[str] = ()
) -> tuple[Rule, ...]:
    """Make the active French rules, in order; see `corefmill.rules.languages.LanguageRules`."""
    chosen = ChosenRules(PAPER, (*CLEAN, *others), mode, without)
    on = chosen.refinements
    possessives, demonstratives, articles = (
        paradigms("fr", name) for name in ("possessives", "demonstratives", "articles")
    )
    needless = read_words(table("fr", "possessives"), "words", "articles")
    this = on(DemonstrativeForms.name)
    own = on(PossessiveAgreement.name)
    return chosen.of(
        (
            AfterPreposition(PrepositionWords.of(table("fr", "pronouns")), (), join),
            NeedlessArticle(needless, possessives, join),
            PossessiveAgreement(
                possessives, join, own, relation="det", nouns=NOUNS, before_vowel=before_vowel
            ),
            DemonstrativeForms(demonstratives, join, this, nouns=NOUNS, before_vowel=before_vowel),
            ArticleGender(articles, join, ("around",), nouns=NOUNS),
            SoundForm(fit_word, join),
            Contraction(join),
        )
    )


def before_vowel(text: str) -> bool | None:
    """Tell whether words elide before `text`, a word or the rest of the line; None if unsure.

    Unsure are names with h (Henri), figures, single letters, abbreviations that begin with a
    consonant, and texts that do not begin with a letter.
    """
    found = _WORD.match(text[:_LONGEST])
    return None if found is None else _before_vowel(found[0].replace("’", "'"))


@lru_cache(1 << 14)
def _before_vowel(word: str) -> bool | None:
    """Tell whether words elide before a word, by lists of h and by letters; None if unsure."""
    lower = word.lower()
    if (lower[1:2] in ("", "-") and word not in ("y", "à", "a")) or _ORDINAL.match(word):
        return None
    aspirated, mute = _longest(lower, "beginnings"), _longest(lower, "mute")
    if aspirated or mute:
        return mute > aspirated
    if lower[0] in _VOWELS:
        return True
    if word[0].isupper() and (lower[0] in "hy" or (word.isupper() and len(word) < 6)):
        return None
    if lower[0] == "y":
        return lower[1:2] not in _VOWELS or lower.startswith(tuple(_TABLE["aspirated"]["y_mute"]))
    return lower[0] == "h"


def _longest(word: str, name: str) -> int:
    """Measure the longest entry of a list in sounds.toml that the word begins with."""
    found = (
        len(one)
        for one in _TABLE["aspirated"][name]
        if (word == one[:-1] if one.endswith("$") else word.startswith(one))
    )
    return max(found, default=0)


def fit_word(tree: Tree, at: int, after: str) -> str | None:
    """Choose the form of a French word by the sound of the text `after`; None for no change."""
    token = tree.tokens[at]
    word = low(token)
    # First, words that elide before certain words alone: s'il, but si elle.
    if word in (special := _TABLE["elided_before"]):
        first = _WORD.match(after)
        asked = first is not None and first[0].lower() in special[word]["words"]
        return str(special[word]["form"]) if asked and token.upos != "DET" else None
    # Second, a full form before a vowel is elided, and third, an elided form before a consonant is
    # written in full. If the sound of the next word is unknown, the form stays.
    vowel = before_vowel(after)
    if vowel is None:
        return None
    if word in _TABLE["elided"]:
        # Not at a pause (que, après cela), nor in a name (de La Albufera, « L'Aurore » apart).
        opens = at == 0 or tree.tokens[at - 1].upos == "PUNCT"
        name = word in _ARTICLES and token.form[0].isupper() and not opens
        elides = vowel and token.space_after and not name and token.upos not in ("NOUN", "PROPN")
        return str(_TABLE["elided"][word]) if elides else None
    if vowel:
        return None
    if word != "l'":
        return _FULL.get(word)
    # In full by its own gender, else by its noun's.
    gender, head = feature(token, "Gender"), tree.head(at)
    if head is not None and head > at and token.upos == "DET":
        gender = read_noun_agreement(tree, head, but=at, around=True, nouns=NOUNS).gender or gender
    return {"Masc": "le", "Fem": "la"}.get(gender or "")


def join(words: Sequence[Token]) -> str | None:
    """Join the words into one written token, None if they stand apart."""
    if len(words) != 2 or words[1].upos != "DET":
        return None
    form = table("fr", "sounds")["contractions"].get(low(words[0]), {}).get(low(words[1]))
    return None if form is None else with_initial_of(words[0].form, form)

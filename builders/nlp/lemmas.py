"""Correct the lemmas of a learned lemmatiser by a language's spelling rules.

A lemmatiser learned from a treebank cuts unseen words as it has seen others cut: "bottling" becomes
"bottl", "captured" "captur", "crossing" "crosse".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from corefmill.corpora.files import disk

_KEPT = 1 << 16
"""Size of the cache of lemmas by form."""
_VERBS = {"VBG": "ing", "VBD": "ed", "VBN": "ed", "VBZ": "s"}
_BASES = ("VB", "VBP")
_NOUNS = ("NN", "NNS")
_AS_NOUN = {"VBG": "NN", "VBD": "", "VBN": "", "VBZ": "NNS"}
"""Penn tags of nouns by the universal tag, which is right more often if the two contradict each
other: "the shooting" has the lemma "shooting"."""
_MENDED = ("NOUN", "VERB")
_DOUBLED = "bdgklmnprtv"
_VOWEL_GROUPS = re.compile("[aeiouy]+")
_SHORTEST = 4


class LemmaRules:
    """Corrects a pipeline's lemmas of verbs and nouns, by their Penn tags."""

    def __init__(self, table: Mapping[str, Any], is_word: Callable[[str], bool]) -> None:
        """`is_word` tells whether the pipeline's vocabulary has a word in lower case."""
        self._is_word = is_word
        self._verbs = _index_by_form(table["verbs"])
        self._nouns = _index_by_form(table["nouns"])
        self._endings = _index_by_form(table["noun_endings"])
        self._same = frozenset(table["same"])
        self._also_base = frozenset(table["also_base"])
        self._bare = frozenset(table["bare"])
        self._ends_bare = re.compile(table["ends_bare"])
        self._ends_in_e = re.compile(table["ends_in_e"])
        self._of = lru_cache(maxsize=_KEPT)(self._find_lemma)

    def mend(self, form: str, upos: str, tag: str, lemma: str) -> str:
        """Correct the lemma of a word form with these tags (universal, Penn)."""
        if upos == "NOUN":
            tag = _AS_NOUN.get(tag, tag)
        return self._of(form, tag, lemma) if upos in _MENDED else lemma

    def _find_lemma(self, form: str, tag: str, lemma: str) -> str:
        """Find the lemma of a verb or noun by its Penn tag; return the given one for others."""
        low = form.lower()
        if not low.isascii() or not low.isalpha() or (form.isupper() and len(form) > 1):
            return lemma
        if tag in _BASES and low in self._verbs and low not in self._also_base:
            return self._verbs[low]  # "shot", tagged as a base form by mistake
        if tag in _VERBS:
            return self._lemmatise_verb(low, _VERBS[tag], lemma.lower())
        if tag not in _NOUNS or (lemma.lower() == low and (tag == "NN" or low in self._same)):
            return lemma
        found = low if tag == "NN" else self._find_singular(low, lemma)
        return found.capitalize() if lemma[:1].isupper() else found

    def _lemmatise_verb(self, low: str, ending: str, lemma: str) -> str:
        """Find the base form of a verb, irregular or with this ending."""
        if low in self._verbs:
            return self._verbs[low]
        if not low.endswith(ending) or len(low) < len(ending) + 2 or len(low) < _SHORTEST:
            return lemma
        if ending == "s":
            return self._strip_s(low, lemma)
        return self._strip_ending(low, ending, lemma)

    def _strip_ending(self, low: str, ending: str, lemma: str) -> str:
        """Strip -ing or -ed off a regular verb, and restore its spelling."""
        # From sure spellings to doubtful ones: "denied", "hopping", endings without or with "e",
        # and last the word in the pipeline's vocabulary, of "hop" and "hope".
        stem = low.removesuffix(ending)
        if stem in self._bare:
            return stem
        if ending == "ed" and stem[-1] == "i":
            return f"{stem[:-1]}y" if len(stem) > 2 else f"{stem}e"
        if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] in _DOUBLED:
            # "travelled", but "pulled".
            long = stem[-1] != "l" or len(_VOWEL_GROUPS.findall(stem)) > 1
            return stem[:-1] if long else stem
        if self._ends_bare.search(stem):
            return stem
        if self._ends_in_e.search(stem):
            return f"{stem}e"
        either = stem, f"{stem}e"
        known = [base for base in either if self._is_word(base)]
        if len(known) == 1:
            return known[0]
        return lemma if lemma in either else stem

    def _find_singular(self, low: str, lemma: str) -> str:
        """Find the singular of a noun in the plural."""
        # Irregular plurals, then irregular endings, then words that end in -s themselves.
        if low in self._nouns:
            return self._nouns[low]
        for plural, singular in self._endings.items():
            if low.endswith(plural):
                return low.removesuffix(plural) + singular
        if lemma == low and self._is_word(low):
            return lemma  # "troops"
        return self._strip_s(low, lemma.lower())

    def _strip_s(self, low: str, lemma: str) -> str:
        """Strip the ending -s or -es off a verb or a noun."""
        if not low.endswith("s") or low.endswith(("ss", "us", "is")):
            return lemma
        short, long = low[:-2], low[:-1]
        if low.endswith("ies") and len(low) > len("dies"):
            in_y = f"{low[:-3]}y"
            return long if self._is_word(long) and not self._is_word(in_y) else in_y
        if low.endswith(("sses", "shes", "xes", "zzes")):
            return short
        if low.endswith(("ches", "oes", "ses")) and self._is_word(short):
            return short if lemma != long or not self._is_word(long) else long
        return long


def _index_by_form(lines: Iterable[str]) -> dict[str, str]:
    return {form: line.split()[0] for line in lines for form in line.split()[1:]}


def load_rules(lang: str, is_word: Callable[[str], bool]) -> LemmaRules | None:
    """Load the lemma rules of a language; None for a language without rules."""
    table = disk.read_package_table(__file__, "lemmas").get(lang)
    return None if table is None else LemmaRules(table, is_word)

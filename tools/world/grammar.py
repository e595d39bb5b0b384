"""Noun phrases in their cases, and what stands before them: prepositions and articles."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

# XIV is read quattordicesimo. Numerals that are read with a vowel, such as VIII, are not used.
_ROMAN = re.compile(r"[XLV]+[XLVI]*\b")
_VOWELS = "aeiouàèéìòù"
# di + il, a + il ...: the joined form of each article il, lo, l', la, i, gli, le.
_ARTICLES = ("il", "lo", "l'", "la", "i", "gli", "le")
_JOINED = {
    "di": ("del", "dello", "dell'", "della", "dei", "degli", "delle"),
    "a": ("al", "allo", "all'", "alla", "ai", "agli", "alle"),
    "da": ("dal", "dallo", "dall'", "dalla", "dai", "dagli", "dalle"),
    "in": ("nel", "nello", "nell'", "nella", "nei", "negli", "nelle"),
    "su": ("sul", "sullo", "sull'", "sulla", "sui", "sugli", "sulle"),
}


# (e~en): the first behind a subject, the second in the language's second case ...
_BY_CASE = re.compile(r"\(([^()~]*~[^()]*)\)")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase without its article; `article` says whether it takes one.

    `forms` are its words in each case, none where they are `text` in all.
    """

    text: str
    feminine: bool = False
    plural: bool = False
    article: bool = True
    neuter: bool = False
    forms: tuple[str, ...] = ()

    @classmethod
    def of(cls, marked: str, flags: str = "") -> Phrase:
        """Words with their endings by case, as `in_cases` reads them.

        Flags: f feminine, u neuter, p plural, n without article.
        """
        text, *forms = in_cases(marked)
        feminine, plural, neuter = "f" in flags, "p" in flags, "u" in flags
        return cls(
            text, feminine, plural, "n" not in flags, neuter, (text, *forms) if forms else ()
        )

    def with_text(self, text: str) -> Phrase:
        """The same phrase in other words, which are the same in all cases."""
        return replace(self, text=text, forms=())

    def changed(self, change: Callable[[str], str]) -> Phrase:
        """The phrase with `change` made to its words."""
        return replace(self, text=change(self.text), forms=tuple(map(change, self.forms)))

    def form(self, case: int) -> str:
        """The words in the case of that number."""
        return self.forms[case] if case < len(self.forms) else self.text

    def is_in(self, text: str) -> bool:
        """Whether the text has the phrase in any of its forms."""
        return any(form in text for form in (self.text, *self.forms))

    @property
    def agreement(self) -> int:
        """0 to 4: masculine, feminine, neuter, plural, feminine plural."""
        if self.plural:
            return 4 if self.feminine else 3
        return 1 if self.feminine else 2 if self.neuter else 0


def in_cases(marked: str) -> tuple[str, ...]:
    """The words by case. Where they change the endings stand in brackets, "Brand(~es)"; a case
    beyond the last ending has the first one's."""
    groups = [match[1].split("~") for match in _BY_CASE.finditer(marked)]

    def text(case: int) -> str:
        return _BY_CASE.sub(
            lambda match: (endings := match[1].split("~"))[case if case < len(endings) else 0],
            marked,
        )

    return tuple(text(case) for case in range(max(map(len, groups), default=1)))


class Grammar(Protocol):
    """What a language puts before a noun phrase, and how it inflects it."""

    def before(self, word: str, phrase: Phrase) -> str:
        """What stands before the phrase when it follows `word` (a preposition, or ""), with
        the blank behind it if there is one."""

    def words(self, word: str, phrase: Phrase) -> str:
        """The phrase in the form that `word` asks for."""


class _Uninflected:
    """A language whose nouns have one form for all cases."""

    def words(self, word: str, phrase: Phrase) -> str:
        del word
        return phrase.text


class English(_Uninflected):
    """The article is `the`; {a:x} puts a or an."""

    def before(self, word: str, phrase: Phrase) -> str:
        if word == "a":
            return "an " if phrase.text[:1].lower() in "aeio" else "a "
        return (f"{word} " if word else "") + ("the " if phrase.article else "")


class Italian(_Uninflected):
    """Articles by gender, number and the word's first sound, joined to di, a, da, in, su."""

    def before(self, word: str, phrase: Phrase) -> str:
        if word == "un":
            return _indefinite(phrase)
        if not phrase.article:
            if word == "a" and phrase.text[:1].lower() == "a":
                word = "ad"
            return f"{word} " if word else ""
        word = "" if word == "il" else word
        kind = _kind(phrase)
        forms = _JOINED.get(word)
        article = _ARTICLES[kind] if forms is None else forms[kind]
        space = "" if article.endswith("'") else " "
        return (f"{word} " if word and forms is None else "") + article + space


def _kind(phrase: Phrase) -> int:
    """The article's place in `_ARTICLES`."""
    start = "k" if _ROMAN.match(phrase.text) else phrase.text.lower()
    # 8 and 11 are read otto, undici.
    vowel = start[:1] in _VOWELS or start[:1] == "h" or re.match(r"8|11(?!\d)", start) is not None
    if phrase.feminine:
        return 6 if phrase.plural else 2 if vowel else 3
    if vowel:
        return 5 if phrase.plural else 2
    if _is_impure(start):
        return 5 if phrase.plural else 1
    return 4 if phrase.plural else 0


def _is_impure(start: str) -> bool:
    """Before s + consonant, z, gn, ps, pn, x and y it is lo, not il."""
    return start.startswith(("z", "gn", "ps", "pn", "x", "y")) or (
        start[:1] == "s" and len(start) > 1 and start[1] not in _VOWELS
    )


def _indefinite(phrase: Phrase) -> str:
    start = phrase.text.lower()
    if phrase.feminine:
        return "un'" if start[:1] in _VOWELS else "una "
    return "uno " if _is_impure(start) else "un "


class FromTable:
    """Cases, articles and prepositions as the language's table has them under [grammar].

    cases     the cases in the order of a phrase's forms; the first is the subject's
    articles  by case, one for each of the genders and numbers of `Phrase.agreement`; a case that
              is missing has the first one's
    governs   the case that a preposition asks for, where it is not the first
    joined    what a preposition and an article come to: "de el" = "del"
    elided    what an article or preposition becomes before one of the letters `vowels`
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._cases: Sequence[str] = table.get("cases", ["nom"])
        self._articles: Mapping[str, Sequence[str]] = table.get("articles", {})
        self._governs: Mapping[str, str] = table.get("governs", {})
        self._joined: Mapping[str, str] = table.get("joined", {})
        self._elided: Mapping[str, str] = table.get("elided", {})
        self._vowels: str = table.get("vowels", "")

    def before(self, word: str, phrase: Phrase) -> str:
        word, case = self._asks(word)
        vowel = self.form(case, phrase)[:1].lower() in self._vowels
        article = ""
        if phrase.article and self._articles:
            articles = self._articles.get(case, self._articles[self._cases[0]])
            article = articles[phrase.agreement]
        elif vowel:
            word = self._elided.get(word, word)
        if vowel:
            article = self._elided.get(article, article)
        before = f"{word} {article}".strip()
        before = self._joined.get(before, before)
        return before if not before or before.endswith("'") else before + " "

    def words(self, word: str, phrase: Phrase) -> str:
        return self.form(self._asks(word)[1], phrase)

    def form(self, case: str, phrase: Phrase) -> str:
        """The phrase's words in that case."""
        return phrase.form(self._cases.index(case))

    def _asks(self, word: str) -> tuple[str, str]:
        """The preposition and the case of "von", "gen", "in+acc" ..."""
        if word in self._cases:
            return "", word
        word, _, case = word.partition("+")
        return word, case or self._governs.get(word, self._cases[0])


_GRAMMARS: dict[str, Grammar] = {"en": English(), "it": Italian()}


def grammar_of(lang: str, table: Mapping[str, Any]) -> Grammar:
    """The language's own grammar, or one that its table describes under [grammar]."""
    return _GRAMMARS.get(lang) or FromTable(table)

"""What a word is in whatever tense: a crude stem, for comparing a text with a rewritten one."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from corefmill.builders.nlp import lemmas
from corefmill.corpora import beside

_ENDINGS = re.compile(r"(?:(?<=\w{3})ing|(?<=\w{2})ie[sd]|(?<=\w{3})e[sd]|(?<=\w{2})(?<!s)s)$")
_LONGEST = {"en": 8}
_ENDS, _ENDS_OF_Y = ("", "e", "s", "es", "ed", "ing"), ("y", "ies", "ied", "ying")
"""What may stand behind a stem of those languages, and behind one in place of its last letter."""
_SHORT = 5
"""Letters of a stem where no endings are known: tenses of a verb begin alike."""


@lru_cache(1 << 18)
def stem(word: str, lang: str) -> str:
    """The stem of a word in lower case: "stopped", "stops" and "stop" have one, and so do the
    irregular forms that `builders/nlp/lemmas.toml` lists."""
    base = _irregular(lang).get(word, word)
    if lang not in _LONGEST:
        return base[:_SHORT]
    cut = _ENDINGS.sub("", base)
    if base.endswith(("ies", "ied")):
        cut += "i"
    cut = cut.removesuffix("e") if len(cut) > 2 else cut
    if cut.endswith("y") and len(cut) > 2:
        cut = cut[:-1] + "i"
    if len(cut) > 3 and cut[-1] == cut[-2]:
        cut = cut[:-1]
    return cut[: _LONGEST[lang]]


@cache
def alike(word: str, lang: str) -> frozenset[str]:
    """The word and those that are known to share its stem: its tenses, and what is taken for one
    ("not" beside "note")."""
    own = stem(word, lang)
    made = {form for form, base in _irregular(lang).items() if stem(base, lang) == own}
    if lang in _LONGEST:
        made |= {f"{base}{end}" for base in (own, own + own[-1:]) for end in _ENDS}
        made |= {f"{own[:-1]}{end}" for end in _ENDS_OF_Y}
    return frozenset({word} | {one for one in made if stem(one, lang) == own})


@cache
def auxiliaries(lang: str) -> frozenset[str]:
    """Words that a change of tense adds, takes away or replaces."""
    return frozenset(beside.table(__file__, "auxiliaries").get(lang, "").split())


@cache
def _irregular(lang: str) -> dict[str, str]:
    table = beside.table(lemmas.__file__, "lemmas").get(lang, {})
    lines = [line.split() for line in (*table.get("verbs", ()), *table.get("nouns", ()))]
    return {form: base for base, *forms in lines for form in forms}

"""Join Spanish words into written tokens: de + el is del."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corefmill.corpora.records import Token
from corefmill.rules.articles import Articles
from corefmill.rules.tree import low, recase, table

_TABLE = table("es", "articles")
_ROWS = [*_TABLE["paradigm"], *table("es", "demonstratives")["paradigm"]]
_FAMILIES = ("definite", "indefinite", "this", "that", "yonder")
"""The column names of the rows, in order."""
ARTICLES = Articles(
    {
        **_TABLE,
        "families": {
            family: {key: [row[key]] for key in ("ms", "fs", "mp", "fp")}
            for family, row in zip(_FAMILIES, _ROWS, strict=True)
        },
    }
)


_CLITICS = frozenset(("me", "te", "se", "nos", "os", "lo", "la", "los", "las", "le", "les"))
_STRONG = "aeo"
_NUCLEUS = re.compile(rf"[iu]?[{_STRONG}][iu]?|[iu]+")


def join(words: Sequence[Token]) -> str | None:
    """Join words into one written token (de + el: del, dar + lo: darlo), else None."""
    if len(words) == 2 and low(words[1]) == "el" and words[1].upos == "DET":
        form = ARTICLES.contract(low(words[0]), low(words[1]))
        return None if " " in form else recase(words[0].form, form)
    if words[0].upos in ("VERB", "AUX") and all(
        low(word) in _CLITICS and word.upos != "DET" for word in words[1:]
    ):
        return "".join((_stress(words[0].form, len(words) - 1), *(w.form for w in words[1:])))
    return None


def _stress(verb: str, clitics: int) -> str:
    """Put the accent on an infinitive or gerund before clitics: dárselo, dándolo."""
    for end, accented in table("es", "stress")["stressed"].items():
        if verb.endswith(end) and clitics > (end[-1] == "r"):
            return verb.removesuffix(end) + str(accented)
    return verb


def before_enclitic(verb: str, kind: str) -> str | None:
    """Write a verb as before one clitic: ver, viéndo, tóma, di; None if it takes none.

    `kind` is Inf, Ger or, of an imperative, Fin.
    """
    if kind == "Fin":
        imperatives = tuple(table("es", "stress")["imperatives"])
        return _imperative(verb) if verb.endswith(imperatives) else None
    ends = kind == "Inf" and verb.endswith(("ar", "er", "ir", "ír"))
    return _stress(verb, 1) if ends or (kind == "Ger" and verb.endswith("ndo")) else None


def _imperative(verb: str) -> str:
    """Put an accent on the last syllable but one of an imperative before a clitic."""
    accents = table("es", "stress")["accents"]
    nuclei = [found.span() for found in _NUCLEUS.finditer(verb)]
    if len(nuclei) < 2 or any(letter in accents.values() for letter in verb):
        return verb
    start, end = nuclei[-2]
    # Of two vowels the strong one has the accent (cuéntalo), of two weak ones the last (cuídalo).
    at = next((at for at in range(start, end) if verb[at] in _STRONG), end - 1)
    return f"{verb[:at]}{accents.get(verb[at], verb[at])}{verb[at + 1 :]}"

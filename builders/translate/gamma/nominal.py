"""Puts a nominal mention in its place: its article, and the preposition that goes with it."""

from __future__ import annotations

import re

from corefmill.builders.translate.gamma.context import (
    LeftContext,
    fitting,
    left,
    small,
    table,
    word_before,
)
from corefmill.builders.translate.gamma.edits import TextEdits
from corefmill.builders.translate.gamma.mention import MentionToPlace
from corefmill.rules.it.articles import Determiner, contracted, contracts, fitted, opened
from corefmill.rules.tree import with_initial_of

_FIRST = re.compile(r"([^\W\d_]+['’])\s*|([^\W\d_]+)\s+(?=\S)")
_OUTSIDE = " \t\n\r.,;:!?"


def cleaned(noun: MentionToPlace) -> str:
    """The translation without the end mark and the capital that a sentence of its own gave it."""
    words = " ".join((noun.translation or "").split())
    words = words.strip(_OUTSIDE if len(noun.words) > 1 else " ") or " ".join(noun.words)
    first = noun.words[0]
    lower = {*table("pronouns")["english"]["definite"], *table("pronouns")["english"]["quantified"]}
    if first[:1].islower() or first.lower() in lower or noun.tag in ("NN", "NNS"):
        head = re.match(r"[^\W\d_]+", words)
        if head is not None and (len(head[0]) == 1 or not head[0][1:].isupper()):
            determined = opened(head[0]) is not None
            if determined or not (noun.tag.startswith("NNP") and first.lower() in lower):
                words = small(words)
    return words


def taken_apart(words: str) -> tuple[str, str]:
    """The determiner, "" for none, and the rest: `l'amico` is `l'` and `amico`; a preposition
    before the phrase is dropped (`del presidente`: `il`, `presidente`): the context has its own."""
    found = _FIRST.match(words)
    if found is None:
        return "", words
    first = (found[1] or found[2]).replace("’", "'")
    rest = words[found.end() :]
    known = opened(first)
    if known is None or not rest:
        return "", rest if rest and first.lower() in ("di", "d'") else words
    if known.preposition:
        return known.readings[0].before(rest), rest
    if known.readings[0].family in ("definite", "indefinite", "this", "that"):
        return fitted(first, rest), rest
    return "", words


def place(edits: TextEdits, owner: int, noun: MentionToPlace) -> None:
    """Puts the mention in its placeholder's place and sets its span.

    The preposition before it contracts with the article: the span of `del presidente` begins within
    `del`, at the letter of the article. The context's article goes unless the mention has none of
    its own and needs one.
    """
    start, end = edits.spans[owner]
    before = left(edits.text, start)
    if not edits.free(before.start, end, owner):
        before = LeftContext(start)
    determiner, rest = taken_apart(cleaned(noun))
    determiner = determiner or _lent(noun, rest, before)
    words = _spaced(determiner) + rest
    lead = edits.text[before.start : start].strip().replace("’", "'")
    if not before.preposition:
        written, cut = words, 0
    elif contracts(before.preposition) and _definite(determiner):
        word = contracted(with_initial_of(lead, before.preposition), determiner)
        written, cut = _spaced(word) + rest, len(word) - len(_piece(determiner))
    else:
        word = lead if before.article is None else with_initial_of(lead, before.preposition)
        word = _spaced(fitting(word, words) or word)
        written, cut = word + words, len(word)
    edits.put(owner, before.start, end, written[cut:], lead=written[:cut])
    if not before.preposition:
        fit_before(edits, owner, determined=bool(determiner))


def _piece(article: str) -> str:
    """What a preposition that holds the article shows of it: l, llo, lla, ll', lle, i, gli."""
    return {"il": "l", "i": "i", "gli": "gli"}.get(article, f"l{article}")


def fit_before(edits: TextEdits, owner: int, *, determined: bool) -> None:
    """Fits the word before the mention to the sound that now follows: ed Anna, e il sindaco."""
    start = edits.spans[owner][0]
    word = word_before(edits.text, start)
    if word is None or not edits.free(word.start, start, owner):
        return
    known = opened(word.form)
    if determined and known is not None:
        return
    fit = fitting(word.form, edits.text[start:])
    if fit is not None:
        span = edits.spans[owner]
        edits.replace(word.start, start, _spaced(fit), owner)
        shift = len(_spaced(fit)) - (start - word.start)
        edits.spans[owner] = (span[0] + shift, span[1] + shift)


def _spaced(word: str) -> str:
    return word if not word or word.endswith("'") else word + " "


def _definite(determiner: str) -> bool:
    known = opened(determiner) if determiner else None
    return known is not None and known.readings[0].family == "definite"


def _lent(noun: MentionToPlace, rest: str, before: LeftContext) -> str:
    """The article that a phrase without one takes, or ""."""
    english = table("pronouns")["english"]
    first = noun.form
    _, gender, number = noun.entity
    own = Determiner("definite", gender, number)
    if first in english["quantified"] or first[:1].isdigit():
        return ""
    if noun.tag.startswith("NNP"):
        for key in ("ms", "fs", "mp", "fp"):
            if rest in table("places")[key]:
                if key == "fs" and before.preposition == "in":
                    return ""
                return Determiner("definite", key[0], key[1]).before(rest)
    if first in english["definite"]:
        return own.before(rest)
    if noun.tag not in ("NN", "NNS"):
        return ""
    if before.article is not None and before.article.family == "definite":
        return own.before(rest)
    if before.article is not None and number == "s":
        return Determiner("indefinite", gender, "s").before(rest)
    return own.before(rest) if noun.is_subject and not before.preposition else ""

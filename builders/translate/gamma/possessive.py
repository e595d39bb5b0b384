"""A possessive for a placeholder behind `di`: il carro di X becomes il suo carro."""

from __future__ import annotations

import re

from corefmill.builders.translate.gamma.context import (
    LeftContext,
    WordBefore,
    begins_sentence,
    left,
    table,
    word_before,
)
from corefmill.builders.translate.gamma.edits import TextEdits
from corefmill.builders.translate.gamma.italian import TranslationTree
from corefmill.corpora.records import Span
from corefmill.rules.it.articles import contracted, contracts, definite, fitted, opened
from corefmill.rules.tree import GENDERS, NUMBERS, feature, with_initial_of

_REACH = 4
"""Words to the left of `di` among which a determiner is looked for."""
_FOLLOWING = re.compile(r"[ \t]+([^\W\d_]+)")
# Without a tree: o and a show gender and number together, any other ending neither.
_ENDINGS = {"o": ("m", "s"), "a": ("f", "s")}


def place(
    edits: TextEdits, owner: int, number: str, tree: TranslationTree, word: int | None
) -> str | None:
    """Puts the possessive of one (s) or many (p) possessors to its noun and sets the span.

    It stands behind the noun's determiner, and where there is none instead of `di X` (a casa sua),
    or with an article before a noun whose kind is said between (disturbi di cuore di X).
    Returns "possessive" or "possessive_after", or None with nothing changed where no `di` stands
    before the placeholder, or no noun before that.
    """
    start, end = edits.spans[owner]
    before = left(edits.text, start)
    if before.preposition != "di" or not edits.free(before.start, end, owner):
        return None
    last = word_before(edits.text, before.start)
    if last is None or last.form.endswith("'"):
        return None
    noun = None if word is None else tree.head(word)
    if noun is not None and (noun > (word or 0) or tree.tokens[noun].upos not in _NOUNS):
        noun = None
    last_noun, noun = noun, None if noun is None else _possessed(tree, noun)
    determiner = _determiner(edits, owner, before.start, tree, noun)
    if determiner is None and noun is None:
        return None
    gender, count = _agreement(edits, last, determiner, tree, noun)
    form = table("pronouns")["possessives"][number][gender + count]
    cut = before.start - (edits.text[before.start - 1] == " ")
    if determiner is None:
        first = None if noun in (None, last_noun) else _beginning(edits, owner, tree, noun or 0)
        if first is None:
            edits.put(owner, before.start, end, form)
            return "possessive_after"
        edits.put(owner, cut, end, "")
        _put_with_article(
            edits, owner, left(edits.text, first), (first, first), form, gender + count
        )
        return "possessive"
    edits.put(owner, cut, end, "")
    article = fitted(determiner.form, form, gender, count) + " "
    stop = _end(edits.text, determiner)
    edits.put(owner, determiner.start, stop, form, lead=article, rest=" ")
    return "possessive"


_NOUNS = ("NOUN", "PROPN")


def _possessed(tree: TranslationTree, noun: int) -> int:
    """Of disturbi di cuore it is disturbi: a noun with such a preposition and no determiner says
    of what kind the noun before it is."""
    kinds = table("pronouns")["prepositions"]["of_kind"]
    while (head := tree.head(noun)) is not None and head < noun:
        before = [tree.form(child).lower() for child in tree.children(noun) if child < noun]
        if tree.tokens[head].upos not in _NOUNS or len(before) != 1 or before[0] not in kinds:
            break
        noun = head
    return noun


def _beginning(edits: TextEdits, owner: int, tree: TranslationTree, noun: int) -> int | None:
    """Where a noun begins, or an adjective before it; None at the beginning of a sentence, and
    where another mention is in the way."""
    first = min([noun, *tree.children(noun, "amod", "nummod")])
    span = edits.words[first]
    if span is None or begins_sentence(edits.text, span[0]):
        return None
    return span[0] if edits.free(left(edits.text, span[0]).start, span[0], owner) else None


def _put_with_article(
    edits: TextEdits, owner: int, before: LeftContext, old: Span, form: str, key: str
) -> None:
    """Puts article and possessive instead of `old` and of what stands before it."""
    start, end = old
    article = definite(key[0], key[1], form)
    lead = before.preposition
    lead = contracted(lead, article) if contracts(lead) else f"{lead} {article}".strip()
    if before.start < start:
        lead = with_initial_of(edits.text[before.start], lead)
    rest = " " * (start == end)
    edits.put(owner, before.start, end, form, lead=f"{lead} ", rest=rest)


def _end(text: str, word: WordBefore) -> int:
    """Where the next word begins."""
    end = word.start + len(word.form)
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return end


def _determiner(
    edits: TextEdits, owner: int, start: int, tree: TranslationTree, noun: int | None
) -> WordBefore | None:
    lowest = 0
    if noun is not None:
        before = [child for child in tree.children(noun) if child < noun]
        children = [child for child in before if tree.tokens[child].deprel == "det"]
        span = edits.words[children[0]] if children else None
        if span is None:
            return None
        lowest = span[0]
    # A tree that does not see the noun is trusted as far as its determiner's next word.
    reach = 2 * _REACH if noun is not None else 2 if tree.spans else _REACH
    for number in range(reach):
        word = word_before(edits.text, start)
        if word is None or word.start < lowest or not edits.free(word.start, start, owner):
            return None
        known = opened(word.form)
        if known is not None and number and (noun is None or word.start == lowest):
            return word
        if noun is None and _is_outside(word.form.lower()):
            return None
        start = word.start
    return None


def _is_outside(form: str) -> bool:
    """Whether a word is never within a noun phrase that a determiner opens."""
    words = table("pronouns")
    return form in words["openers"] or form in words["restored"] or contracts(form)


def before_noun(edits: TextEdits, owner: int, number: str, tree: TranslationTree) -> str | None:
    """Puts article and possessive before the word that follows, where the translator left the
    placeholder there as in English (X mom); the span is the possessive's.

    Returns "possessive", or None with nothing changed where no noun follows.
    """
    start, end = edits.spans[owner]
    before = left(edits.text, start)
    following = _FOLLOWING.match(edits.text, end)
    if following is None or not edits.free(before.start, end, owner):
        return None
    starts = [None if span is None else span[0] for span in edits.words]
    noun = starts.index(following.start(1)) if following.start(1) in starts else None
    if noun is not None and tree.tokens[noun].upos not in (*_NOUNS, "ADJ", "X"):
        return None
    gender, count = _agreement(
        edits, WordBefore(following[1], following.start(1)), None, tree, noun
    )
    form = table("pronouns")["possessives"][number][gender + count]
    _put_with_article(edits, owner, before, (start, end), form, gender + count)
    return "possessive"


def _agreement(
    edits: TextEdits,
    last: WordBefore,
    determiner: WordBefore | None,
    tree: TranslationTree,
    noun: int | None,
) -> tuple[str, str]:
    """Gender and number of what is possessed: the article shows them, whatever the tree says."""
    gender = number = None
    if noun is not None:
        gender = GENDERS.get(feature(tree.tokens[noun], "Gender") or "")
        number = NUMBERS.get(feature(tree.tokens[noun], "Number") or "")
    known = opened(determiner.form) if determiner is not None else None
    if known is not None:
        readings = known.readings
        if len({reading.gender for reading in readings}) == 1:
            gender = readings[0].gender
        number = readings[0].number
    guess = _ENDINGS.get(last.form[-1:].lower(), (None, None))
    return gender or guess[0] or "m", number or guess[1] or "s"

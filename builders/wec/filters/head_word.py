"""Which word of a mention names the event, where the parser took another one for its head.

The lemma baseline compares heads, so that of "Operation Harvest-Moon" the head is to be Operation,
of "Vesk flight 15P" flight, and of a title such as "Music for Vesk Concert" Concert.
"""

from __future__ import annotations

from collections.abc import Sequence

from corefmill.builders.nlp import Analysis
from corefmill.builders.wec.facts.lexicon import EventLexicon

NOMINAL = ("NOUN", "PROPN")
_CLAUSAL = ("VERB", "AUX", "ADV")
_BEFORE_NOUN = ("DET", "ADJ", "NUM", *NOMINAL)


def event_head(
    analysis: Analysis, inside: Sequence[int], head: int, lexicon: EventLexicon, *, is_title: bool
) -> int:
    """The word of the mention that names an event, else `head`, which is the parser's.

    `inside` are the mention's words in order; `is_title` says that they are the event's title.
    """
    tags = analysis.upos
    if not tags or _names_kind(analysis, head, lexicon):
        return head
    first = inside[0]
    if tags[first] == "VERB" and _low(analysis, first) in lexicon.deeds:  # "elected president"
        return first
    kinds = [
        i for i in inside if (tags[i] in NOMINAL or is_title) and _names_kind(analysis, i, lexicon)
    ]
    if not kinds:
        return _no_figure(analysis, inside, head, lexicon)
    if _low(analysis, head) in lexicon.measures:  # "a series of debates"
        return _first_phrase(analysis, [i for i in inside if i > head + 1], kinds, head)
    is_common = tags[head] == "NOUN" and _form(analysis, head)[:1].islower()
    if not is_title and (tags[head] in _CLAUSAL or is_common):
        return head
    # A noun behind a preposition heads no phrase, unless a title has it as a name of its own.
    return _first_phrase(analysis, inside, kinds, kinds[-1] if is_title else head)


def is_noun(
    analysis: Analysis, inside: Sequence[int], head: int, lexicon: EventLexicon, *, is_title: bool
) -> bool:
    """Whether a head that is tagged as a verb is a noun: "the Vesk-Orrin debates"."""
    if analysis.upos[head] != "VERB" or not lexicon.is_noun(_low(analysis, head)):
        return False
    before = [i for i in inside if i < head]
    return is_title or (
        head == inside[-1] and any(analysis.upos[i] in _BEFORE_NOUN for i in before)
    )


def _first_phrase(
    analysis: Analysis, inside: Sequence[int], kinds: Sequence[int], otherwise: int
) -> int:
    """The last of the kinds before the first preposition."""
    end = next((i for i in inside[1:] if analysis.upos[i] == "ADP"), len(analysis.upos))
    return max((i for i in kinds if inside and inside[0] <= i < end), default=otherwise)


def _no_figure(analysis: Analysis, inside: Sequence[int], head: int, lexicon: EventLexicon) -> int:
    """The noun before a figure: "Soyuz" of "Soyuz 37" and "Gemini" of "Gemini VII"."""
    is_figure = analysis.upos[head] in ("NUM", "SYM", "X")
    if not is_figure and not any(lexicon.numbers(_form(analysis, head))):
        return head
    before = (i for i in inside if i < head and analysis.upos[i] in NOMINAL)
    return max(before, default=head)


def _names_kind(analysis: Analysis, word: int, lexicon: EventLexicon) -> bool:
    return lexicon.is_event(_low(analysis, word)) or lexicon.is_noun(_low(analysis, word))


def _low(analysis: Analysis, word: int) -> str:
    return _form(analysis, word).casefold()


def _form(analysis: Analysis, word: int) -> str:
    return analysis.forms[word]

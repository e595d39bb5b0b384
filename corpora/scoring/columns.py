"""What a key's CoNLL-U columns say of its words: classes of mentions, and mentions to leave out.

The words of key and response are the same, so that what a word is, the key says for both. An empty
node is looked up in neither: the files need not have the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from corefmill.corpora.scoring.alignment import Clusters
from corefmill.corpora.scoring.anaphors import ClassOf
from corefmill.corpora.scoring.units import BITS, NodeMention, place, sentence_of

Rows = Mapping[int, str]
"""Lines of CoNLL-U by the place of their word."""

LeftOut = Literal["relatives", "appositions"]

MentionClass = Literal["class", "type", "distance"]

CLASSES = {"PRON": "pronoun", "DET": "pronoun", "PROPN": "name", "_": "-", "": "-"}
"""Of mentions, by the UPOS of their heads; nominal for any other."""
_DISTANCES = ((0, "same sentence"), (1, "1 sentence"), (2, "2"), (5, "3-5"), (10, "6-10"))
"""Sentences from an anaphor back to its nearest antecedent, up to these numbers."""
_FARTHEST = "11 or more"
_FIRST = "first mention"

ORDER = ("pronoun", "zero", "name", "nominal", _FIRST, *(name for _, name in _DISTANCES), _FARTHEST)
"""Of classes in a table; the others stand behind, by name."""


def class_of(by: MentionClass, rows: Rows) -> ClassOf:
    """What gives mentions their class.

    class: zero where the head is an empty node, pronoun where its UPOS is PRON or DET, name for
    PROPN, `-` where it has none, nominal for all else. type: the mention's own `etype`, `-` where
    it has none. distance: sentences from the nearest antecedent, the entity's mention before it.
    """
    if by == "type":
        return lambda mentions, n: mentions[n].type or "-"
    if by == "distance":
        return _distance

    def by_head(mentions: Sequence[NodeMention], n: int) -> str:
        if mentions[n].zero:
            return "zero"
        return CLASSES.get(_column(rows, mentions[n].head, 3), "nominal")

    return by_head


def _distance(mentions: Sequence[NodeMention], n: int) -> str:
    if not n:
        return _FIRST
    back = sentence_of(mentions[n].words[0]) - sentence_of(mentions[n - 1].words[0])
    return next((name for most, name in _DISTANCES if back <= most), _FARTHEST)


def kept(clusters: Clusters, rows: Rows, out: Sequence[LeftOut]) -> Clusters:
    """The entities without mentions of a guideline that is left out.

    relatives: a mention of one word whose FEATS have PronType=Rel. appositions: one whose head is
    `appos` in DEPREL, where the word that it hangs on is in another mention of its entity.
    """
    if not out:
        return clusters
    tests: dict[LeftOut, Callable[[NodeMention, Mapping[int, int]], bool]] = {
        "relatives": lambda mention, _: (
            len(mention.words) == 1 and "PronType=Rel" in _column(rows, mention.head, 5).split("|")
        ),
        "appositions": lambda mention, held: _is_apposition(mention, held, rows),
    }
    wrong = [tests[one] for one in out]
    left: list[list[NodeMention]] = []
    for entity in clusters:
        own = [mention for mention in entity if isinstance(mention, NodeMention)]
        held = Counter(word for mention in own for word in mention.words)
        left.append([one for one in own if not any(test(one, held) for test in wrong)])
    return left


def _is_apposition(mention: NodeMention, held: Mapping[int, int], rows: Rows) -> bool:
    """Whether it is one; `held` says in how many mentions of its entity each word is."""
    if _column(rows, mention.head, 7).partition(":")[0] != "appos":
        return False
    said = _column(rows, mention.head, 6)
    if not (said.isdecimal() and said.isascii() and len(said) < 7):
        return False
    above = place(sentence_of(mention.head), int(said))
    return held.get(above, 0) > (above in mention.words)


def _column(rows: Rows, at: int, number: int) -> str:
    row = rows.get(at)
    return "" if row is None or at % (1 << BITS) else row.split("\t")[number]

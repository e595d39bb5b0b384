"""Head, lemma, part of speech and entity of a mention, as the pipeline reads its paragraph.

The original tagged the mention's words alone, out of their sentence; here they stand in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corefmill.builders.nlp import Analysis
from corefmill.corpora.records import Span

_NOMINAL = ("NOUN", "PROPN")


@dataclass(frozen=True, slots=True)
class Reading:
    """A mention as the pipeline reads it.

    `head` is the span of its head's written token; `lemma` and `pos` (universal) are the head's,
    "" where the pipeline has none. `ner` is the label of the entity that holds the head, "" for
    none, in the project's terms. `lemmas` are those of the mention's
    words, and `tokens` the paragraph's tokens, cut where the mention begins and ends.
    """

    head: Span
    lemma: str
    pos: str
    ner: str
    lemmas: tuple[str, ...]
    tokens: tuple[Span, ...]


def read(analysis: Analysis, start: int, end: int, parts: Sequence[Span] = ()) -> Reading | None:
    """The reading of a mention at `[start, end)`, None if it holds no word.

    Of a discontinuous mention only the words of its `parts` are looked at.
    """
    wanted = parts or ((start, end),)
    inside = [
        i
        for i, (a, b) in enumerate(analysis.words)
        if any(max(a, left) < min(b, right) for left, right in wanted)
    ]
    if not inside:
        return None
    head = _head(analysis, inside)
    span = analysis.words[head]
    form = analysis.forms[head]
    shown = max(span[0], start), min(span[1], end)
    labels = (e.label for e in analysis.entities if e.start <= span[0] and span[1] <= e.end)
    return Reading(
        head=shown,
        lemma=_lemma(analysis, head, form),
        pos=analysis.upos[head] if analysis.upos else "",
        ner=next(labels, ""),
        lemmas=tuple(_lemma(analysis, i, analysis.forms[i]) for i in inside),
        tokens=tuple(_cut(analysis.tokens, (start, end))),
    )


def _lemma(analysis: Analysis, word: int, form: str) -> str:
    return (analysis.lemma[word] if analysis.lemma else "") or form


def _head(analysis: Analysis, inside: Sequence[int]) -> int:
    """The word that no other word of the mention governs; the last noun where nothing is parsed.

    Of several (a clause cut in two) the first noun, else the first. A word that the mention has
    only a part of counts like any other.
    """
    if not analysis.head:
        nouns = [i for i in inside if analysis.upos and analysis.upos[i] in _NOMINAL]
        return (nouns or inside)[-1]
    own = set(inside)
    tops = [i for i in inside if analysis.head[i] not in own or analysis.head[i] == i]
    # Two words that govern each other are no tree; no pipeline should give them.
    tops = tops or list(inside)
    if analysis.upos:
        for wanted in (_NOMINAL, ("VERB",), ("ADJ",)):
            for i in tops:
                if analysis.upos[i] in wanted:
                    return i
    return tops[0]


def _cut(tokens: Sequence[Span], borders: Sequence[int]) -> Iterator[Span]:
    """The tokens, cut where a border lies within one."""
    for left, right in tokens:
        for border in borders:
            if left < border < right:
                yield left, border
                left = border
        yield left, right

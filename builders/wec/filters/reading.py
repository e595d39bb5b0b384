"""Head, lemma, part of speech and entity of a mention, as the pipeline reads its paragraph.

The original tagged the mention's words alone, out of their sentence; here they stand in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corefmill.builders.nlp import Analysis
from corefmill.builders.wec.facts.lexicon import EventLexicon
from corefmill.builders.wec.filters.head_word import NOMINAL, event_head, is_noun
from corefmill.corpora.records import Span

_NO_WORDS = EventLexicon()


@dataclass(frozen=True, slots=True)
class Reading:
    """A mention as the pipeline reads it.

    `head` is the span of its head's written token; `lemma` and `pos` (universal) are the head's,
    "" where the pipeline has none. `ner` is the label of the entity that holds the head, "" for
    none, in the project's terms. `lemmas` are those of the mention's
    words, and `tokens` the paragraph's tokens, cut where the mention begins and ends.

    `relation` is the head's to the word that governs it, `governor` that word's lemma and
    `preposition` the head's own, all "" where nothing is parsed. `deed` is the mention's first verb
    in lower case, and `verbal` says whether its sentence has a verb beside it.
    """

    head: Span
    lemma: str
    pos: str
    ner: str
    lemmas: tuple[str, ...]
    tokens: tuple[Span, ...]
    relation: str = ""
    governor: str = ""
    preposition: str = ""
    deed: str = ""
    verbal: bool = True


def read(
    analysis: Analysis,
    start: int,
    end: int,
    parts: Sequence[Span] = (),
    *,
    lexicon: EventLexicon = _NO_WORDS,
    is_title: bool = False,
) -> Reading | None:
    """The reading of a mention at `[start, end)`, None if it holds no word.

    Of a discontinuous mention only the words of its `parts` are looked at. `lexicon` has the nouns
    that are the head where there is one; `is_title` says that the mention is the event's title.
    """
    wanted = parts or ((start, end),)
    inside = [
        i
        for i, (a, b) in enumerate(analysis.words)
        if any(max(a, left) < min(b, right) for left, right in wanted)
    ]
    if not inside:
        return None
    head = event_head(analysis, inside, _head(analysis, inside), lexicon, is_title=is_title)
    span = analysis.words[head]
    form = analysis.forms[head]
    noun = bool(analysis.upos) and is_noun(analysis, inside, head, lexicon, is_title=is_title)
    lemma = _lemma(analysis, head, form)
    tags = analysis.upos
    if noun or (tags and tags[head] in NOMINAL):
        lemma = lexicon.singular(form) or lemma
    return Reading(
        head=(max(span[0], start), min(span[1], end)),
        lemma=lemma,
        pos="NOUN" if noun else tags[head] if tags else "",
        ner=_entity_label(analysis, span),
        lemmas=tuple(_lemma(analysis, i, analysis.forms[i]) for i in inside),
        tokens=tuple(_cut(analysis.tokens, (start, end))),
        **_governed(analysis, head),
        deed=_first_verb(analysis, inside),
        verbal=not tags or _has_verb(analysis, inside),
    )


def _entity_label(analysis: Analysis, span: Span) -> str:
    start, end = span
    holding = (e.label for e in analysis.entities if e.start <= start and end <= e.end)
    return next(holding, "")


def _first_verb(analysis: Analysis, inside: Sequence[int]) -> str:
    verbs = (i for i in inside if analysis.upos and analysis.upos[i] == "VERB")
    return next((analysis.forms[i].casefold() for i in verbs), "")


def _governed(analysis: Analysis, head: int) -> dict[str, str]:
    """What governs the head, and how."""
    if not analysis.deprel or not analysis.head:
        return {}
    own = [i for i, above in enumerate(analysis.head) if above == head]
    cases = (i for i in own if analysis.deprel[i] == "case")
    above = analysis.head[head]
    return {
        "relation": analysis.deprel[head],
        "governor": _lemma(analysis, above, analysis.forms[above]).casefold(),
        "preposition": next((analysis.forms[i].casefold() for i in cases), ""),
    }


def _has_verb(analysis: Analysis, inside: Sequence[int]) -> bool:
    """Whether there is a verb in the mention's sentence that the mention has not."""
    at = analysis.words[inside[0]][0]
    left, right = next(
        (span for span in analysis.sentences if span[0] <= at < span[1]), (0, len(analysis.text))
    )
    return any(
        left <= start < right and tag in ("VERB", "AUX") and i not in inside
        for i, ((start, _), tag) in enumerate(zip(analysis.words, analysis.upos, strict=True))
    )


def _lemma(analysis: Analysis, word: int, form: str) -> str:
    return (analysis.lemma[word] if analysis.lemma else "") or form


def _head(analysis: Analysis, inside: Sequence[int]) -> int:
    """The word that no other word of the mention governs; the last noun where nothing is parsed.

    Of several (a clause cut in two) the first noun, else the first. A word that the mention has
    only a part of counts like any other.
    """
    if not analysis.head:
        nouns = [i for i in inside if analysis.upos and analysis.upos[i] in NOMINAL]
        return (nouns or inside)[-1]
    own = set(inside)
    tops = [i for i in inside if analysis.head[i] not in own or analysis.head[i] == i]
    # Two words that govern each other are no tree; no pipeline should give them.
    tops = tops or list(inside)
    if analysis.upos:
        for wanted in (NOMINAL, ("VERB",), ("ADJ",)):
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

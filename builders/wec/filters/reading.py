"""Head, lemma, part of speech and entity of a mention, as the pipeline reads its paragraph.

The original tagged the mention's words alone, not within their sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from corefmill.builders.nlp import Analysis
from corefmill.builders.nlp.backend import Backend, SentenceWords, WordsBackend
from corefmill.builders.wec.facts.lexicon import EventLexicon
from corefmill.corpora.records import EventMention, Span
from corefmill.corpora.words import cut_tokens

_NO_WORDS = EventLexicon()


@dataclass(frozen=True, slots=True)
class Reading:
    """A mention as the pipeline reads it.

    `head` is the span of its head's written token; `lemma` and `pos` (universal) are the head's,
    "" where the pipeline has none. `ner` is the label of the entity that holds the head, "" for
    none, in the project's terms. `lemmas` are those of the mention's
    words, and `tokens` the paragraph's tokens, cut where the mention begins and ends.

    `relation` is the relation of the head to its governor, `governor` the lemma of that, and
    `preposition` the head's preposition, all "" without a parse. `deed` is the mention's first verb
    in lower case, and `verbal` says whether its sentence has another verb.
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
    """Read the mention at `[start, end)`; None if it holds no word.

    Only the words of its `parts` count in a discontinuous mention. `lexicon` has the event nouns,
    which are preferred as the head; `is_title` says that the mention is the event's title.
    """
    wanted = parts or ((start, end),)
    # A word that the mention has only a part of ("flood" of "floods") counts as one of its words.
    inside = [
        i
        for i, (a, b) in enumerate(analysis.words)
        if any(max(a, left) < min(b, right) for left, right in wanted)
    ]
    if not inside:
        return None
    # The lexicon corrects the parser's head: "debates" in "a series of debates".
    head = event_head(analysis, inside, _head(analysis, inside), lexicon, is_title=is_title)
    span = analysis.words[head]
    form = analysis.forms[head]
    noun = bool(analysis.upos) and is_noun(analysis, inside, head, lexicon, is_title=is_title)
    # A noun's lemma is the lexicon's singular, if any: taggers leave names unchanged ("Debates").
    lemma = _lemma(analysis, head, form)
    tags = analysis.upos
    if noun or (tags and tags[head] in NOMINAL):
        lemma = lexicon.singular(form) or lemma
    return Reading(
        head=(max(span[0], start), min(span[1], end)),
        lemma=lemma,
        pos="NOUN" if noun else tags[head] if tags else "",
        ner=next(
            (e.label for e in analysis.entities if e.start <= span[0] and span[1] <= e.end), ""
        ),
        lemmas=tuple(_lemma(analysis, i, analysis.forms[i]) for i in inside),
        tokens=tuple(cut_tokens(analysis.tokens, (start, end))),
        **_read_governor(analysis, head),
        deed=next((analysis.forms[i].casefold() for i in inside if tags and tags[i] == "VERB"), ""),
        verbal=not tags or _has_verb(analysis, inside),
    )


def _read_governor(analysis: Analysis, head: int) -> dict[str, str]:
    """Read the head's relation, its governor's lemma, and its own preposition."""
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
    """Check the mention's sentence for a verb outside the mention."""
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
    """Find the mention's top word in the tree; its last noun without a parse.

    Of several top words (a clause cut in two) the first noun is taken, else the first word. A word
    that is only partly in the mention counts like any other.
    """
    if not analysis.head:
        nouns = [i for i in inside if analysis.upos and analysis.upos[i] in NOMINAL]
        return (nouns or inside)[-1]
    own = set(inside)
    tops = [i for i in inside if analysis.head[i] not in own or analysis.head[i] == i]
    # Two words that govern each other are not a tree; no pipeline should give them.
    tops = tops or list(inside)
    if analysis.upos:
        for wanted in (NOMINAL, ("VERB",), ("ADJ",)):
            for i in tops:
                if analysis.upos[i] in wanted:
                    return i
    return tops[0]


# Find the word of a mention that names the event, if the parser took another head.


NOMINAL = ("NOUN", "PROPN")
_CLAUSAL = ("VERB", "AUX", "ADV")
_BEFORE_NOUN = ("DET", "ADJ", "NUM", *NOMINAL)


def event_head(
    analysis: Analysis, inside: Sequence[int], head: int, lexicon: EventLexicon, *, is_title: bool
) -> int:
    """Find the mention's word for an event, else keep the parser's `head`.

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
        # The noun before a figure: "Soyuz" of "Soyuz 37" and "Gemini" of "Gemini VII".
        is_figure = tags[head] in ("NUM", "SYM", "X")
        if not is_figure and not any(lexicon.numbers(analysis.forms[head])):
            return head
        return max((i for i in inside if i < head and tags[i] in NOMINAL), default=head)
    if _low(analysis, head) in lexicon.measures:  # "a series of debates"
        return _first_phrase(analysis, [i for i in inside if i > head + 1], kinds, head)
    is_common = tags[head] == "NOUN" and analysis.forms[head][:1].islower()
    if not is_title and (tags[head] in _CLAUSAL or is_common):
        return head
    # A noun behind a preposition heads no phrase, unless a title has it as a name of its own.
    return _first_phrase(analysis, inside, kinds, kinds[-1] if is_title else head)


def is_noun(
    analysis: Analysis, inside: Sequence[int], head: int, lexicon: EventLexicon, *, is_title: bool
) -> bool:
    """Tell whether a head tagged as a verb is a noun: "the Vesk-Orrin debates"."""
    if analysis.upos[head] != "VERB" or not lexicon.is_noun(_low(analysis, head)):
        return False
    before = [i for i in inside if i < head]
    return is_title or (
        head == inside[-1] and any(analysis.upos[i] in _BEFORE_NOUN for i in before)
    )


def _first_phrase(
    analysis: Analysis, inside: Sequence[int], kinds: Sequence[int], otherwise: int
) -> int:
    """Return the last event noun (of `kinds`) before the first preposition, else `otherwise`."""
    end = next((i for i in inside[1:] if analysis.upos[i] == "ADP"), len(analysis.upos))
    return max((i for i in kinds if inside and inside[0] <= i < end), default=otherwise)


def _names_kind(analysis: Analysis, word: int, lexicon: EventLexicon) -> bool:
    return lexicon.is_event(_low(analysis, word)) or lexicon.is_noun(_low(analysis, word))


def _low(analysis: Analysis, word: int) -> str:
    return analysis.forms[word].casefold()


# Add head, lemma, part of speech and entity to event mentions without them, by a pipeline.


_BATCH = 2048
"""Mentions that are read at a time; each text among them is analysed once."""


def with_heads(mentions: Iterable[EventMention], pipeline: Backend) -> Iterator[EventMention]:
    """Yield the mentions in order, with the pipeline's `head`, `lemma`, `pos` and `ner`.

    Existing values are replaced; a mention without a word is unchanged. If the record names the
    mention's sentence (`meta["sentence_span"]`, as in ECB+, where single spaces separate the
    words), the mention is read in that sentence, by these words if the pipeline takes words. Any
    other mention is read in its whole text.
    """
    by_words = pipeline if isinstance(pipeline, WordsBackend) else None
    left = iter(mentions)
    while batch := list(islice(left, _BATCH)):
        spans = [_sentence_of(mention) for mention in batch]
        # The text of each mention, and whether it is cut into the given words.
        places = [
            (mention.text[slice(*(span or (0, None)))], span is not None and by_words is not None)
            for mention, span in zip(batch, spans, strict=True)
        ]
        wanted = dict.fromkeys(places)
        whole = [place for place in wanted if not place[1]]
        cut = [place for place in wanted if place[1]]
        found = dict(zip(whole, pipeline.full(text for text, _ in whole), strict=True))
        if by_words is not None:
            words = (text.split(" ") for text, _ in cut)
            sentences = (SentenceWords(own, [True] * len(own)) for own in words)
            found |= zip(cut, by_words.on_words(sentences), strict=True)
        for mention, place, span in zip(batch, places, spans, strict=True):
            begin = span[0] if span else 0
            parts = [(start - begin, end - begin) for start, end in mention.parts]
            reading = read(found[place], mention.start - begin, mention.end - begin, parts)
            if reading is None:
                yield mention
                continue
            yield replace(
                mention,
                head=(reading.head[0] + begin, reading.head[1] + begin),
                lemma=reading.lemma or None,
                pos=reading.pos or None,
                ner=reading.ner or None,
            )


def _sentence_of(mention: EventMention) -> Span | None:
    """Return the span of the sentence named by the record, None if it does not fit the text."""
    match mention.meta.get("sentence_span"):
        case [int(start), int(end)] if (
            0 <= start <= mention.start < end <= len(mention.text)
            and "  " not in mention.text[start:end]
        ):
            return start, max(end, mention.end)
    return None

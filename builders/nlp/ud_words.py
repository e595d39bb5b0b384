"""Both sides of an evaluation in one form: words on the characters of a text, blanks aside."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

from corefmill.builders.nlp.analysis import Analysis
from corefmill.corpora.records import Span

COLUMNS = ("lemma", "upos", "xpos", "feats", "head")


@dataclass(frozen=True, slots=True)
class Word:
    """A word; `start` and `end` are its written token's, counted without white space."""

    start: int
    end: int
    multiword: bool
    form: str
    lemma: str = ""
    upos: str = ""
    xpos: str = ""
    feats: str = ""
    head: int | None = None
    """Index of a word of the same text; None for a root."""
    deprel: str = ""

    @property
    def span(self) -> Span:
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Side:
    """What the gold standard or a system says of a text; `lacks` columns it does not know."""

    words: tuple[Word, ...]
    tokens: tuple[Span, ...]
    sentences: tuple[Span, ...]
    lacks: frozenset[str] = frozenset()


def squeezed(text: str) -> str:
    """The text without white space, on whose characters words are aligned."""
    return "".join(text.split())


def system(analysis: Analysis) -> Side:
    """A system's side, from raw text."""
    # The number of characters that are no white space before each offset.
    before = [0, *accumulate(not character.isspace() for character in analysis.text)]

    def moved(span: Span) -> Span:
        return before[span[0]], before[span[1]]

    owned: dict[Span, int] = {}
    for span in analysis.words:
        owned[span] = owned.get(span, 0) + 1
    bare = (
        Word(*moved(span), owned[span] > 1, form)
        for span, form in zip(analysis.words, analysis.forms, strict=True)
    )
    return Side(
        tuple(_filled(word, analysis, index, 0) for index, word in enumerate(bare)),
        tuple(map(moved, analysis.tokens)),
        tuple(map(moved, analysis.sentences)),
        lacking(analysis),
    )


def on_gold_words(gold: Side, sentences: list[Analysis]) -> Side:
    """A system's side where it was given the words, one sentence at a time."""
    words: list[Word] = []
    for analysis in sentences:
        first = len(words)
        words += (
            _filled(gold.words[first + index], analysis, index, first)
            for index in range(len(analysis.words))
        )
    if len(words) != len(gold.words):
        raise ValueError(f"{len(gold.words)} words were given, {len(words)} came back")
    lacks = frozenset[str]().union(*map(lacking, sentences))
    return Side(tuple(words), gold.tokens, gold.sentences, lacks)


def lacking(analysis: Analysis) -> frozenset[str]:
    """The columns that a pipeline has nothing in; a text without words says nothing of them."""
    if not analysis.words:
        return frozenset()
    return frozenset(column for column in COLUMNS if not getattr(analysis, column))


def _filled(word: Word, analysis: Analysis, index: int, first: int) -> Word:
    """The word with the analysis's columns at `index`; heads are moved by `first`."""

    def at(column: tuple[str, ...]) -> str:
        return column[index] if column else ""

    above = analysis.head[index] if analysis.head else index
    return replace(
        word,
        lemma=at(analysis.lemma),
        upos=at(analysis.upos),
        xpos=at(analysis.xpos),
        feats=at(analysis.feats),
        head=None if above == index else first + above,
        deprel=at(analysis.deprel),
    )

"""Makes the query for a problem: that of the paper, and that of the paper's code."""

from __future__ import annotations

from dataclasses import dataclass

from corefmill.builders.nlp import Analysis
from corefmill.builders.overlap.skeleton import Skeleton, readable
from corefmill.builders.overlap.words import clean, standard, within
from corefmill.corpora.records import MaskedExample, Span

SLOP = 10
"""Words from one word of the phrase to the next, at most (paper, section 3.2)."""


@dataclass(frozen=True, slots=True)
class Query:
    """Words that must stand in this order, at most `slop` apart, and words that may stand anywhere.

    `needs_content` asks for one of these at least. `scored` are the words whose BM25 is summed, one
    as often as it stands there; all others are among them. `shown` is the query in the paper's
    notation.
    """

    phrase: tuple[str, ...]
    content: tuple[str, ...]
    scored: tuple[str, ...]
    needs_content: bool
    slop: int
    shown: str


def of_skeleton(parts: Skeleton, slop: int = SLOP) -> Query:
    """Phrase(Pred_C, Pred_Q, slop) with the candidates and the connective as content words.

    The pronoun, a content word in section 3.1, is none in table 3's query. The predicates come in
    the order of the text. Each word is scored once.
    """
    words = clean(parts.text)
    both = [parts.context, parts.query]
    both.sort(key=lambda one: one.needed)
    needed = sorted(span for one in both for span in one.needed)
    phrase = tuple(form for span in needed for form in within(words, span))
    optional = [form for one in both for span in one.words for form in within(words, span)]
    pieces = [*parts.candidates, *([parts.connective] if parts.connective else [])]
    content = tuple(dict.fromkeys(form for span in pieces for form in within(words, span)))
    names = ", ".join(f'"{one.surface(parts.text)}"' for one in both)
    union = " ∪ ".join(_shown(parts, span) for span in pieces)
    return Query(
        phrase=phrase,
        content=content,
        scored=tuple(dict.fromkeys((*phrase, *optional, *content))),
        needs_content=False,
        slop=slop,
        shown=f"Phrase({names}, {slop}) ∩ ({union})",
    )


def _shown(parts: Skeleton, span: Span) -> str:
    """A piece as the paper writes it: "the man", though the sentence begins with it."""
    piece = parts.text[slice(*span)]
    return piece[0].lower() + piece[1:] if span in parts.opening else piece


def published_text(example: MaskedExample) -> str:
    """What the published code searches for: the first candidate stands in the pronoun's place."""
    _, (start, _) = readable(example)
    end = example.target[1]
    return example.text[:start] + example.candidates[0] + example.text[end:]


def published(analysis: Analysis, slop: int = SLOP) -> Query | str:
    """The query of the published code (spec C3) for a `published_text`, or why there is none.

    Predicate words are tagged V*, MD or JJ, with "n't" joined to the one before; content words are
    all others but NNP and full stops, and one of them must be there. Where a pipeline has no such
    tags, VERB, AUX and ADJ stand for the former, PROPN for NNP. Repeated words of the phrase are
    scored each time, as Whoosh does. The reasons are no_predicate and no_content, for which that
    code asks a broken query.
    """
    predicates: list[str] = []
    contents: list[str] = []
    for place, form in enumerate(analysis.forms):
        tag = analysis.xpos[place] if analysis.xpos else ""
        upos = analysis.upos[place] if analysis.upos else ""
        if form in ("n't", "n’t") and predicates:
            predicates[-1] += form
        elif tag.startswith("V") or tag in ("MD", "JJ") or _says(tag, upos, "VERB", "AUX", "ADJ"):
            predicates.append(form)
        elif tag not in ("NNP", ".") and not _says(tag, upos, "PROPN"):
            contents.append(form)
    phrase = tuple(word.form for word in standard(" ".join(predicates)))
    content = tuple(dict.fromkeys(word.form for form in contents for word in standard(form)))
    if not phrase:
        return "no_predicate"
    if not content:
        return "no_content"
    shown = f'("{" ".join(predicates)}"~{slop}) AND ({" OR ".join(contents)})'
    return Query(phrase, content, (*phrase, *content), True, slop, shown)


def _says(tag: str, upos: str, *kinds: str) -> bool:
    """Whether the coarse tag is one of these, where there is no fine one."""
    return not tag and upos in kinds

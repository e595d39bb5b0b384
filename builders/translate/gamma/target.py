"""Parse translated text: its words, their tree, and the gender and number of a mention's root."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from corefmill.builders.nlp import Analysis, Backend
from corefmill.builders.nlp.backend import make_tokens
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import Span, Token
from corefmill.rules.languages import enclitics
from corefmill.rules.tree import GENDERS, NUMBERS, Tree, feature

_CLITIC = "Clitic=Yes|PronType=Prs"
_AGREEING = ("det", "amod", "det:poss")


class TargetParser:
    """A pipeline to parse the translations. Raises `UsageError` for a pipeline without trees."""

    def __init__(self, pipeline: Backend) -> None:
        self._pipeline = pipeline

    def read(self, sentences: Iterable[str]) -> Iterator[Analysis]:
        """Parse the texts, one sentence each, in one batch."""
        for analysis in self._pipeline.trees((text, ((0, len(text)),)) for text in sentences):
            if not len(analysis.words) == len(analysis.head) == len(analysis.feats):
                raise UsageError(
                    f"the pipeline {self._pipeline.name!r} lacks trees or morphological features",
                    remedy="name one with tagger, morphologizer and parser by --nlp-to",
                )
            yield analysis


def split_enclitics(
    text: str, words: Sequence[Token], spans: Sequence[Span], places: Iterable[Span], lang: str
) -> tuple[tuple[Token, ...], tuple[Span, ...]]:
    """Split enclitics at the places of mentions off their verbs, and return words and offsets.

    `places` are the spans of mentions. If a mention is an enclitic at the end of a word that the
    pipeline left whole, it is cut off (Manda + mi), as is one behind it. Both depend on the word.
    """
    known = enclitics(lang)
    cuts: dict[Span, list[int]] = {}
    for start, end in places:
        for left, right in spans:
            pieces = [text[start:end], *([text[end:right]] if end < right else [])]
            if left < start < end <= right and all(piece.lower() in known for piece in pieces):
                cuts.setdefault((left, right), []).extend([start] if end == right else [start, end])
    made: list[Token] = []
    made_spans: list[Span] = []
    moved: list[int] = []
    for word, span in zip(words, spans, strict=True):
        moved.append(len(made))
        own = sorted(set(cuts.get(span, ()))) if spans.count(span) == 1 else []
        bounds = [span[0], *own, span[1]]
        forms = [text[left:right] for left, right in pairwise(bounds)]
        made.append(replace(word, form=forms[0], space_after=False) if own else word)
        made += [
            Token(form, lemma=form, upos="PRON", feats=_CLITIC, head=len(moved), deprel="obj")
            for form in forms[1:]
        ]
        made_spans += [span] * len(forms)
    heads = {number: moved[number - 1] + 1 for number in range(1, len(moved) + 1)}
    return (
        tuple(replace(word, head=heads.get(word.head or 0, word.head)) for word in made),
        tuple(made_spans),
    )


class TranslationTree(Tree):
    """The tree of a translation, with the offsets of its words; empty without an analysis.

    `spans` are half-open, in code points; words of one written token share its span.
    """

    def __init__(self, analysis: Analysis | None) -> None:
        self._text = analysis.text if analysis else ""
        self.spans = analysis.words if analysis else ()
        super().__init__(make_tokens(analysis) if analysis else ())

    def at(self, start: int) -> int | None:
        """Find the word beginning at an offset of the text."""
        return next((word for word, span in enumerate(self.spans) if span[0] == start), None)

    def form(self, word: int) -> str:
        """The written form of the word; for a part of a token, the whole token."""
        return self._text[slice(*self.spans[word])]

    def alone(self, word: int) -> bool:
        """Whether the word is a whole written token."""
        return self.spans.count(self.spans[word]) == 1


def agreement(analysis: Analysis) -> tuple[str | None, str | None]:
    """Read gender and number (m or f, s or p) of the root of a translated mention.

    Where the root has none, as a name, its article or adjective may show them.
    """
    tree = Tree(make_tokens(analysis))
    root = next((word for word in range(len(tree.tokens)) if tree.head(word) is None), None)
    if root is None:
        return None, None
    gender, number = _features(tree.tokens[root])
    for word in tree.children(root):
        if tree.tokens[word].deprel in _AGREEING:
            other, count = _features(tree.tokens[word])
            gender, number = gender or other, number or count
    return gender, number


def _features(token: Token) -> tuple[str | None, str | None]:
    gender, number = feature(token, "Gender") or "", feature(token, "Number") or ""
    return GENDERS.get(gender), NUMBERS.get(number)

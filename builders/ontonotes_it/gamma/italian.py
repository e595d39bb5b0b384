"""Italian text parsed: the words of an utterance, and what the root of a mention tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from corefmill.builders.nlp import Analysis, Backend, SentencesBackend
from corefmill.corpora.errors import UsageError
from corefmill.corpora.records import Token

_GENDERS = {"Masc": "m", "Fem": "f"}
_NUMBERS = {"Sing": "s", "Plur": "p"}
_AGREEING = ("det", "amod", "det:poss")


class Italian:
    """A pipeline with trees, given a sentence at a time. Raises `UsageError` for one without."""

    def __init__(self, pipeline: Backend) -> None:
        self._pipeline = pipeline
        self.version = pipeline.version

    def read(self, sentences: Iterable[str]) -> Iterator[Analysis]:
        """Parses the texts in one batch; the tree of one that is cut in two has two roots."""
        if isinstance(self._pipeline, SentencesBackend):
            analyses = self._pipeline.on_sentences(sentences, names=False)
        else:
            analyses = self._pipeline.full(sentences)
        for analysis in analyses:
            if not len(analysis.words) == len(analysis.head) == len(analysis.feats):
                raise UsageError(
                    f"pipeline {self._pipeline.name!r} gives no tree, or no features",
                    remedy="name one with tagger, morphologizer and parser by --nlp-it",
                )
            yield analysis


def tokens(analysis: Analysis) -> tuple[Token, ...]:
    """The words as records have them; `space_after` tells of the written token's last word."""
    text, size = analysis.text, len(analysis.words)
    lemma, upos = analysis.lemma or (None,) * size, analysis.upos or (None,) * size
    made = []
    for index, (form, (start, end)) in enumerate(zip(analysis.forms, analysis.words, strict=True)):
        inner = index + 1 < size and analysis.words[index + 1][0] == start
        head = analysis.head[index]
        made.append(
            Token(
                form,
                lemma=lemma[index] or None,
                upos=upos[index] or None,
                xpos=(analysis.xpos[index] or None) if analysis.xpos else None,
                feats=analysis.feats[index] or None,
                head=0 if head == index else head + 1,
                deprel=(analysis.deprel[index] or None) if analysis.deprel else None,
                space_after=not inner and text[end : end + 1].isspace(),
            )
        )
    return tuple(made)


def agreement(analysis: Analysis) -> tuple[str | None, str | None]:
    """Gender and number of the root of a translated mention, None where nothing tells.

    What the root does not say, such as a name, its article or adjective may.
    """
    root = next((word for word, head in enumerate(analysis.head) if head == word), None)
    if root is None:
        return None, None
    gender, number = _features(analysis.feats[root])
    for word, head in enumerate(analysis.head):
        if head == root != word and analysis.deprel[word] in _AGREEING:
            other, count = _features(analysis.feats[word])
            gender, number = gender or other, number or count
    return gender, number


def _features(feats: str) -> tuple[str | None, str | None]:
    table = dict(pair.partition("=")[::2] for pair in feats.split("|"))
    return _GENDERS.get(table.get("Gender", "")), _NUMBERS.get(table.get("Number", ""))

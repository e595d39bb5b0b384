"""Tags, trees and names of English utterances, parsed on the tokens that the source has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corefmill.builders.nlp import Analysis, Backend, Words, WordsBackend
from corefmill.builders.ontonotes_it.english.detokenise import SIGNS
from corefmill.corpora.errors import UsageError


@dataclass(frozen=True, slots=True)
class Parsed:
    """One utterance: Penn tags, the index of each word's head (a root's is its own), the label of
    the named entity that each word is part of ("" for none), and its relation to its head."""

    tags: tuple[str, ...]
    heads: tuple[int, ...]
    names: tuple[str, ...]
    relations: tuple[str, ...] = ()

    def root(self, start: int, end: int) -> int:
        """Of the words [start, end), the one nearest to the sentence's root; the first of several.

        Words that hang on none of the others are candidates; a tree has at least one.
        """
        tops = [word for word in range(start, end) if not self._inside(word, start, end)]
        return min(tops, key=self._depth, default=start)

    def _inside(self, word: int, start: int, end: int) -> bool:
        return start <= self.heads[word] < end and self.heads[word] != word

    def _depth(self, word: int) -> int:
        depth = 0
        # A parser could give a cycle; no path is longer than the sentence.
        while self.heads[word] != word and depth < len(self.heads):
            word, depth = self.heads[word], depth + 1
        return depth


class English:
    """A pipeline that takes words as they are given. Raises `UsageError` for one that cannot, or
    that has no trees."""

    def __init__(self, pipeline: Backend) -> None:
        if not isinstance(pipeline, WordsBackend):
            raise UsageError(
                f"pipeline {pipeline.name!r} cannot parse words that are given",
                remedy="name another by --nlp",
            )
        self._pipeline = pipeline
        self.version = pipeline.version

    def read(self, utterances: Sequence[Sequence[str]]) -> Iterator[Parsed]:
        """Parses the utterances in one batch, each of one word or more."""
        given = (
            Words([_written(form) for form in forms], [True] * len(forms)) for forms in utterances
        )
        for forms, analysis in zip(utterances, self._pipeline.on_words(given), strict=True):
            if not len(forms) == len(analysis.xpos) == len(analysis.head):
                raise UsageError(
                    f"pipeline {self._pipeline.name!r} gives no Penn tags or no tree",
                    remedy="name one with tagger and parser by --nlp",
                )
            yield Parsed(analysis.xpos, analysis.head, _names(analysis), analysis.deprel)


def _written(form: str) -> str:
    # White space within a word would part it; a word of nothing else would be lost.
    return SIGNS.get(form) or "".join(form.split()) or "_"


def _names(analysis: Analysis) -> tuple[str, ...]:
    labels = [""] * len(analysis.words)
    if analysis.entities:
        starts = {start: index for index, (start, _) in enumerate(analysis.words)}
        for entity in analysis.entities:
            index = starts.get(entity.start, len(labels))
            while index < len(labels) and analysis.words[index][0] < entity.end:
                labels[index] = entity.label
                index += 1
    return tuple(labels)

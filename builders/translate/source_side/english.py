"""Tags, trees and names of utterances of the source, parsed on the tokens that the source has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from corefmill.builders.nlp import Analysis, Backend, SentenceWords, WordsBackend
from corefmill.builders.translate.source_side.detokenise import PUNCTUATION
from corefmill.builders.translate.source_side.parts import (
    DocumentPart,
    SourceTree,
    SourceUtterance,
)
from corefmill.corpora.errors import UsageError


class SourceParser:
    """A pipeline that takes words as they are given. Raises `UsageError` for one that cannot, or
    that has no trees."""

    def __init__(self, pipeline: Backend) -> None:
        if not isinstance(pipeline, WordsBackend):
            raise UsageError(
                f"pipeline {pipeline.name!r} cannot parse words that are given",
                remedy="name another by --nlp",
            )
        self._pipeline = pipeline

    def add_trees(
        self, parts: Sequence[DocumentPart], wanted: Callable[[SourceUtterance], bool]
    ) -> list[DocumentPart]:
        """The parts with trees for the utterances that are `wanted` and have none, in one batch."""
        asked = [
            utterance
            for part in parts
            for utterance in part.utterances
            if utterance.tree is None and wanted(utterance)
        ]
        trees = self.read([utterance.forms for utterance in asked])
        found = {id(utterance): tree for utterance, tree in zip(asked, trees, strict=True)}
        return [
            part.with_utterances(
                replace(one, tree=found[id(one)]) if id(one) in found else one
                for one in part.utterances
            )
            for part in parts
        ]

    def read(self, utterances: Sequence[Sequence[str]]) -> Iterator[SourceTree]:
        """Parses the utterances in one batch, each of one word or more."""
        given = (
            SentenceWords([_written(form) for form in forms], [True] * len(forms))
            for forms in utterances
        )
        for forms, analysis in zip(utterances, self._pipeline.on_words(given), strict=True):
            if not len(forms) == len(analysis.xpos) == len(analysis.head):
                raise UsageError(
                    f"pipeline {self._pipeline.name!r} gives no Penn tags or no tree",
                    remedy="name one with tagger and parser by --nlp",
                )
            yield SourceTree(analysis.xpos, analysis.head, _names(analysis), analysis.deprel)


def _written(form: str) -> str:
    # White space within a word would divide it; a word of nothing else would be lost.
    return PUNCTUATION.get(form) or "".join(form.split()) or "_"


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

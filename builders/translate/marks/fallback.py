"""Placeholders for utterances whose marks were lost, where the method takes all their mentions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise

from corefmill.builders.runner.stages import Context
from corefmill.builders.translate.english import simplify
from corefmill.builders.translate.english.english import SourceParser
from corefmill.builders.translate.english.parts import DocumentPart, SourceUtterance
from corefmill.builders.translate.gamma.gamma import GammaTranslation, TranslatedUtterance


class PlaceholderFallback:
    """Asks the method of placeholders; see `projection.Fallback`.

    It takes utterances with a verb, and of these such whose mentions stand apart and are all of the
    kinds that the method has a form for. The class of an entity is what the mentions that are given
    here show of it.
    """

    def __init__(self, parser: SourceParser, translation: GammaTranslation) -> None:
        self._parser = parser
        self._translation = translation

    def __call__(
        self, parts: Sequence[DocumentPart], seed: int
    ) -> list[dict[int, TranslatedUtterance]]:
        """What came back with all its mentions."""
        aside = Context(0, seed)  # what is left out here is not lost yet
        apart = [part.with_utterances(filter(_apart, part.utterances)) for part in parts]
        fit = []
        for part in self._parser.add_trees(apart, lambda utterance: True):
            tagged = simplify.beta1(part, 1, sys.maxsize, aside)
            sizes = {one.index: len(one.mentions) for one in tagged.utterances}
            judged = simplify.beta2(tagged, aside)
            kept = (one for one in judged.utterances if len(one.mentions) == sizes[one.index])
            fit.append(part.with_utterances(kept))
        made: list[dict[int, TranslatedUtterance]] = [{} for _ in parts]
        given = [part for part in fit if part.utterances]
        places = {id(part): place for place, part in enumerate(fit)}
        for part, own in self._translated(given, aside):
            for one in own:
                if len(one.words.mentions) == len(one.source.mentions):
                    made[places[id(part)]][one.source.index] = one
        return made

    def _translated(
        self, parts: Sequence[DocumentPart], aside: Context
    ) -> list[tuple[DocumentPart, tuple[TranslatedUtterance, ...]]]:
        by_key = {(part.split, part.doc_id, part.part): part for part in parts}
        return [
            (by_key[one.source.split, one.source.doc_id, one.source.part], one.utterances)
            for one in self._translation(parts, aside)
        ]


def _apart(utterance: SourceUtterance) -> bool:
    spans = sorted((mention.start, mention.end) for mention in utterance.mentions)
    return all(one[1] <= other[0] for one, other in pairwise(spans))

"""What a translated mention shows of its entity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from corefmill.builders.nlp import Analysis
from corefmill.builders.runner.stages import Context
from corefmill.builders.translate.english.classes import by_source
from corefmill.builders.translate.english.parts import (
    ChainMention,
    DocumentPart,
    SourceUtterance,
)
from corefmill.builders.translate.gamma.gamma import GammaTranslation
from corefmill.builders.translate.gamma.realisers import target_of
from corefmill.builders.translate.gamma.target import TargetParser
from tests.builders.translate.double import WordForWord
from tests.builders.translate.running import loaded
from tests.builders.translate.trees import analysis


class Plurals(TargetParser):
    """Takes every word for a noun in the plural."""

    def read(self, sentences: Iterable[str]) -> Iterator[Analysis]:
        for text in sentences:
            words = enumerate(text.split())
            yield analysis(text, "\n".join(f"{w} {w} NOUN fp {int(n > 0)} dep" for n, w in words))


@pytest.mark.parametrize(
    ("noun", "tag_number", "number"), [("mom", True, "s"), ("mom", False, "p"), ("dog", True, "p")]
)
def test_the_number_of_a_noun_that_the_translator_does_not_know_is_its_tags(
    noun: str, tag_number: bool, number: str
) -> None:
    given = SourceUtterance(0, (noun, "saw"), ("NN", "VBD"), (ChainMention(0, 0, 1, 0),))
    translation = GammaTranslation(
        WordForWord(),
        Plurals(loaded("it_mini", "it")),
        by_source,
        target_of("en", "it"),
        "clean",
        rewording=True,
        tag_number=tag_number,
        names=True,
    )
    (made,) = translation([DocumentPart("train", "d", 0, (given,), "en")], Context(0, 0))
    (utterance,) = made.utterances
    (mention,) = made.source.utterances[0].mentions
    assert mention.known_entity.number == number
    assert len(utterance.words.mentions) == 1

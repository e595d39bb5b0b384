"""What a translated mention shows of its entity, and which are persons' names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from corefmill.builders.nlp import Analysis
from corefmill.builders.run.stages import Context
from corefmill.builders.translate.gamma.gamma import GammaTranslation, name_in, persons
from corefmill.builders.translate.gamma.language import ITALIAN, SPANISH, target_of
from corefmill.builders.translate.gamma.target import TargetParser
from corefmill.builders.translate.source_side.analysis import by_source
from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    DocumentPart,
    SourceTree,
    SourceUtterance,
)
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


def made(
    pairs: str, start: int, end: int, label: str, relation: str
) -> tuple[SourceUtterance, ChainMention]:
    """A sentence of form_TAG pairs, and its mention of the cluster 7, whose last word is named."""
    forms, _, tags = zip(*(pair.rpartition("_") for pair in pairs.split()), strict=True)
    root = end - 1 - (tags[end - 1] == "POS")
    names = tuple(label if start <= at < end else "" for at in range(len(forms)))
    relations = tuple(relation if at == root else "dep" for at in range(len(forms)))
    heads = tuple(root for _ in forms)
    mention = ChainMention(7, start, end, root)
    tree = SourceTree(tags, heads, names, relations)
    return SourceUtterance(0, forms, tags, (mention,), tree=tree), mention


@pytest.mark.parametrize(
    ("pairs", "start", "end", "label", "expected"),
    [
        ("Rose_NNP Long_NNP sang_VBD", 0, 2, "PERSON", "Rose Long"),
        ("Mrs._NNP Long_NNP sang_VBD", 0, 2, "PERSON", "la signora Long"),
        ("To_IN Mr._NNP Hale_NNP 's_POS house_NN", 1, 4, "PERSON", "il signor Hale"),
        ("Uncle_NNP Toby_NNP slept_VBD", 0, 2, "", "lo zio Toby"),
        ("Inspector_NNP Grey_NNP slept_VBD", 0, 2, "", "l'ispettore Grey"),
        ("Sir_NNP Giles_NNP slept_VBD", 0, 2, "PERSON", "sir Giles"),
        ("My_PRP$ dear_JJ Mr._NNP Hale_NNP ,_, come_VB", 2, 4, "PERSON", "signor Hale"),
        ("Tell_VB me_PRP ,_, Mr._NNP Hale_NNP ,_, are_VBP you_PRP ill_JJ", 3, 5, "", "signor Hale"),
        ("Turkey_NNP coughed_VBD", 0, 1, "GPE", None),
        ("the_DT Hales_NNPS left_VBD", 0, 2, "PERSON", None),
        ("God_NNP knows_VBZ", 0, 1, "PERSON", None),
        ("Mother_NNP knows_VBZ", 0, 1, "PERSON", None),
        ("Sir_NNP ,_, no_UH", 0, 1, "", None),
    ],
)
def test_a_persons_name_is_copied_with_an_italian_title(
    pairs: str, start: int, end: int, label: str, expected: str | None
) -> None:
    utterance, mention = made(pairs, start, end, label, "nsubj")
    assert name_in(ITALIAN, utterance, mention, frozenset()) == expected


@pytest.mark.parametrize(
    ("pairs", "end", "expected"),
    [
        ("Mrs._NNP Long_NNP sang_VBD", 2, "la señora Long"),
        ("King_NNP Hale_NNP slept_VBD", 2, "el rey Hale"),
        ("Sir_NNP Giles_NNP slept_VBD", 2, "sir Giles"),
    ],
)
def test_titles_are_the_targets(pairs: str, end: int, expected: str) -> None:
    utterance, mention = made(pairs, 0, end, "PERSON", "nsubj")
    assert name_in(SPANISH, utterance, mention, frozenset()) == expected


def test_a_pronoun_of_the_cluster_shows_a_person() -> None:
    utterance, mention = made("Turkey_NNP coughed_VBD", 0, 1, "GPE", "nsubj")
    he = SourceUtterance(1, ("He", "left"), ("PRP", "VBD"), (ChainMention(7, 0, 1, 0),))
    it = SourceUtterance(2, ("It", "rang"), ("PRP", "VBD"), (ChainMention(8, 0, 1, 0),))
    human = persons(DocumentPart("train", "d", 0, (utterance, he, it), "en"))
    assert human == {7}
    assert name_in(ITALIAN, utterance, mention, human) == "Turkey"


def test_who_is_spoken_to_has_no_article() -> None:
    utterance, mention = made("Come_VB in_RP Miss_NNP Hale_NNP", 2, 4, "PERSON", "vocative")
    assert name_in(ITALIAN, utterance, mention, frozenset()) == "signorina Hale"

"""What a translated mention shows of its entity, and which are persons' names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.nlp import Analysis
from corefmill.builders.run.stages import Context
from corefmill.builders.translate.gamma.gamma import GammaTranslation, persons, write_name
from corefmill.builders.translate.gamma.language import ITALIAN, SPANISH, target_of
from corefmill.builders.translate.gamma.marks import (
    STYLES,
    MarkedReading,
    MarkLost,
    add_marks,
    number_mentions,
    read,
)
from corefmill.builders.translate.gamma.target import TargetParser
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
            yield analysis(" ".join(f"{w}//NOUN.fp/{int(n > 0)}/dep" for n, w in words), text)


@pytest.mark.parametrize(
    ("noun", "tag_number", "number"), [("mom", True, "s"), ("mom", False, "p"), ("dog", True, "p")]
)
def test_the_number_of_a_noun_that_the_translator_does_not_know_is_its_tags(
    noun: str, tag_number: bool, number: str
) -> None:
    given = SourceUtterance(0, (noun, "saw"), ("NN", "VBD"), (ChainMention(0, 0, 1, 0),))

    def helps(name: str) -> bool:
        return tag_number if name == "tag-number" else name != "persons"

    parser = Plurals(loaded("it_mini", "it"))
    translation = GammaTranslation(WordForWord(), parser, target_of("en", "it"), "clean", helps)
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
    assert write_name(ITALIAN, utterance, mention, frozenset()) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Mrs. Long", "la señora Long"), ("King Hale", "el rey Hale"), ("Sir Giles", "sir Giles")],
)
def test_titles_are_the_targets(name: str, expected: str) -> None:
    pairs = " ".join(f"{word}_NNP" for word in name.split()) + " slept_VBD"
    utterance, mention = made(pairs, 0, 2, "PERSON", "nsubj")
    assert write_name(SPANISH, utterance, mention, frozenset()) == expected


def test_a_pronoun_of_the_cluster_shows_a_person() -> None:
    utterance, mention = made("Turkey_NNP coughed_VBD", 0, 1, "GPE", "nsubj")
    he = SourceUtterance(1, ("He", "left"), ("PRP", "VBD"), (ChainMention(7, 0, 1, 0),))
    it = SourceUtterance(2, ("It", "rang"), ("PRP", "VBD"), (ChainMention(8, 0, 1, 0),))
    human = persons(DocumentPart("train", "d", 0, (utterance, he, it), "en"))
    assert human == {7}
    assert write_name(ITALIAN, utterance, mention, human) == "Turkey"


TEXT = "The old man gave her 1 book, and Eva's dog left."
SPANS = [(0, 11), (4, 11), (17, 27), (17, 20), (33, 42), (33, 36)]
MENTIONS = number_mentions(TEXT, SPANS)
GIVEN = add_marks(TEXT, MENTIONS, STYLES[0])


def words(reading: MarkedReading | None) -> list[str]:
    """What each mention is, or why it is lost."""
    assert reading is not None
    return [
        str(span) if isinstance(span, MarkLost) else reading.text[slice(*span)]
        for span in reading.spans
    ]


def test_mentions_are_marked_in_each_other_by_numbers_that_the_text_lacks() -> None:
    assert GIVEN == (
        "<2>The <3>old man</3></2> gave <4><5>her</5> 1 book</4>, and <6><7>Eva</7>'s dog</6> left."
    )
    reading = read(GIVEN, MENTIONS)
    assert reading == MarkedReading(TEXT, tuple(SPANS))


ONE = number_mentions("He saw Eva and her dog.", [(0, 2), (7, 10), (15, 22), (15, 18)])


@pytest.mark.parametrize(
    ("translation", "text", "expected"),
    [
        ("Vide <2>Eva</2> e <3>il <4>suo</4> cane</3> <1>lui</1>.",
         "Vide Eva e il suo cane lui.", "lui Eva il suo cane|suo"),
        ("[ 1 ] Lui ［/1］ vide ( ２ ) Eva { \\ 2 } e «3»il <٤> suo </٤> cane< / 3 >.",
         "Lui vide Eva e il suo cane.", "Lui Eva il suo cane|suo"),
        ("<1>Lui</1>vide l'<2> Eva </2>, e<3>il<4>suo</4>cane</3>.",
         "Lui vide l'Eva, e il suo cane.", "Lui Eva il suo cane|suo"),
        ("<1></1> Vide <2>Eva</2> e <3> - </3> <4>suo</4> cane.",
         "Vide Eva e - suo cane.", "empty Eva empty|suo"),
        ("<1>Lui <2>vide</1> Eva</2> e <3>il <4>suo</4> cane</3>.",
         "Lui vide Eva e il suo cane.", "crossed crossed il suo cane|suo"),
        ("Lui </1>vide<1> <2>Eva</2> e <2><3>il</2> <4>suo</4> cane</3>.",
         "Lui vide Eva e il suo cane.", "crossed doubled il suo cane|suo"),
        ("<1>Lui</1> vide <2>Eva</2> e <3>il</3> <4>suo</4> cane.",
         "Lui vide Eva e il suo cane.", "Lui Eva il|moved"),
        ("<1>Lui</1> vide Eva e <3>il suo cane</3>, 9 <9>.",
         "Lui vide Eva e il suo cane, 9 <9>.", "Lui missing il suo cane|missing"),
    ],
)  # fmt: skip
def test_what_translators_do_to_marks(translation: str, text: str, expected: str) -> None:
    reading = read(translation, ONE)
    assert reading is not None
    assert reading.text == text
    *three, fourth = words(reading)
    assert f"{' '.join(three)}|{fourth}" == expected


def test_pieces_of_a_mark_in_the_text_spoil_it() -> None:
    assert read("<1>Lui</1> vide 2>Eva</2> e <3>il <4>suo</4> cane</3>.", ONE) is None


MANGLED = st.sampled_from(
    ["{mark}", "{mark}", "", "{mark}{mark}", " {mark} ", "( {inner} )", "[{inner}]", "{inner}>"]
)


@pytest.mark.thorough
@given(data=st.data())
def test_a_translator_that_mangles_marks_at_random_gives_no_wrong_span(data: st.DataObject) -> None:
    pieces, position = [], 0
    for at, letter in enumerate(GIVEN):
        if letter == "<":
            end = GIVEN.index(">", at)
            mark = data.draw(MANGLED).format(mark=GIVEN[at : end + 1], inner=GIVEN[at + 1 : end])
            digits = data.draw(st.sampled_from(["0123456789", "０１２３４５６７８９"]))
            mark = mark.translate(str.maketrans("0123456789", digits))
            pieces += GIVEN[position:at], mark
            position = end + 1
    reading = read("".join(pieces) + GIVEN[position:], MENTIONS)
    if reading is not None:
        for (start, end), span in zip(SPANS, reading.spans, strict=True):
            if not isinstance(span, MarkLost):
                found = reading.text[slice(*span)]
                assert found.replace(" ", "") == TEXT[start:end].replace(" ", "")


@pytest.mark.parametrize(
    ("translation", "text", "expected"),
    [
        ("Manda<1>mi</1> Eva.", "Mandami Eva.", "mi missing"),
        ("Manda<1>me</1><2>lo</2> ora.", "Mandamelo ora.", "me lo"),
        ("<2>Manda</2>mi <1>Eva</1>.", "Mandami Eva.", "Eva Manda"),
        ("Manda <1>mi</1> il<2>libro</2>.", "Manda mi il libro.", "mi libro"),
        ("Manda<1> mi</1> e<2>mille</2>.", "Manda mi e mille.", "mi mille"),
    ],
)
def test_an_enclitic_stays_at_its_verb(translation: str, text: str, expected: str) -> None:
    two = number_mentions("Send me it.", [(5, 7), (8, 10)])
    reading = read(translation, two, ("mi", "me", "lo"))
    assert reading is not None
    assert (reading.text, " ".join(words(reading))) == (text, expected)

"""What the Spanish tables make of placeholders, by the code that has the Italian ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import pytest

from corefmill.builders.nlp.backend import Analysis
from corefmill.builders.run.stages import Context
from corefmill.builders.translate.gamma import realise as gamma_realise
from corefmill.builders.translate.gamma.gamma import GammaTranslation
from corefmill.builders.translate.gamma.language import SPANISH
from corefmill.builders.translate.gamma.target import TargetParser
from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    DocumentPart,
    EntityClass,
    SourceTree,
    SourceUtterance,
)
from corefmill.rules.rule import text
from tests.builders.translate.gamma.test_realise import (
    HE,
    IT,
    IT_F,
    SHE,
    THEY,
    bracketed,
    found,
    placed,
)
from tests.builders.translate.running import loaded
from tests.builders.translate.trees import analysis

realise = partial(gamma_realise.realise, SPANISH)


@pytest.mark.parametrize(
    ("text", "translated", "mention", "kind", "expected"),
    [
        ("La casa de {Marco} cae.", "El presidente", "the president/NN", HE,
         "La casa de[l presidente] cae."),
        ("Lo di a {Marta}.", "los amigos", "the friends/NNS", THEY, "Lo di a [los amigos]."),
        ("Vivo en {Lima}.", "India", "India/NNP", IT_F, "Vivo en [la India]."),
        ("Está detrás {Lima}.", "el coche", "the car/NN", IT, "Está detrás de[l coche]."),
        ("Veo {Marco}.", "Todos los rusos", "all Russians/NNPS", THEY, "Veo [todos los rusos]."),
    ],
)  # fmt: skip
def test_nominal(
    text: str, translated: str, mention: str, kind: EntityClass, expected: str
) -> None:
    one = placed(text, kind, mention, translated)
    assert bracketed(realise(re.sub("[{}]", "", text), [one])) == expected


@pytest.mark.parametrize(
    ("translation", "mention", "tag", "kind", "expected"),
    [
        ("Marco duerme.", "He", "PRP", HE, "Él duerme."),
        ("Dijo que Marco cae.", "it", "PRP", IT, "Dijo que ello cae."),
        ("Vio Marco ayer.", "it", "PRP", IT, "Vio eso ayer."),
        ("Encima Marco.", "it", "PRP", IT_F, "Encima de ella."),
        ("Por Marco.", "himself", "PRP", HE, "Por sí mismo."),
        ("Marco es verdad.", "That", "DT", IT, "Eso es verdad."),
        ("El coche de Marco.", "His", "PRP$", HE, "Su coche."),
        ("Del coche de Marco.", "his", "PRP$", HE, "De su coche."),
        ("Una amiga de Marco.", "her", "PRP$", SHE, "Una amiga suya."),
        ("Aquellos libros de Marco.", "her", "PRP$", SHE, "Aquellos libros suyos."),
        ("Cae Marco casa.", "its", "PRP$", IT, "Cae su casa."),
    ],
)
def test_pronouns_without_a_tree(
    translation: str, mention: str, tag: str, kind: EntityClass, expected: str
) -> None:
    one = found(translation, "Marco", kind, mention, tag)
    assert realise(translation, [one]).text == expected


HAS_SEEN = analysis(
    "Ana//PROPN/4/nsubj no//ADV/4/advmod ha/haber/AUX.fin/4/aux visto/ver/VERB.part/0/root "
    "Marta//PROPN/4/obj"
)
SEEING = analysis(
    "Viendo/ver/VERB.ger/4/advcl Marta//PROPN/1/obj ,//PUNCT/1/punct rio/reír/VERB.fin/0/root"
)
SAID = analysis(
    "Ana//PROPN/3/nsubj me/yo/PRON/3/iobj dijo/decir/VERB.fin/0/root Marta//PROPN/3/obj"
)
GAVE = analysis(
    "Ana//PROPN/2/nsubj dio/dier/VERB.fin/0/root Marta//PROPN/2/obj un/uno/DET.ms/5/det "
    "libro//NOUN.ms/2/obj"
)
MARKED = analysis("Ana//PROPN/2/nsubj vio/ver/VERB.fin/0/root a//ADP/4/case Marta//PROPN/2/obl")
CALLED = analysis(
    "Ana//PROPN/3/nsubj me/yo/PRON/3/obj llamó/llamar/VERB.fin/0/root Marta//PROPN/3/xcomp"
)
WHEN = analysis(
    "Sé/saber/VERB.fin/0/root cuándo//VERB.fin/1/ccomp echas/echa/NOUN.fp/2/obj Marta//PROPN/2/obj"
)
FLAT = analysis(
    "Dice/decir/VERB.fin/0/root Marta//PROPN/1/flat otra/otro/DET.fs/4/det vez//NOUN.fs/1/obl"
)
NEXT = analysis(
    "Los/el/DET.mp/2/det amigos/amigo/NOUN.mp/3/nsubj organizan/organizar/VERB.fin/0/root "
    "Marta//PROPN/7/nsubj y//CCONJ/7/cc es/ser/AUX.fin/7/cop libre//ADJ/3/conj"
)


@pytest.mark.parametrize(
    ("tree", "mention", "relation", "kind", "expected"),
    [
        (HAS_SEEN, "her", "obj", SHE, "Ana no [la] ha visto."),
        (HAS_SEEN, "herself", "obj", SHE, "Ana no [se] ha visto."),
        (SEEING, "him", "obj", HE, "Viéndo[lo], rio."),
        (SAID, "it", "obj", IT, "Ana me [lo] dijo."),
        (GAVE, "her", "iobj", SHE, "Ana [le] dio un libro."),
        (MARKED, "them", "obj", THEY, "Ana [los] vio."),
        (WHEN, "it", "obj", IT, "Sé cuándo [lo] echas."),
        (FLAT, "it", "obj", IT, "[Lo] dice otra vez."),
        (NEXT, "it", "obj", IT, "Los amigos [lo] organizan y es libre."),
    ],
)
def test_objects_lean_on_their_verb(
    tree: Analysis, mention: str, relation: str, kind: EntityClass, expected: str
) -> None:
    one = replace(found(tree.text, "Marta", kind, mention, "PRP"), relation=relation)
    assert bracketed(realise(tree.text, [one], tree)) == expected


@pytest.mark.parametrize(
    ("tree", "mention", "translated", "relation", "kind", "expected"),
    [
        (HAS_SEEN, "the man", "el hombre", "obj", HE, "Ana no ha visto al hombre."),
        (HAS_SEEN, "a man", "un hombre", "obj", HE, "Ana no ha visto un hombre."),
        (HAS_SEEN, "his friend", "su amigo", "obj", HE, "Ana no ha visto a su amigo."),
        (GAVE, "a friend", "una amiga", "iobj", SHE, "Ana dio a una amiga un libro."),
        (CALLED, "the boss", "el jefe", "obj", HE, "Ana me llamó el jefe."),
    ],
)
def test_persons_who_are_objects_have_their_preposition(
    tree: Analysis, mention: str, translated: str, relation: str, kind: EntityClass, expected: str
) -> None:
    one = replace(found(tree.text, "Marta", kind, mention, "NN", translated), relation=relation)
    assert realise(tree.text, [one], tree).text == expected


def test_what_grows_on_the_left_hides_no_word_of_the_tree_on_the_right() -> None:
    text = HAS_SEEN.text
    subject = replace(found(text, "Ana", HE, "the boss", "NN", "el jefe"), relation="nsubj")
    seen = replace(found(text, "Marta", HE, "the man", "NN", "el hombre"), relation="obj")
    assert realise(text, [subject, seen], HAS_SEEN).text == "El jefe no ha visto al hombre."


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("Amigos/amigo/NOUN.mp/5/nsubj viejos/viejo/ADJ.mp/1/amod de//ADP/4/case "
         "Marta//PROPN/1/nmod vienen/venir/VERB.fin/0/root", "Sus amigos viejos vienen."),
        ("Hay/haber/VERB.fin/0/root todos/todo/DET.mp/4/det los/el/DET.mp/4/det "
         "libros/libro/NOUN.mp/1/obj de//ADP/6/case Marta//PROPN/4/nmod", "Hay todos sus libros."),
        ("Marta//PROPN/4/nsubj dos//NUM/3/nummod niños/niño/NOUN.mp/4/nsubj "
         "vienen/venir/VERB.fin/0/root", "Sus dos niños vienen."),
    ],
)  # fmt: skip
def test_possessives_stand_before_their_noun(rows: str, expected: str) -> None:
    tree = analysis(rows)
    one = found(tree.text, "Marta", SHE, "Her", "PRP$")
    assert realise(tree.text, [one], tree).text == expected


class Spanish(TargetParser):
    """Takes the second word for a verb, and the third for its object."""

    def read(self, sentences: Iterable[str]) -> Iterator[Analysis]:
        for sentence in sentences:
            forms = sentence.split()
            kinds = ["PROPN/2/obj", "VERB.fin/0/root", "PROPN/2/obj", "PROPN/2/obj"]
            kinds = kinds if len(forms) > 1 else ["PROPN/0/root"]
            words = zip(forms, kinds, strict=False)
            yield analysis(" ".join("//".join(word) for word in words), sentence)


class Saw:
    """Says `vio` for `saw`, and gives back all else as it is."""

    name = fingerprint = "saw"
    source, target = "en", "es"

    def translate(self, texts: Sequence[str]) -> list[str]:
        return [text.replace("saw", "vio") for text in texts]


def test_nouns_are_put_back_by_the_tree_of_the_translation() -> None:
    tree = SourceTree(
        ("NNP", "VBD", "NNP"), (1, 1, 1), ("PERSON", "", "PERSON"), ("nsubj", "root", "obj")
    )
    mentions = (ChainMention(0, 0, 1, 0), ChainMention(1, 2, 3, 2))
    given = SourceUtterance(0, ("Amy", "saw", "Beth"), tree.tags, mentions, tree=tree)
    parser = Spanish(loaded("it_mini", "it"))
    translation = GammaTranslation(Saw(), parser, SPANISH, "clean", lambda name: True)
    (made,) = translation([DocumentPart("train", "d", 0, (given,), "en")], Context(0, 0))
    (utterance,) = made.utterances
    assert text(utterance.words) == "Amy vio a Beth"
    assert [(one.start, one.end) for one in utterance.words.mentions] == [(0, 1), (3, 4)]

from __future__ import annotations

import pytest

from corefmill.rules.es import rules
from corefmill.rules.rule import KeyedMention, refine, text
from tests.rules.trees import utterance

FIN = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"


def test_a_subject_pronoun_goes_and_a_possessive_agrees() -> None:
    given = utterance(
        f"""
        Ella él PRON Gender=Fem|Number=Sing|Person=3|PronType=Prs 3 nsubj
        ha haber AUX {FIN} 3 aux
        visto ver VERB VerbForm=Part 0 root
        a a ADP _ 6 case
        su su DET Number=Sing|Poss=Yes 6 det
        hijos hijo NOUN Gender=Masc|Number=Plur 3 obj
        """,
        [("1", 0, 1), ("1", 4, 5)],
    )
    mended, _ = refine(given, rules("paper"))
    assert text(mended) == "Ha visto a sus hijos"
    assert mended.mentions == (KeyedMention("1", 0, 1), KeyedMention("1", 3, 4))
    assert refine(given, rules("clean"))[0] == mended


@pytest.mark.parametrize(
    ("verb", "stays"),
    [
        ("cantaba cantar VERB Mood=Ind|Number=Sing|Person=1|Tense=Imp|VerbForm=Fin", True),
        ("canto cantar VERB Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin", False),
    ],
)
def test_yo_stays_before_a_form_that_is_also_the_third_persons(verb: str, stays: bool) -> None:
    given = utterance(f"Yo yo PRON Number=Sing|Person=1|PronType=Prs 2 nsubj\n{verb} 0 root")
    assert (refine(given, rules("clean"))[0] == given) is stays


def test_del_stays_one_token() -> None:
    given = utterance(
        f"""
        Habla hablar VERB {FIN} 0 root
        de de ADP _ 5 case
        el el DET Definite=Def|PronType=Art 5 det
        nuestra nuestro DET Poss=Yes 5 det
        amigo amigo NOUN Gender=Masc|Number=Sing 1 obl
        """,
        w2_3="del",
    )
    assert text(refine(given, rules("clean"))[0]) == "Habla del nuestro amigo"

"""What the end of a noun tells, and how it decides where an analysis errs."""

from __future__ import annotations

import pytest

from corefmill.corpora.records import Token
from corefmill.rules.it import rules
from corefmill.rules.it.morphology import by_end, is_invariable
from corefmill.rules.nominal import NOTHING, GenderNumber
from corefmill.rules.rule import refine, text
from tests.rules.trees import utterance


@pytest.mark.parametrize(
    ("word", "gender", "number"),
    [
        ("ciclone", "Masc", "Sing"),
        ("stazione", "Fem", "Sing"),
        ("stazioni", "Fem", "Plur"),
        ("libertà", "Fem", None),
        ("milione", None, "Sing"),
        ("paesi", None, None),
        ("gatti", None, "Plur"),
        ("valori", "Masc", "Plur"),
    ],
)
def test_the_longest_end_tells(word: str, gender: str | None, number: str | None) -> None:
    assert by_end(Token(word, upos="NOUN")) == GenderNumber(gender, number)


@pytest.mark.parametrize(
    ("word", "upos"), [("mano", "NOUN"), ("Torino", "PROPN"), ("casa", "NOUN")]
)
def test_what_tells_nothing(word: str, upos: str) -> None:
    assert by_end(Token(word, upos=upos)) == NOTHING


def test_accented_nouns_are_invariable() -> None:
    assert is_invariable(Token("virtù", upos="NOUN"))
    assert not is_invariable(Token("casa", upos="NOUN"))


FIN = "Mood=Ind|Person=3|Tense=Pres|VerbForm=Fin"
MENDED = {
    "a noun that was taken for the other gender": (
        "Questa questo DET PronType=Dem 2 det\nciclone ciclone NOUN Gender=Fem|Number=Sing 0 root",
        "Questo ciclone",
    ),
    "an invariable noun whose number only the verb shows": (
        f"""
        Questa questo DET PronType=Dem 2 det
        città città NOUN Gender=Fem|Number=Sing 3 nsubj
        crescono crescere VERB {FIN}|Number=Plur 0 root
        """,
        "Queste città crescono",
    ),
    "a demonstrative that the tree hangs elsewhere": (
        f"""
        Vedono vedere VERB {FIN}|Number=Plur 0 root
        quelle quello PRON PronType=Dem 1 obj
        limiti limite NOUN Gender=Masc|Number=Plur 1 obl
        """,
        "Vedono quei limiti",
    ),
    "an adjective as a noun": (
        """
        Questi questo DET PronType=Dem 2 det
        ultimo ultimo ADJ Gender=Masc|Number=Sing 0 root
        """,
        "Quest'ultimo",
    ),
}


@pytest.mark.parametrize("name", MENDED)
def test_demonstratives_agree(name: str) -> None:
    rows, expected = MENDED[name]
    assert text(refine(utterance(rows), rules("clean"))[0]) == expected


STAYS = {
    "an invariable noun whose number nothing shows": """
        Queste questo DET PronType=Dem 2 det
        città città NOUN Gender=Fem|Number=Sing 0 root
        """,
    "a pronoun before an adjective": """
        Compreso comprendere VERB VerbForm=Part 0 root
        quello quello PRON PronType=Dem 3 det
        militare militare ADJ Number=Sing 1 nsubj
        """,
    "a pronoun before what may be no noun": f"""
        C'~ ci PRON _ 2 expl
        è essere VERB {FIN}|Number=Sing 0 root
        quello quello PRON PronType=Dem 2 nsubj
        exfoliant exfoliant NOUN _ 3 nmod
        """,
    "several subjects of one verb": f"""
        Questa questo DET PronType=Dem 2 det
        città città NOUN Gender=Fem 5 nsubj
        e e CCONJ _ 4 cc
        Roma Roma PROPN _ 2 conj
        crescono crescere VERB {FIN}|Number=Plur 0 root
        """,
}


@pytest.mark.parametrize("rows", STAYS.values(), ids=STAYS)
def test_what_is_right_stays(rows: str) -> None:
    given = utterance(rows)
    assert text(refine(given, rules("clean"))[0]) == text(given)

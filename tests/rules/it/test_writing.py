"""Italian sounds, articles and prepositions."""

import pytest

from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.it.writing import ARTICLES


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        (Onset.VOWEL, "amico, Élite, uomo, hotel, Honduras, idea, iPhone, io, Iowa, Ypres"),
        (Onset.STRONG, "studente, Scala, shampoo, zio, xilofono, gnomo, psicologo, pneumatico"),
        (Onset.STRONG, "pterodattilo, tsunami, iodio, yogurt, Jugoslavo, chalet, Sri"),
        (Onset.PLAIN, "cane, sole, Sydney, chiodo, whisky, jazz, glicine, gladiatore, champion"),
        (Onset.PLAIN, "Q, знак, Hrvatska"),
        # numbers as they are said
        (Onset.VOWEL, "8, 80, 800.000, 8,5, 11, 11 settembre, 11.000, 1, 1,5, 1.000.000, 11º"),
        (Onset.VOWEL, "VIII secolo, XI"),
        (Onset.STRONG, "0, 0,5"),
        (Onset.PLAIN, "1º, 110, 1100, 1992, 1.100, 10, 7, 2008, XX secolo, I secolo, XIX, IX"),
        # abbreviations, which are spelled or read
        (Onset.VOWEL, "FBI, NBA, SMS, HIV, ONU, USA, AIDS, UNESCO, F-16"),
        (Onset.STRONG, "ZTL, SPRAR"),
        (Onset.PLAIN, "DNA, CIA, BBC, NATO, B-52, TV, UK, Cnr, FMI"),
    ],
)
def test_sounds(expected: Onset, words: str) -> None:
    sounds = {word: onset(word) for word in words.split(", ")}
    assert sounds == dict.fromkeys(sounds, expected)


@pytest.mark.parametrize(
    ("gender", "number", "following", "expected"),
    [
        ("m", "s", "cane", "il"), ("m", "s", "studente", "lo"), ("m", "s", "amico", "l'"),
        ("f", "s", "casa", "la"), ("f", "s", "idea", "l'"), ("f", "s", "iena", "la"),
        ("m", "p", "cani", "i"), ("m", "p", "zii", "gli"), ("m", "p", "USA", "gli"),
        ("f", "p", "idee", "le"), ("m", "s", "8 settembre", "l'"), ("m", "s", "FBI", "l'"),
    ],
)  # fmt: skip
def test_definite(gender: str, number: str, following: str, expected: str) -> None:
    assert ARTICLES.definite(gender, number, following) == expected


@pytest.mark.parametrize(
    ("preposition", "forms"),
    [
        ("di", "del dello della dell' dei degli delle"),
        ("a", "al allo alla all' ai agli alle"),
        ("da", "dal dallo dalla dall' dai dagli dalle"),
        ("in", "nel nello nella nell' nei negli nelle"),
        ("su", "sul sullo sulla sull' sui sugli sulle"),
    ],
)
def test_prepositions_contract(preposition: str, forms: str) -> None:
    articles = ["il", "lo", "la", "l'", "i", "gli", "le"]
    assert [ARTICLES.contract(preposition, article) for article in articles] == forms.split()
    for joined in forms.split():
        known = ARTICLES.split(joined)
        assert known is not None and known.preposition == preposition


@pytest.mark.parametrize(
    ("word", "following", "expected"),
    [
        ("il", "studente", "lo"), ("Dell'", "zio", "Dello"), ("quel", "uomo", "quell'"),
        ("Quei", "amici", "Quegli"), ("un'", "casa", "una"), ("della", "idea", "dell'"),
        ("nessun", "studente", "nessuno"), ("bello", "gatto", "bel"), ("dell’", "amico", "dell'"),
        ("tavolo", "amico", "tavolo"),
    ],
)  # fmt: skip
def test_words_fit_what_follows(word: str, following: str, expected: str) -> None:
    assert ARTICLES.fit(word, following) == expected

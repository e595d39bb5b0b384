"""Italian sounds, articles and prepositions."""

import pytest

from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.it.writing import ARTICLES

V, S, P = Onset.VOWEL, Onset.STRONG, Onset.PLAIN


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("amico", V), ("Élite", V), ("uomo", V), ("hotel", V), ("Honduras", V), ("idea", V),
        ("iPhone", V), ("io", V), ("Iowa", V), ("Ypres", V), ("Hrvatska", P),
        ("studente", S), ("Scala", S), ("shampoo", S), ("zio", S), ("xilofono", S), ("gnomo", S),
        ("psicologo", S), ("pneumatico", S), ("pterodattilo", S), ("tsunami", S), ("iodio", S),
        ("yogurt", S), ("Jugoslavo", S), ("chalet", S), ("Sri", S),
        ("cane", P), ("sole", P), ("Sydney", P), ("chiodo", P), ("whisky", P), ("jazz", P),
        ("glicine", P), ("gladiatore", P), ("champion", P), ("Q", P), ("знак", P),
    ],
)  # fmt: skip
def test_words(word: str, expected: Onset) -> None:
    assert onset(word) is expected


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ("8", V), ("80", V), ("800.000", V), ("8,5", V), ("11", V), ("11 settembre", V),
        ("11.000", V), ("1", V), ("1,5", V), ("1.000.000", V), ("1º", P), ("11º", V),
        ("0", S), ("0,5", S),
        ("110", P), ("1100", P), ("1992", P), ("1.100", P), ("10", P), ("7", P), ("2008", P),
        ("XX secolo", P), ("I secolo", P), ("VIII secolo", V), ("XI", V), ("XIX", P), ("IX", P),
    ],
)  # fmt: skip
def test_numbers_are_said(figures: str, expected: Onset) -> None:
    assert onset(figures) is expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("FBI", V), ("NBA", V), ("SMS", V), ("HIV", V), ("ONU", V), ("USA", V), ("AIDS", V),
        ("DNA", P), ("CIA", P), ("BBC", P), ("NATO", P), ("UNESCO", V), ("ZTL", S), ("SPRAR", S),
        ("F-16", V), ("B-52", P), ("TV", P), ("UK", P), ("Cnr", P), ("FMI", P),
    ],
)  # fmt: skip
def test_abbreviations_are_spelled_or_read(word: str, expected: Onset) -> None:
    assert onset(word) is expected


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

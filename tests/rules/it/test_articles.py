import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.rules.it.writing import ARTICLES


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


def test_indefinite() -> None:
    forms = {
        gender: [ARTICLES.form("indefinite", gender, "s", word) for word in words.split()]
        for gender, words in (("m", "cane studente amico"), ("f", "casa storia idea"))
    }
    assert forms == {"m": ["un", "uno", "un"], "f": ["una", "una", "un'"]}


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


def test_con_stands_apart() -> None:
    assert ARTICLES.contract("con", "il") == "con il"
    assert not ARTICLES.contracts("con")
    assert ARTICLES.fit("col", "cane") == "col"
    assert ARTICLES.fit("col", "zio") == "con lo"


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


@pytest.mark.parametrize(
    ("word", "following", "gender", "number", "expected"),
    [
        ("quella", "avviso", "m", "s", "quell'"), ("dei", "donne", "f", "p", "delle"),
        ("un", "donna", "f", "s", "una"), ("questo", "idee", "f", "p", "queste"),
        ("uno", "amici", "m", "p", "un"), ("Il", "case", "f", "p", "Le"),
    ],
)  # fmt: skip
def test_gender_and_number_may_be_given(
    word: str, following: str, gender: str, number: str, expected: str
) -> None:
    assert ARTICLES.fit(word, following, gender, number) == expected


@given(
    st.sampled_from(["il", "della", "quegli", "un'", "nell'", "buon", "alcune", "coi"]),
    st.text(max_size=12),
)
def test_what_fits_is_left(word: str, following: str) -> None:
    fit = ARTICLES.fit(word, following)
    known = ARTICLES.split(fit)
    if known is not None:  # con lo is two words
        assert ARTICLES.fit(fit, following) == fit

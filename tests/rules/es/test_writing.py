"""Articles in prepositions, and accents before enclitics."""

import pytest

from corefmill.rules.es.writing import ARTICLES, before_enclitic


@pytest.mark.parametrize(
    ("preposition", "article", "written", "shown"),
    [("de", "el", "del", "l"), ("a", "el", "al", "l"), ("De", "la", "De la", "la"),
     ("con", "el", "con el", "el")],
)  # fmt: skip
def test_a_preposition_holds_el_alone(
    preposition: str, article: str, written: str, shown: str
) -> None:
    assert ARTICLES.contract(preposition, article) == written
    assert ARTICLES.visible_part(preposition.lower(), article) == shown


def test_articles_and_demonstratives_are_read() -> None:
    known = {word: ARTICLES.split(word) for word in ("Del", "unas", "aquella", "casa")}
    shown = {
        word: (one.preposition, one.family, one.readings[0].gender + one.readings[0].number)
        for word, one in known.items()
        if one is not None
    }
    assert shown == {
        "Del": ("de", "definite", "ms"),
        "unas": ("", "indefinite", "fp"),
        "aquella": ("", "yonder", "fs"),
    }


@pytest.mark.parametrize(
    ("kind", "verbs", "written"),
    [
        ("Inf", "ver oír", "ver oír"),
        ("Ger", "viendo mirando leyendo", "viéndo mirándo leyéndo"),
        ("Fin", "toma cuenta trae cuida oiga pon", "tóma cuénta tráe cuída óiga pon"),
    ],
)
def test_a_verb_has_its_accent_before_an_enclitic(kind: str, verbs: str, written: str) -> None:
    assert [before_enclitic(verb, kind) for verb in verbs.split()] == written.split()


@pytest.mark.parametrize(
    ("kind", "verb"), [("Inf", "mujeres"), ("Ger", "vieja"), ("Fin", "cuándo")]
)
def test_what_takes_no_enclitic(kind: str, verb: str) -> None:
    assert before_enclitic(verb, kind) is None

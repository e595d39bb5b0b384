"""The words of each language, and what numbers are."""

from __future__ import annotations

from importlib import resources

import pytest

from corefmill.builders.wec.facts import infoboxes, lexicon
from corefmill.builders.wec.facts.lexicon import roman

LANGUAGES = sorted(
    file.name.removesuffix(".toml")
    for file in resources.files("corefmill.builders.wec.facts").joinpath("words").iterdir()
    if file.name.endswith(".toml")
)


def test_every_language_with_a_table_of_infoboxes_has_words() -> None:
    assert infoboxes.shipped_languages() == LANGUAGES


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_table_is_whole_and_contradicts_itself_nowhere(lang: str) -> None:
    known = lexicon.load(lang)
    for name in ("function", "times", "happenings", "occasions", "deeds", "general", "parts"):
        assert getattr(known, name), name
    for name in ("ordinals", "hatnotes", "back_matter", "roles", "places", "months"):
        assert getattr(known, name), name
    assert not known.happenings & known.occasions
    assert not known.events & known.function
    assert not (known.parts | known.roles | known.places) & known.function


@pytest.mark.parametrize(
    ("lang", "text", "numbers"),
    [
        ("en", "39th Academy Awards", "39th=39."),
        ("en", "Flight 217", "217=217"),
        ("en", "Super Bowl XL, first half", "xl=40. first=1."),
        ("en", "I was at Vatican V", "v=5."),
        ("pl", "83. edycja, II wojna, trzeciego", "83=83 ii=2. trzeciego=3."),
        ("fr", "1re et 39e cérémonies", "1re=1. 39e=39."),
        ("nl", "1ste en 39e editie, derde", "1ste=1. 39e=39. derde=3."),
        ("es", "39ª edición, tercera", "39ª=39. tercera=3."),
        ("pt", "39ª edição, terceira", "39ª=39. terceira=3."),
        ("de", "dritte, XXXIX. Ausgabe", "dritte=3. xxxix=39."),
        ("it", "31ª edizione, la trentaduesima", "31ª=31."),
        ("it", "seconda edizione di 2", "seconda=2. 2=2"),
    ],
)
def test_numbers(lang: str, text: str, numbers: str) -> None:
    assert " ".join(map("=".join, lexicon.load(lang).numbers(text))) == numbers


def test_roman() -> None:
    words = ("iv", "xxxi", "mcmxc", "iiii", "", "cat")
    assert [roman(word) for word in words] == [4, 31, 1990, None, None, None]


def test_compounds_are_events_by_their_end() -> None:
    german = lexicon.load("de")
    assert german.is_event("flugzeugabsturz") and german.is_happening("flugzeugabsturz")
    assert german.is_event("musikfestival") and not german.is_happening("musikfestival")
    assert not lexicon.load("en").is_event("aftershock")

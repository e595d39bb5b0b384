import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.translate.delta.readability import (
    CLASSES,
    counts,
    level,
    score,
)
from corefmill.corpora.errors import UsageError

FIGURE_10 = "Era facile da gestire una volta che tutti capivano"


@pytest.mark.parametrize(
    ("text", "lang", "words", "syllables"),
    [
        # E-ra fa-ci-le da ge-sti-re u-na vol-ta che tut-ti ca-pi-va-no
        (FIGURE_10, "it", 9, 20),
        (FIGURE_10 + " .", "it", 9, 20),
        ("« Spiaggia », perché?", "it", 2, 4),
        ("The government is reading.", "en", 4, 7),
        ("11", "it", 1, 1),
        ("... !", "it", 0, 0),
    ],
)
def test_counts(text: str, lang: str, words: int, syllables: int) -> None:
    assert counts(text, lang) == (words, syllables)


def test_flesch_vacca_takes_syllables_per_hundred_words() -> None:
    assert score(FIGURE_10, "it") == pytest.approx(217 - 1.3 * 9 - 0.6 * 100 * 20 / 9)


def test_flesch_for_english() -> None:
    expected = 206.835 - 1.015 * 4 - 84.6 * 7 / 4
    assert score("The government is reading.", "en") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (-50, "<20"), (19.99, "<20"), (20, "20-40"), (40, "40-60"), (60, "60-80"),
        (80, "60-80"), (80.01, ">80"), (130, ">80"),
    ],
)  # fmt: skip
def test_edges_of_classes(value: float, expected: str) -> None:
    assert level(value) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_index_has_a_class(value: float) -> None:
    assert level(value) in CLASSES


@given(st.text(max_size=80), st.sampled_from(["it", "en"]))
def test_every_word_has_a_syllable(text: str, lang: str) -> None:
    words, syllables = counts(text, lang)
    assert syllables >= words
    if words:
        assert score(text, lang) <= 217


def test_a_text_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="without words"):
        score("...", "it")


def test_a_language_without_a_formula_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'fr'.*it, en"):
        score("Va.", "fr")

import pytest

from corefmill.builders.translate.readability import counts, level, readability

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


def test_flesch_and_flesch_vacca() -> None:
    assert readability(FIGURE_10, "it") == round(217 - 1.3 * 9 - 0.6 * 100 * 20 / 9, 2)
    english = 206.835 - 1.015 * 4 - 84.6 * 7 / 4
    assert readability("The government is reading.", "en") == round(english, 2)
    assert readability("...", "it") is None
    assert readability("Va.", "fr") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (-50, "<20"), (19.99, "<20"), (20, "20-40"), (40, "40-60"), (60, "60-80"),
        (80, "60-80"), (80.01, ">80"), (130, ">80"),
    ],
)  # fmt: skip
def test_edges_of_classes(value: float, expected: str) -> None:
    assert level(value) == expected

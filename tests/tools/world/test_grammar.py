"""What stands before a noun phrase, and its form, as a language's table has them."""

from __future__ import annotations

import pytest

from tools.world.dump import read_table
from tools.world.grammar import FromTable, Phrase, in_cases


@pytest.mark.parametrize(
    ("lang", "word", "phrase", "expected"),
    [
        ("de", "bei", Phrase.of("groß(e~en~en~e) Beben(~s)", "u"), "beim großen Beben"),
        ("de", "gen", Phrase.of("groß(e~en~en~e) Beben(~s)", "u"), "des großen Bebens"),
        ("de", "durch", Phrase.of("Anschlag(~s)"), "durch den Anschlag"),
        ("de", "nach", Phrase.of("Erdstöße(~~n)", "p"), "nach den Erdstößen"),
        ("de", "an+acc", Phrase.of("Finsternis", "f"), "an die Finsternis"),
        ("fr", "de", Phrase.of("séisme"), "du séisme"),
        ("fr", "de", Phrase.of("incendies", "p"), "des incendies"),
        ("fr", "à", Phrase.of("éclipse", "f"), "à l'éclipse"),
        ("fr", "de", Phrase.of("Arcelles", "fn"), "d'Arcelles"),
        ("fr", "", Phrase.of("inondation", "f"), "l'inondation"),
        ("es", "a", Phrase.of("terremoto"), "al terremoto"),
        ("es", "de", Phrase.of("llamas", "fp"), "de las llamas"),
        ("pt", "em", Phrase.of("chamas", "fp"), "nas chamas"),
        ("pt", "por", Phrase.of("atentado"), "pelo atentado"),
        ("nl", "van", Phrase.of("ongeluk", "u"), "van het ongeluk"),
        ("pl", "po", Phrase.of("trzęsieni(e~a~u~e~em~u) ziemi", "u"), "po trzęsieniu ziemi"),
        ("pl", "nad", Phrase.of("Kowalsk(i~iego~iemu~iego~im~im)", "n"), "nad Kowalskim"),
        ("pl", "na+acc", Phrase.of("gal(a~i~i~ę~ą~i)", "f"), "na galę"),
    ],
)
def test_a_phrase_behind_a_word(lang: str, word: str, phrase: Phrase, expected: str) -> None:
    grammar = FromTable(read_table(lang)["grammar"])
    assert grammar.before(word, phrase) + grammar.words(word, phrase) == expected


def test_endings_by_case() -> None:
    assert in_cases("Brand(~es) (1928)") == ("Brand (1928)", "Brandes (1928)")
    assert in_cases("Beben") == ("Beben",)
    assert in_cases("(a~b~c)x(d~e)") == ("axd", "bxe", "cxd")

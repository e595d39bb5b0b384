import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.rules.it.sounds import Onset, onset

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


@pytest.mark.parametrize("before", ['"', "«", "“", "(", "'", "‘", "...", " "])
def test_signs_before_the_word_are_silent(before: str) -> None:
    assert onset(before + "amico") is V
    assert onset(before + "studente") is S


@pytest.mark.parametrize("nothing", ["", "...", " ", "€", "_"])
def test_nothing_to_say_is_plain(nothing: str) -> None:
    assert onset(nothing) is P


@given(st.text(max_size=60))
def test_any_text_has_an_onset(text: str) -> None:
    assert onset(text) in Onset
    assert onset(text) is onset("«" + text)

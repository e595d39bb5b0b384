from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corefmill.builders.translation import coprocess
from corefmill.builders.translation.apertium import Apertium
from corefmill.corpora.errors import DataError, UsageError
from tests.builders.translation.fakes import fake


@pytest.fixture(scope="module")
def apertium() -> Iterator[Apertium]:
    try:
        translator = Apertium()
    except UsageError as error:
        pytest.skip(str(error))
    yield translator
    translator.close()


def test_translates_over_catalan(apertium: Apertium) -> None:
    assert apertium.name == "apertium eng-cat cat-ita"
    found = apertium.translate(["Marco was destroyed.", "", "Gabriella has arrived", " \n"])
    assert found == ["Marco fu distrutto.", "", "Gabriella è arrivata", ""]


def test_what_the_stream_reserves_is_text(apertium: Apertium) -> None:
    odd = [
        "[b] {c} ^d$ e/f @g \\ <h> *i #j +k",
        "].[0]",
        "^x<n><sg>/y<n>$",
        "\\[",
        "~ [~] \\~",
        "<STREAMCMD:FLUSH>",
        "[[",
        "Yes.[]",
        "日本語 العربية 😀",
        "...",
    ]
    found = apertium.translate(odd)
    assert found[1:7] == odd[1:7]
    assert found[0].startswith("[b] {c} ^d$ e/f @g \\ <h> *")
    assert found[7:] == ["Sì.[]", *odd[8:]]


def test_nul_line_breaks_and_half_characters_are_blanks(apertium: Apertium) -> None:
    assert apertium.translate(["the\0 house\n\tis\ud800 here"]) == ["la casa è qui"]


def test_a_long_text_goes_in_pieces(apertium: Apertium) -> None:
    found = apertium.translate(["The house. " * 300 + "x" * 4500])[0]
    assert found.count("La casa.") == 300
    assert found.replace(" ", "").count("x") == 4500


def test_unknown_words_are_counted(apertium: Apertium) -> None:
    assert apertium.unknown(["The xyzzyx and the qwrtz@*#", "The house", ""]) == [2, 0, 0]


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.text(st.characters() | st.sampled_from("[]{}^$/\\@<>~*#+.'\""), max_size=40)))
def test_any_texts_give_as_many_translations(apertium: Apertium, texts: list[str]) -> None:
    found = apertium.translate(["Marco.", *texts, "Gabriella."])
    assert len(found) == len(texts) + 2
    assert (found[0], found[-1]) == ("Marco.", "Gabriella.")
    # What came back belongs to what was sent: it is what each text gives with other neighbours.
    assert apertium.translate([*texts[::-1], "Marco."])[-2::-1] == found[1:-1]


def test_a_text_without_a_full_stop_is_cut(apertium: Apertium) -> None:
    found = apertium.translate(["x" * 30_000, "the house " * 1000, "Marco."])
    assert found[0].replace(" ", "") == "x" * 30_000
    assert found[1].count("casa") == 1000
    assert found[2] == "Marco."


def test_a_locale_that_is_not_installed_is_no_matter(
    apertium: Apertium, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    apertium.close()
    assert apertium.translate(["Gabriella has arrived"]) == ["Gabriella è arrivata"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if b'bad' in text: sys.exit('crash')", "ended with 1, 'crash'"),
        ("if b'bad' in text: import time; time.sleep(60)", "no answer for"),
        ("if b'bad' in text: text = b'other.[9]'", "another text's"),
        ("if b'bad' in text: text = b''", "one of its programs gave up"),
    ],
)
def test_a_text_that_it_fails_on_is_named_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, reason: str
) -> None:
    monkeypatch.setattr(coprocess, "_PATIENCE", 1.5)
    translator = Apertium(model=fake(tmp_path, monkeypatch, body))
    with pytest.raises(DataError, match=f"apertium fails on 'the bad dog': .*{reason}"):
        translator.translate(["a dog", "the bad dog", "dogs"])
    assert translator.translate(["a dog", "dogs"]) == ["a cane", "canes"]
    translator.close()


def test_programs_that_were_killed_start_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    translator = Apertium(model=fake(tmp_path, monkeypatch))
    assert translator.translate(["a dog"]) == ["a cane"]
    for process in translator._plain[0][0]._running[:1]:
        process.kill()
        process.wait()
    assert translator.translate(["a dog", "the dog"]) == ["a cane", "the cane"]
    translator.close()
    assert translator.translate(["dog"]) == ["cane"]
    translator.close()


def test_an_answer_of_nothing_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "text = text[text.rindex(b'['):]"
    translator = Apertium(model=fake(tmp_path, monkeypatch, body))
    with pytest.raises(DataError, match="answered nothing to 'a dog'"):
        translator.translate(["a dog"])
    translator.close()


def test_a_program_that_cannot_start_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    translator = Apertium(model=fake(tmp_path, monkeypatch))
    (tmp_path / "lt-proc").chmod(0o644)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="lt-proc does not start: Permission denied"):
        translator.translate(["a dog"])

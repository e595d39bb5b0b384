"""What the card says of readings by hand."""

from __future__ import annotations

from corefmill.builders.corpus import readings
from corefmill.corpora import beside


def test_a_reading_is_told_with_n_share_reader_and_date() -> None:
    said = readings.line("wikicrem-en", "clean")
    assert said.startswith("100: 70 and 70 % a person")
    assert said.endswith("by a language model in two runs, blind, 2026-11-24")


def test_what_was_not_read_says_so() -> None:
    assert readings.line("wikicrem-en", "paper") == readings.line("x", "clean") == readings.NONE


def test_every_reading_has_all_that_the_card_tells() -> None:
    for entry in beside.table(readings.__file__, "readings")["reading"]:
        assert set(entry) == {"corpus", "mode", "n", "share", "of", "by", "date"}

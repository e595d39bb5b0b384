"""What the card says of readings by a language model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.builders.corpus import card
from corefmill.builders.corpus.corpus import DEFAULT_FILTERS, Corpus
from corefmill.corpora import beside

READ = Corpus(
    name="wikicrem-en",
    title="t",
    lang="en",
    mode="clean",
    out=Path("out"),
    seed=0,
    licence="",
    attribution="",
    command="",
    pipeline="en_mini 0.2.0",
    facts={},
    limits=(),
    filters=DEFAULT_FILTERS,
)


def test_a_reading_is_told_with_reader_n_settings_date_and_share() -> None:
    (said,) = card._find_readings(READ).items()
    assert said[0] == "Read by a language model"
    assert said[1].startswith(
        "100 of wikicrem-en by en_mini 0.2.0 with the default filters, in novels and pages that no"
        " filter was made on, 2026-11-24: 70 % were good"
    )
    (with_least,) = card._find_readings(replace(READ, filters="--min-confidence 0.7")).values()
    assert "--min-confidence 0.7" in with_least and "82 to 86 %" in with_least


@pytest.mark.parametrize(
    "other",
    [
        {"mode": "paper"},
        {"name": "wikicrem-sv"},
        {"pipeline": "en_core_web_sm 3.8.0"},
        {"pipeline": "en_mini 0.3.0"},
        {"filters": ""},
        {"name": "wikicrem-en-validated"},
    ],
)
def test_a_reading_of_another_corpus_is_not_told(other: dict[str, str]) -> None:
    """The figures of en_mini stood on cards of corpora by spaCy's own pipelines."""
    assert card._find_readings(replace(READ, **other)) == {}


def test_every_reading_has_all_that_the_card_tells() -> None:
    for entry in beside.table(card.__file__, "readings")["reading"]:
        names = {"corpus", "mode", "pipeline", "filters", "n", "of", "date", "share"}
        assert set(entry) == names

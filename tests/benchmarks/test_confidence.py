"""The fit of confidence: a column for each language, and how many examples would be kept."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.confidence import (
    ENGLISH_PART,
    Draft,
    as_readings,
    english_part,
    known_weights,
    print_kept,
    print_worth,
)


def draft(lang: str, group: int, good: bool | None, by_rule: float) -> Draft:
    return Draft(lang, f"{lang}.txt", group, good, {"read_as_rival": by_rule, "rivals": 2.0})


def test_languages_have_a_column_each_and_one_alone_has_none() -> None:
    read = [draft("de", 0, True, 1), draft("pl", 0, False, 0)]
    both = as_readings(read, ["rivals"], ["de", "pl"])
    assert both.names == ["rivals", "de", "pl"]
    assert both.values.tolist() == [[2, 1, 0], [2, 0, 1]]
    assert both.right.tolist() == [True, False]
    assert both.texts.tolist() == ["de.txt", "pl.txt"]
    assert as_readings(read[:1], ["rivals"], ["de"]).values.tolist() == [[2]]


def test_weights_are_drawn_to_a_part_of_the_english_ones() -> None:
    read = [draft("de", 0, True, 1), draft("pl", 0, False, 0)]
    found = english_part(as_readings(read, ["read_as_rival", "rivals"], ["de", "pl"]))
    english = known_weights("en")["read_as_rival"]
    # To 0 where all readings are alike, and intercepts.
    assert found.tolist() == pytest.approx([ENGLISH_PART * english, 0, 0, 0])


def test_a_group_is_kept_once_by_its_surest_draft(capsys: pytest.CaptureFixture[str]) -> None:
    made = [draft("de", 0, None, 1), draft("de", 0, None, 0), draft("de", 1, None, 1)]
    print_kept(made, 0.0, {"read_as_rival": -0.2})
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "de: 2 groups of drafts, kept by rival_pronoun 1"
    assert "0.45: 2" in said and "0.5: 1" in said and "0.51: 0" in said


def test_the_rule_is_held_against_as_many_of_the_surest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    chances, right = np.array([0.9, 0.8, 0.5, 0.2]), np.array([True, True, False, False])
    print_worth("de", chances, np.array([True, False, True, False]), right)
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == ["de: 4 readings, 2 good", "area 1.000"]
    assert "0.6: 2 kept, 100.0% good" in said
    assert said[-1] == (
        "rival_pronoun: area 0.500, 2 kept, 50.0% good; of as many, the surest, 100.0%"
    )

"""The gender of right candidates, by the first word of the name."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import ModuleType

import pytest

from corefmill.builders.persons.gender import FORMS, Genders, GenderTally
from corefmill.builders.persons.table import load
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.finished import example


@pytest.mark.parametrize(
    ("lang", "name", "gender"),
    [
        ("en", "Susan", "female"),
        ("en", "SUSAN", "female"),
        ("en", "Susan Smith", "female"),
        ("en", "Mary", "female"),
        ("en", "Mr. John Smith", "male"),
        ("en", "Smith", "unknown"),
        ("en", "Aunt", "unknown"),  # an honorific alone has no first name
        ("en", "Andrea", "female"),
        ("it", "Andrea", "male"),  # the language decides
        ("xx", "Simone", "mostly_female"),  # a language without lists, the usage of all
        ("fr", "Édouard", "male"),  # listed without the accent of its capital
        ("en", "Zzz", "unknown"),
    ],
)
def test_a_name_has_a_gender(lang: str, name: str, gender: str) -> None:
    genders = Genders(lang, load("en"))
    assert genders.of(name) == genders.of(name) == gender


def named(name: str) -> MaskedExample:
    return replace(example(), candidates=(name, "Bob"))


def test_the_tally_counts_the_right_candidate() -> None:
    tally = GenderTally("en")
    for name in ("Mary", "Susan", "John", "Zzz"):
        tally.watch(named(name))
    tally.watch(replace(named("Mary"), label=None))
    assert tally.counts() == {"female": 2, "male": 1, "unknown": 1}
    section = tally.section()
    assert [line.split(" ")[1] for line in section if line.startswith("| ")] == ["gender", *FORMS]
    assert section[-1].startswith("Male or mostly male 1, female or mostly female 2; ")
    assert "= 2.00 " in section[-1]


def test_without_any_man_there_is_no_ratio() -> None:
    tally = GenderTally("en")
    tally.watch(named("Mary"))
    assert tally.section()[-1] == "Male or mostly male 0, female or mostly female 1."


def test_what_the_builder_found_counts_before_the_name() -> None:
    tally = GenderTally("en")
    for form, reason in (
        ("female", "honorific"),
        ("female", "mostly"),
        ("male", "mostly"),
        (None, "either"),
        (None, "unknown"),
    ):
        known = {} if form is None else {"gender": form}
        tally.watch(replace(named("John"), meta={**known, "gender_by": reason}))
    tally.watch(named("John"))  # of before such records were made
    assert tally.counts() == {
        "andy": 1,
        "female": 1,
        "male": 1,
        "mostly_female": 1,
        "mostly_male": 1,
        "unknown": 1,
        "by": {"either": 1, "honorific": 1, "mostly": 2, "unknown": 1},
    }
    assert "| mostly | 2 |" in tally.section()


def test_in_paper_mode_gender_guesser_counts_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Detector:
        def __init__(self, case_sensitive: bool) -> None:
            assert not case_sensitive

        def get_gender(self, name: str) -> str:
            return {"John": "mostly_male"}.get(name, "unknown")

    module = ModuleType("gender_guesser.detector")
    module.Detector = Detector  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "gender_guesser", ModuleType("gender_guesser"))
    monkeypatch.setitem(sys.modules, "gender_guesser.detector", module)
    tally = GenderTally("en", paper=True)
    tally.watch(named("Mr. John Smith"))
    assert tally.counts() == {"mostly_male": 1}
    assert "gender-guesser" in tally.section()[2]
    clean = GenderTally("en")
    clean.watch(named("Mr. John Smith"))
    assert clean.counts() == {"male": 1}


def test_in_paper_mode_without_gender_guesser_our_own_lists_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "gender_guesser.detector", None)
    tally = GenderTally("en", paper=True)
    tally.watch(named("John"))
    assert tally.counts() == {"male": 1}
    assert "gender-guesser" not in tally.section()[2]

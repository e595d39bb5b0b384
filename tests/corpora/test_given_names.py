"""The table of given names, and what it tells of a name."""

from __future__ import annotations

import pytest

from corefmill.corpora import given_names


@pytest.mark.parametrize(
    ("name", "lang", "gender"),
    [
        ("AnNa", None, "female"),
        ("john", "en", "male"),
        ("Andrea", "it", "male"),  # the language decides
        ("Andrea", "en", "female"),
        ("Jean", "fr", "male"),
        ("Jean", "en", "mostly_female"),
        ("Leslie", "en", "andy"),
        ("Smith", "en", "unknown"),  # a surname in one English list
        ("Billy", "en", "male"),  # of both in Faker's English lists, of one in ours
        ("Turiddu", "it", "male"),  # of our own Italian and Polish names
        ("Jagienka", "pl", "female"),
        ("Astrid", "nb", "female"),  # Bokmål has the Norwegian lists
        ("xyzzy", "en", "unknown"),
        ("", "en", "unknown"),
    ],
)
def test_a_name_has_a_gender(name: str, lang: str | None, gender: str) -> None:
    assert given_names.gender(name, lang) == gender


def test_a_language_without_the_name_takes_all_languages() -> None:
    assert given_names.gender("Turiddu", "pl") == given_names.gender("Turiddu", "xx") == "male"


def test_genders_of_all_languages() -> None:
    assert given_names.forms("Jean") == {"male", "female"}
    assert given_names.forms("Susan") == {"female"}
    assert given_names.forms("xyzzy") == set()


@pytest.mark.parametrize(
    ("name", "lang", "frequent"),
    [
        ("Harry", "en", True),
        ("Eustace", "en", False),  # in one list of the English-speaking countries
        ("Giulia", "it", True),  # there is one Italian list
        ("Harry", "it", False),
        ("Xyzzy", "en", False),
        ("Harry", "xx", False),
    ],
)
def test_how_frequent_a_name_is(name: str, lang: str, frequent: bool) -> None:
    assert given_names.is_frequent(name, lang) is frequent


def test_the_table_is_sorted_and_each_name_stands_once() -> None:
    names = list(given_names._table())
    assert len(names) > 20_000
    assert names == sorted(set(names))

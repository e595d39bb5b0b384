"""The list of given names says what the package says that it comes with."""

from __future__ import annotations

import pytest
from gender_guesser.detector import Detector

from corefmill.builders.persons import given_names

COUNTRIES = (None, "usa", "italy", "germany", "poland")


@pytest.mark.parametrize("country", COUNTRIES)
def test_every_name_has_the_gender_that_the_package_gives(country: str | None) -> None:
    detector = Detector(case_sensitive=False)
    ours = {name: given_names.gender(name, country) for name in detector.names}
    assert ours == {name: detector.get_gender(name, country) for name in detector.names}


def test_names_are_the_package_s_and_no_others() -> None:
    assert given_names._lines().keys() == Detector(case_sensitive=False).names.keys()


def test_capitals_make_no_difference_and_a_word_that_is_no_name_is_unknown() -> None:
    assert given_names.gender("AnNa") == given_names.gender("anna") == "female"
    assert given_names.gender("xyzzy") == "unknown"


def test_how_frequent_a_name_is_in_a_country() -> None:
    found = [given_names.frequency("Mary", country) for country in ("great_britain", "germany")]
    assert found == [9, 0]
    assert given_names.frequency("Harry", "usa") == 5
    assert given_names.frequency("Xyzzy", "usa") == 0

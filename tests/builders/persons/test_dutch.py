"""Dutch names: what stands between first name and surname is part of the name."""

from __future__ import annotations

import pytest

from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.name_filters import share_word
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.table import load
from corefmill.builders.persons.usage import Usage
from tests.builders.persons.documents import called, made, views
from tests.builders.wikicrem.passages import article

DUTCH = load("nl")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("[Jan van den Berg] kwam.", ["Jan van den Berg = Jan van den Berg"]),
        # The recogniser cut the name in two, or at its beginning.
        ("Toen kwam [Jan] van den [Berg].", ["Jan van den Berg = Jan van den Berg"]),
        ("Toen kwam Van den [Berg].", ["Van den Berg = van den Berg"]),
        ("Toen kwam De [Vries] binnen.", ["De Vries = de Vries"]),
        # A preposition.
        ("Dit is het boek van [Anna].", ["Anna = Anna"]),
        ("Van [Anna] kreeg hij niets.", ["Anna = Anna"]),
        # Behind an honorific the particle has a capital.
        (
            "Mevrouw Ter [Horst] riep meneer Van [Dam].",
            ["Mevrouw Ter Horst = mevrouw ter Horst", "meneer Van Dam = meneer van Dam"],
        ),
        ("[Van Dam] riep. Het was [Van Dams] hond.", ["Van Dam = van Dam", "Van Dams = van Dam"]),
        (
            "[Jan] riep. Het was [Jans] hond en [Anna's] kat.",
            ["Jan = Jan", "Jans = Jan", "Anna = Anna"],
        ),
        ("Hij liep door de [Kerkstraat] naar [Hans].", ["Hans = Hans"]),
    ],
)
def test_what_a_name_is_called(line: str, wanted: list[str]) -> None:
    assert called("nl", line) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("[Van Dam] zag [De Vries]. | Toen ging [Van Dam] weg.", ["Van Dam: [Van Dam] De Vries"]),
        ("[Anna] zag [Jan]. | Dit was [Jans] hond.", ["Jans: Annas [Jans]"]),
    ],
)
def test_examples(line: str, wanted: list[str]) -> None:
    assert made("nl", line) == wanted


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("Jan van den Berg", "Piet van den Heuvel", False),
        ("Jan van den Berg", "van den Berg", True),
        ("Anna de Vries", "Kees de Vries", True),
    ],
)
def test_particles_are_no_shared_words(one: str, other: str, shared: bool) -> None:
    (view, *_) = views("nl", "[Eva] zag [Bram]. | [Eva] ging.")
    assert share_word(view, one, other) is shared


def test_persons_are_told_by_the_last_word() -> None:
    text = "Anna van den Berg kwam. Toen riep Van den Berg. Piet van den Heuvel sliep."
    persons = Persons(Usage(article(text), [], DUTCH), Genders("nl", DUTCH))
    assert persons.same("Anna van den Berg", "van den Berg")
    assert persons.same("Anna", "van den Berg")
    assert not persons.same("Piet", "van den Berg")
    assert not persons.same("Anna van den Berg", "Piet van den Heuvel")
    assert persons.gender("van den Berg").form == "female"

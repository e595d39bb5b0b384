"""What a document says of its persons: their gender, and which names are one person's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.persons.gender import FORMS, Genders, GenderTally
from corefmill.builders.persons.persons import KnownGender, Persons
from corefmill.builders.persons.table import load
from corefmill.builders.persons.usage import Usage
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.finished import example
from tests.builders.wikicrem.passages import analysed, article


def persons(*texts: str, lang: str = "en") -> Persons:
    return Persons(Usage(article(*texts), []), Genders(lang, load(lang)))


@pytest.mark.parametrize(
    ("name", "text", "form", "reason"),
    [
        ("Mrs. Weston", "", "female", "honorific"),
        ("Sir Anne", "", "male", "honorific"),
        # A surname that the list of given names calls a man's.
        ("Lincoln", "", "male", "list"),
        ("Weston", "Weston lost her hat. " * 3, "female", "pronouns"),
        ("Qorl", "When Qorl ate, she slept. So did he. Qorl and she ran. Qorl fed her.", "female",
         "pronouns"),
    ],
)  # fmt: skip
def test_gender(name: str, text: str, form: str | None, reason: str) -> None:
    assert persons(text).gender(name) == KnownGender(form, reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text", "form", "reason"),
    [
        # The list calls Bertie a woman's; Albert and Herbert are men's.
        ("Bertie", "", "male", "list"),
        ("Bertie Lane", "", "male", "given name"),
        # Of George or of Georgiana; of Henry or of Henrietta, but listed as a man's alone.
        ("Harry Lane", "Harry lost her hat. " * 3 + "Harry Lane!", "female", "pronouns"),
        # Three pronouns are enough for a surname, and not against a given name.
        ("Dick", "Dick saw her. " * 3, "male", "list"),
        ("Dick", "Dick lost his hat. " * 3, "male", "pronouns"),
    ],
)
def test_gender_of_pet_forms(name: str, text: str, form: str | None, reason: str) -> None:
    assert persons(text).gender(name) == KnownGender(form, reason)  # type: ignore[arg-type]


def test_gender_in_italian() -> None:
    seen = persons("La signora Rossi vide don Verdi.", lang="it")
    assert seen.gender("Rossi") == KnownGender("female", "honorific")
    assert seen.gender("Verdi") == KnownGender("male", "honorific")
    assert seen.are_opposed("Rossi", "Verdi")


def test_a_frequent_given_name_is_not_contradicted_by_a_few_pronouns() -> None:
    seen = persons(
        "Marianna vide Carlo ed egli tacque. " + "Marianna pianse, ed egli tacque. " * 3, lang="it"
    )
    assert seen.gender("Marianna") == KnownGender("female", "list")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Emma", "Miss Lane", True),
        ("Susan", "Miss Lane", False),
        ("Will Hill", "William Mill", False),
        ("Bill Hill", "William Hill", True),
        ("Emma Lane", "Susan Lane", False),
        ("Emma", "Susan", False),
        ("Lane", "Emma", True),
    ],
)
def test_one_person_under_two_names(one: str, other: str, same: bool) -> None:
    seen = persons(
        "Emma Lane was young, Susan Lane was not, and Emma Lane left."
        " It was Nobbs, also known as “Zed”."
    )
    assert seen.same(one, other) is seen.same(other, one) is same


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Nobbs, called Zed, left.", True),
        ("Nobbs (also called Zed) left.", True),
        ("Nobbs had named Zed.", False),
        ("Nobbs, who called Zed, left.", False),
        ("Nobbs, called Zeddy, left.", False),
    ],
)
def test_whoever_calls_somebody_is_somebody_else(text: str, same: bool) -> None:
    assert persons(text).same("Nobbs", "Zed") is same


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


def usage(*texts: str, read: str = "") -> Usage:
    return Usage(article(*texts), [analysed(read)])


def test_the_share_of_places_where_a_name_is_called_a_person() -> None:
    seen = usage(read="[Ann] and [Ann Day] saw Ann, Anne and Ann-Marie. | Bob came.")
    assert seen.person_share("Ann") == 2 / 4
    assert seen.person_share("Bob") == 0
    assert seen.person_share("Cyd") == 1  # nothing tells

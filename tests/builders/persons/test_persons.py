"""What a document says of its persons: their gender, and which names are one person's."""

from __future__ import annotations

import pytest

from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.persons import KnownGender, Persons
from corefmill.builders.persons.table import load
from corefmill.builders.persons.usage import Usage
from tests.builders.wikicrem.passages import article


def persons(*texts: str, lang: str = "en") -> Persons:
    return Persons(Usage(article(*texts), []), Genders(lang, load(lang)))


@pytest.mark.parametrize(
    ("name", "text", "form", "reason"),
    [
        ("Mrs. Weston", "", "female", "honorific"),
        ("Sir Anne", "", "male", "honorific"),
        ("Professor Lady Lane", "", "female", "honorific"),
        # A surname that the list of given names calls a man's.
        ("Weston", "Anne Weston came.", "female", "given name"),
        ("Weston", "“Mrs. Weston!” cried Weston.", "female", "honorific"),
        ("Weston", "Mr. Weston saw Mrs. Weston.", None, "either"),
        ("Weston", "Anne Weston saw John Weston.", None, "either"),
        ("Weston", "", None, "unknown"),  # of one list of given names, and of surnames
        ("Lincoln", "", "male", "list"),
        ("Weston", "Weston lost her hat. " * 3, "female", "pronouns"),
        ("Emma", "Emma Lane left.", "female", "given name"),
        ("Emma Lane", "", "female", "given name"),
        ("Dr. Lane", "Mrs. Lane and Dr. Lane.", None, "unknown"),
        ("Dr. Lane", "Dr. Susan Lane", "female", "given name"),
        ("Qorl", "Will Qorl go? They will, they will.", None, "unknown"),
        ("Qorl", "", None, "unknown"),
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
        ("Mary Lane", "", "female", "given name"),
        # Of George or of Georgiana; of Henry or of Henrietta, but listed as a man's alone.
        ("Georgie", "", None, "either"),
        ("Georgie Lane", "", None, "either"),
        ("Georgie", "Georgie lost his hat. " * 3, "male", "pronouns"),
        ("Georgie Lane", "Georgie lost his hat. " * 3 + "Georgie Lane!", "male", "pronouns"),
        ("Harry Lane", "", "male", "mostly"),
        ("Harry Lane", "Harry lost her hat. " * 3 + "Harry Lane!", "female", "pronouns"),
        # Three pronouns are enough for a surname, and not against a given name.
        ("Dick", "Dick saw her. " * 3, "male", "list"),
        ("Dick", "Dick saw her. " * 11, "male", "list"),
        ("Dick", "Dick lost her hat. " * 12, "female", "pronouns"),
        ("Dick", "Dick lost his hat. " * 3, "male", "pronouns"),
    ],
)
def test_gender_of_pet_forms(name: str, text: str, form: str | None, reason: str) -> None:
    assert persons(text).gender(name) == KnownGender(form, reason)  # type: ignore[arg-type]


def test_an_aunt_and_a_niece_who_meet_in_sentences_are_two() -> None:
    named = "Emma Lane came. Emma Lane went. " * 2
    for times, same in ((4, True), (5, False)):
        seen = persons(named + "Miss Lane looked at Emma, and Mr. Hill left. " * times)
        assert seen.same("Emma", "Miss Lane") is same, times
    apart = "Emma was late. Miss Lane was not. "
    assert persons(named + apart * 9).same("Emma", "Miss Lane")
    seldom = "Miss Lane looked at Emma. " * 5 + "Miss Lane left. " * 50
    assert persons(named + seldom).same("Emma", "Miss Lane")


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


def test_what_a_record_holds_of_it() -> None:
    assert KnownGender("male", "list").as_meta() == {"gender": "male", "gender_by": "list"}
    assert KnownGender(None, "either").as_meta() == {"gender_by": "either"}


def test_names_are_opposed_where_both_genders_are_known() -> None:
    seen = persons("")
    assert seen.are_opposed("Mr. Lane", "Emma") and seen.are_opposed("Emma", "Mr. Lane")
    assert not seen.are_opposed("Mr. Lane", "Qorl") and not seen.are_opposed("Emma", "Susan")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Emma", "Miss Lane", True),
        ("Susan", "Miss Lane", False),
        ("Emma", "Mrs. Lane", False),
        ("Mr. Hill", "Hill", True),
        ("Mrs. Lane", "Miss Lane", False),
        ("Dr. Lane", "Mr. Lane", True),
        ("Will", "Bill", True),
        ("Will Hill", "William", True),
        ("Will Hill", "William Mill", False),
        ("Bill Hill", "William Hill", True),
        ("Qorlsey", "Qorlstan", True),
        ("Mary", "Marian", False),
        ("Nobbs", "Zed", True),
        ("Zed", "Will", False),
        ("Emma", "Mr. Lane", False),
        ("Emma Lane", "Emma", True),
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
        ("Nobbs was known as Zed.", True),
        ("Nobbs called Zed back.", False),
        ("Nobbs had named Zed.", False),
        ("Nobbs, who called Zed, left.", False),
        ("Nobbs, called Zeddy, left.", False),
    ],
)
def test_whoever_calls_somebody_is_somebody_else(text: str, same: bool) -> None:
    assert persons(text).same("Nobbs", "Zed") is same

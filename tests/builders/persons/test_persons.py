"""What a document says of its persons: their gender, and which names are one person's."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from corefmill.builders.persons import table
from corefmill.builders.persons.gender import Genders, GenderTally
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
        ("Weston", "Anne Weston came.", "female", "given name"),
        ("Weston", "Mr. Weston saw Mrs. Weston.", None, "either"),
        ("Weston", "Anne Weston saw John Weston.", None, "either"),
        ("Weston", "", None, "unknown"),  # of one list of given names, and of surnames
        ("Lincoln", "", "male", "list"),
        ("Weston", "Weston lost her hat. " * 3, "female", "pronouns"),
        ("Dr. Lane", "Mrs. Lane and Dr. Lane.", None, "unknown"),
        ("Qorl", "Will Qorl go? They will, they will.", None, "unknown"),
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
        ("Georgie", "", None, "either"),
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


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Emma", "Miss Lane", True),
        ("Susan", "Miss Lane", False),
        ("Emma", "Mrs. Lane", False),
        ("Mrs. Lane", "Miss Lane", False),
        ("Dr. Lane", "Mr. Lane", True),
        ("Will", "Bill", True),
        ("Will Hill", "William Mill", False),
        ("Bill Hill", "William Hill", True),
        ("Qorlsey", "Qorlstan", True),
        ("Mary", "Marian", False),
        ("Nobbs", "Zed", True),
        ("Zed", "Will", False),
        ("Emma", "Mr. Lane", False),
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
        ("Nobbs called Zed back.", False),
        ("Nobbs had named Zed.", False),
        ("Nobbs, who called Zed, left.", False),
        ("Nobbs, called Zeddy, left.", False),
    ],
)
def test_whoever_calls_somebody_is_somebody_else(text: str, same: bool) -> None:
    assert persons(text).same("Nobbs", "Zed") is same


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
    rows = [line for line in section if line.startswith("| ")]
    assert rows == ["| gender | examples |", "| male | 1 |", "| female | 2 |", "| unknown | 1 |"]
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


def usage(*texts: str, read: str = "") -> Usage:
    return Usage(article(*texts), [analysed(read)])


def test_the_share_of_places_where_a_name_is_called_a_person() -> None:
    seen = usage(read="[Ann] and [Ann Day] saw Ann, Anne and Ann-Marie. | Bob came.")
    assert seen.person_share("Ann") == 2 / 4
    assert seen.person_share("Bob") == 0
    assert seen.person_share("Cyd") == 1  # nothing tells


def test_only_prose_counts_as_use() -> None:
    made = article("Ann left.", "They saw Ann.")
    made.paragraphs[1].kind = "list"
    assert not Usage(made, []).within_sentence("Ann")


@pytest.mark.parametrize("lang", ["en", "pl"])
def test_capitals_find_what_a_search_of_the_whole_text_finds(lang: str) -> None:
    text = (
        "Ann saw Annie. McAnn, d'Artagnan and Ann-Marie met iAnn; Ann's Ann_ is (Ann). Éva, Anna B."
        " \U0001e900\U0001e922 met Mrs. Ann and the ann of Old Ann"
    )
    seen = Usage(article(text), [], table.load(lang))
    names = ("Ann", "Éva", "d'Artagnan", "Ann-Marie", "Mrs. Ann", "B.", "ann", "Anna B")
    for name in (*names, "\U0001e900\U0001e922", "Artagnan", "Old Ann", "Nobody"):
        spans = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
        assert [*seen._at(name, text)] == [start for start, _ in spans], name

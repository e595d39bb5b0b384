"""What shows that a page is about a person: its language's table, or signs in any language."""

from __future__ import annotations

import pytest

from corefmill.builders.run.stages import Context, Out
from corefmill.builders.wiki.known_persons import FindPersons, hash_title
from corefmill.builders.wiki.person_signs import begins_with_given_name, is_person, sign_of_person
from tests.builders.wiki.dump.dump_writer import page
from tests.builders.wiki.dump.test_pages import chunk

LIFE = "'''Ana Pop''' ([[5 mai]] [[1813]], Vesk – 11 noiembrie 1855) a scris."


@pytest.mark.parametrize(
    ("title", "text", "sign"),
    [
        ("Ana Pop", "{{Infocaseta\n| nume = Ana\n| Data nașterii = 5 mai\n}}\nText.", "parameter"),
        ("Ana Pop", "{{X|birth_date={{b|1813|5|5}}}} Text.", "parameter"),
        ("Ana Pop", "{{X\n|дата_рождения = 5 мая\n}}", "parameter"),
        ("Ana Pop", LIFE, "years"),
        ("Ana Pop", "'''Ana Pop''' (1813–1855). [[C:N 1813]] [[C:D 1855]]", "years"),
        ("Ana Pop", "'''Ana Pop''' (n. 5 mai 1813). [[C:N 1813]]", "years"),
        ("Ana Pop", "'''Ana Pop''' (n. 1813). {{DEFAULTSORT:Pop, Ana}}", "sort key"),
        ("Ána Pöp", "'''Ána Pöp''' (n. 1813). [[C:Scriitori|Pop, Ana]]", "sort key"),
        ("ანა პოპი", "'''ანა პოპი''' (5 მაისი, 1813 — 11 ნოემბერი, 1855)", "years"),
        ("آنا", "'''آنا''' (۵ مه ۱۸۱۳ – ۱۱ نوامبر ۱۸۵۵)", "years"),
        ("安娜", "'''安娜'''（1813年5月5日 - 1855年11月11日）", "years"),
    ],
)
def test_a_person(title: str, text: str, sign: str) -> None:
    assert sign_of_person(title, text, "zxx") == sign


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Ana Pop", ""),
        ("Ana Pop", "{{X| birth_date = }} Text."),
        ("Războiul", "'''Războiul''' (1914–1918) a fost. [[C:1914]] [[C:1918]]"),
        ("Regatul", "'''Regatul''' (5 mai 1213 – 6 mai 1813) a fost."),
        ("Muntele Vesk", "'''Muntele Vesk''' (n. 1813). {{DEFAULTSORT:Vesk, Muntele}}"),
        ("The Vesks", "'''The Vesks''' (1965). {{DEFAULTSORT:Vesks, The}}"),
        ("Vesk", "{{Coord|1|2}} '''Vesk''' (5 mai 1813 – 6 mai 1855) a fost un oraș."),
        ("Film", "'''Film''' (5 mai 1999). [[C:Filme 1999]]"),
    ],
)
def test_no_person(title: str, text: str) -> None:
    assert sign_of_person(title, text, "zxx") == ""


def test_the_table_of_a_language_comes_first() -> None:
    assert sign_of_person("Ana Pop", f"{LIFE} [[Categorie:Nașteri în 1813]]", "ro") == "table"


def test_what_the_table_takes_for_a_thing_is_none_whatever_its_years() -> None:
    assert sign_of_person("Ana Pop", "{{Infobox film}} " + LIFE, "en") == ""


# What the table of a language says, by categories and templates alone.


PERSONS = {
    "en": (
        "1815 births|1852 deaths|Living people|People from London|Fictional English people",
        "Infobox person|infobox_officeholder| Infobox basketball player ",
    ),
    "it": ("Nati nel 1815|Morti a Londra|Personaggi de I promessi sposi", "Bio|Artista_musicale"),
}
THINGS = {
    "en": "Infobox settlement|Infobox film|speciesbox|Coord",
    "it": "Divisione amministrativa|Film|tassobox",
}


@pytest.mark.parametrize("lang", PERSONS)
def test_categories_and_templates(lang: str) -> None:
    for category in PERSONS[lang][0].split("|"):
        assert is_person(["English mathematicians", category], [], lang) is True, category
    for template in PERSONS[lang][1].split("|"):
        assert is_person([], ["Short description", template], lang) is True, template
    for template in THINGS[lang].split("|"):
        categories = ["Articles with short description"]
        assert is_person(categories, ["Short description", template], lang) is False, template


@pytest.mark.parametrize(
    ("categories", "templates", "lang"),
    [
        ([], [], "en"),
        (["Counties of England"], ["Short description", "Reflist"], "en"),
        (["Birthsites"], [], "en"),
        (["Living people's rights"], [], "en"),
        (["Fiumi d'Italia"], ["Biografie"], "it"),
        (["1815 births"], ["Infobox person"], "it"),
    ],
)
def test_nothing_tells(categories: list[str], templates: list[str], lang: str) -> None:
    assert is_person(categories, templates, lang) is None


def test_a_redirect_to_a_part_of_a_person_s_article_is_no_person() -> None:
    ann, pop = hash_title("Ann Pop"), hash_title("Pop")
    pages = (
        page("Ann Pop", "{{X|birth_date=1813}} '''Ann Pop''' met [[James Vesk|him]]."),
        page("Pop", "#REDIRECT [[Ann Pop]]"),
        page("House of Pop", "#REDIRECT [[Ann Pop#House]]"),
    )
    found = list(FindPersons("en")(iter([chunk(*pages)]), Context(0, 0)))
    linked = {"linked": [hash_title("James Vesk")], "surnames": [hash_title("vesk")]}
    persons = {"titles": [ann], "persons": [ann], "redirects": [pop], "targets": [ann]}
    assert found == [Out("titles", persons | linked)]


@pytest.mark.parametrize(
    ("title", "lang", "is_name"),
    [
        ("James Vesk", "en", True),
        ("James T. Vesk", "en", True),
        ("James George Vesk", "en", True),
        ("James Street Vesk", "en", False),
        ("James FC", "en", False),
        ("James", "en", False),
        ("Jan Vesk", "en", False),
        ("Vesk James", "en", False),
        ("James of Vesk", "en", False),
        ("Αριστείδης Βεσκ", "el", True),
        ("Δήμος Βεσκ", "el", False),
        ("", "en", False),
    ],
)
def test_a_title_of_a_given_name_and_a_surname(title: str, lang: str, is_name: bool) -> None:
    assert begins_with_given_name(title, lang) is is_name

"""German and Dutch names: genitives, articles, particles and nouns with a capital."""

from __future__ import annotations

import pytest

from corefmill.builders.persons.name_filters import (
    part_of_longer_name,
    seldom_person,
)
from corefmill.builders.wikicrem.filters import joined, relative_clause
from tests.builders.persons.documents import called, made, named, persons, views


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("[Anna] kam. Das war [Annas] Buch.", ["Anna = Anna", "Annas = Anna"]),
        # An apostrophe is not the name's.
        ("[Anna] kam. Das war [Anna's] Buch.", ["Anna = Anna", "Anna = Anna"]),
        # No genitive of a name that the document has not.
        # The surname, not Peter's.
        # Who of the two this is nobody knows.
        (
            "[Eva Kern] las. Es war [Eva Kerns] Brief.",
            ["Eva Kern = Eva Kern", "Eva Kerns = Eva Kern"],
        ),
        # Forms of old novels.
        (
            "[Charlotte] ging. Er sah [Charlotten] in [Charlottens] Zimmer.",
            ["Charlotte = Charlotte", "Charlotten = Charlotte", "Charlottens = Charlotte"],
        ),
        # Honorifics.
        # A noun beside a genitive is no part of the name.
        ("[Caspar] kam. Groß war [Schreck Caspars].", ["Caspar = Caspar", "Caspars = Caspar"]),
        (
            "[Carl Fink] kam. Dort war [Fink]. Das ist [Carl Finks Haus].",
            ["Carl Fink = Carl Fink", "Fink = Fink", "Carl Finks = Carl Fink"],
        ),
        # Articles are masked with the name, and no part of it.
        # "von" behind an honorific or a first name, and as a preposition.
        ("Da ging [Lotte] von [Stein].", ["Lotte von Stein = Lotte von Stein"]),
        ("Es war ein Brief von [Anna].", ["Anna = Anna"]),
        # Two that the recogniser takes for one, and one that is one.
        # Compounds are no persons.
        ("Der [Gedanke] an [Anna] blieb.", ["Anna = Anna"]),
    ],
)
def test_what_a_name_is_called(line: str, wanted: list[str]) -> None:
    assert called("de", line) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("[Anna] sah [Peter]. | Das war [Annas] Buch.", ["Annas: [Annas] Peters"]),
        ("[Anna] sah [Peter]. | Dann ging der [Peter] heim.", ["der Peter: Anna [Peter]"]),
        ("[Peters] Frau sah [Max]. | Dann ging [Peter] heim.", ["Peter: [Peter] Max"]),
        (
            "Herr [Kern] sah Frau [Lenz]. | Man rief Herrn [Kern].",
            ["Herrn Kern: [Herrn Kern] Frau Lenz"],
        ),
    ],
)
def test_examples_show_all_candidates_in_one_case(line: str, wanted: list[str]) -> None:
    assert made("de", line) == wanted


def test_a_compound_with_a_name_is_not_the_name() -> None:
    (view, *_) = views("de", "[Goethe] sah [Anna]. | [Goethe] ging zum Goethe-Haus.")
    assert part_of_longer_name(view)
    (view, *_) = views("de", "[Goethe] sah [Anna]. | Das [Goethe]-Jahr begann.")
    assert joined(view)
    (view, *_) = views("de", "[Goethe] sah [Anna]. | [Goethe] ging in die Goethestraße.")
    assert not part_of_longer_name(view)


@pytest.mark.parametrize(
    ("line", "stopped"),
    [
        ("[Anna] sah [Peter]. | Da ging [Anna], die ihn kannte, fort.", True),
        ("[Anna] sah [Peter]. | Da ging [Anna], mit der er sprach, fort.", True),
        # Without a comma it is an article.
        ("[Anna] sah [Peter]. | Da gab [Anna] dem Kind ein Buch.", False),
        ("[Anna] sah [Peter]. | Da ging [Anna] mit dem Kind fort.", False),
    ],
)
def test_a_relative_clause_stands_behind_a_comma(line: str, stopped: bool) -> None:
    (view, *_) = views("de", line)
    assert relative_clause(view) is stopped


def test_names_that_touch_by_chance_are_two_persons() -> None:
    apart = "Dort sah Anna den Wald. Hier sah Peter ihn. " * 30
    known = persons("de", apart, "Ich weiß, daß Anna Peter liebt.")
    assert known.gender("Peter").form == "male"
    assert not known.same("Anna", "Peter")
    assert persons("de", apart, "Anna Holm kam. " * 3 + "Holm ging. " * 9).same("Anna", "Holm")


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Dann lag Annas Hut dort.", ["Anna"]),
        ("Dann nahm er [Annas Hand].", ["Anna"]),
        ("Dann kam die Tobsucht Annas.", ["Anna"]),
        ("Dann kam Herr Anna.", ["Herr Anna"]),
        ("Dann kam Klara Anna.", []),
    ],
)
def test_a_noun_beside_a_name_is_no_part_of_it(line: str, names: list[str]) -> None:
    assert named("de", "[Anna] kam. Es war [Anna]. Da ging [Anna].", line) == names


def test_a_recogniser_may_leave_out_what_stands_before_a_surname() -> None:
    line = "Herr von [Tann] sah [Anna]. | Dann kam Herr von [Tann]."
    (view, *_) = views("de", line)
    assert view.candidates == ("Herr von Tann", "Anna") and not seldom_person(view)
    (view, *_) = views("de", line, "von Tann. " * 3)
    assert seldom_person(view)


def test_a_noun_before_a_given_name_makes_it_no_surname() -> None:
    known = persons("de", "Dort ging Walter. " * 10, "Da kam die Tobsucht Walters. " * 2)
    assert known.gender("Walter").form == "male"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("[Jan van den Berg] kwam.", ["Jan van den Berg = Jan van den Berg"]),
        # The recogniser cut the name in two, or at its beginning.
        ("Toen kwam [Jan] van den [Berg].", ["Jan van den Berg = Jan van den Berg"]),
        # A preposition.
        # Behind an honorific the particle has a capital.
        (
            "[Jan] riep. Het was [Jans] hond en [Anna's] kat.",
            ["Jan = Jan", "Jans = Jan", "Anna = Anna"],
        ),
        ("Hij liep door de [Kerkstraat] naar [Hans].", ["Hans = Hans"]),
    ],
)
def test_what_a_dutch_name_is_called(line: str, wanted: list[str]) -> None:
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

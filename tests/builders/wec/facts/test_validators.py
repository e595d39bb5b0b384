"""What titles and fields pass, ours and the paper's."""

from __future__ import annotations

import pytest

from corefmill.builders.wec.facts.infoboxes import load
from corefmill.builders.wec.facts.validators import (
    TitleAndFields,
    date_span,
    edition,
    location,
    title_with_date,
)
from corefmill.builders.wec.paper import title_with_date as paper_title_with_date


def seen(title: str, lang: str = "en", **fields: str) -> TitleAndFields:
    table = load(lang)
    return TitleAndFields(title, fields, table.words, table.fields)


@pytest.mark.parametrize(
    "title",
    [
        "Miss Universe 1981",
        "1066 Awards",
        "83rd Academy Awards",
        "1st Grammy Awards",
        "2nd Golden Globes",
        "11th G8 summit",
        "Super Bowl XLIX",
        "Rock in Rio III",
        "Live at Home II",
        "Second Continental Congress",
        "Twenty-first Amendment Day",
        "Congress of Sports I",
        "Woodstock '94: 25th anniversary",
        "WrestleMania X (concert)",
        "Festival IV, part two",
    ],
)
def test_a_title_with_a_date(title: str) -> None:
    assert title_with_date(seen(title))


@pytest.mark.parametrize(
    "title",
    [
        "Academy Awards",
        "MC Hammer Award",  # MC is 1100
        "CD Awards",
        "DC Festival",
        "MM Prize",
        "I Am a Singer",
        "V Festival",
        "Malcolm X Award",
        "Vitamin C Prize",
        "IIII Festival",
        "VX Awards",
        "1990s Awards",
        "3000 Prize",
        "Big 10 Conference",
        "Award 12345",
        "Liv Award",
        "CC Awards",
        "X-Factor Contest",
    ],
)
def test_a_title_without_one(title: str) -> None:
    assert not title_with_date(seen(title))


@pytest.mark.parametrize(
    ("lang", "title"),
    [
        ("it", "54º Festival di Sanremo"),
        ("it", "LIV Festival di Sanremo"),
        ("it", "V Congresso del Partito"),
        ("it", "Prima conferenza di Londra"),
        ("de", "54. Verleihung der Preise"),
        ("de", "Dritter Parteitag"),
        ("fr", "54e cérémonie des César"),
        ("fr", "1re cérémonie des César"),
        ("fr", "Deuxième congrès"),
        ("es", "54.ª edición de los Premios Goya"),
        ("es", "X Cumbre Iberoamericana"),
        ("pt", "7ª reunião de cúpula do G20"),
        ("nl", "54e uitreiking"),
        ("nl", "1ste uitreiking"),
    ],
)
def test_titles_of_other_languages(lang: str, title: str) -> None:
    assert title_with_date(seen(title, lang))


@pytest.mark.parametrize(
    ("lang", "title"),
    [
        ("it", "I Festival"),
        ("it", "Festival di Sanremo"),
        ("de", "X Factor"),
        ("es", "I Love Fest"),
    ],
)
def test_titles_of_other_languages_without_one(lang: str, title: str) -> None:
    assert not title_with_date(seen(title, lang))


def test_a_span_of_a_month() -> None:
    assert date_span(seen("An attack", date="11 March 2011"))
    assert date_span(seen("An attack", date="1 March – 1 April 2011"))
    assert not date_span(seen("An attack", date="1 March – 2 April 2011"))
    assert not date_span(seen("The attacks of 1915", date="1914–1923"))


def test_start_and_end_outrank_the_date() -> None:
    assert not date_span(
        seen("A", date="1 May 2011", startdate="1 May 2011", enddate="9 July 2011")
    )
    assert date_span(
        seen("A", startdate="{{start date|2011|5|1}}", enddate="{{end date|2011|5|3}}")
    )
    assert date_span(seen("A", startdate="1 May 2011", enddate=""))


def test_without_a_date_the_title_tells() -> None:
    assert date_span(seen("Bombing of 1944", date="unknown"))
    assert date_span(seen("Bombing of 1944"))
    assert not date_span(seen("Bombings", date=""))


def test_an_edition() -> None:
    assert edition(seen("2005 Cannes Film Festival", founded="1946"))
    assert edition(seen("Yalta Conference", date="4–11 February 1945"))
    assert not edition(seen("Sundance Film Festival", date="", founded="1978"))
    assert not edition(seen("Glastonbury", dates="21–25 June 2023", founded="1970"))
    assert edition(seen("Woodstock", dates="August 15–18, 1969", founded="<!-- no -->"))
    assert not edition(seen("A long one", date="May – August 1969"))


def test_a_location() -> None:
    assert location(seen("x", location="[[London]]"))
    assert not location(seen("x", location=" <!-- where? --> <br/>"))
    assert not location(seen("x", location="–"))
    assert not location(seen("x"))


@pytest.mark.parametrize(
    ("title", "passes"),
    [
        ("83rd Academy Awards", False),  # no 1st, 2nd, 3rd
        ("84th Academy Awards", True),
        ("104th Academy Awards", True),  # the last two digits
        ("Miss Universe 1981", True),
        ("Miss Universe 1881", False),  # no other century
        ("MC Awards", True),
        ("I Awards", True),
        ("Awards", False),
    ],
)
def test_the_papers_titles(title: str, passes: bool) -> None:
    assert paper_title_with_date(title) is passes

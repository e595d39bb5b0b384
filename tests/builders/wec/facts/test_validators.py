"""What titles and fields pass, ours and the paper's."""

from __future__ import annotations

import pytest

from corefmill.builders.wec.facts.infoboxes import load
from corefmill.builders.wec.facts.validators import (
    Day,
    TitleAndFields,
    date_span,
    days,
    edition,
    location,
    title_with_date,
    within_a_month,
)


def seen(title: str, lang: str = "en", **fields: str) -> TitleAndFields:
    table = load(lang)
    return TitleAndFields(title, fields, table.words, table.fields)


@pytest.mark.parametrize(
    "title",
    [
        "83rd Academy Awards",
        "11th G8 summit",
        "Super Bowl XLIX",
        "Rock in Rio III",
        "Second Continental Congress",
        "Twenty-first Amendment Day",
        "Congress of Sports I",
        "Festival IV, part two",
    ],
)
def test_a_title_with_a_date(title: str) -> None:
    assert title_with_date(seen(title))


@pytest.mark.parametrize(
    "title",
    [
        "MC Hammer Award",  # MC is 1100
        "MM Prize",
        "I Am a Singer",
        "V Festival",
        "Malcolm X Award",
        "IIII Festival",
        "VX Awards",
        "1990s Awards",
        "Big 10 Conference",
        "CC Awards",
        "X-Factor Contest",
    ],
)
def test_a_title_without_one(title: str) -> None:
    assert not title_with_date(seen(title))


@pytest.mark.parametrize(
    ("lang", "title", "dated"),
    [
        ("it", "54º Festival di Sanremo", True),
        ("it", "LIV Festival di Sanremo", True),
        ("it", "Prima conferenza di Londra", True),
        ("de", "Dritter Parteitag", True),
        ("fr", "54e cérémonie des César", True),
        ("fr", "Deuxième congrès", True),
        ("es", "54.ª edición de los Premios Goya", True),
        ("pt", "7ª reunião de cúpula do G20", True),
        ("nl", "1ste uitreiking", True),
        ("it", "I Festival", False),
        ("it", "Festival di Sanremo", False),
        ("de", "X Factor", False),
    ],
)
def test_titles_of_other_languages(lang: str, title: str, *, dated: bool) -> None:
    assert title_with_date(seen(title, lang)) is dated


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


# Dates as infoboxes of several languages write them.


def read(value: str, lang: str = "en") -> list[tuple[int, ...]]:
    words = load(lang).words
    return [(d.year, d.month, d.day) for d in days(value, words.months, words.before_christ)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("11 March 2011", [(2011, 3, 11)]),
        ("Friday, March 11th, 2011", [(2011, 3, 11)]),
        ("[[11 March|March 11]], [[2011]]", [(2011, 3, 11)]),
        ("{{start date|2011|3|11|14|46|df=y}}", [(2011, 3, 11)]),
        (
            "{{nowrap|{{start date|2011|03|11}}}} – {{end date|2011|04|02}}",
            [(2011, 3, 11), (2011, 4, 2)],
        ),
        ("2011-03-11", [(2011, 3, 11)]),
        ("2011-03-11 14:46:24", [(2011, 3, 11)]),
        ("11–13 March 2011", [(2011, 3, 11), (2011, 3, 13)]),
        ("March 11–13, 2011", [(2011, 3, 11), (2011, 3, 13)]),
        ("11 March – 2 April 2011", [(2011, 3, 11), (2011, 4, 2)]),
        ("December 31, 1999 to January 1, 2000", [(1999, 12, 31), (2000, 1, 1)]),
        ("April to July 1994", [(1994, 4, 0), (1994, 7, 0)]),
        ("1994", [(1994, 0, 0)]),
        ("1994–95", [(1994, 0, 0), (1995, 0, 0)]),
        ("1914–1923{{#tag:ref|or 1894{{cn|date=May 2018}}|group=n}}", [(1914, 0, 0), (1923, 0, 0)]),
        ("11 March 2011<ref>read on 5 May 2019</ref>", [(2011, 3, 11)]),
        ("11 March 2011<!-- 1999 -->", [(2011, 3, 11)]),
        ("11 March 2011<br>14:46 JST ([[UTC+9]])", [(2011, 3, 11)]),
        ("11 March", []),
        ("late June, every year", []),
        ("it may be so", []),
    ],
)
def test_english(value: str, expected: list[tuple[int, ...]]) -> None:
    assert read(value) == expected


@pytest.mark.parametrize(
    ("lang", "value", "expected"),
    [
        ("it", "1º maggio 1947", [(1947, 5, 1)]),
        ("it", "dal 5 al 7 febbraio 1998", [(1998, 2, 5), (1998, 2, 7)]),
        ("de", "11.03.2011", [(2011, 3, 11)]),
        ("de", "3. bis 5. Juni 1998", [(1998, 6, 3), (1998, 6, 5)]),
        ("fr", "{{date|25|janvier|1990|en aéronautique}}", [(1990, 1, 25)]),
        ("fr", "{{date-|1er mai 1891}}", [(1891, 5, 1)]),
        ("es", "11 de marzo de 2004", [(2004, 3, 11)]),
        ("de", "1.&nbsp;Mai&#160;1945 um 14.05 Uhr", [(1945, 5, 1)]),
        ("de", "Nacht vom 9. auf den 10. November 1938", [(1938, 11, 9), (1938, 11, 10)]),
        ("de", "März/April 1945", [(1945, 3, 0), (1945, 4, 0)]),
        ("de", "1998/99", [(1998, 0, 0), (1999, 0, 0)]),
        ("de", "264–241 v.Chr.", []),
        ("en", "1274 BCE", []),
        ("en", "31 BC to 14 AD, found in 1931", [(1931, 0, 0)]),
        ("es", "1.º de mayo de 1945", [(1945, 5, 1)]),
        ("es", "30 de abril al 2 de mayo de 1945", [(1945, 4, 30), (1945, 5, 2)]),
        ("es", "1200 a. C.", []),
        ("fr", "1<sup>er</sup> mai 1945", [(1945, 5, 1)]),
        ("fr", "1{{er}} mai 1945", [(1945, 5, 1)]),
        ("fr", "14 h 05, le 11 mars 2011", [(2011, 3, 11)]),
        (
            "fr",
            "{{date|24|décembre-|1994-}} au {{date|26|décembre|1994}}",
            [(1994, 12, 24), (1994, 12, 26)],
        ),
        ("fr", "1274 av. J.-C.", []),
        ("nl", "van 31 januari tot en met 2 februari 1953", [(1953, 1, 31), (1953, 2, 2)]),
        ("pl", "1 maja 1945 r.", [(1945, 5, 1)]),
        ("pl", "1 V 1945", [(1945, 5, 1)]),
        ("pl", "30 IV – 2 V 1945", [(1945, 4, 30), (1945, 5, 2)]),
        ("pl", "12–15 lipca [[1998]]", [(1998, 7, 12), (1998, 7, 15)]),
        ("pl", "1.05.1945", [(1945, 5, 1)]),
        ("pl", "1274 p.n.e.", []),
        ("pt", "1.º de maio de 1945", [(1945, 5, 1)]),
    ],
)
def test_other_languages(lang: str, value: str, expected: list[tuple[int, ...]]) -> None:
    assert read(value, lang) == expected


@pytest.mark.parametrize(
    ("named", "short"),
    [
        ([Day(2011, 3, 11)], True),
        ([Day(2011, 3, 1), Day(2011, 4, 1)], True),  # 31 days
        ([Day(2011, 3, 1), Day(2011, 4, 2)], False),
        ([Day(1999, 12, 31), Day(2000, 1, 1)], True),
        ([Day(2011, 3), Day(2011, 4)], True),
        ([Day(2011, 3), Day(2011, 5)], False),
        ([Day(2011, 12), Day(2012, 1)], True),
        ([Day(2011)], True),
        ([Day(2011), Day(2011, 3, 11)], True),
        ([Day(2011), Day(2012, 1, 1)], False),
        ([Day(2011, 2, 30), Day(2011, 3, 30)], True),  # no such day: by months
    ],
)
def test_within_a_month(named: list[Day], short: bool) -> None:
    assert within_a_month(named) is short


@pytest.mark.parametrize("unit", ["{{", "{{a|", "<ref>", "{{efn|{{", "[[|", "11 March ", "1-"])
def test_hostile_values_are_cut(unit: str) -> None:
    read(unit * 1_000_000)

"""What titles and fields pass, ours and the paper's."""

from __future__ import annotations

from dataclasses import astuple

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


DATED = {
    "en": "83rd Academy Awards|11th G8 summit|Super Bowl XLIX|Rock in Rio III|Congress of Sports I"
    "|Second Continental Congress|Twenty-first Amendment Day|Festival IV, part two",
    "it": "54º Festival di Sanremo|LIV Festival di Sanremo|Prima conferenza di Londra",
    "de": "Dritter Parteitag",
    "fr": "54e cérémonie des César|Deuxième congrès",
    "es": "54.ª edición de los Premios Goya",
    "pt": "7ª reunião de cúpula do G20",
    "nl": "1ste uitreiking",
}
UNDATED = {
    # "MC" would be 1100.
    "en": "MC Hammer Award|MM Prize|I Am a Singer|V Festival|Malcolm X Award|IIII Festival"
    "|VX Awards|1990s Awards|Big 10 Conference|CC Awards|X-Factor Contest",
    "it": "I Festival|Festival di Sanremo",
    "de": "X Factor",
}


@pytest.mark.parametrize(
    ("lang", "title", "dated"),
    [
        (lang, title, table is DATED)
        for table in (DATED, UNDATED)
        for lang, titles in table.items()
        for title in titles.split("|")
    ],
)
def test_a_title_with_a_date(lang: str, title: str, *, dated: bool) -> None:
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


def read(value: str, lang: str = "en") -> str:
    """The dates in a field of an infobox, such as "2011-3-11 2012-4"."""
    words = load(lang).words
    found = days(value, words.months, words.before_christ)
    return " ".join("-".join(str(part) for part in astuple(day) if part) for day in found)


@pytest.mark.parametrize(
    ("lang", "value", "expected"),
    [
        ("en", "11 March 2011", "2011-3-11"),
        ("en", "Friday, March 11th, 2011", "2011-3-11"),
        ("en", "[[11 March|March 11]], [[2011]]", "2011-3-11"),
        ("en", "{{start date|2011|3|11|14|46|df=y}}", "2011-3-11"),
        (
            "en",
            "{{nowrap|{{start date|2011|03|11}}}} – {{end date|2011|04|02}}",
            "2011-3-11 2011-4-2",
        ),
        ("en", "2011-03-11", "2011-3-11"),
        ("en", "2011-03-11 14:46:24", "2011-3-11"),
        ("en", "11–13 March 2011", "2011-3-11 2011-3-13"),
        ("en", "March 11–13, 2011", "2011-3-11 2011-3-13"),
        ("en", "11 March – 2 April 2011", "2011-3-11 2011-4-2"),
        ("en", "December 31, 1999 to January 1, 2000", "1999-12-31 2000-1-1"),
        ("en", "April to July 1994", "1994-4 1994-7"),
        ("en", "1994", "1994"),
        ("en", "1994–95", "1994 1995"),
        ("en", "1914–1923{{#tag:ref|or 1894{{cn|date=May 2018}}|group=n}}", "1914 1923"),
        ("en", "11 March 2011<ref>read on 5 May 2019</ref>", "2011-3-11"),
        ("en", "11 March 2011<!-- 1999 -->", "2011-3-11"),
        ("en", "11 March 2011<br>14:46 JST ([[UTC+9]])", "2011-3-11"),
        ("en", "11 March", ""),
        ("en", "late June, every year", ""),
        ("en", "it may be so", ""),
        ("it", "1º maggio 1947", "1947-5-1"),
        ("it", "dal 5 al 7 febbraio 1998", "1998-2-5 1998-2-7"),
        ("de", "11.03.2011", "2011-3-11"),
        ("de", "3. bis 5. Juni 1998", "1998-6-3 1998-6-5"),
        ("fr", "{{date|25|janvier|1990|en aéronautique}}", "1990-1-25"),
        ("fr", "{{date-|1er mai 1891}}", "1891-5-1"),
        ("es", "11 de marzo de 2004", "2004-3-11"),
        ("de", "1.&nbsp;Mai&#160;1945 um 14.05 Uhr", "1945-5-1"),
        ("de", "Nacht vom 9. auf den 10. November 1938", "1938-11-9 1938-11-10"),
        ("de", "März/April 1945", "1945-3 1945-4"),
        ("de", "1998/99", "1998 1999"),
        ("de", "264–241 v.Chr.", ""),
        ("en", "1274 BCE", ""),
        ("en", "31 BC to 14 AD, found in 1931", "1931"),
        ("es", "1.º de mayo de 1945", "1945-5-1"),
        ("es", "30 de abril al 2 de mayo de 1945", "1945-4-30 1945-5-2"),
        ("es", "1200 a. C.", ""),
        ("fr", "1<sup>er</sup> mai 1945", "1945-5-1"),
        ("fr", "1{{er}} mai 1945", "1945-5-1"),
        ("fr", "14 h 05, le 11 mars 2011", "2011-3-11"),
        ("fr", "{{date|24|décembre-|1994-}} au {{date|26|décembre|1994}}", "1994-12-24 1994-12-26"),
        ("fr", "1274 av. J.-C.", ""),
        ("nl", "van 31 januari tot en met 2 februari 1953", "1953-1-31 1953-2-2"),
        ("pl", "1 maja 1945 r.", "1945-5-1"),
        ("pl", "1 V 1945", "1945-5-1"),
        ("pl", "30 IV – 2 V 1945", "1945-4-30 1945-5-2"),
        ("pl", "12–15 lipca [[1998]]", "1998-7-12 1998-7-15"),
        ("pl", "1.05.1945", "1945-5-1"),
        ("pl", "1274 p.n.e.", ""),
        ("pt", "1.º de maio de 1945", "1945-5-1"),
    ],
)
def test_dates(lang: str, value: str, expected: str) -> None:
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

"""Dates as infoboxes of several languages write them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.wec.facts.dates import Day, days, within_a_month
from corefmill.builders.wec.facts.infoboxes import load


def read(value: str, lang: str = "en") -> list[tuple[int, ...]]:
    return [(d.year, d.month, d.day) for d in days(value, load(lang).words.months)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("11 March 2011", [(2011, 3, 11)]),
        ("March 11, 2011", [(2011, 3, 11)]),
        ("Friday, March 11th, 2011", [(2011, 3, 11)]),
        ("[[11 March|March 11]], [[2011]]", [(2011, 3, 11)]),
        ("{{start date|2011|3|11|14|46|df=y}}", [(2011, 3, 11)]),
        ("{{Start date and age|2011|03|11}}", [(2011, 3, 11)]),
        (
            "{{nowrap|{{start date|2011|03|11}}}} – {{end date|2011|04|02}}",
            [(2011, 3, 11), (2011, 4, 2)],
        ),
        ("2011-03-11", [(2011, 3, 11)]),
        ("11/03/2011", [(2011, 3, 11)]),
        ("2011-03-11 14:46:24", [(2011, 3, 11)]),
        ("11–13 March 2011", [(2011, 3, 11), (2011, 3, 13)]),
        ("March 11–13, 2011", [(2011, 3, 11), (2011, 3, 13)]),
        ("11 and 13 March 2011", [(2011, 3, 11), (2011, 3, 13)]),
        ("11 March – 2 April 2011", [(2011, 3, 11), (2011, 4, 2)]),
        ("March 11 – April 2, 2011", [(2011, 3, 11), (2011, 4, 2)]),
        ("December 31, 1999 to January 1, 2000", [(1999, 12, 31), (2000, 1, 1)]),
        ("7 January 1978 – 11 February 1979", [(1978, 1, 7), (1979, 2, 11)]),
        ("April to July 1994", [(1994, 4, 0), (1994, 7, 0)]),
        ("May 1994", [(1994, 5, 0)]),
        ("1994", [(1994, 0, 0)]),
        ("1941–1945", [(1941, 0, 0), (1945, 0, 0)]),
        ("1994–95", [(1994, 0, 0), (1995, 0, 0)]),
        ("1914–1923{{#tag:ref|or 1894{{cn|date=May 2018}}|group=n}}", [(1914, 0, 0), (1923, 0, 0)]),
        ("11 March 2011<ref>read on 5 May 2019</ref>", [(2011, 3, 11)]),
        ("11 March 2011<!-- 1999 -->", [(2011, 3, 11)]),
        ("11 March 2011<br>14:46 JST ([[UTC+9]])", [(2011, 3, 11)]),
        ("11 March", []),
        ("late June, every year", []),
        ("it may be so", []),
        ("5,000 people", []),
        ("", []),
    ],
)
def test_english(value: str, expected: list[tuple[int, ...]]) -> None:
    assert read(value) == expected


@pytest.mark.parametrize(
    ("lang", "value", "expected"),
    [
        ("it", "23 maggio [[1992]]", [(1992, 5, 23)]),
        ("it", "1º maggio 1947", [(1947, 5, 1)]),
        ("it", "dal 5 al 7 febbraio 1998", [(1998, 2, 5), (1998, 2, 7)]),
        ("de", "11. März 2011", [(2011, 3, 11)]),
        ("de", "11.03.2011", [(2011, 3, 11)]),
        ("de", "3. bis 5. Juni 1998", [(1998, 6, 3), (1998, 6, 5)]),
        ("fr", "{{date|25|janvier|1990|en aéronautique}}", [(1990, 1, 25)]),
        ("fr", "{{date-|1er mai 1891}}", [(1891, 5, 1)]),
        ("es", "11 de marzo de 2004", [(2004, 3, 11)]),
        ("es", "{{fecha|11|3|2004}}", [(2004, 3, 11)]),
        ("es", "del 4 al 6 de julio de 1998", [(1998, 7, 4), (1998, 7, 6)]),
        ("pt", "1 de novembro de 1755", [(1755, 11, 1)]),
        ("nl", "31 januari - 1 februari 1953", [(1953, 1, 31), (1953, 2, 1)]),
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


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="{}|[]<>/ref-–.;:,0129 márchMaytoa\n", max_size=80))
def test_any_value(value: str) -> None:
    for day in days(value, load("en").words.months):
        assert 1000 <= day.year <= 2099 and 0 <= day.month <= 12 and 0 <= day.day <= 31


@pytest.mark.parametrize("unit", ["{{", "{{a|", "<ref>", "{{efn|{{", "[[|", "11 March ", "1-"])
def test_hostile_values_are_cut(unit: str) -> None:
    read(unit * 1_000_000)

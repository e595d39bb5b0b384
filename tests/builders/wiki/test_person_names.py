"""Which words of an article are names, by its title and links."""

from __future__ import annotations

import pytest

from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.markup import MarkupSettings, clean
from corefmill.builders.wiki.person_names import name_spans

PERSONS = {
    *("Ana Pop", "Jan Kowalski", "Vincent van Dorn", "May Grant", "Jack Vesk", "Ioan II"),
    *(
        "Duke Vesk Dorn",
        "Don Quill Varaan",
        "Don Quill",
        "Petre Lungu (pictor)",
        "Nico",
        "ილია დადიანი",
        "דוד כהן",
        "王小明",
    ),
}


def names(text: str, title: str = "Vara") -> list[str]:
    """The names in an article's running text, in order."""
    article = Article("k", title, 1, clean(text, MarkupSettings("zxx")).paragraphs)
    found = name_spans(article, PERSONS)
    return [p.text[start:end] for p in article.prose for start, end in found[p.index]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A venit [[Ana Pop]].", "Ana Pop"),
        ("A venit [[Ana Pop|doamna Ana Pop]].", "Ana Pop"),
        ("A venit [[Ana Pop|sora lui]].", ""),
        ("A venit [[Ana Pop|Regina]].", ""),
        ("Widział [[Jan Kowalski|Jana Kowalskiego]].", "Jana Kowalskiego"),
        ("[[Petre Lungu (pictor)|Lungu]] a venit.", "Lungu"),
        ("[[Ana Pop|Ana Pop's]] a venit.", "Ana Pop"),
        ("Aici e [[Nicola]].", ""),
        # Parts of a name count from its link on.
        ("Apoi Quill a plecat.", ""),
        (
            "Azi, și apoi, [[Ana Pop]] doarme.\n\nApoi Pop și cu Ana, iar Ana Pop's râde, l'Ana.",
            "Ana Pop, Pop, Ana, Ana Pop, Ana",
        ),
        # A surname may stand before the link.
        ("Frații Vesk, Vesk și Vesk. Azi [[Jack Vesk]] vine, iar Vesk doarme.", "Jack Vesk, Vesk"),
        # Small words.
        (
            "Azi, și apoi, [[Vincent van Dorn]] e. Apoi van Dorn pleca. Vincent van Dorn râde.",
            "Vincent van Dorn, van Dorn, Vincent van Dorn",
        ),
        (
            "Azi [[Vincent van Dorn]], un van alb, un van gri, un van nou, un van vechi, van Dorn.",
            "Vincent van Dorn",
        ),
        # Scripts without capitals, and without spaces.
        (
            "აქ [[ილია დადიანი]] ცხოვრობდა. მერე დადიანი წავიდა. მერე ილია წავიდა.",
            "ილია დადიანი, დადიანი",
        ),
        ("כאן גר [[דוד כהן]]. אחר כך כהן הלך.", "דוד כהן, כהן"),
        ("那年[[王小明]]來了。後來王小明走了。", "王小明, 王小明"),
    ],
)
def test_names_by_links(text: str, expected: str) -> None:
    assert ", ".join(names(text)) == expected


def test_the_title_and_what_is_bold_of_a_persons_article() -> None:
    text = "'''Ana Maria Pop''' a scris, și apoi a tăcut.\n\nApoi Pop a plecat cu Maria."
    assert names(text, "Ana Pop") == ["Ana Maria Pop", "Pop", "Maria"]
    assert names(text, "Vara") == []
    # What is called after a person leaves him his name.
    text = "'''Ana Pop''' doarme. Filmul [[Pop (film)|Pop]] tace, și Pop râde."
    assert names(text, "Ana Pop") == ["Ana Pop", "Pop"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[May Grant]] spoke. The grant came. Grant left.", "the word in small letters"),
        ("[[Jack Vesk]] lives in [[Vesk]]. So Vesk grew.", "a link to something else"),
        ("In Jack it rains on [[Jack Vesk]]. So Jack grew.", "in use before the link"),
        ("[[Jack Vesk]] left. The old Vesk Bridge fell.", "part of a longer name"),
        ("[[Jack Vesk]] left. An old New Vesk fell.", "part of a longer name"),
        ("[[May Grant]] left on 4 May 1916 or in May 1917.", "a month"),
        ("[[Jack Vesk]] left. The Vesk-Dorn talks ended.", "part of a compound"),
        ("[[Duke Vesk Dorn]] left. And Vesk burnt.", "within a name, and no given name"),
        ("[[Don Quill Varaan]] left. And Varaan burnt.", "like the article's title"),
        ("[[Ioan II]] plecă. Apoi II a venit.", "a figure alone"),
    ],
)
def test_what_is_named_like_a_person_and_is_none(text: str, why: str) -> None:
    assert len(names(text)) == 1, why


@pytest.mark.parametrize(
    "piece", ["[[Ana Pop]] ", "Ana Pop ", "Ana'", "Ana-", "van ", "[[Ana Pop|a "]
)
def test_hostile_text_takes_no_more_than_its_length(piece: str) -> None:
    assert names("[[Ana Pop]] " + piece * 5_000)

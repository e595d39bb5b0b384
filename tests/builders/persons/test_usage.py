"""How an article uses a name."""

from __future__ import annotations

import re

import pytest

from corefmill.builders.persons import table
from corefmill.builders.persons.usage import Usage
from corefmill.builders.wiki.markup.records import Link
from tests.builders.wikicrem.passages import analysed, article


def usage(*texts: str, read: str = "") -> Usage:
    return Usage(article(*texts), [analysed(read)])


def test_words_are_counted_over_the_whole_article() -> None:
    seen = usage("Joy of joy.", "A joy, joys.")
    assert (seen.count("joy"), seen.count("Joy"), seen.count("JOY")) == (2, 1, 0)


def test_the_share_of_places_where_a_name_is_called_a_person() -> None:
    seen = usage(read="[Ann] and [Ann Day] saw Ann, Anne and Ann-Marie. | Bob came.")
    assert seen.person_share("Ann") == 2 / 4
    assert seen.person_share("Bob") == 0
    assert seen.person_share("Cyd") == 1  # nothing tells


def test_the_share_of_places_behind_certain_words() -> None:
    seen = usage("In Ann. By the Ann, Ann.", "Ann in it")
    assert seen.share_after("Ann", frozenset({"In", "the"})) == 2 / 4
    assert seen.share_after("Bob", frozenset({"In"})) == 0


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("They saw Ann.", True),
        ("Then, Ann left.", True),
        ("Ann left. Ann came. “Ann”", False),
        ("THE Ann", False),
        ("It was Anna.", False),
        ("", False),
    ],
)
def test_whether_a_name_stands_within_a_sentence(text: str, inside: bool) -> None:
    assert usage(text).within_sentence("Ann") is inside


def test_only_prose_counts_as_use() -> None:
    made = article("Ann left.", "They saw Ann.")
    made.paragraphs[1].kind = "list"
    assert not Usage(made, []).within_sentence("Ann")


def test_links_are_known_by_their_anchors() -> None:
    links = [Link(0, 3, "Ann (singer)", None), Link(8, 11, "", "Section")]
    seen = Usage(article("Ann met Bob.", links=links), [])
    assert seen.anchors == {"Ann": "Ann (singer)"}


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


def test_words_are_counted_alike_whether_few_or_many_are_asked() -> None:
    text = " ".join(f"w{i} " * i for i in range(60)) + " O'Neil Mr. _x"
    seen = usage(text)
    assert [seen.count(f"w{i}") for i in range(60)] == [*range(60)]
    assert [seen.count(word) for word in ("O'Neil", "Mr.", "O", "none")] == [0, 0, 1, 0]

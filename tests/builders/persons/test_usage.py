"""How an article uses a name."""

from __future__ import annotations

import pytest

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

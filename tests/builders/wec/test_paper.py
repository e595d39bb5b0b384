"""Paper mode: nodes and tokens, the original's links, its filters in their order."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from corefmill.builders.wec.choose import choose
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wec.paper import PaperInfoboxes, nodes
from corefmill.builders.wiki.markup import MarkupSettings, clean
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.corpora.records import EventMention
from tests.builders.wec.small import corpus, options, ran

BOX = "{{Infobox person\n| name = A\n}}\n"
HOW = options(mode="paper")


def paragraph(wikitext: str) -> Paragraph:
    return clean(wikitext, MarkupSettings("en")).paragraphs[0]


@pytest.mark.parametrize(
    ("wikitext", "tokens", "found"),
    [
        ("The [[A|big fire]], they say.", ["The", "big", "fire", ",", "they", "say."], [(1, 2)]),
        ("The fire, they say.", ["The", "fire,", "they", "say."], []),
        ("''The [[A]] of'' old", ["The", "A", "of", "old"], []),
        ("'''[[A]]''' is [[B]]", ["A", "is", "B"], [(2, 2)]),
        ("[[A]] [[B]]", ["A", "", "B"], [(0, 0), (2, 2)]),
        ("of [[A]]s and ''b'' ''c''", ["of", "As", "and", "b", "", "c"], [(1, 1)]),
        ("[[A|''B'' c]] d", ["B", "c", "d"], [(0, 1)]),
    ],
)
def test_nodes(wikitext: str, tokens: list[str], found: list[tuple[int, int]]) -> None:
    made, links = nodes(paragraph(wikitext))
    assert list(made) == tokens
    assert [(first, last) for first, last, _ in links] == found


def built(folder: Path, pages: dict[str, str]) -> tuple[list[EventMention], dict[str, int]]:
    """What paper mode makes of pages, with what it rejects by reason."""
    stated = corpus(folder / "out", "paper")
    with (
        ran(folder, pages, HOW, persons=["Ugo Tarri"]) as result,
        choose(
            stated,
            result,
            options={"en": HOW},
            indexes={"en": folder / "events.sqlite"},
            dev=0,
            test=0,
        ) as contents,
    ):
        rejects = sum(contents.rejects.values(), Counter())
        return list(contents.split("train")), dict(rejects)


def test_a_mention(tmp_path: Path) -> None:
    pages = {"A": BOX + "The ''old'' [[2002 Vesk floods|great flood]], as told."}
    (mention,), rejects = built(tmp_path, pages)
    assert mention.text == "The old  great flood , as told."
    assert mention.text[mention.start : mention.end] == "great flood"
    assert mention.text.split(" ")[3:5] == ["great", "flood"]
    assert mention.head is not None
    assert mention.text[slice(*mention.head)] == "flood"
    assert (mention.lemma, mention.ner, mention.meta, rejects) == ("flood", None, {}, {})


def test_a_page_without_an_infobox_is_not_read(tmp_path: Path) -> None:
    pages = {"A": "[[2002 Vesk floods]]", "B": "{{infobox x}} [[2002 Vesk floods]]"}
    pages["C"] = BOX + "The [[2002 Vesk floods]]."
    assert [m.source.title for m in built(tmp_path, pages)[0]] == ["C"]


def test_links_that_the_original_lost_and_its_filters(tmp_path: Path) -> None:
    seven = "one two three four five six seven"
    pages = {
        "A": "[[Great Vesk flood]], [[2002 Vesk floods#Damage|damage]], ''[[2002 Vesk floods]]''"
        " and [[2002 Vesk floods|this]].",
        "B": f"[[2002 Vesk floods|{seven}]] of old.",
        "C": f"[[2002 Vesk floods|{seven} eight]] of old.",
        "D": "[[2002 Vesk floods|Ugo Tarri]] of old.",
        "E": "The [[2002 Vesk floods|flood]] at http:x of old.",
    }
    got, rejects = built(tmp_path, {title: BOX + text for title, text in pages.items()})
    assert [m.text[m.start : m.end] for m in got] == ["this", seven]
    assert rejects == {
        **{"through_redirect": 1, "section_link": 1},
        **{"span_too_long": 1, "not_event_label": 1, "boilerplate": 1},
    }


def test_the_quota_counts_letters_and_what_later_steps_drop(tmp_path: Path) -> None:
    dropped = BOX + "The [[2002 Vesk floods|flood]] at http:x of old."
    stays = BOX + "The [[2002 Vesk floods|flood]] of old."
    other = BOX + "The [[2002 Vesk floods|Flood]] of old."
    pages = {f"P{n}": text for n, text in enumerate([dropped] * 3 + [stays] * 2 + [other] * 2)}
    got, rejects = built(tmp_path, pages)
    assert [m.source.title for m in got] == ["P3", "P5", "P6"]
    assert rejects == {"boilerplate": 3, "same_string": 1}


def test_what_would_be_written_for_each_of_very_many_links(tmp_path: Path) -> None:
    text = "[[2002 Vesk floods|It]] came. [[Great Vesk flood]] came. "
    pages = {"A": BOX + text * 2000, "B": BOX + "The [[2002 Vesk floods]]."}
    got, rejects = built(tmp_path, pages)
    assert [mention.source.title for mention in got] == ["B"]
    assert rejects == {"paragraph_too_long": 2000, "through_redirect": 2000}


# The original's search for infoboxes, quirks and all.


def judged(text: str, title: str = "A") -> tuple[str, str] | None:
    page = PaperInfoboxes("en", EventFields()).event_page_of(title, text, page_id=3)
    return (page.event_type, page.infobox) if page else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{Infobox earthquake\n|date=1}}", ("Earthquake", "earthquake")),
        ("{{Infobox  Civilian Attack |x}}", ("Civilian Attack", "civilianattack")),
        ("{{Infobox athletic conference}}", ("Meetings", "conference")),  # no left boundary
        ("{{Infobox concert tour}}", ("Concert", "concert")),  # no right one
        ("{{Infobox person|award}}", None),  # awards need a title
        ("{{Infobox summitmeeting}}", ("Meetings", "summit")),  # the first name that matches
        ("{{Infobox u-concert}}", None),  # a hyphen ends the gap
        ("{{Infobox\nconcert}}", None),
        ("{{infobox earthquake}}", None),  # written otherwise
        ("{{Infobox_earthquake}}", ("Earthquake", "earthquake")),  # \w has the underscore
        ("<!-- {{Infobox flood}} -->", ("Flood", "flood")),
        ("{{Infobox settlement}} {{Infobox flood}}", None),  # the first counts
        ("{{Infobox settlement|{{Infobox flood}}}}", ("Flood", "flood")),  # within it
        ("{{Infobox person|festival}}", ("Festival", "festival")),  # pipes are part of the gap
        ("Text", None),
    ],
)
def test_the_search(text: str, expected: tuple[str, str] | None) -> None:
    assert judged(text) == expected
    if expected:
        assert re.search(PaperInfoboxes.pattern, text)


@pytest.mark.parametrize(
    ("title", "is_event"), [("Oscars", False), ("84th Oscars", True), ("83rd Oscars", False)]
)
def test_awards_need_a_title_with_a_date(title: str, is_event: bool) -> None:
    found = judged("{{Infobox film awards}}", title)
    assert found == (("Awards", "award") if is_event else None)

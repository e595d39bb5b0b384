"""Which links of a page's wikitext are links to events."""

from __future__ import annotations

import pytest

from corefmill.builders.run.stages import Context
from corefmill.builders.wec.event_index import LinkTarget
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.filters.link_view import EventLink
from corefmill.builders.wec.stages import event_links
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.dump.siteinfo import SiteInfo
from corefmill.builders.wiki.markup import Link, MarkupSettings, Paragraph, clean

SITE = SiteInfo("en", "enwiki", "first-letter", {0: ("",), 6: ("File",), 14: ("Category",)})
TARGETS = {
    "Vesk floods": LinkTarget("Vesk floods"),
    "The floods": LinkTarget("Vesk floods"),
    "Flood damage": LinkTarget("Vesk floods", "Damage"),
}


def found(wikitext: str, title: str = "Page", lang: str = "en") -> tuple[list[EventLink], Context]:
    page = clean(wikitext, MarkupSettings(lang, file_prefixes=frozenset({"file"})))
    article = Article("k", title, 3, page.paragraphs, site=SITE)
    context = Context(0, 0)
    return list(event_links(article, TARGETS.get, lexicon.load(lang), context)), context


def shown(wikitext: str) -> list[str]:
    return [link.text[link.start : link.end] for link in found(wikitext)[0]]


@pytest.mark.parametrize(
    ("wikitext", "mention"),
    [
        ("It was after [[Vesk floods]].", "Vesk floods"),
        ("It was after the [[Vesk floods|flood]]s.", "floods"),
        ("It was ''after the [[vesk_floods|great flood]]'' of old.", "great flood"),
        ("It was '''[[Vesk floods|the flood]]''' that did it.", "the flood"),
        ("It was after [[the floods]] of old.", "the floods"),
        ("{{quote box|x}} It was [[Vesk&nbsp;floods|then]].<ref>[[Vesk floods]]</ref>", "then"),
    ],
)
def test_a_link_to_an_event(wikitext: str, mention: str) -> None:
    assert shown(wikitext) == [mention]


def test_all_that_a_link_says() -> None:
    (first, second), context = found(
        "One.\n\nAfter [[Flood damage|the damage]] by [[Vesk floods#Rain|rain]]."
    )
    assert first == EventLink(
        "Page", 3, 1, "After the damage by rain.", 6, 16, "Vesk floods", "Damage"
    )
    assert (second.start, second.section) == (20, "Rain")
    assert context.counts == {"links_to_events": 2}


@pytest.mark.parametrize("marker", ["* ", ": ", "# "])
def test_a_sentence_in_a_list_may_hold_a_mention(marker: str) -> None:
    text = "In May he left the town, which the [[Vesk floods]] had all but drowned."
    (link,), _ = found(f"{marker}{text}")
    assert link.listed
    ((prose,), _) = found(text)
    assert not prose.listed


def test_a_paragraph_may_begin_with_for_or_see_without_being_a_pointer() -> None:
    for text in (
        "For the town the [[Vesk floods]] were the end.",
        "Seeds were lost in the [[Vesk floods]] of that year.",
    ):
        assert shown(text) == ["Vesk floods"]


@pytest.mark.parametrize(
    ("wikitext", "reason"),
    [
        ("* The [[Vesk floods]] of old", "not_prose"),
        (":''Main article: [[Vesk floods]]''", "not_prose"),
        ("''For the disaster, see [[Vesk floods]].''", "not_prose"),
        ("== After the [[Vesk floods]] ==\nText.", "not_prose"),
        ("== References ==\nOn the [[Vesk floods]], see there.", "back_matter"),
        ("See also [[Vesk floods]] and the like.", "hatnote"),
        ("For the disaster of that year, see [[Vesk floods]].", "hatnote"),
        ("{{see details}} [[Vesk floods]] and [[Vesk]]\nIn May he left.", "not_prose"),
        ("''Main article: [[Vesk floods]]''\nIn May he left the town.", "not_prose"),
        (
            "* In May he left the town after the [[Vesk floods]] of that spring (see there).",
            "not_prose",
        ),
        (
            "* [[Vesk floods|The floods of Vesk and of the valley]] in that and the next year.",
            "not_prose",
        ),
        (
            "* the [[Vesk floods]] of that spring, which drowned the cats of the whole town.",
            "not_prose",
        ),
        (
            "* The [[Vesk floods]] of that spring, which drowned the cats of the whole town",
            "not_prose",
        ),
    ],
)
def test_a_link_in_the_wrong_place(wikitext: str, reason: str) -> None:
    got, context = found(wikitext)
    assert got == []
    assert context.rejects == {reason: 1}


@pytest.mark.parametrize(
    "wikitext",
    [
        "{| class=wikitable\n| [[Vesk floods]]\n|}",
        "[[File:A.jpg|thumb|The [[Vesk floods]]]]",
        "{{navbox|[[Vesk floods]]}}",
        "<!-- [[Vesk floods]] -->",
        "<nowiki>[[Vesk floods]]</nowiki>",
        "[[:Category:Vesk floods]] and [[Vesk flood]] and [[#Vesk floods]]",
    ],
)
def test_what_is_no_link_to_an_event(wikitext: str) -> None:
    got, context = found(wikitext)
    assert (got, context.rejects, context.counts) == ([], {}, {})


def test_a_link_to_the_page_itself() -> None:
    got, context = found("The [[The floods|floods]] came.", title="Vesk floods")
    assert (got, context.rejects) == ([], {"self_link": 1})


class Watched(str):
    """A text that counts how often all of it is read."""

    __slots__ = ("readings",)
    readings: int

    def casefold(self) -> str:
        self.readings += 1
        return super().casefold()


def test_a_paragraph_is_read_once_for_all_its_links() -> None:
    text = Watched("See also the floods of " + "the time and of " * 100)
    text.readings = 0
    links = [Link(9, 19, "Vesk floods", None) for _ in range(1000)]
    paragraph = Paragraph(text, "prose", 0, "", links, [], [], 0)
    context = Context(0, 0)
    article = Article("k", "Page", 3, [paragraph], site=SITE)
    assert list(event_links(article, TARGETS.get, lexicon.load("en"), context)) == []
    assert (context.rejects, text.readings) == ({"hatnote": 1000}, 1)


def test_a_hundred_thousand_links_in_a_paragraph_too_long_are_counted_alone() -> None:
    got, context = found("It was " + "[[Vesk floods]] " * 100_000)
    assert got == []
    assert context.rejects == {"paragraph_too_long": 100_000}

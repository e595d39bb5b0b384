"""The stages name filters that there are, and the first of them cleans no page in vain."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.wec.choose import mentions
from corefmill.builders.wec.event_index import LinkTarget
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.filters.link_view import EventLink
from corefmill.builders.wec.stages import (
    DumpsInTurn,
    ReadLinkingPages,
    StagesByLanguage,
    WikiChunk,
    event_links,
)
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.articles import DumpSource
from corefmill.builders.wiki.dump.chunks import Chunk
from corefmill.builders.wiki.dump.siteinfo import SiteInfo
from corefmill.builders.wiki.markup import MarkupSettings, clean
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Source
from tests.builders.wec.small import known, options, prose, ran
from tests.builders.wiki.dump.dump_writer import dump, page, some_pages


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("After the [[2002 Vesk floods]].", True),
        ("After [[Great_Vesk&nbsp;flood#Rain|it]].", True),
        ("After [[%32002 Vesk flo\u00adods |it]].", True),
        ("After [[:2002 Vesk floods<!-- so -->|it]].", True),
        ("In {{quote|[[File:a.jpg|thumb|[[2002 Vesk floods]]]]}}.", True),
        ("After [[Vesk]] and [[#Rain]] and [[File:2002 Vesk floods]] and 2002 Vesk floods.", False),
    ],
)
def test_pages_with_a_link_to_an_event_are_read(tmp_path: Path, text: str, is_read: bool) -> None:
    both = [page("A", text), page("User:B", text, extra="<ns>2</ns>")]
    (tmp_path / "small.xml").write_bytes(dump(both))
    stage = ReadLinkingPages("en", known(tmp_path))
    chunks = DumpSource([tmp_path / "small.xml"], "en").chunks()
    context = Context(0, 0)
    assert [article.title for article in stage(chunks, context)] == ["A"] * is_read
    assert context.counts["pages_cleaned"] == is_read


# Which links of a page's wikitext are links to events.


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


@pytest.mark.parametrize(
    ("wikitext", "mention"),
    [
        ("It was after [[Vesk floods]].", "Vesk floods"),
        ("It was after the [[Vesk floods|flood]]s.", "floods"),
        ("It was ''after the [[vesk_floods|great flood]]'' of old.", "great flood"),
        ("It was '''[[Vesk floods|the flood]]''' that did it.", "the flood"),
        ("It was after [[the floods]] of old.", "the floods"),
        ("{{quote box|x\n}} It was [[Vesk&nbsp;floods|then]].<ref>[[Vesk floods]]</ref>", "then"),
    ],
)
def test_a_link_to_an_event(wikitext: str, mention: str) -> None:
    (link,), _ = found(wikitext)
    assert link.text[link.start : link.end] == mention


def test_all_that_a_link_says() -> None:
    text = "After the damage by rain."
    (first, second), context = found(
        "One.\n\nAfter [[Flood damage|the damage]] by [[Vesk floods#Rain|rain]]."
    )
    assert first == EventLink("Page", 3, 1, text, 6, 16, "Vesk floods", "Damage")
    assert (second.start, second.section) == (20, "Rain")
    assert context.counts == {"links_to_events": 2}


@pytest.mark.parametrize("marker", ["* ", ": ", "# "])
@pytest.mark.parametrize("text", ["In May came the [[Vesk floods]].", "[[Vesk floods|It]] rained."])
def test_a_sentence_in_a_list_may_hold_a_mention(marker: str, text: str) -> None:
    (link,), _ = found(f"{marker}{text}")
    assert link.listed
    ((prose,), _) = found(text)
    assert not prose.listed


@pytest.mark.parametrize(
    ("wikitext", "reason"),
    [
        ("* The [[Vesk floods]] of old", "not_prose"),
        (":''Main article: [[Vesk floods]]''", "not_prose"),
        ("== After the [[Vesk floods]] ==\nText.", "not_prose"),
        ("== References ==\nOn the [[Vesk floods]], see there.", "back_matter"),
        ("For the disaster of that year, see [[Vesk floods]].", "hatnote"),
        ("The men of {{x}} fled. It was after the [[Vesk floods]].", "words_lost"),
        ("{{see details}} [[Vesk floods]] and [[Vesk]]\nIn May he left.", "not_prose"),
        ("''Main article: [[Vesk floods]]''\nIn May he left the town.", "not_prose"),
        # Items of lists that point elsewhere, or lack a full stop.
        (
            "* In May he left town after the [[Vesk floods]] of that spring (see there).",
            "not_prose",
        ),
        ("* The [[Vesk floods]] of that spring, which drowned the cats of the town", "not_prose"),
    ],
)
def test_a_link_in_the_wrong_place(wikitext: str, reason: str) -> None:
    got, context = found(wikitext)
    assert got == []
    assert context.rejects == {reason: 1}


def test_a_link_to_the_page_itself_and_many_in_a_paragraph_too_long() -> None:
    got, context = found("The [[The floods|floods]] came.", title="Vesk floods")
    assert (got, context.rejects) == ([], {"self_link": 1})
    got, context = found("It was " + "[[Vesk floods]] " * 2_000)
    assert (got, context.rejects) == ([], {"paragraph_too_long": 2_000})


# From articles to mentions in clean mode.


def test_a_mention(tmp_path: Path) -> None:
    text = prose("One.", "In 2002 the [[Great Vesk flood|great flood]]s drowned the cats of Vesk.")
    with ran(tmp_path, {"Ann Marsh": text}) as result:
        (mention,) = mentions(result)
        assert result.rejects == {}
        assert result.counts["mentions"] == result.counts["paragraphs_analysed"] == 1
    assert mention.text[mention.start : mention.end] == "great floods"
    assert mention.id == f"enwiki-101-1-{mention.start}"
    assert (mention.cluster, mention.cluster_title) == ("11", "2002 Vesk floods")
    assert (mention.event_type, mention.infobox) == ("Flood", "infoboxflood")
    assert mention.source == Source("Ann Marsh", 101, 1)
    assert mention.head is not None
    assert mention.text[slice(*mention.head)] == "floods"
    assert (mention.lemma, mention.pos, mention.ner) == ("flood", "NOUN", None)
    assert mention.meta["lemmas"] == ["great", "floods"]
    assert [mention.start, mention.start + 5] in mention.meta["tokens"]


STOPPED = {
    "section_link": "In 2002 it was [[2002 Vesk floods#Damage|the floods]].",
    "on_place": "They left [[2002 Vesk floods|Vesk]] for good.",
    "on_date": "It was in [[2002 Vesk floods|spring 2002]].",
    "on_participant": "They met [[Bellena Song Festival 1968|Ugo Tarri]] there.",
    "named_entity": "They met [[Bellena Song Festival 1968|Grace Ball]] in Bellena in 1968.",
    "unidentified": "After [[1931 Orla flood|the flood]] they left.",
    "no_trigger": "They saw [[2002 Vesk floods|it]] all in Vesk.",
    "sub_event": "In 2002 came [[2002 Vesk floods|the report]] to Vesk.",
    "mention_length": f"They told [[2002 Vesk floods|{'a very long tale ' * 3}]] of 2002 in Vesk.",
}


def test_every_reject_is_counted_and_kept(tmp_path: Path) -> None:
    pages = {"A": prose(*STOPPED.values())}
    shown = {
        text.partition("|")[2].partition("]]")[0].strip(): why for why, text in STOPPED.items()
    }
    with ran(tmp_path, pages, persons=["Grace Ball"]) as result:
        assert list(mentions(result)) == []
        rejects = {r["record"]["mention"]: r["reason"] for r in result.records("rejects")}
    assert rejects == shown


def test_a_filter_that_is_left_out_stops_nothing(tmp_path: Path) -> None:
    pages = {"A": prose("They left [[2002 Vesk floods|Vesk]] for good.")}
    how = options(without=("on_place", "on_participant", "no_event_word"))
    with ran(tmp_path, pages, how) as result:
        assert [mention.lemma for mention in mentions(result)] == ["vesk"]


def test_a_paragraph_is_analysed_once_for_all_its_mentions(tmp_path: Path) -> None:
    text = prose(
        "In [[2002 Vesk floods|the Vesk flood]] and [[1931 Orla flood|the flood of Orla]]."
    )
    with ran(tmp_path, {"A": text, "B": text}) as result:
        assert result.counts["paragraphs_analysed"] == 1
        assert [m.cluster for m in mentions(result)] == ["11", "12", "11", "12"]


# Dumps of several languages as one input.


LOADED: list[str] = []


def sources(folder: Path) -> dict[str, DumpSource]:
    made = {}
    for lang in ("en", "it"):
        path = folder / f"{lang}.xml.gz"  # which has no windows: it is cut where this test wants
        content = dump(some_pages(6)).replace(b'lang="en"', f'lang="{lang}"'.encode())
        path.write_bytes(gzip.compress(content))
        made[lang] = DumpSource([path], lang).cut_at(700)
    return made


def test_small_dumps_are_worth_one_worker_together(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_bytes(dump(some_pages(6)))
    small = {lang: DumpSource([tmp_path / "d.xml"], lang) for lang in ("en", "it")}
    assert DumpsInTurn(small).most_workers == 1
    assert DumpsInTurn(sources(tmp_path)).most_workers > 4  # nobody knows how large they are


def test_a_dump_that_is_cut_off_does_not_keep_others_from_being_read(tmp_path: Path) -> None:
    made = sources(tmp_path)
    whole = gzip.decompress((tmp_path / "en.xml.gz").read_bytes())
    (tmp_path / "en.xml.gz").write_bytes(gzip.compress(whole[:-300]))
    read = []
    with pytest.raises(DataError, match=r"en\.xml\.gz"):
        for unit in DumpsInTurn(made).units(()):
            read.append(unit.payload.lang)  # noqa: PERF401 - up to the error
    assert read.count("it") == 3 and "en" in read


def stages_of(lang: str) -> list[Stage]:
    LOADED.append(lang)

    def counted(payloads: Iterator[Chunk], context: Context) -> Iterator[Out]:
        for chunk in payloads:
            yield Out("pages", {"lang": lang, "pages": chunk.pages})

    return [counted]


def test_a_worker_holds_the_stages_of_one_language(tmp_path: Path) -> None:
    LOADED.clear()
    stage = StagesByLanguage({lang: partial(stages_of, lang) for lang in ("en", "it")})
    assert not LOADED
    found = []
    for unit in DumpsInTurn(sources(tmp_path)).units(()):
        assert isinstance(unit.payload, WikiChunk)
        found += stage(iter([unit.payload]), Context(unit.index, 0))
    assert [out.record["lang"] for out in found] == ["en"] * 3 + ["it"] * 3
    assert LOADED == ["en", "it"]

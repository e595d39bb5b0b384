"""The generated encyclopedia is what its truth says, deterministic, and of any size."""

from __future__ import annotations

import bz2
import json
import re
import subprocess
import sys
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from corefmill.builders.runner.stages import Context
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.builders.wiki.articles import DumpSource, ReadDump
from tests.tools.world.truths import LANGUAGES, Written, written
from tools.world.dump import languages, pages, read_table, write, write_shared
from tools.world.grammar import Italian, Phrase
from tools.world.names import Names

SHIPPED = ("en", "it", "de", "es", "fr", "nl", "pl", "pt")
FOLDER = Path(__file__).parents[3] / "corpora" / "sample"


@pytest.fixture(scope="module", params=LANGUAGES)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return written(tmp_path_factory.mktemp("world"), request.param, 2)


@pytest.fixture(scope="module")
def items(world: Written) -> list[Article | Redirect]:
    chunks = DumpSource([world.dump], world.lang).chunks()
    read = ReadDump(world.lang)(chunks, Context(0, 0))
    return [item for item in read if isinstance(item, Article | Redirect)]


def test_there_is_a_world_in_each_language() -> None:
    assert tuple(languages()) == LANGUAGES


def test_the_samples_that_ship_are_its_output(tmp_path: Path) -> None:
    write_shared(tmp_path, langs=SHIPPED, countries=1)
    assert sorted(SHIPPED) == list(LANGUAGES)
    for lang in SHIPPED:
        shipped = FOLDER / f"world-{lang}.xml"
        assert shipped.read_bytes() == (tmp_path / f"{lang}wiki.xml").read_bytes()
        assert shipped.stat().st_size < (400_000 if lang in ("en", "it") else 120_000)
    assert (FOLDER / "links.tsv").read_bytes() == (tmp_path / "links.tsv").read_bytes()


def test_another_seed_is_another_world(tmp_path: Path) -> None:
    first, second = (list(pages("en", 1, seed)) for seed in (0, 1))
    assert {page.title for page in first}.isdisjoint(page.title for page in second if page.pivot)


def test_a_large_world_begins_as_a_small_one() -> None:
    small, large = ([page.text for page in pages("en", size)] for size in (1, 2))
    own = len(small) - sum(len(kind.get("redirects", ())) for kind in read_table("en")["kind"])
    assert large[:own] == small[:own]


def test_titles_are_unique() -> None:
    for lang in LANGUAGES:
        titles = Counter(page.title for page in pages(lang, 8))
        assert [title for title, count in titles.items() if count > 1] == []


def test_the_truth_is_what_the_cleaner_reads(
    world: Written, items: list[Article | Redirect]
) -> None:
    """Every link to an event in prose, with its paragraph and offsets, and no other."""
    target = {item.title: item.target for item in items if isinstance(item, Redirect)}

    def end(title: str) -> str | None:
        seen = set()
        while title in target and title not in seen:
            seen.add(title)
            title = target[title]
        return None if title in seen else title

    found = Counter(
        (item.title, paragraph.text, link.start, link.end, pivot)
        for item in items
        if isinstance(item, Article)
        for paragraph in item.prose
        for link in paragraph.links
        if (pivot := end(item.title_of(link.target))) in world.pivots
    )
    told = Counter(
        (link["page"], link["text"], link["start"], link["end"], link["pivot"])
        for link in world.links
        if link["text"] is not None and link["pivot"] in world.pivots
    )
    assert told == found
    assert all(
        link["text"][link["start"] : link["end"]] == link["anchor"]
        for link in world.links
        if link["text"] is not None
    )


def test_every_kind_of_event_is_there_and_mentioned(world: Written) -> None:
    kinds = {kind["type"] for kind in read_table(world.lang)["kind"]}
    assert {pivot["event_type"] for pivot in world.pivots.values()} == kinds
    mentions = Counter(link["pivot"] for link in world.links if link["valid"])
    assert min(mentions[title] for title in world.pivots) >= 3
    words: dict[str, set[str]] = {title: set() for title in world.pivots}
    for link in world.links:
        if link["valid"]:
            words[link["pivot"]].add(link["anchor"].casefold())
    assert min(map(len, words.values())) >= 2


def test_no_event_is_called_by_one_name_more_than_four_times(world: Written) -> None:
    called = Counter(
        (link["pivot"], link["anchor"].casefold()) for link in world.links if link["valid"]
    )
    assert max(called.values()) == 4


def test_a_mention_stands_in_a_paragraph_that_tells_its_event(world: Written) -> None:
    for link in world.links:
        if link["valid"]:
            assert len(link["text"].split()) >= 20
            assert link["text"].count(link["anchor"]) >= 1


def test_every_trap_is_set_in_every_country(world: Written) -> None:
    traps = Counter(link["trap"] for link in world.links if not link["valid"])
    assert set(traps) == TRAPS
    del traps["section_link"]  # set by chance
    assert min(traps.values()) >= 2


TRAPS = {
    "caption", "comment", "commented", "date", "demonym", "disambiguation", "election", "generic",
    "hatnote", "list", "long", "longer_name", "markup", "navbox", "nested_in_person", "nowiki",
    "other_namespace", "participant", "place", "red_link", "redirect_loop", "redirect_out",
    "reference", "section_link", "self_link", "series", "short", "sport", "subevent",
    "subevent_plain", "surplus", "table", "war",
}  # fmt: skip


def test_all_languages_set_the_same_traps() -> None:
    ours = [read_table(lang) for lang in LANGUAGES]
    assert len({frozenset(table["trap"]) for table in ours}) == 1
    assert len({tuple(decoy["trap"] for decoy in table["decoy"]) for table in ours}) == 1


def test_nothing_of_the_templates_is_left(world: Written, items: list[Article | Redirect]) -> None:
    left = re.compile(r"[{}\[\]@~^]|''|\b(None|Phrase)\b|  |" + WRONG.get(world.lang, "{"))
    texts = [p.text for item in items if isinstance(item, Article) for p in item.prose]
    shown = "{{"  # what stands in <nowiki>
    assert [text for text in texts if left.search(text) and not text.startswith(shown)] == []


WRONG = {
    "es": r"\b(de|a) el\b",
    "fr": r"\b(de|à) les?\b|\b(de|que|le) [aeiouéèâ]",
    "it": r"\bnel [aeo]|\bil [aeiou8]|\ba a",
    "pl": r"\bw wrześniu",
    "pt": r"\b(de|em|por|a) os?\b",
}
"""What no article and no preposition comes to in a language."""


def test_names_recur_where_the_truth_says(world: Written) -> None:
    assert len(world.names) > 50
    for passage in world.names:
        for person, start, end in passage["names"]:
            shown = passage["text"][start:end]
            # In Polish they are inflected: of Kowalski is Kowalskiego.
            assert shown == person or person.endswith(shown) or world.lang == "pl"
            assert any(word[:2] == shown[:2] for word in person.split())


def test_a_packed_world_has_streams_and_an_index(tmp_path: Path) -> None:
    packed = written(tmp_path, "en", 2, suffix="xml.bz2").dump
    plain = written(tmp_path, "en", 2).dump
    data = packed.read_bytes()
    assert bz2.decompress(data) == plain.read_bytes()
    lines = bz2.decompress((tmp_path / "enwiki-index.txt.bz2").read_bytes()).decode().splitlines()
    assert len(lines) == plain.read_text(encoding="utf-8").count("<page>")
    offset, page_id, title = lines[250].split(":", 2)
    stream = bz2.BZ2Decompressor().decompress(data[int(offset) :]).decode()
    assert f"<title>{title}</title>\n    <ns>0</ns>\n    <id>{page_id}</id>" in stream
    assert stream.count("<page>") == 100


def test_memory_does_not_grow_with_the_world(tmp_path: Path) -> None:
    def peak(countries: int) -> int:
        tracemalloc.start()
        write(tmp_path / "w.xml", None, lang="it", countries=countries)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak(1)
    # What other threads of the process hold by chance is counted, too.
    assert any(peak(5) < 1.2 * peak(2) for _ in range(3))


def test_the_command_writes_both_files(tmp_path: Path) -> None:
    out, truth = tmp_path / "w.xml", tmp_path / "w.jsonl"
    done = subprocess.run(
        [
            sys.executable,
            *("-m", "tools.world", "--lang", "it"),
            *("--out", out, "--truth", truth),
        ],
        cwd=FOLDER.parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "19 pivot" in done.stdout
    assert out.stat().st_size > 100_000
    assert json.loads(truth.read_text(encoding="utf-8").splitlines()[0])["kind"]


@pytest.mark.parametrize(
    ("word", "phrase", "expected"),
    [
        ("", Phrase("terremoto"), "il "),
        ("", Phrase("incidente"), "l'"),
        ("di", Phrase("schianto"), "dello "),
        ("in", Phrase("alluvione", feminine=True), "nell'"),
        ("a", Phrase("incendi", plural=True), "agli "),
        ("da", Phrase("roghi", plural=True), "dai "),
        ("su", Phrase("XXI Raduno"), "sul "),
        ("con", Phrase("strage", feminine=True), "con la "),
        ("in", Phrase("aprile 1928"), "nell'"),
        ("il", Phrase("8 ottobre"), "l'"),
        ("il", Phrase("11 ottobre"), "l'"),
        ("il", Phrase("1º maggio"), "il "),
        ("a", Phrase("Albeno", article=False), "ad "),
        ("un", Phrase("architetta", feminine=True), "un'"),
        ("un", Phrase("scrittore"), "uno "),
    ],
)
def test_italian_articles(word: str, phrase: Phrase, expected: str) -> None:
    assert Italian().before(word, phrase) == expected


def test_names_do_not_repeat_and_never_end() -> None:
    names = Names((("a", "b", "c"), ("x", "y")), seed=3)
    assert len({names.name(i) for i in range(6)}) == 6
    assert names.name(6) == f"{names.name(0)} II"

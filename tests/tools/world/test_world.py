"""The generated encyclopedia is what its truth says, and the samples that ship."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from corefmill.builders.run.stages import Context
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.builders.wiki.articles import DumpSource, ReadDump
from tests.tools.world.truths import LANGUAGES, Written, written
from tools.world.dump import write_shared

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


def test_the_samples_that_ship_are_its_output(tmp_path: Path) -> None:
    write_shared(tmp_path, langs=SHIPPED, countries=1)
    assert sorted(SHIPPED) == list(LANGUAGES)
    for lang in SHIPPED:
        shipped = FOLDER / f"world-{lang}.xml"
        assert shipped.read_bytes() == (tmp_path / f"{lang}wiki.xml").read_bytes()
        assert shipped.stat().st_size < (400_000 if lang in ("en", "it") else 120_000)
    assert (FOLDER / "links.tsv").read_bytes() == (tmp_path / "links.tsv").read_bytes()


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

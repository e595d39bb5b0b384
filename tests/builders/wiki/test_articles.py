"""A dump as a builder's input: its units, the articles made of them, and whose language it is."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from corefmill.builders.run.stages import Context, Unit, split_payload
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.builders.wiki.articles import DumpSource, ReadDump
from corefmill.corpora.files.errors import DataError
from tests.builders.wiki.dump.dump_writer import dump, page, some_pages

REDIRECT = '<ns>0</ns><redirect title="ada lovelace#Life" />'
PAGES = [
    page(
        "Ada Lovelace",
        "{{Infobox person}}\n"
        "'''Ada''' knew [[charles_babbage#Work|Babbage]] and [[#Life|lived]].\n\n"
        "== Life ==\n* One item\n\nShe wrote notes on [[Engine]]s.\n[[Category:1815 births]]",
        number=5,
    ),
    page("Ada", "#REDIRECT [[Ada Lovelace]]", number=6, extra=REDIRECT),
    page("Talk:Ada Lovelace", "Talk.", number=7, extra="<ns>1</ns>"),
    page("Engine", "{{Infobox machine}} An engine turns.", number=8),
    page("Plain", "Nothing tells.", number=9),
    page("Broken", "x", number=10).replace("</revision>", ""),
    page("Talk:Ada", "#REDIRECT [[Talk:X]]", number=11, extra="<ns>1</ns>"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "enwiki-20200101-pages-articles.xml"
    path.write_bytes(dump(PAGES))
    return path


def read(units: list[Unit], lang: str = "en") -> tuple[list[Article | Redirect], Context]:
    context = Context(0, 0)
    chunks = (chunk for unit in units for chunk in split_payload(unit.payload, context))
    return list(ReadDump(lang)(chunks, context)), context


def articles(path: Path, lang: str = "en") -> list[Article]:
    units = list(DumpSource([path], lang).units(()))
    return [item for item in read(units, lang)[0] if isinstance(item, Article)]


def test_pages_of_the_main_namespace_become_articles(path: Path) -> None:
    ada, engine, plain = articles(path)
    assert (ada.key, ada.title, ada.page_id) == ("enwiki-5", "Ada Lovelace", 5)
    assert [p.text for p in ada.prose] == [
        "Ada knew Babbage and lived.",
        "She wrote notes on Engines.",
    ]
    assert [p.kind for p in ada.paragraphs] == ["prose", "heading", "list", "prose"]
    assert [a.is_person for a in (ada, engine, plain)] == [True, False, None]


def test_redirects_and_counts(path: Path) -> None:
    items, context = read(list(DumpSource([path], "en").units(())))
    # A redirect is told by the title that the wiki has.
    redirects = [item for item in items if isinstance(item, Redirect)]
    assert redirects == [Redirect("Ada", "Ada lovelace")]
    assert context.counts == {"pages": 6, "articles": 3, "redirects": 1}
    assert context.rejects == {"malformed_xml": 1}


def test_a_links_target_is_resolved_to_a_title(path: Path) -> None:
    ada = articles(path)[0]
    links = [link for paragraph in ada.paragraphs for link in paragraph.links]
    assert [ada.title_of(link.target) for link in links] == ["Charles babbage", "", "Engine"]
    assert [link.section for link in links] == ["Work", "Life", None]


def test_a_dump_of_another_language_is_refused_with_a_remedy(path: Path) -> None:
    with pytest.raises(DataError, match="its language is 'en', not 'it'") as caught:
        list(DumpSource([path], "it").units(()))
    assert caught.value.path == str(path)
    assert caught.value.remedy == "--lang en"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_page_too_large_is_a_reject(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "enwiki.xml"
    path.write_bytes(pack(dump([page("Huge", "x" * (16 << 20)), page("Small", number=2)])))
    units = list(DumpSource([path], "en").units(()))
    articles, context = read(units)
    told = Counter(context.rejects)
    for unit in units:
        told.update(unit.rejects)
    assert told == {"page_too_large": 1}
    assert [article.title for article in articles] == ["Small"]


def test_small_files_are_worth_one_worker_together(tmp_path: Path) -> None:
    """Two samples of 100 KB once started two processes, which took twice the time of one."""
    paths = [tmp_path / f"{number}.xml" for number in range(3)]
    for path in paths:
        path.write_bytes(dump(some_pages(6)))
    assert DumpSource(paths, "en").most_workers == 1
    for path in paths[:2]:  # 5 MB each, in windows
        path.write_bytes(dump([page(f"P{n}", "a b " * 12_500, number=n) for n in range(100)]))
    assert DumpSource(paths, "en").most_workers == 3


def test_progress_is_in_bytes_of_all_the_files(path: Path, tmp_path: Path) -> None:
    second = tmp_path / "2.xml"
    second.write_bytes(dump(PAGES))
    total = 2 * len(dump(PAGES))
    source = DumpSource([path, second], "en")
    before = source.progress()
    list(source.units(()))
    after = source.progress()
    assert before is not None and after is not None
    assert (before.done, before.total, before.unit) == (0, total, "B")
    assert (after.done, after.total) == (total, total)

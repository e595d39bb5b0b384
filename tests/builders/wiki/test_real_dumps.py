"""Every real dump at hand is read whole, or to the place where it is cut off."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from corefmill.builders.wiki.dump.chunks import chunks
from corefmill.builders.wiki.dump.pages import Page, pages
from corefmill.corpora.files.errors import DataError

DUMPS = Path(__file__).resolve().parents[4] / "shared" / "data" / "dumps"
MINI = sorted((DUMPS / "dbpedia-mini").glob("*wiki.xml.bz2"))

pytestmark = pytest.mark.skipif(not DUMPS.is_dir(), reason=f"no real dumps at {DUMPS}")


def read(path: Path, lang: str) -> tuple[list[Page], DataError | None]:
    rejects: Counter[str] = Counter()
    found: list[Page] = []
    error = None
    try:
        for chunk in chunks(path, target_bytes=1 << 20):
            assert not chunk.oversized
            found += pages(chunk, lang, lambda reason, _: rejects.update([reason]))
    except DataError as fault:
        error = fault
    assert not rejects
    return found, error


@pytest.mark.parametrize(
    ("name", "lang", "count", "articles", "redirects"),
    [
        pytest.param(
            *("enwiki-real-sample.xml.bz2", "en", 303, 302, 77), marks=pytest.mark.thorough
        ),
        pytest.param(
            *("itwiki-real-sample.xml.bz2", "it", 561, 501, 46), marks=pytest.mark.thorough
        ),
        ("nlwiki-20140927-pages-articles-sample.xml", "nl", 21, 21, 2),
    ],
)
def test_a_real_dump(name: str, lang: str, count: int, articles: int, redirects: int) -> None:
    found, error = read(DUMPS / name, lang)
    assert error is None and len(found) == count
    assert sum(page.ns == 0 for page in found) == articles
    assert sum(page.redirect is not None for page in found) == redirects
    assert len({page.page_id for page in found}) > count - 10 and all(p.text for p in found)


def test_a_real_dump_cut_off_in_a_page() -> None:
    found, error = read(DUMPS / "elwiki-truncated-100k.xml.xz", "el")
    assert len(found) == 933
    assert error is not None
    assert 'within the page "18 Μαρτίου"' in str(error)
    assert 'the last whole page is "17 Μαρτίου", page 933' in str(error)


def test_73_real_languages_whose_siteinfo_says_english() -> None:
    assert len(MINI) == 73
    total = 0
    for path in MINI:
        lang = path.name.split("wiki")[0]
        found, error = read(path, lang)
        assert error is None and found, path.name
        total += len(found)
    assert total == 80

"""Cutting dumps into chunks: borders, oversized and broken pages, cut-off and hostile files."""

from __future__ import annotations

import bz2
import io
import itertools
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.wiki.dump import chunks as cutting
from corefmill.builders.wiki.dump import compression
from corefmill.builders.wiki.dump.chunks import Chunk, chunks
from corefmill.builders.wiki.dump.pages import pages
from corefmill.corpora.files.errors import DataError
from tests.builders.wiki.dump.dump_writer import (
    FOOTER,
    HEADER,
    dump,
    page,
    some_pages,
)


def titles(found: list[Chunk]) -> list[str]:
    return [p.title for chunk in found for p in pages(chunk)]


def read(
    path: Path, *, longest_page: int | None = None, **options: Any
) -> tuple[list[Chunk], DataError | None]:
    found: list[Chunk] = []
    with pytest.MonkeyPatch.context() as patch:
        if longest_page is not None:
            patch.setattr(cutting, "_LONGEST_PAGE", longest_page)
        try:
            for chunk in chunks([path], **options):
                found.append(chunk)  # noqa: PERF402 - what came before an error is wanted
        except DataError as error:
            return found, error
    return found, None


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Any]:
    """Writes a file of the given bytes and returns its path."""
    numbers = itertools.count()

    def write(content: bytes) -> Path:
        path = tmp_path / f"{next(numbers)}.xml"
        path.write_bytes(content)
        return path

    yield write


def test_chunks_hold_all_pages_in_order(written: Any) -> None:
    found, error = read(written(dump(some_pages(500))), target_bytes=10_000)
    assert error is None
    assert titles(found) == [f"Page {n}" for n in range(1, 501)]
    assert [chunk.index for chunk in found] == list(range(len(found)))
    assert sum(chunk.pages for chunk in found) == 500
    # A chunk ends with the page that reaches the target; a page has about 400 bytes.
    assert all(10_000 <= len(chunk.data) + 1 < 10_600 for chunk in found[:-1])
    assert all(chunk.digest == f"{crc32(chunk.data):08x}-{len(chunk.data):x}" for chunk in found)
    assert found[0].page(0).startswith(b"<page>") and found[0].page(0).endswith(b"</page>")


def test_an_empty_dump_has_no_chunk(written: Any) -> None:
    assert read(written(dump([]))) == ([], None)


class _Stuttering(io.RawIOBase):
    """A dump that arrives in pieces of any size."""

    path = "stuttering.xml"
    total = None

    def __init__(self, content: bytes, sizes: list[int]) -> None:
        self._content, self._sizes = content, itertools.cycle(sizes)

    def read(self, size: int = -1) -> bytes:
        size = next(self._sizes)
        piece, self._content = self._content[:size], self._content[size:]
        return piece


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 3000), min_size=1, max_size=8))
def test_borders_do_not_depend_on_how_the_bytes_arrive(sizes: list[int]) -> None:
    hostile = [
        page("C", "MARK").replace("MARK", "<!-- </page> --><![CDATA[</page><page>]]><?x </page>?>"),
        page("Huge", "x" * 5000),
        "<page><title>Open</title>",
        page("Last"),
    ]
    content = dump([*some_pages(20), *hostile])

    def cut(sizes: list[int]) -> list[tuple[bytes, tuple[str, ...]]]:
        with pytest.MonkeyPatch.context() as patch:
            stream = _Stuttering(content, sizes)
            patch.setattr(cutting, "open_dump", lambda *_, **__: stream)
            patch.setattr(cutting, "_AHEAD", sizes[0])
            stream.position = lambda: 0  # type: ignore[attr-defined]
            patch.setattr(cutting, "_LONGEST_PAGE", 4000)
            found = chunks(["x"], target_bytes=2000)
            return [(chunk.data, chunk.oversized) for chunk in found]

    assert cut(sizes) == cut([1 << 20])


def test_trap_page_end_within_comment_cdata_and_instruction(written: Any) -> None:
    marks = "<!-- </page> --> <![CDATA[</page>]]> <?x </page> ?> end"
    content = dump([page("A"), page("B", "MARK").replace("MARK", marks), page("C")])
    found, error = read(written(content))
    assert error is None and titles(found) == ["A", "B", "C"]
    assert list(pages(found[0]))[1].text == " </page>  end"


def test_a_comment_before_the_root_and_between_pages(written: Any) -> None:
    # As in nlwiki-20140927-pages-articles-sample.xml
    content = b"<!--\nA sample of <mediawiki> <page></page>\n-->\n" + dump(
        [page("A"), "<!-- <page> </mediawiki> -->", page("B")]
    )
    found, error = read(written(content))
    assert error is None and titles(found) == ["A", "B"]


def test_what_stands_between_pages_is_passed_over(written: Any) -> None:
    content = dump([page("A"), "<logitem><id>1</id></logitem> junk </page> <pages/>", page("B")])
    found, error = read(written(content))
    assert error is None and titles(found) == ["A", "B"]


def test_trap_a_truncated_dump_names_its_last_whole_page(written: Any) -> None:
    content = dump(some_pages(30))
    found, error = read(written(content[: content.index(b"page 21.")]), target_bytes=2000)
    assert titles(found) == [f"Page {n}" for n in range(1, 21)]
    assert error is not None
    assert 'within the page "Page 21"' in str(error)
    assert 'the last whole page is "Page 20", page 20 of the file' in str(error)


def test_a_dump_cut_between_pages_is_cut_off(written: Any) -> None:
    found, error = read(written(dump([page("A &amp B")]).removesuffix(FOOTER.encode())))
    assert len(found) == 1 and error is not None
    assert 'between two pages; the last whole page is "A &amp B"' in str(error)


@pytest.mark.parametrize("parallel", [True, False])
def test_trap_a_cut_off_bz2_yields_its_pages_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, parallel: bool
) -> None:
    if not parallel:
        monkeypatch.setattr(compression, "PARALLEL", {})
    path = tmp_path / "cut.xml.bz2"
    packed = b"".join(bz2.compress(part.encode()) for part in [HEADER, *some_pages(50)])
    path.write_bytes(packed[:-20])
    found, error = read(path)
    assert titles(found) == [f"Page {n}" for n in range(1, 50)]
    assert error is not None and "compressed data" in str(error) and '"Page 49"' in str(error)


def test_a_file_cut_off_within_its_header(written: Any) -> None:
    for content in (HEADER.encode(), HEADER[:100].encode(), b"<?xml version='1.0'?>\n"):
        found, error = read(written(content))
        assert found == [] and error is not None
        assert "cut off before its first page; no page of it is whole" in str(error)


def test_an_oversized_page_is_named_and_left_out(written: Any) -> None:
    content = dump([page("A"), page("Big & bad", "x" * 9000), page("B")])
    found, error = read(written(content), longest_page=8000, target_bytes=1_000_000)
    assert error is None and titles(found) == ["A", "B"]
    assert found[0].oversized == ("Big & bad",)


def test_a_chunk_of_oversized_pages_only_is_told(written: Any) -> None:
    found, error = read(written(dump([page("Big", "x" * 9000)])), longest_page=8000)
    assert error is None and [(c.pages, c.oversized) for c in found] == [(0, ("Big",))]


def test_a_page_of_exactly_the_limit_is_not_oversized(written: Any) -> None:
    one = page("A", "x" * 500)
    size = len(one.strip())
    for limit, pages_left in ((size, 1), (size - 1, 0)):
        found, _ = read(written(dump([one, "", page("B" * (size // 4))])), longest_page=limit)
        assert titles(found).count("A") == pages_left


def test_an_oversized_page_is_not_buffered(tmp_path: Path) -> None:
    path = tmp_path / "big.xml"
    with path.open("wb") as file:
        file.write((HEADER + "<page><title>Braces</title><text>").encode())
        for _ in range(50):
            file.write(b"{{{{[[[[" * 125_000)
        file.write(("</text></page>" + page("B") + FOOTER).encode())
    tracemalloc.start()
    found, error = read(path, longest_page=1 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert error is None and found[0].oversized == ("Braces",) and titles(found) == ["B"]
    assert peak < 30_000_000


def test_junk_without_end_is_not_buffered(tmp_path: Path) -> None:
    path = tmp_path / "junk.xml"
    path.write_bytes(HEADER.encode() + page("A").encode() + b" <x>" * 10_000_000)
    tracemalloc.start()
    found, error = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert titles(found) == ["A"] and error is not None and "cut off" in str(error)
    assert peak < 30_000_000


def test_a_comment_that_never_closes_costs_its_page_and_what_it_swallows(written: Any) -> None:
    content = dump([page("A", "MARK").replace("MARK", "<!-- "), *some_pages(50)])
    found, error = read(written(content), longest_page=4000)
    assert error is None and found[0].oversized == ("A",)
    assert titles(found)[-1] == "Page 50" and len(titles(found)) > 35


def test_many_open_comments_take_linear_time(written: Any) -> None:
    content = dump([page("A", "MARK").replace("MARK", "<!-- " * 400_000), page("B")])
    found, error = read(written(content), longest_page=1 << 20)
    assert error is None and titles(found) == ["B"]


@pytest.mark.parametrize("cut", [b"</text>", b"</revision>", b"</page>"])
def test_a_page_that_never_closes_is_passed_on_alone(written: Any, cut: bytes) -> None:
    whole = page("B")
    broken = whole[: whole.index(cut.decode())]
    found, error = read(written(dump([page("A"), broken, page("C")])))
    rejects: list[str] = []
    kept = [p.title for p in pages(found[0], None, lambda reason, _: rejects.append(reason))]
    assert error is None and kept == ["A", "C"] and rejects == ["malformed_xml"]


def test_dumps_one_after_the_other_in_a_file(written: Any) -> None:
    italian = HEADER.replace('lang="en"', 'lang="it"')
    content = dump([page("A")]) + b"<?xml version='1.0'?>\n" + dump([page("B")], italian)
    found, error = read(written(content))
    assert error is None and [c.site.lang for c in found] == ["en", "it"]
    assert titles(found) == ["A", "B"]


def test_what_follows_the_end_of_a_dump_is_passed_over(written: Any) -> None:
    found, error = read(written(dump([page("A")]) + b"<page></page> <html> junk"))
    assert error is None and titles(found) == ["A"]


def test_a_file_cut_off_within_an_oversized_page_names_it(written: Any) -> None:
    content = HEADER + page("A") + "<page><title>Big</title>" + "x" * 9_000_000
    found, error = read(written(content.encode()), longest_page=8000)
    assert titles(found) == ["A"] and error is not None
    assert 'within the page "Big"; the last whole page is "A"' in str(error)


def test_the_remedy_for_a_wrong_encoding_reaches_the_user(written: Any) -> None:
    _, error = read(written(b"<?xml version='1.0' encoding='zip'?>" + dump([])))
    assert error is not None and "convert the file to UTF-8" in str(error)


def test_several_files_are_numbered_through(written: Any) -> None:
    parts = [written(dump([page(title)])) for title in "ABC"]
    found = list(chunks(parts))
    assert [(c.index, c.path) for c in found] == [(n, str(p)) for n, p in enumerate(parts)]


def test_a_chunk_that_is_done_comes_without_data(written: Any) -> None:
    path = written(dump(some_pages(100)))
    everything, rest = (list(chunks([path], target_bytes=5000, skip=s)) for s in ((), {0, 2}))
    assert [c.digest for c in rest] == [c.digest for c in everything]
    assert [c.index for c in rest if not c.data] == [0, 2]
    assert [c.pages for c in rest] == [c.pages for c in everything]


def test_progress_reaches_the_end(written: Any) -> None:
    seen: list[tuple[int, int | None]] = []
    path = written(dump(some_pages(100)))
    list(
        chunks(
            [path], target_bytes=5000, progress=lambda _, done, total: seen.append((done, total))
        )
    )
    assert seen == sorted(seen) and seen[-1] == (path.stat().st_size, path.stat().st_size)


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE mediawiki [<!ENTITY a "aaaa">]>',
        '<!DOCTYPE mediawiki SYSTEM "file:///etc/passwd">',
    ],
)
def test_a_doctype_is_refused(written: Any, doctype: str) -> None:
    inside = HEADER.replace("<siteinfo>", doctype + "<siteinfo>")
    for content in (doctype + HEADER, "<?xml version='1.0'?>" + doctype + HEADER, inside):
        found, error = read(written((content + page("A", "&a;") + FOOTER).encode()))
        assert found == [] and error is not None and "DOCTYPE" in str(error)


@pytest.mark.parametrize(
    ("content", "phrase"),
    [
        (b"<!doctype html><html></html>", "an HTML page"),
        (b"hello", "plain text"),
        (b"<?xml version='1.0'?><feed></feed>", "an XML file of another kind"),
    ],
)
def test_another_file_within_the_packing_is_called_what_it_is(
    tmp_path: Path, content: bytes, phrase: str
) -> None:
    path = tmp_path / "enwiki.xml.bz2"
    path.write_bytes(bz2.compress(content))
    _, error = read(path)
    assert error is not None and phrase in str(error)


def test_a_dump_of_nothing_but_a_header_is_bounded(written: Any) -> None:
    _, error = read(written(HEADER.encode() + b" " * (3 << 20)))
    assert error is not None and "no page within" in str(error)

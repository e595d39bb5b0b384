"""Windows of dumps: every page is in one, wherever the borders fall and however it is packed."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.wiki.dump import windows as module
from corefmill.builders.wiki.dump.chunks import Chunk, chunks
from corefmill.builders.wiki.dump.pages import pages as read_pages
from corefmill.builders.wiki.dump.windows import DumpWindow, windows
from corefmill.corpora.files.errors import DataError, UsageError
from tests.builders.wiki.dump.dump_writer import HEADER, dump, page, some_pages, write_multistream

_LARGE = "Words that do not repeat much: " + " ".join(str(n * n) for n in range(30_000))


def titles(found: Sequence[Chunk]) -> list[str]:
    return [
        bytes(chunk.page(n)).split(b"<title>")[1].split(b"</title>")[0].decode()
        for chunk in found
        for n in range(chunk.pages)
    ]


def read(own: Sequence[DumpWindow]) -> tuple[list[Chunk], list[DataError]]:
    errors: list[DataError] = []
    return [chunk for window in own for chunk in window.chunks(errors.append)], errors


def pieces(content: bytes, size: int) -> list[bytes]:
    """Streams as pbzip2 writes them: so many bytes each, wherever a page ends."""
    return [bz2.compress(content[n : n + size]) for n in range(0, len(content), size)]


PACKINGS: dict[bool, Callable[[Path, list[str]], object]] = {
    False: lambda path, pages: path.write_bytes(dump(pages)),
    True: lambda path, pages: write_multistream(path, pages, per_stream=7),
}


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "streams"])
def packed(request: pytest.FixtureRequest) -> Iterator[tuple[DumpWindow, bytes]]:
    """A dump of 120 pages, some of them longer than a block of bz2, as one window; and what one
    who reads it from its beginning to its end finds."""
    pages = some_pages(120)
    for number in (30, 31, 90):
        pages[number] = page(f"Long {number}", _LARGE, number=1000 + number)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "d.xml"
        PACKINGS[request.param](path, pages)
        whole = list(chunks(path))
        content = b"\n".join(chunk.data for chunk in whole)
        yield DumpWindow(path, 0, path.stat().st_size, request.param, whole[0].site), content


def cut(whole: DumpWindow, places: Iterable[int]) -> list[DumpWindow]:
    """Windows between borders at these millionths of the file."""
    borders = sorted({0, whole.end, *(place * whole.end // 10**6 for place in places)})
    return [replace(whole, begin=b, end=e, sums=[]) for b, e in pairwise(borders)]


def test_the_cut_is_told_from_the_file(packed: tuple[DumpWindow, bytes]) -> None:
    found = windows(packed[0].path)
    assert found and all(one == replace(packed[0], begin=one.begin, end=one.end) for one in found)


@settings(max_examples=8, deadline=None)
@given(cuts=st.lists(st.integers(0, 10**6), max_size=12))
def test_every_page_is_in_one_window_wherever_the_borders_are(
    packed: tuple[DumpWindow, bytes], cuts: list[int]
) -> None:
    found, errors = read(cut(packed[0], cuts))
    assert not errors
    assert b"\n".join(chunk.data for chunk in found if chunk.pages) == packed[1]


@settings(max_examples=8, deadline=None)
@given(size=st.integers(40, 4000), cuts=st.lists(st.integers(0, 10**6), max_size=6))
def test_streams_that_cut_pages_and_tags(size: int, cuts: list[int]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "d.xml.bz2"
        path.write_bytes(b"".join(pieces(dump(some_pages(30)), size)))
        site = next(iter(chunks(path))).site
        found, errors = read(cut(DumpWindow(path, 0, path.stat().st_size, True, site), cuts))
        assert not errors
        assert titles(found) == [f"Page {n}" for n in range(1, 31)]


def test_windows_grow_and_cover_the_file(tmp_path: Path) -> None:
    path = tmp_path / "d.xml"
    with path.open("wb") as file:
        file.write((HEADER + page("A")).encode())
        file.truncate(600 << 20)  # a hole: only borders are looked at
    found = windows(path)
    assert found is not None
    sizes = [window.end - window.begin for window in found]
    assert sum(sizes) == path.stat().st_size and found[0].begin == 0
    assert sizes[:-1] == sorted(sizes[:-1]) and sizes[0] == 2 << 20 and max(sizes) == 32 << 20


def test_what_has_no_windows(tmp_path: Path) -> None:
    whole = dump(some_pages(3))
    for name, content in {
        "utf16": whole.decode().encode("utf-16"),
        "latin": b'<?xml version="1.0" encoding="iso-8859-1"?>' + whole,
        "rows": b'{"title": "A", "wikitext": "B"}\n',
        "rows.bz2": bz2.compress(b'{"title": "A", "wikitext": "B"}\n'),
        "page.html": b"<html></html>",
        "empty": b"",
        "folder": None,
    }.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        assert windows(path) is None, name


def test_a_damaged_block_costs_the_pages_in_it(tmp_path: Path) -> None:
    path = tmp_path / "d.xml.bz2"
    write_multistream(path, some_pages(100), per_stream=10)
    packed = bytearray(path.read_bytes())
    headers = [found.start() for found in module._HEADER.finditer(bytes(packed))]
    packed[headers[4] + 60] ^= 0xFF  # the fourth stream of pages: 31 to 40
    path.write_bytes(packed)
    own = windows(path)
    assert own is not None and own[0].packed
    found, errors = read(own)
    kept = [n for n in range(1, 101) if not 31 <= n <= 40]
    assert titles(found) == [f"Page {n}" for n in kept]
    assert len(errors) == 1 and "compressed data is unreadable" in str(errors[0])
    assert "download the file again" in str(errors[0])


@pytest.mark.parametrize("packed", PACKINGS)
def test_a_dump_that_is_cut_off_gives_what_is_whole(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "d.xml"
    PACKINGS[packed](path, [page(f"Page {n}", f"{n} {_LARGE}", number=n) for n in range(1, 12)])
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 3 // 4])
    pages, errors = read(windows(path) or [])
    assert titles(pages)[0] == "Page 1" and 2 <= len(titles(pages)) < 11
    assert len(errors) == 1 and "cut off" in str(errors[0])


def test_a_dump_that_ends_between_two_streams_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "d.xml.bz2"
    path.write_bytes(b"".join(bz2.compress(p.encode()) for p in [HEADER, *some_pages(9)]))
    found, errors = read(windows(path) or [])
    assert len(titles(found)) == 9
    assert ["cut off between two pages" in str(error) for error in errors] == [True]


def test_a_second_wiki_in_the_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "d.xml"
    other = HEADER.replace('lang="en"', 'lang="it"')
    path.write_bytes(dump([page("A")]) + dump([page("B")], other))
    with pytest.raises(UsageError, match="give each dump as a file of its own"):
        read(windows(path) or [])


@pytest.mark.parametrize("packed", PACKINGS)
def test_the_sum_of_a_window_needs_no_second_reading(
    packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "d.xml"
    PACKINGS[packed](path, some_pages(200))
    whole = DumpWindow(path, 0, path.stat().st_size, packed, next(iter(chunks(path))).site)
    own = cut(whole, range(0, 10**6, 700 * 10**6 // whole.end))
    fresh = [window.digest() for window in own]
    assert not read(own)[1] and all(window.sums for window in own)
    monkeypatch.setattr(Path, "open", None)
    assert [window.digest() for window in own] == fresh


def test_zeros_behind_the_end_are_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "d.xml.bz2"
    write_multistream(path, some_pages(9), per_stream=3)
    path.write_bytes(path.read_bytes() + b"\0" * 5000)
    found, errors = read(windows(path) or [])
    assert not errors and len(titles(found)) == 9


def _zero(content: bytes, first: bytes, last: bytes) -> bytes:
    """Write zeros over a dump, from one place in it to another."""
    begin, end = content.index(first), content.index(last)
    return content[:begin] + bytes(end - begin) + content[end:]


@pytest.mark.parametrize(
    ("first", "last", "lost", "where"),
    [
        (b"page 5.", b"page 9.", range(5, 10), 'in or before the page "Page 5"'),
        (
            b"page 5.",
            b"</text>\n    </revision>\n  </page>\n  <page>\n    <title>Page 6<",
            [5],
            "5",
        ),
        (b"<title>Page 5<", b"page 7.", [5, 6, 7], 'in or before the page "?"'),
        (b"  <page>\n    <title>Page 5<", b"  <page>\n    <title>Page 7<", [5, 6], "7"),
        (b"  <page>\n    <title>Page 5<", b"page 6. The", [5, 6], "7"),
        (b"  <page>\n    <title>Page 40<", b"</mediawiki>", [40], "behind the last page"),
        (b"\n</mediawiki>", b"</mediawiki>", [], "behind the last page"),
        (b"page 40.", b"</mediawiki>", [40], 'before the page "Page 40"'),
    ],
)
def test_zeros_in_the_midst_are_damage(
    tmp_path: Path, first: bytes, last: bytes, lost: Sequence[int], where: str
) -> None:
    path = tmp_path / "d.xml"
    path.write_bytes(
        _zero(dump(some_pages(40)).replace(b"  </page>\n</med", b"  </page>\n\n</med"), first, last)
    )
    (window,) = windows(path) or []
    for places in ([], [300_000, 350_000, 400_000, 700_000]):
        found, errors = read(cut(window, places))
        assert _parsed(found) == [f"Page {n}" for n in range(1, 41) if n not in lost]
        assert errors and all("bytes of zero" in str(e) or "cut off" in str(e) for e in errors)
        assert places or where in str(errors[0])


def _parsed(found: Sequence[Chunk]) -> list[str]:
    return [one.title for chunk in found for one in read_pages(chunk)]


@pytest.mark.parametrize("packing", [bz2.compress, gzip.compress, lzma.compress])
def test_zeros_in_what_is_packed_are_damage(
    tmp_path: Path, packing: Callable[[bytes], bytes]
) -> None:
    content = _zero(dump(some_pages(40)), b"page 5.", b"page 9.")
    (tmp_path / "d.xml").write_bytes(packing(content))
    with pytest.raises(DataError, match="bytes of zero in place of text, in or before"):
        list(chunks(tmp_path / "d.xml"))
    (tmp_path / "d.xml").write_bytes(packing(dump(some_pages(40)) + bytes(5000)))
    assert len(_parsed(list(chunks(tmp_path / "d.xml")))) == 40

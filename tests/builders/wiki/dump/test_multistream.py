"""The index of a multistream dump, and what it adds to the error for a cut-off one."""

from __future__ import annotations

import bz2
from pathlib import Path

import pytest

from corefmill.builders.wiki.dump.chunks import chunks
from corefmill.builders.wiki.dump.multistream import Stream, index_beside, stream_offsets
from corefmill.corpora.errors import DataError
from tests.builders.wiki.dump.dump_writer import some_pages, write_multistream

NAME = "enwiki-20240101-pages-articles-multistream.xml.bz2"


def test_the_offsets_lead_to_the_streams(tmp_path: Path) -> None:
    index = write_multistream(tmp_path / NAME, some_pages(250))
    streams = list(stream_offsets(index))
    assert [stream.pages for stream in streams] == [100, 100, 50]
    data = (tmp_path / NAME).read_bytes()
    first = bz2.BZ2Decompressor().decompress(data[streams[1].offset :])
    assert b"<title>Page 101</title>" in first and first.count(b"<page>") == 100


def test_an_index_may_be_uncompressed(tmp_path: Path) -> None:
    path = tmp_path / "index.txt"
    path.write_text("598:10:A: the title\n598:12:B\n700:13:C")
    assert list(stream_offsets(path)) == [Stream(598, 2), Stream(700, 1)]


@pytest.mark.parametrize("bad", ["598", "598:x:A", "500:11:A", "<html>", "9" * 50 + ":1:A"])
def test_a_malformed_line_is_named(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "index.txt"
    path.write_text(f"598:10:A\n{bad}\n")
    with pytest.raises(DataError, match=r"index\.txt:2: "):
        list(stream_offsets(path))


@pytest.mark.parametrize(
    ("dump", "index"),
    [
        (NAME, "enwiki-20240101-pages-articles-multistream-index.txt.bz2"),
        (
            "enwiki-1-pages-articles-multistream3.xml-p1p9.bz2",
            "enwiki-1-pages-articles-multistream-index3.txt-p1p9.bz2",
        ),
    ],
)
def test_the_index_beside_a_dump(tmp_path: Path, dump: str, index: str) -> None:
    assert index_beside(tmp_path / dump) is None
    (tmp_path / index).touch()
    assert index_beside(tmp_path / dump) == tmp_path / index
    assert index_beside("-") is None


def test_a_cut_off_dump_tells_how_many_pages_its_index_lists(tmp_path: Path) -> None:
    path = tmp_path / NAME
    index = write_multistream(path, some_pages(250))
    last = list(stream_offsets(index))[-1]
    path.write_bytes(path.read_bytes()[: last.offset + 50])
    with pytest.raises(DataError, match='"Page 200", page 200 of the file, of 250 in its index'):
        list(chunks([path]))
    index.write_text("<html>")
    with pytest.raises(DataError, match="page 200 of the file \\("):
        list(chunks([path]))

"""Opening dumps: every packing, both decompressors of bz2, and what broken files still hold."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path

import pytest
import zstandard

from corefmill.builders.wiki.dump.compression import describe_kind, open_stream
from corefmill.corpora.files.errors import DataError
from tests.builders.wiki.dump.dump_writer import dump, page, some_pages, write_multistream

XML = dump(some_pages(300))
TOOLS = ("indexed_bzip2", "python")
PACK: dict[str, Callable[[bytes], bytes]] = {
    "xml": bytes,
    "bz2": bz2.compress,
    "gz": gzip.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


@contextmanager
def only(tool: str) -> Iterator[None]:
    """Without indexed_bzip2 where the tool is Python."""
    with pytest.MonkeyPatch.context() as patch:
        if tool == "python":
            patch.setitem(sys.modules, "indexed_bzip2", None)
        else:
            pytest.importorskip(tool)
        yield


def read(path: Path | str, tool: str = "") -> tuple[bytes, DataError | None]:
    """All that a file gives, and the error at its end."""
    pieces: list[bytes] = []
    with only(tool) if tool else nullcontext(), open_stream(path, threads=2) as stream:
        try:
            while piece := stream.read_piece():
                pieces.append(piece)
        except DataError as error:
            return b"".join(pieces), error
    return b"".join(pieces), None


LONG = dump([page("Long", random.Random(1).randbytes(1_500_000).hex())])
"""A dump that does not compress well, so that a small file has several blocks of bz2."""


@cache
def pack_long(packing: str) -> bytes:
    return PACK[packing](LONG)


@pytest.mark.parametrize("packing", PACK)
def test_the_first_bytes_decide_not_the_name_and_all_streams_are_read(
    tmp_path: Path, packing: str
) -> None:
    path = tmp_path / "dump.dat"
    for pieces in ([XML], [XML[:5000], XML[5000:]]):
        path.write_bytes(b"".join(map(PACK[packing], pieces)))
        assert read(path) == (XML, None)


@pytest.mark.parametrize("tool", TOOLS)
def test_trap_one_decompressor_returns_only_the_first_stream(tmp_path: Path, tool: str) -> None:
    path = tmp_path / "simplewiki-20240101-pages-articles-multistream.xml.bz2"
    write_multistream(path, some_pages(300))
    assert read(path, tool) == (XML, None)


@pytest.mark.parametrize(
    ("packing", "tool"), [*(("bz2", tool) for tool in TOOLS), ("gz", ""), ("xz", ""), ("zst", "")]
)
def test_trap_a_cut_off_file_gives_what_it_holds_and_the_error_last(
    tmp_path: Path, packing: str, tool: str
) -> None:
    packed = pack_long(packing)
    path = tmp_path / "cut"
    path.write_bytes(packed[: len(packed) * 3 // 4])
    held, error = read(path, tool)
    # Every block that is there as a whole, so more than half and a whole number of them.
    assert len(held) > len(LONG) // 2 and LONG.startswith(held)
    if packing == "bz2":
        assert held == read(path, "python")[0]
    assert error is not None and "cut off" in str(error) and str(path) in str(error)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_damaged_block_gives_no_wrong_byte(tmp_path: Path, tool: str) -> None:
    packed = bytearray(pack_long("bz2"))
    packed[len(packed) // 2] ^= 0x55
    path = tmp_path / "damaged.bz2"
    path.write_bytes(packed)
    held, error = read(path, tool)
    assert LONG.startswith(held) and error is not None and "unreadable" in str(error)


@pytest.mark.parametrize(
    ("content", "phrase"),
    [
        (b"<!DOCTYPE html>\n<html><body>404</body></html>", "an HTML page"),
        (b"-- MySQL dump 10.13", "an SQL dump"),
        (b"598:10:AccessibleComputing\n", "the index of a multistream dump"),
        (b"<feed><doc/></feed>", "an XML file of another kind"),
        (b"It was a dark and stormy night.", "plain text"),
        (b"\x80\x81\x82\xff" * 9, "binary data"),
        (b"\0" * 100, "zero bytes"),
    ],
)
def test_the_kind_of_another_file_is_named(content: bytes, phrase: str) -> None:
    assert phrase in describe_kind(content)


def test_an_empty_file_a_missing_one_and_a_folder_are_errors_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for path, message in (("empty", "empty"), ("none.bz2", "cannot be"), ("", "cannot be")):
        with pytest.raises(DataError, match=message) as caught:
            open_stream(tmp_path / path)
        assert "\n" not in str(caught.value)


def test_standard_input_is_sniffed_too(tmp_path: Path) -> None:
    program = (
        "from corefmill.builders.wiki.dump.compression import open_stream\n"
        "stream = open_stream('-')\n"
        "total = 0\n"
        "while piece := stream.read_piece(): total += len(piece)\n"
        "print(total, stream.total, stream.position())\n"
    )
    packed = bz2.compress(XML)
    for pack, size in ((packed, len(packed)), (XML, len(XML))):
        done = subprocess.run(
            [sys.executable, "-c", program], input=pack, capture_output=True, check=True
        )
        assert done.stdout.decode().split() == [str(len(XML)), "None", str(size)]


@pytest.mark.parametrize("tool", TOOLS)
def test_the_position_grows_to_the_total(tmp_path: Path, tool: str) -> None:
    path = tmp_path / "dump.bz2"
    path.write_bytes(pack_long("bz2"))
    seen = []
    with only(tool), open_stream(path, threads=1) as stream:
        while stream.read_piece():
            seen.append(stream.position())
    assert seen == sorted(seen) and seen[len(seen) // 2] > 0 and seen[-1] <= path.stat().st_size

"""Cutting dumps into chunks: borders, oversized and broken pages, cut-off and hostile files."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from corefmill.builders.wiki.dump import chunks as cutting
from corefmill.builders.wiki.dump.chunks import Chunk, chunks
from corefmill.builders.wiki.dump.pages import pages
from corefmill.corpora.files.errors import DataError
from tests.builders.wiki.dump.dump_writer import FOOTER, HEADER, dump, page, some_pages


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
            for chunk in chunks(path, **options):
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
    assert sum(chunk.pages for chunk in found) == 500
    # A chunk ends with the page that reaches the target; a page has about 400 bytes.
    assert all(10_000 <= len(chunk.data) + 1 < 10_600 for chunk in found[:-1])
    assert all(chunk.digest == f"{crc32(chunk.data):08x}-{len(chunk.data):x}" for chunk in found)
    assert found[0].page(0).startswith(b"<page>") and found[0].page(0).endswith(b"</page>")


def test_trap_page_end_within_comment_cdata_and_instruction(written: Any) -> None:
    marks = "<!-- </page> --> <![CDATA[</page>]]> <?x </page> ?> end"
    content = dump([page("A"), page("B", "MARK").replace("MARK", marks), page("C")])
    found, error = read(written(content))
    assert error is None and titles(found) == ["A", "B", "C"]
    assert list(pages(found[0]))[1].text == " </page>  end"


def test_trap_a_truncated_dump_names_its_last_whole_page(written: Any) -> None:
    content = dump(some_pages(30))
    found, error = read(written(content[: content.index(b"page 21.")]), target_bytes=2000)
    assert titles(found) == [f"Page {n}" for n in range(1, 21)]
    assert error is not None
    assert 'within the page "Page 21"' in str(error)
    assert 'the last whole page is "Page 20", page 20 of the file' in str(error)


def test_an_oversized_page_is_named_and_left_out(written: Any) -> None:
    content = dump([page("A"), page("Big & bad", "x" * 9000), page("B")])
    found, error = read(written(content), longest_page=8000, target_bytes=1_000_000)
    assert error is None and titles(found) == ["A", "B"]
    assert found[0].oversized == ("Big & bad",)


def test_a_page_of_exactly_the_limit_is_not_oversized(written: Any) -> None:
    one = page("A", "x" * 500)
    size = len(one.strip())
    for limit, pages_left in ((size, 1), (size - 1, 0)):
        found, _ = read(written(dump([one, "", page("B" * (size // 4))])), longest_page=limit)
        assert titles(found).count("A") == pages_left


def test_a_comment_that_never_closes_costs_its_page_and_what_it_swallows(written: Any) -> None:
    content = dump([page("A", "MARK").replace("MARK", "<!-- "), *some_pages(50)])
    found, error = read(written(content), longest_page=4000)
    assert error is None and found[0].oversized == ("A",)
    assert titles(found)[-1] == "Page 50" and len(titles(found)) > 35


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


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_another_encoding_is_refused(written: Any, encoding: str) -> None:
    _, error = read(written(dump([page("A")]).decode().encode(encoding)))
    assert error is not None and "declares the encoding UTF-16 or UTF-32" in str(error)
    declared = b"<?xml version='1.0' encoding='ISO-8859-1'?>" + dump([page("A")])
    _, error = read(written(declared))
    assert error is not None and "ISO-8859-1" in str(error) and "to UTF-8" in str(error.remedy)

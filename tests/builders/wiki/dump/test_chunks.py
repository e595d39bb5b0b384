"""Cutting dumps into chunks: borders, oversized and broken pages, cut-off and hostile files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from zlib import crc32

import pytest

from corefmill.builders.wiki.dump import chunks as cutting
from corefmill.builders.wiki.dump.chunks import Chunk, chunks
from corefmill.builders.wiki.dump.pages import pages
from corefmill.corpora.files.errors import DataError
from tests.builders.wiki.dump.dump_writer import FOOTER, HEADER, dump, page, some_pages

Reader: TypeAlias = Callable[..., tuple[list[Chunk], DataError | None]]


def titles(found: list[Chunk]) -> list[str]:
    return [p.title for chunk in found for p in pages(chunk)]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    """Read the content of a file; return its chunks and the error at its end."""

    def read_content(
        content: bytes, *, longest_page: int = cutting._LONGEST_PAGE, target: int = 8 << 20
    ) -> tuple[list[Chunk], DataError | None]:
        (tmp_path / "d.xml").write_bytes(content)
        found: list[Chunk] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cutting, "_LONGEST_PAGE", longest_page)
            try:
                found.extend(chunks(tmp_path / "d.xml", target_bytes=target))
            except DataError as error:
                return found, error
        return found, None

    return read_content


def test_chunks_hold_all_pages_in_order(read: Reader) -> None:
    found, error = read(dump(some_pages(500)), target=10_000)
    assert error is None
    assert titles(found) == [f"Page {n}" for n in range(1, 501)]
    assert sum(chunk.pages for chunk in found) == 500
    # A chunk ends with the page that reaches the target; a page has about 400 bytes.
    assert all(10_000 <= len(chunk.data) + 1 < 10_600 for chunk in found[:-1])
    assert all(chunk.digest == f"{crc32(chunk.data):08x}-{len(chunk.data):x}" for chunk in found)
    assert found[0].page(0).startswith(b"<page>") and found[0].page(0).endswith(b"</page>")


def test_trap_page_end_within_comment_cdata_and_instruction(read: Reader) -> None:
    marks = "<!-- </page> --> <![CDATA[</page>]]> <?x </page> ?> end"
    content = dump([page("A"), page("B", "MARK").replace("MARK", marks), page("C")])
    found, error = read(content)
    assert error is None and titles(found) == ["A", "B", "C"]
    assert list(pages(found[0]))[1].text == " </page>  end"


def test_trap_a_truncated_dump_names_its_last_whole_page(read: Reader) -> None:
    content = dump(some_pages(30))
    found, error = read(content[: content.index(b"page 21.")], target=2000)
    assert titles(found) == [f"Page {n}" for n in range(1, 21)]
    assert error is not None
    assert 'within the page "Page 21"' in str(error)
    assert 'the last whole page is "Page 20", page 20 of the file' in str(error)


def test_an_oversized_page_is_named_and_left_out(read: Reader) -> None:
    content = dump([page("A"), page("Big & bad", "x" * 9000), page("B")])
    found, error = read(content, longest_page=8000, target=1_000_000)
    assert error is None and titles(found) == ["A", "B"]
    assert found[0].oversized == ("Big & bad",)


def test_a_page_of_exactly_the_limit_is_not_oversized(read: Reader) -> None:
    one = page("A", "x" * 500)
    size = len(one.strip())
    for limit, pages_left in ((size, 1), (size - 1, 0)):
        found, _ = read(dump([one, "", page("B" * (size // 4))]), longest_page=limit)
        assert titles(found).count("A") == pages_left


def test_a_comment_that_never_closes_costs_its_page_and_what_it_swallows(read: Reader) -> None:
    content = dump([page("A", "MARK").replace("MARK", "<!-- "), *some_pages(50)])
    found, error = read(content, longest_page=4000)
    assert error is None and found[0].oversized == ("A",)
    assert titles(found)[-1] == "Page 50" and len(titles(found)) > 35


@pytest.mark.parametrize("cut", [b"</text>", b"</revision>", b"</page>"])
def test_a_page_that_never_closes_is_passed_on_alone(read: Reader, cut: bytes) -> None:
    whole = page("B")
    broken = whole[: whole.index(cut.decode())]
    found, error = read(dump([page("A"), broken, page("C")]))
    rejects: list[str] = []
    kept = [p.title for p in pages(found[0], None, lambda reason, _: rejects.append(reason))]
    assert error is None and kept == ["A", "C"] and rejects == ["malformed_xml"]


def test_dumps_one_after_the_other_in_a_file(read: Reader) -> None:
    italian = HEADER.replace('lang="en"', 'lang="it"')
    content = dump([page("A")]) + b"<?xml version='1.0'?>\n" + dump([page("B")], italian)
    found, error = read(content)
    assert error is None and [c.site.lang for c in found] == ["en", "it"]
    assert titles(found) == ["A", "B"]


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE mediawiki [<!ENTITY a "aaaa">]>',
        '<!DOCTYPE mediawiki SYSTEM "file:///etc/passwd">',
    ],
)
def test_a_doctype_is_refused(read: Reader, doctype: str) -> None:
    inside = HEADER.replace("<siteinfo>", doctype + "<siteinfo>")
    for content in (doctype + HEADER, "<?xml version='1.0'?>" + doctype + HEADER, inside):
        found, error = read((content + page("A", "&a;") + FOOTER).encode())
        assert found == [] and error is not None and "DOCTYPE" in str(error)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_another_encoding_is_refused(read: Reader, encoding: str) -> None:
    _, error = read(dump([page("A")]).decode().encode(encoding))
    assert error is not None and "declares the encoding UTF-16 or UTF-32" in str(error)
    declared = b"<?xml version='1.0' encoding='ISO-8859-1'?>" + dump([page("A")])
    _, error = read(declared)
    assert error is not None and "ISO-8859-1" in str(error) and "to UTF-8" in str(error.remedy)

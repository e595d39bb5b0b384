"""Writes small dumps for the tests: exports as MediaWiki makes them, and multistream files."""

from __future__ import annotations

import bz2
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

HEADER = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" xml:lang="en">
  <siteinfo>
    <dbname>enwiki</dbname>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="4" case="first-letter">Wikipedia</namespace>
      <namespace key="6" case="first-letter">File</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
"""
FOOTER = "</mediawiki>\n"


def page(title: str, text: str = "Text.", *, number: int = 1, extra: str = "<ns>0</ns>") -> str:
    """One page; `extra` stands between its title and its id."""
    return (
        f"  <page>\n    <title>{escape(title)}</title>\n    {extra}\n    <id>{number}</id>\n"
        f"    <revision>\n      <id>7</id>\n"
        f'      <text xml:space="preserve">{escape(text)}</text>\n    </revision>\n  </page>\n'
    )


def some_pages(count: int, size: int = 200) -> list[str]:
    """Pages titled Page 1, Page 2 ..., of about `size` bytes of text."""
    return [
        page(f"Page {n}", f"The text of page {n}. " * (size // 20), number=n)
        for n in range(1, count + 1)
    ]


def dump(pages: Iterable[str], header: str = HEADER) -> bytes:
    """A whole export."""
    return (header + "".join(pages) + FOOTER).encode()


def write_multistream(
    path: Path, pages: Sequence[str], header: str = HEADER, per_stream: int = 100
) -> Path:
    """A multistream dump at `path` and its index beside it, whose path is returned.

    As Wikimedia writes them: the header a stream of its own, then `per_stream` pages a stream,
    then the footer; the index has a line offset:id:title for each page.
    """
    lines: list[str] = []
    with path.open("wb") as file:
        file.write(bz2.compress(header.encode()))
        for first in range(0, len(pages), per_stream):
            numbers = range(first + 1, min(first + per_stream, len(pages)) + 1)
            lines.extend(f"{file.tell()}:{number}:Page {number}\n" for number in numbers)
            file.write(bz2.compress("".join(pages[first : first + per_stream]).encode()))
        file.write(bz2.compress(FOOTER.encode()))
    index = path.with_name(path.name.replace(".xml", "-index.txt"))
    index.write_bytes(bz2.compress("".join(lines).encode()))
    return index

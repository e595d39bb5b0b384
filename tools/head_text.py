"""Makes the text of the shipped masked-LM head: LitBank's novels and the pages of a dump.

    python -m tools.head_text DATA out/head-text

DATA has litbank/ and dumps/. How the head is trained on it stands on the head's card.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from corefmill.builders.runner.stages import Context
from corefmill.builders.sources.text import TextSource, read_text
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.articles import DumpSource, ReadDump

NOVEL = 100_000
"""Characters taken of each novel, to the end of the paragraph: all books weigh the same."""

_PAGE = 200  # characters; a shorter text is left out
_PARAGRAPH = 40


def novels(folder: Path) -> Iterator[Article]:
    """The books of a folder, a document each however often it was cut for the builders."""
    books: dict[str, Article] = {}
    for unit in TextSource([str(folder)]).units(()):
        for part in read_text(iter([unit.payload]), Context(unit.index, 0)):
            before = books.get(part.key)
            paragraphs = [*(before.paragraphs if before else ()), *part.paragraphs]
            books[part.key] = replace(before or part, paragraphs=paragraphs)
    yield from books.values()


def pages(dump: Path) -> Iterator[Article]:
    """The articles of a dump."""
    for page in ReadDump("en")(DumpSource([dump], "en").chunks(), Context(0, 0)):
        if isinstance(page, Article):
            yield page


def write(path: Path, articles: Iterable[Article], most: int | None = None) -> None:
    """A text a line: paragraphs of prose and quotes, without the marks of italics."""
    with path.open("w", encoding="utf-8") as out:
        for article in articles:
            kept = [_plain(p.text) for p in article.paragraphs if p.kind in ("prose", "quote")]
            kept = [text for text in kept if len(text) >= _PARAGRAPH]
            if len("\n\n".join(kept)) < _PAGE:
                continue
            taken, size = [], 0
            for text in kept:
                taken.append(text)
                size += len(text)
                if most is not None and size >= most:
                    break
            line = {"title": article.title, "text": "\n\n".join(taken)}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def _plain(text: str) -> str:
    return " ".join(re.sub("--", " -- ", text.replace("_", "")).split())


def main() -> None:
    """Reads the arguments and writes both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with litbank/ and dumps/")
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    write(arguments.out / "novels.jsonl", novels(arguments.data / "litbank" / "original"), NOVEL)
    dump = arguments.data / "dumps" / "enwiki-real-sample.xml.bz2"
    write(arguments.out / "wiki.jsonl", pages(dump))


if __name__ == "__main__":
    main()

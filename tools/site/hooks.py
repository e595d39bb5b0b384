"""What mkdocs calls: it adds pages made of the code, and mends links to files outside docs/."""

from __future__ import annotations

import os
import re
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # mkdocs loads this file by its path

from tools.site import commands, filters  # noqa: E402

OUTSIDE = {
    "index.md": "README.md",
    "results": "benchmarks/results/*.md",
    "results/readings.md": "benchmarks/readings/README.md",
    "reference/rules.md": "rules/README.md",
}
"""Where in the site pages stand that lie elsewhere in the repository: a page, or a folder."""

_PLAIN_CODE = re.compile(r"(?<=<pre><span></span><code>)[^<]+(?=</code>)")
_LINK = re.compile(r"\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def _outside() -> dict[Path, str]:
    """The site's address of each page that is not in docs/, by its path."""
    return {
        path: place if place.endswith(".md") else f"{place}/{path.name}"
        for place, pattern in OUTSIDE.items()
        for path in sorted(ROOT.glob(pattern))
    }


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are not in docs/, and puts pages in the place of patterns in the nav."""
    made = {place: path.read_text(encoding="utf-8") for path, place in _outside().items()}
    for place, text in (made | commands.pages() | filters.pages()).items():
        files.append(File.generated(config, place, content=text))
    named = re.findall(r"[\w/.-]+\.md", repr(config.nav))
    pages = sorted(page.src_uri for page in files.documentation_pages())
    config.nav = _filled(config.nav, [page for page in pages if page not in named])
    return files


def _filled(nav: list[Any], pages: list[str]) -> list[Any]:
    """The navigation with each pattern replaced by those of the pages that it fits."""
    full: list[Any] = []
    for entry in nav:
        if isinstance(entry, dict):
            [(title, below)] = entry.items()
            full.append({title: _filled(below, pages) if isinstance(below, list) else below})
        elif "*" in entry:
            depth = entry.count("/")
            full += [p for p in pages if fnmatch(p, entry) and p.count("/") == depth]
        else:
            full.append(entry)
    return full


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Leads links to other files of the repository to their page here, or names the file."""
    outside = _outside()
    docs = Path(config.docs_dir)
    places = {place: path for path, place in outside.items()}
    source = places.get(page.file.src_uri, docs / page.file.src_uri)

    def led(match: re.Match[str]) -> str:
        text, link, anchor = match[1], match[2], match[3] or ""
        target = Path(os.path.normpath(source.parent / link))
        place = outside.get(target)
        if place is None and target.is_relative_to(docs):
            place = target.relative_to(docs).as_posix()
        if place is not None:
            return f"[{text}]({os.path.relpath(place, Path(page.file.src_uri).parent)}{anchor})"
        if not target.exists():
            return match[0]  # mkdocs complains
        return f"{text} (`{target.relative_to(ROOT).as_posix()}`)"

    return _LINK.sub(led, markdown)


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Gives each line of an indented block the span that those of fenced blocks have, so that the
    style can wrap it.
    """
    return _PLAIN_CODE.sub(lambda block: re.sub("(?m)^(.*\n)", r"<span>\1</span>", block[0]), html)

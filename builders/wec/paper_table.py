"""Which articles are events in `--mode paper`: by the original's search in their infobox.

It takes a page's first `{{Infobox`, written just so, up to the brace that closes it, in lower case
and without blanks, and searches it for `{{infobox`, letters and pipes, and one of the names.
Nothing bounds the name on the right, so "award" finds {{Infobox awards ceremony}} too, and a hyphen
between hides what follows. Redirects of templates are not followed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Self

from builders.wec import templates
from builders.wec.paper import INFOBOX
from builders.wec.records import Pivot
from builders.wec.validators import PAPER


@dataclass(frozen=True, slots=True)
class PaperTable:
    """The judge of pages that the original was; it has a configuration for English alone."""

    types: tuple[tuple[str, re.Pattern[str], str | None], ...]
    """Name, search and validator of each event type."""

    @property
    def names(self) -> frozenset[str]:
        """None: pages to ask about are found by `PATTERN`."""
        return frozenset()

    def with_redirects(self, template_aliases: Mapping[str, str], /) -> Self:
        """The same."""
        return self

    def pivot_of(
        self, title: str, wikitext: str, *, page_id: int, template_prefixes: Sequence[str] = ()
    ) -> Pivot | None:
        """The page as an event, None if it is none."""
        infobox = first_infobox(wikitext)
        squeezed = infobox.lower().replace(" ", "")
        for name, search, validator in self.types:
            found = search.search(squeezed)
            if found and (validator is None or PAPER[validator](title, squeezed)):
                fields = templates.fields(infobox, 0, len(infobox))
                return Pivot(title, page_id, name, found[1], fields)
        return None


def first_infobox(wikitext: str) -> str:
    """The page's first infobox with its braces, "" where there is none or it is never closed."""
    start = wikitext.find(INFOBOX)
    depth = 0
    for brace in re.finditer(r"[{}]", wikitext[start:]) if start >= 0 else ():
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return wikitext[start : start + brace.end()]
    return ""


@cache
def load() -> PaperTable:
    """The original's configuration for English."""
    return PaperTable(
        tuple(
            (
                entry["name"],
                re.compile(rf"\{{\{{infobox[\w|]*?({'|'.join(entry['infoboxes'])})"),
                entry.get("validator"),
            )
            for entry in _types()
        )
    )


def pattern() -> bytes:
    """Finds, in their dump's XML, at least the pages with one of the names in an infobox."""
    names = (r" *".join(name) for entry in _types() for name in entry["infoboxes"])
    return rf"\{{\{{Infobox[^\n=]*?(?i:{'|'.join(names)})".encode()


@cache
def _types() -> list[dict[str, Any]]:
    text = resources.files("builders.wec").joinpath("paper.toml").read_text("utf-8")
    types: list[dict[str, Any]] = tomllib.loads(text)["types"]
    return types

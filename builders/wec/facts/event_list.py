"""A list of event articles by class, in place of a table of infoboxes.

1. Tab-separated: `title<TAB>class`, and perhaps `<TAB>aliases`; before them perhaps `QID<TAB>`. A
   first line of these words (qid or item, title, class, aliases) is a heading.
2. JSON Lines, when the file's name ends in .jsonl or .ndjson: `{"title": ..., "class": ...}`,
   perhaps with `"aliases": [...]`; other keys are not looked at.
3. A class is an identifier (Q7944, or its address, which ends in it) or any word that the mapping
   has: corefmill's mapping has Wikidata's classes by identifier and English name, and event types
   by name. An article may occur more than once: the first class that the mapping has counts. An
   article without such a class is not an event, but in `ListedEvents.unmapped`.
4. Titles alone, one a line, where the first line has no tab: events of any type.
5. Aliases are titles that lead to the article as redirects do, in tables with `|` between them.
   They serve dumps without the redirects, and override those of the dump.
6. The dump need not have the article: a link to its title, or to an alias, is a link to the event.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corefmill.builders.wec.facts.infoboxes import EVENT_TYPES, UNTYPED, EventJudge
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError

_JSON = (".jsonl", ".ndjson")
_HEADING = {"title", "class"}
_MORE = {"qid", "item", "aliases"}
_ADDRESS = re.compile(r".*/(?=Q\d+$)", re.IGNORECASE)
_QID = re.compile(r"(?:.*/)?Q\d+", re.IGNORECASE)
_LONGEST = 1 << 20  # bytes of a line
_NAMED = 12  # classes that a warning names

NO_PAGE = 1_000_000_000
"""The page id of a listed event without a page in the dump is this number plus its place in the
list, from 1; no wiki has that many pages."""


@dataclass(frozen=True, slots=True)
class ListedArticle:
    """An article of the list: title as written, class, the class's event type ("" for an unmapped
    class), aliases."""

    title: str
    event_class: str
    event_type: str
    aliases: tuple[str, ...] = ()

    def event_page(self, page_id: int = 0) -> EventPage:
        """Make an event page of the article; its class replaces the name of an infobox."""
        said = f"wikidata:{self.event_class}" if self.event_class else "listed"
        return EventPage(self.title, page_id, self.event_type, said, {})


class ListedEvents(EventJudge):
    """Finds event pages by a user's list of titles, as `InfoboxTable` does by infoboxes."""

    def __init__(self, listed: Iterable[ListedArticle]) -> None:
        """Keep the first class with a type of an article on several lines."""
        self.titles: dict[str, ListedArticle] = {}
        classes: dict[str, str] = {}
        for article in listed:
            if article.event_type:
                self.titles.setdefault(article.title, article)
            else:
                classes.setdefault(article.title, article.event_class)
        self._unmapped = {t: c for t, c in classes.items() if t not in self.titles}

    @property
    def unmapped(self) -> Mapping[str, str]:
        """The class of each article without an event type."""
        return self._unmapped

    @property
    def identity(self) -> str:
        """A hash of the list."""
        own = [(e.title, e.event_type, e.aliases) for e in self.titles.values()]
        whole = json.dumps([own, self._unmapped] if self._unmapped else own)
        return hashlib.blake2b(whole.encode(), digest_size=8).hexdigest()

    def event_page_of(
        self,
        title: str,
        wikitext: str,
        *,
        page_id: int = 0,
        template_prefixes: Sequence[str] = (),
    ) -> EventPage | None:
        """Return the page as an event, None if the list does not have it."""
        article = self.titles.get(title)
        return article.event_page(page_id) if article else None

    def listed_events(self) -> Iterator[tuple[EventPage, Sequence[str]]]:
        """Yield all articles as events without a page, with their aliases."""
        for number, article in enumerate(self.titles.values(), NO_PAGE + 1):
            yield article.event_page(number), article.aliases


@cache
def load_types() -> Mapping[str, str]:
    """Read the event types by class, folded: Wikidata's classes by identifier and English name."""
    types = {_fold(name): name for name in EVENT_TYPES}
    for kind, classes in disk.read_package_table(__file__, "wikidata").items():
        for event_class, name in classes.items():
            types[_fold(event_class)] = types[_fold(name)] = kind
    return types


def read(path: Path, types: Mapping[str, str]) -> Iterator[ListedArticle]:
    """Stream the articles of a list with their event types by `types` (from `load_types`).

    An article may come more than once. Raises `DataError` with file and line for a line in none of
    the formats above.
    """
    as_json = path.name.lower().endswith(_JSON)
    bare: bool | None = None
    for number, line in disk.read_lines(path, _LONGEST):
        if not line.strip():
            continue
        if bare is None:
            bare = not as_json and "\t" not in line
        if bare:
            if "\t" in line:
                raise DataError(
                    "this line has a tab, but the first line is a title alone",
                    path=path,
                    line=number,
                )
            yield ListedArticle(as_title(line), "", UNTYPED)
            continue
        if as_json:
            title, event_class, others = _of_json(line, path, number)
        elif number == 1 and {one.strip().lower() for one in line.split("\t")} - _MORE == _HEADING:
            continue
        else:
            title, event_class, others = _of_cells(line, path, number)
        title = as_title(title)
        event_class = _ADDRESS.sub("", event_class.strip())
        if not title or not event_class:
            raise DataError("the title or the class is empty", path=path, line=number)
        aliases = dict.fromkeys(map(as_title, others))
        event_type = types.get(_fold(event_class), "")
        yield ListedArticle(title, event_class, event_type, tuple(filter(None, aliases)))


def warning(unmapped: Mapping[str, str]) -> str:
    """Warn of listed articles without a mapped class, with their most frequent classes."""
    counted = Counter(unmapped.values())
    most = sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))
    named = ", ".join(f"{name} {count:,}" for name, count in most[:_NAMED])
    more = f" and {len(most) - _NAMED:,} more classes" if len(most) > _NAMED else ""
    return (
        f"listed articles left out since their class is not mapped: {len(unmapped):,}"
        f" ({named}{more}); an event type in the place of a class maps them"
    )


def _of_cells(line: str, path: Path, number: int) -> tuple[str, str, list[str]]:
    """Read title, class and aliases from a line of tabs; raises `DataError`."""
    cells = line.split("\t")
    if len(cells) > 2 and _QID.fullmatch(cells[0].strip()):
        del cells[0]
    if len(cells) not in (2, 3):
        raise DataError(
            "each line needs a title, a tab and a Wikidata class (Q198 is war)",
            path=path,
            line=number,
            remedy=f"this one has {len(cells)} columns; a QID may stand before the title, aliases"
            " behind the class",
        )
    return cells[0], cells[1], "".join(cells[2:]).split("|")


def _of_json(line: str, path: Path, number: int) -> tuple[str, str, list[str]]:
    """Read title, class and aliases from a line of JSON; raises `DataError`."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise DataError("the line is not valid JSON", path=path, line=number) from None
    if not isinstance(record, dict):
        raise DataError("the line is not a JSON object", path=path, line=number)
    for key in ("title", "class"):
        if not isinstance(record.get(key), str):
            raise DataError(f"the line has no string under {key!r}", path=path, line=number)
    aliases = record.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise DataError("the line has no list of strings under 'aliases'", path=path, line=number)
    return record["title"], record["class"], aliases


def as_title(written: str) -> str:
    """Normalise a title: single blanks for underscores and white space."""
    return " ".join(written.replace("_", " ").split())


def _fold(event_class: str) -> str:
    return " ".join(event_class.split()).casefold()

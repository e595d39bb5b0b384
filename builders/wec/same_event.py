"""Unite the events of several Wikipedias into clusters.

1. Articles of one Wikidata item are of one event; its cluster is called by the item (Q76).
2. Articles that a language link joins are of one event, too; an article joined to one of them is
   joined to all. Links are applied after items: first links in both directions, then the others, in
   the order of languages and titles. The order within the files does not matter.
3. A cluster has at most one article of each language and one item. A pair that would add a second
   one is refused; earlier joins stay. An article with several items keeps the only item whose other
   articles have its event type, else none. An item of a redirect counts if its article has none.
4. A link to a redirect is a link to the redirect's event; a link to a section does not count.
5. A cluster without an item is called by the page of its first article, in the order in which the
   user named the languages: enwiki-123.
6. The type of the event is that of its first article.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from corefmill.builders.wec import event_index
from corefmill.builders.wec.event_index import EventCluster, EventIndex
from corefmill.builders.wec.facts.event_list import NO_PAGE, as_title
from corefmill.builders.wiki.dump import sql
from corefmill.builders.wiki.dump.locate import database
from corefmill.builders.wiki.dump.pages import NO_ID
from corefmill.builders.wiki.dump.sql import SqlTable
from corefmill.corpora.files.errors import DataError, UsageError

# Read the files of `--links`, which unite articles of several Wikipedias.


_LONGEST = 1 << 16  # bytes of a line of a TSV: a title has 255 at most
_HEADING = ({"language", "lang", "wiki"}, {"title"}, {"item", "qid"})
_ITEM = re.compile(r"(?:[^\s]{0,200}/)?[Qq]([1-9][0-9]{0,17})")
_ITEM_PROPERTY = b"wikibase_item"


@dataclass(frozen=True, slots=True)
class LinkFile:
    """A file of `--links`; `lang` is the language given for it by the user, if any."""

    path: Path
    lang: str | None = None


@dataclass(frozen=True, slots=True)
class ArticleItem:
    """An article, by page number or title, and its Wikidata item: 76 for Q76."""

    lang: str
    article: int | str
    item: int


@dataclass(frozen=True, slots=True)
class LanguageLink:
    """A page's number, and the title of the same article in another language."""

    lang: str
    page_id: int
    other: str
    title: str


Statement: TypeAlias = ArticleItem | LanguageLink


def read(
    file: LinkFile, langs: Sequence[str], page_ids: Mapping[str, Container[int]]
) -> Iterator[Statement]:
    """Read a file's statements on the pages of `page_ids` (by language), or on titles in `langs`.

    Raises `DataError` with file and line for an unreadable line, `UsageError` for a table of an
    unknown or another language.
    """
    if not sql.is_sql(file.path):
        if file.lang is not None:
            raise UsageError(
                f"this list names the language in each line, so --links {file.lang}=FILE is wrong",
                path=file.path,
                remedy="give the file without the language",
            )
        yield from _of_lines(file.path, langs)
        return
    table = sql.open_table(file.path)
    lang = _language(file, table, langs)
    known = page_ids[lang]
    if table.name == "langlinks":
        others = {other.replace("_", "-").encode(): other for other in langs if other != lang}
        for page, other, title in table.rows("ll_from", "ll_lang", "ll_title"):
            if other in others and (page_id := _number(page)) in known:
                named = as_title(title.decode("utf-8", "replace"))
                yield LanguageLink(lang, page_id, others[other], named)
        return
    for page, name, value in table.rows("pp_page", "pp_propname", "pp_value"):
        if name == _ITEM_PROPERTY and (page_id := _number(page)) in known:
            found = _ITEM.fullmatch(value.decode("utf-8", "replace"))
            if found is not None:  # anything may have been saved as a property
                yield ArticleItem(lang, page_id, int(found[1]))


def wiki_of(name: str, langs: Collection[str]) -> str | None:
    """Find the language of a file by the wiki at the beginning of its name:
    itwiki-latest-langlinks.sql.gz."""
    wiki = re.split(r"[-.]", name, maxsplit=1)[0]
    return next((lang for lang in langs if database(lang) == wiki), None)


def _language(file: LinkFile, table: SqlTable, langs: Sequence[str]) -> str:
    """Find the language of an SQL table; raises `UsageError` where it is none of `langs`."""
    if file.lang is not None:
        return file.lang
    own = next((lang for lang in langs if database(lang) == table.database), None)
    found = own if table.database else wiki_of(file.path.name, langs)
    if found is None:
        whose = f"of {table.database}" if table.database else "of an unnamed wiki"
        raise UsageError(
            f"the table {table.name} is {whose}, not of a language of --lang ({', '.join(langs)})",
            path=file.path,
            remedy=f"--links {langs[0]}=FILE names the language of the file; or leave the file out",
        )
    return found


def _number(digits: bytes) -> int:
    """Read a page's number; -1, no page's number, for any other value."""
    return int(digits) if len(digits) < 19 and digits.isdigit() else -1


def _of_lines(path: Path, langs: Sequence[str]) -> Iterator[ArticleItem]:
    """Read the items of articles from lines of language, title and item; raises `DataError`."""
    known = {name: lang for lang in langs for name in (database(lang), lang)}
    for number, raw in sql.packed_lines(path, _LONGEST):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise DataError(
                f"the line is not UTF-8 at its byte {error.start + 1}", path=path, line=number
            ) from None
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t", 3)]
        if number == 1 and len(cells) == 3:
            pairs = zip(cells, _HEADING, strict=True)
            if all(cell.casefold() in names for cell, names in pairs):
                continue
        found = _ITEM.fullmatch(cells[-1])
        if len(cells) != 3 or not cells[1] or found is None:
            raise DataError(
                "the line needs a language, a title and a Wikidata item such as Q123",
                path=path,
                line=number,
                remedy="separate them by tabs; an SQL dump begins with a comment or CREATE TABLE",
            )
        if cells[0] in known:
            yield ArticleItem(known[cells[0]], as_title(cells[1]), int(found[1]))


SECOND_ARTICLE, SECOND_ITEM = "second_article_of_a_language", "second_item"
REFUSED = (SECOND_ARTICLE, SECOND_ITEM)
"""Why two events are not joined."""

WITH_ITEM, JOINED = "events_with_item", "events_joined_across_languages"
"""What is counted of a wiki's events."""


def unite(indexes: Mapping[str, Path], files: Sequence[LinkFile]) -> None:
    """Assign the clusters of `files` to the events of all languages.

    Raises what `read` does.
    """
    same = _SameEvents({lang: EventIndex(path) for lang, path in indexes.items()})
    items: dict[int, dict[int, bool]] = {}  # of an event, and whether only a redirect has the item
    links: dict[tuple[int, int], set[int]] = {}
    for file in files:
        for said in read(file, list(indexes), same.by_id):
            if isinstance(said, ArticleItem):
                event, is_redirect = same.find(said.lang, said.article)
                if event is not None:
                    own = items.setdefault(event, {})
                    own[said.item] = is_redirect and own.get(said.item, True)
            else:
                here = same.by_id[said.lang][said.page_id]
                there, _ = same.find(said.other, said.title)
                if there is not None:
                    links.setdefault((min(here, there), max(here, there)), set()).add(here)
    # The surest first: events with one item, which the article itself has.
    sure = []
    for event, own in items.items():
        direct = sorted(item for item, is_redirect in own.items() if not is_redirect)
        counting = direct or sorted(own)
        sure.append((len(counting) > 1, not direct, event, counting))
    for _, _, event, counting in sorted(sure):
        same.name(event, counting)
    # Links that are given in both directions go before those that are given in one.
    for pair in sorted(links, key=lambda pair: (-len(links[pair]), pair)):
        same.join(*pair)
    for lang, path in indexes.items():
        same.assign(lang, path)


class _Event(NamedTuple):
    lang: str
    title: str
    page_id: int
    event_type: str


class _SameEvents:
    """The events of all wikis, numbered in the order of languages and titles, as a union-find.

    A set has at most one event of each language and one item. `_root` gives the set of an event;
    `_members` and `_item` have entries for roots only. A join that breaks the limit is refused, and
    both sets stay unchanged.
    """

    def __init__(self, indexes: Mapping[str, EventIndex]) -> None:
        self._indexes = indexes
        self.events: list[_Event] = []
        self.by_id: dict[str, dict[int, int]] = {lang: {} for lang in indexes}
        self._by_title: dict[str, dict[str, int]] = {lang: {} for lang in indexes}
        for lang, index in indexes.items():
            for title, page_id, event_type in index.events():
                number = len(self.events)
                self.events.append(_Event(lang, title, page_id, event_type))
                self._by_title[lang][title] = number
                if page_id != NO_ID and page_id <= NO_PAGE:
                    self.by_id[lang][page_id] = number
        self._parent = list(range(len(self.events)))
        self._members = {n: {event.lang: n} for n, event in enumerate(self.events)}
        self._item: dict[int, int] = {}  # of a set, by its root
        self._holder: dict[int, int] = {}  # an event of the set that has an item
        self.refused: list[tuple[str, int, Mapping[str, Any]]] = []
        """Reason, refused event, and record of each refusal."""

    def find(self, lang: str, article: int | str) -> tuple[int | None, bool]:
        """Find the event of a page's number or title; say whether a redirect led to it."""
        if isinstance(article, int):
            return self.by_id[lang].get(article), False
        number = self._by_title[lang].get(article)
        if number is not None:
            return number, False
        target = self._indexes[lang].target(article)
        if target is None or target.section is not None:
            return None, False
        return self._by_title[lang][target.event], True

    def name(self, event: int, items: Sequence[int]) -> None:
        """Give an event one of its Wikidata items: the only one, or the one of its event type."""
        fit = items if len(items) == 1 else [item for item in items if self._fits(event, item)]
        kept = fit[0] if len(fit) == 1 else None
        for item in items:
            if item != kept:
                self._refuse(
                    SECOND_ITEM, event, {"item": f"Q{item}", "kept": f"Q{kept}" if kept else None}
                )
        if kept is None:
            return
        holder = self._holder.setdefault(kept, event)
        if holder == event:
            self._item[event] = kept
        else:
            self._join(event, holder, {"item": f"Q{kept}"})

    def _fits(self, event: int, item: int) -> bool:
        """Check whether another event with this item has the same event type."""
        if item not in self._holder:
            return False
        others = self._members[self._root(self._holder[item])].values()
        return any(
            self.events[other].event_type == self.events[event].event_type for other in others
        )

    def join(self, one: int, other: int) -> None:
        """Join two events with all events joined to them before."""
        linked = self.events[one]
        self._join(other, one, {"linked": f"{linked.lang}:{linked.title}"})

    def assign(self, lang: str, path: Path) -> None:
        """Write the clusters of one language's events into their file, with counts and refusals."""
        own = [number for number, event in enumerate(self.events) if event.lang == lang]
        roots = [self._root(number) for number in own]
        counts = {
            WITH_ITEM: sum(root in self._item for root in roots),
            JOINED: sum(len(self._members[root]) > 1 for root in roots),
        }
        clusters = []
        for number, root in zip(own, roots, strict=True):
            first = self.events[min(self._members[root].values())]
            item = self._item.get(root)
            name = f"{first.lang}wiki-{first.page_id}" if item is None else f"Q{item}"
            clusters.append((self.events[number].title, EventCluster(name, first.event_type)))
        refused = (
            (reason, record)
            for reason, event, record in self.refused
            if self.events[event].lang == lang
        )
        event_index.assign(path, clusters, counts, refused)

    def _root(self, event: int) -> int:
        """Find the root of an event's set, and shorten the path to it."""
        while self._parent[event] != event:
            self._parent[event] = self._parent[self._parent[event]]
            event = self._parent[event]
        return event

    def _join(self, event: int, other: int, said: Mapping[str, str]) -> None:
        """Join the sets of two events, or note the refusal of a second article or item."""
        root, into = self._root(event), self._root(other)
        if root == into:
            return
        both = [lang for lang in self._members[root] if lang in self._members[into]]
        items = {self._item[one] for one in (root, into) if one in self._item}
        if both:
            kept = self.events[self._members[into][both[0]]]
            self._refuse(SECOND_ARTICLE, event, {**said, "kept": f"{kept.lang}:{kept.title}"})
        elif len(items) > 1:
            self._refuse(SECOND_ITEM, event, {**said, "kept": f"Q{self._item[root]}"})
        else:
            self._parent[root] = into
            self._members[into] |= self._members.pop(root)
            for item in items:  # order: there is one at most
                self._item[into] = item

    def _refuse(self, reason: str, event: int, record: Mapping[str, str | None]) -> None:
        refused = self.events[event]
        shown = {"lang": refused.lang, "title": refused.title, **record}
        self.refused.append((reason, event, shown))

"""The one pass over a dump: pages, redirects, templates and links, as rows too small to notice.

Each unit of the dump gives at most one record to each of three channels, in columns, and one
record to the fourth for each page that may be an event:

articles    `number` (of the page in its unit), `id`, `title`, and the checksums of the names of
            the templates above its first heading: `values` holds all of them, `counts` how many
            are whose
links       `number`, and the checksums of the titles that the article links to, in the same way
redirects   `ns` (0 or 10), `title`, `target`, `section` of pages that only point to another;
            names of templates are squeezed
candidates  `number`, `id`, `title` and `xml`, its text up to the first heading as it stands in the
            dump, of articles asked for by one of these templates or by their title; the whole
            text of those that a pattern finds; the names of the templates' namespace, `prefixes`

A checksum has 32 bits: of a template's squeezed name, or of a title. 200 million links then take
one gigabyte, and the few that share an event's checksum by chance cost a page cleaned in vain, for
what is a link the cleaner decides. So the pass looks for `[[` everywhere, in tables, notes and
comments too, and must only miss none.

A link's checksum is taken of the bytes as they stand; `spellings` gives all that a title has. What
may be spelt in another way (entities, underscores, a prefix) is brought to its title first. That
brackets and braces stand for themselves, not as `&#91;`, and letters in their composed form, is
taken for granted: MediaWiki writes no page otherwise. What is unusual in a page's XML is parsed.
"""

from __future__ import annotations

import base64
import hashlib
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from corefmill.builders.runner.code import code_of
from corefmill.builders.runner.job import Job
from corefmill.builders.runner.stages import Context, Out, Stage
from corefmill.builders.wec.scan.brackets import Bytes, Integers, names_at, squares
from corefmill.builders.wec.scan.checksums import (
    NONE,
    PREFIXES,
    TITLES,
    Speller,
    checksum,
    lead_end,
)
from corefmill.builders.wec.scan.rows import Row, rows
from corefmill.builders.wiki.articles import DumpSource
from corefmill.builders.wiki.dump.chunks import MIB, Chunk
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE, SiteInfo

Checksums = np.ndarray[Any, np.dtype[np.uint32]]

UNIT = 8 * MIB
"""XML that goes into a unit: each shard waits for the disk."""

CHANNELS = ("articles", "links", "redirects", "candidates")
_COLUMN = np.dtype("<u4")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which articles may be events: those with a template of one of the squeezed `names` above
    their first heading, those in whose escaped XML `pattern` finds something, those of `titles`."""

    names: frozenset[str] = frozenset()
    pattern: bytes | None = None
    titles: frozenset[str] = frozenset()

    def as_json(self) -> dict[str, Any]:
        """What a fingerprint is made of."""
        titles = hashlib.blake2b("\n".join(sorted(self.titles)).encode(), digest_size=16)
        return {
            "names": sorted(self.names),
            "pattern": None if self.pattern is None else self.pattern.decode(),
            "titles": [len(self.titles), titles.hexdigest()],
        }


def job(dump: DumpSource, *, lang: str, wanted: Wanted, out_dir: Path) -> Job:
    """The pass over a dump, in units of its own size."""
    return Job(
        name="wec-scan",
        source=dump,
        setup=partial(_setup, lang, wanted),
        out_dir=out_dir,
        channels=CHANNELS,
        options={"lang": lang, **wanted.as_json()},
        code=code_of(__name__),
    )


def workers(cores: int) -> int:
    """How many processes the pass is worth on so many cores: it takes a seventh of the time that
    the decompression does, and to hand a unit to another process a quarter of that."""
    return max(1, cores // 4)


def _setup(lang: str, wanted: Wanted) -> Sequence[Stage]:
    return [Scan(lang, wanted)]


def numbers(column: str) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """The numbers of a column `values` or `counts`."""
    return np.frombuffer(base64.b64decode(column), _COLUMN)


def candidate(
    number: int, page_id: int, title: str, xml: str, prefixes: Sequence[str]
) -> dict[str, Any]:
    """A record of the channel `candidates`, but for its unit."""
    prefixes = list(prefixes)
    return {"number": number, "id": page_id, "title": title, "xml": xml, "prefixes": prefixes}


class Scan:
    """The stage: chunks of a dump to columns.

    Counts `pages`, `articles`, `redirects` and `links`; rejects what the parser does, of the pages
    that it is asked for.
    """

    def __init__(self, lang: str, wanted: Wanted) -> None:
        self._lang = lang
        self._names = frozenset(map(checksum, wanted.names))
        self._titles = wanted.titles
        self._pattern = None if wanted.pattern is None else re.compile(wanted.pattern)
        self._wikis: dict[str, tuple[SiteInfo, Speller]] = {}

    def __call__(self, payloads: Iterator[Chunk], context: Context) -> Iterator[Out]:
        """Yields to all four channels."""
        for chunk in payloads:
            site, speller = self._wiki(chunk.site)
            articles = _Articles(chunk.data)
            redirects: dict[str, list[Any]] = {"ns": [], "title": [], "target": [], "section": []}
            for number in range(chunk.pages):
                for row in rows(chunk, number, site, context.reject):
                    context.counts["pages"] += 1
                    if row.target is not None:
                        if row.ns in (0, TEMPLATE):
                            values = _redirect(row, row.target, speller)
                            for column, value in zip(redirects.values(), values, strict=True):
                                column.append(value)
                    elif row.ns == 0:
                        articles.add(number, row, speller)
            if redirects["ns"]:
                context.count("redirects", len(redirects["ns"]))
                yield Out("redirects", redirects)
            if articles.titles:
                context.count("articles", len(articles.titles))
                yield from self._records(chunk.index, articles, speller, context)

    def _wiki(self, site: SiteInfo) -> tuple[SiteInfo, Speller]:
        key = repr(site)
        if key not in self._wikis:
            named = site.for_language(self._lang)
            self._wikis[key] = named, Speller(named)
        return self._wikis[key]

    def _records(
        self, unit: int, articles: _Articles, speller: Speller, context: Context
    ) -> Iterator[Out]:
        who = {"unit": unit, "number": articles.numbers}
        names = {"values": _column(articles.names), "counts": _column(articles.name_counts)}
        about = {"id": articles.ids, "title": articles.titles}
        yield Out("articles", {**who, **about, **names})
        data = articles.whole()
        found, rows = _links(data, articles, speller)
        context.count("links", len(found))
        counts = np.bincount(rows, minlength=len(articles.numbers))
        values = found[np.argsort(rows, kind="stable")]
        yield Out("links", {**who, "values": _column(values), "counts": _column(counts)})
        yield from self._candidates(unit, data, articles, speller)

    def _candidates(
        self, unit: int, data: bytes, articles: _Articles, speller: Speller
    ) -> Iterator[Out]:
        first = 0
        for row, (start, end) in enumerate(articles.spans):
            names = articles.names[first : first + articles.name_counts[row]]
            first += len(names)
            title = articles.titles[row]
            if self._pattern is not None and self._pattern.search(data, start, end):
                stop = end
            elif title in self._titles or not self._names.isdisjoint(names):
                stop = lead_end(data, start, end)
            else:
                continue
            xml = data[start:stop].decode(errors="replace")
            number, page_id = articles.numbers[row], articles.ids[row]
            record = candidate(number, page_id, title, xml, speller.namespace)
            yield Out("candidates", {"unit": unit, **record})


def _redirect(row: Row, target: str, speller: Speller) -> tuple[int, str, str, str]:
    """A page that points to another, as a row of its channel."""
    if row.ns == TEMPLATE:
        return row.ns, speller.squeeze(row.title), speller.squeeze(target), ""
    return row.ns, row.title, *speller.redirect(target, row.data, row.start, row.end)


class _Articles:
    """The articles of a unit, in columns; `spans` are where their texts stand in `whole`."""

    def __init__(self, data: bytes) -> None:
        self.numbers: list[int] = []
        self.ids: list[int] = []
        self.titles: list[str] = []
        self.spans: list[tuple[int, int]] = []
        self.names = array("Q")
        self.name_counts = array("Q")
        self._data = data
        self._more: list[bytes] = []
        self._size = len(data)

    def add(self, number: int, row: Row, speller: Speller) -> None:
        """Page `number` of the unit."""
        names = speller.names(row.data, row.start, lead_end(row.data, row.start, row.end))
        self.names.extend(names)
        self.name_counts.append(len(names))
        self.numbers.append(number)
        self.ids.append(row.page_id)
        self.titles.append(row.title)
        shift = 0
        if row.data is not self._data:
            shift = self._size
            self._more.append(row.data)
            self._size += len(row.data)
        self.spans.append((row.start + shift, row.end + shift))

    def whole(self) -> bytes:
        """The data of the unit, and that of pages which had to be parsed."""
        return b"".join((self._data, *self._more)) if self._more else self._data

    def within(self, places: Integers) -> tuple[Integers, Integers]:
        """Those of the rising `places` that lie in an article's text, and in which row's."""
        spans = np.array(self.spans, np.int64)
        order = np.argsort(spans[:, 0], kind="stable")
        first, last = np.searchsorted(places, spans[order]).T
        rows = np.repeat(order, last - first)
        # Of each row's places the first, and then as many as it has.
        before = np.cumsum(last - first) - (last - first)
        return places[np.repeat(first - before, last - first) + np.arange(len(rows))], rows


def _column(values: Any) -> str:
    return base64.b64encode(np.asarray(values).astype(_COLUMN).tobytes()).decode()


def _links(data: bytes, articles: _Articles, speller: Speller) -> tuple[Checksums, Integers]:
    """The checksums of the titles that articles link to, and the row of the article of each."""
    array = np.frombuffer(data, np.uint8)
    places, rows = articles.within(squares(array))
    found = names_at(array, places + 2, TITLES)
    usual = ~found.odd & (found.lengths > 0)
    odd = np.flatnonzero(found.odd)
    odd = odd[~_elsewhere(data, array, places[odd], speller)]
    sums = (found.sums >> np.uint64(32)).astype(np.int64)
    looked_at = [
        speller.link(data, place, length, total, articles.spans[row][1])
        for place, length, total, row in zip(
            places[odd].tolist(),
            found.lengths[odd].tolist(),
            sums[odd].tolist(),
            rows[odd].tolist(),
            strict=True,
        )
    ]
    values = np.concatenate((sums[usual], np.array(looked_at, np.int64)))
    rows = np.concatenate((rows[usual], rows[odd]))
    there = values != NONE
    return values[there].astype(np.uint32), rows[there]


def _elsewhere(
    data: bytes, array: Bytes, places: Integers, speller: Speller
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether the links at `places` have a prefix that leads to no article."""
    found = names_at(array, places + 2, PREFIXES)
    ends = places + 2 + found.lengths
    has_prefix = ~found.odd & (array[np.minimum(ends, len(array) - 1)] == ord(":"))
    sums, firsts, which = np.unique(
        np.where(has_prefix, found.sums, 0), return_index=True, return_inverse=True
    )
    leads = [
        bool(total) and speller.leads_elsewhere(data[place + 2 : end])
        for total, place, end in zip(
            sums.tolist(), places[firsts].tolist(), ends[firsts].tolist(), strict=True
        )
    ]
    return np.array(leads, np.bool_)[which]

"""The one pass over a dump: pages, redirects, templates and links, as rows too small to notice.

Each unit of the dump gives at most one record to each of three channels, in columns, and one
record to the fourth for each page that may be an event:

articles    `number` (of the page in its unit), `id`, `title`, and the checksums of the names of
            its templates: `values` holds all of them, `counts` how many are whose
links       `number`, and the checksums of the titles that the article links to, in the same way
redirects   `ns` (0 or 10), `title`, `target`, `section` of pages that only point to another;
            names of templates are squeezed
candidates  `number`, `id`, `title` and `text` of articles with one of the templates asked for, and
            the names of the namespace of templates, `prefixes`

A checksum is the CRC-32 of UTF-8 bytes: of a template's squeezed name, or of a title. 200 million
links then take one gigabyte, and the few that share an event's checksum by chance cost a page
cleaned in vain, for what is a link the cleaner decides. So the pass looks for `[[` everywhere, in
tables, notes and comments too, and must only miss none.

A link's checksum is taken of the bytes as they stand; `spellings` gives all that a title has. What
is spelt in any other way (entities, underscores, sections, a prefix) is brought to its title first.
Most pages are read by two regular expressions; what is unusual in its XML is parsed.
"""

from __future__ import annotations

import base64
import html
import re
import sys
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

import builders
import corpora
from builders.fingerprint import code_version
from builders.job import Job
from builders.stages import Context, Out, Source, Stage
from builders.wec import templates
from builders.wiki.articles import markup_settings
from builders.wiki.chunks import Chunk, chunk_of
from builders.wiki.markup.braces import cut_braces
from builders.wiki.markup.marks import strip_marks
from builders.wiki.markup.render import SOFT_HYPHEN
from builders.wiki.markup.settings import normalise_prefix
from builders.wiki.pages import Page, normalise_title, pages, redirect_target
from builders.wiki.siteinfo import TEMPLATE, SiteInfo, language

CHANNELS = ("articles", "links", "redirects", "candidates")
_ROWS = np.dtype("<u4")

_HEAD = re.compile(
    rb"<page>\s*<title>([^<]*)</title>\s*<ns>(-?\d{1,9})</ns>\s*<id>(\d{1,18})</id>\s*"
    rb"(?:<redirect\s+title=\"([^\"<]*)\"\s*/>\s*)?(?:<restrictions>[^<]*</restrictions>\s*)?"
    rb"<revision>"
)
_TEXT = re.compile(rb"<text((?:\s+[\w:]+=\"[^\"<]*\")*)\s*(/?)>")
# What XML may write otherwise, and no dump of MediaWiki does.
_ESCAPED_MARKUP = re.compile(
    rb"&#(?:0*(?:10|35|91|93|12[345])|[xX]0*(?:[aA]|23|5[bBdD]|7[bBcCdD]));"
)

_LINK = re.compile(rb"\[\[([^][|\n]++)")
_TEMPLATE = re.compile(rb"\{\{([^|{}]{1,200}+)")
# Targets that `spellings` may not have, besides those with a space too many: what holds an entity,
# a section, a prefix, an underscore, or a letter that Unicode may write in two ways. Bytes that
# begin letters of one way only are among the usual: Latin with accents, Greek, Cyrillic, Armenian,
# Han, and most dashes and quotes (U+2010 to U+2027).
_UNUSUAL = re.compile(
    rb"^(?:[ !\"$'()*+,\-./0-9;<=>?@A-Z\\^`a-z~\x80-\xbf\xc3-\xc8\xcb\xcf-\xd1\xd3-\xd5\xe4-\xe9]++"
    rb"|\xe2\x80[\x90-\xa7]|\xce[\x80-\x86\x88-\xbf]|\xd2[\x80-\x82\x88-\xbf])*+[^\n]++",
    re.MULTILINE,
)
_SPACES = re.compile(rb"^ | $|  ", re.MULTILINE)
# Something within a link's target that the cleaner cuts or replaces before it looks for links.
_ODD_LINK = re.compile(rb"\[\[(?=[^][|\n]*?(?:\{\{|&lt;))")
_TARGET = re.compile(r"\[\[([^][|\n]*+)")
_ODD_REACH = 2000  # bytes
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CACHED = 1 << 17  # entries; some 20 MB at the most
_NONE, _ODD = -1, -2  # no checksum; a name that the comments about it hide


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which articles may be events: those with a template of one of the squeezed `names`, and
    those in whose escaped XML `pattern` finds something."""

    names: frozenset[str]
    pattern: bytes | None = None


def job(source: Source, *, lang: str, wanted: Wanted, out_dir: Path) -> Job:
    """The pass over a dump."""
    pattern = None if wanted.pattern is None else wanted.pattern.decode()
    return Job(
        name="wec-scan",
        source=source,
        setup=partial(_setup, lang, wanted),
        out_dir=out_dir,
        channels=CHANNELS,
        options={"lang": lang, "names": sorted(wanted.names), "pattern": pattern},
        code=code_version(*map(Path, (*builders.__path__, *corpora.__path__))),
    )


def workers(cores: int) -> int:
    """How many processes the pass is worth on so many cores: it costs a tenth of what the
    decompression does, and a process of its own costs as much in copies."""
    return max(1, cores // 4)


def _setup(lang: str, wanted: Wanted) -> Sequence[Stage]:
    return [Scan(lang, wanted)]


def numbers(column: str) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """The numbers of a column `values` or `counts`."""
    return np.frombuffer(base64.b64decode(column), _ROWS)


def candidate(
    number: int, page_id: int, title: str, text: str, prefixes: Sequence[str]
) -> dict[str, Any]:
    """A record of the channel `candidates`, but for its unit."""
    prefixes = list(prefixes)
    return {"number": number, "id": page_id, "title": title, "text": text, "prefixes": prefixes}


def checksum(name: str) -> int:
    """The checksum of a title or a squeezed name."""
    return crc32(name.encode())


def spellings(title: str, lang: str) -> Iterator[str]:
    """The title, and the same with each first letter that a wiki takes for its own."""
    yield title
    for letter in _small_letters(lang).get(title[:1], ()):
        yield letter + title[1:]


@cache
def _small_letters(lang: str) -> Mapping[str, Sequence[str]]:
    """By capital, the letters that become it."""
    special = language(lang).capitals
    found: dict[str, list[str]] = {}
    for letter in map(chr, range(sys.maxunicode + 1)):
        capital = special.get(letter, letter.upper())
        if capital != letter and len(capital) == 1:
            found.setdefault(capital, []).append(letter)
    return found


class Scan:
    """The stage: chunks of a dump to columns.

    Counts `pages`, `articles`, `redirects` and `links` (distinct ones of an article); rejects what
    the parser does, of the pages that it is asked for.
    """

    def __init__(self, lang: str, wanted: Wanted) -> None:
        self._lang = lang
        self._names = frozenset(map(checksum, wanted.names))
        self._pattern = None if wanted.pattern is None else re.compile(wanted.pattern)
        self._readers: dict[str, _Reader] = {}

    def __call__(self, payloads: Iterator[Chunk], context: Context) -> Iterator[Out]:
        """Yields to all four channels."""
        for chunk in payloads:
            columns = _Columns()
            reader = self._reader(chunk.site)
            strange = b"&#" in chunk.data and _ESCAPED_MARKUP.search(chunk.data) is not None
            for number in range(chunk.pages):
                row = None if strange else reader.read(chunk, number)
                parsed = self._parsed(chunk, number, context) if row is None else (row,)
                for page in parsed:
                    context.count("pages")
                    self._take(page, number, reader, columns, context)
            yield from columns.records(chunk.index)

    def _reader(self, site: SiteInfo) -> _Reader:
        key = repr(site)
        if key not in self._readers:
            self._readers[key] = _Reader(site.for_language(self._lang))
        return self._readers[key]

    def _parsed(self, chunk: Chunk, number: int, context: Context) -> Iterator[_Row]:
        """A page that is not written as usual, by the parser."""
        one = chunk_of(chunk.index, chunk.path, chunk.site, [chunk.page(number)])
        for page in pages(one, self._lang, reject=context.reject):
            yield _row(page)

    def _take(
        self, row: _Row, number: int, reader: _Reader, columns: _Columns, context: Context
    ) -> None:
        if row.target:
            if row.ns in (0, TEMPLATE):
                context.count("redirects")
                columns.redirect(row.ns, *reader.redirect(row))
        elif row.ns == 0:
            context.count("articles")
            names = reader.names(row)
            links = reader.links(row)
            context.count("links", len(links))
            columns.article(row, number, names, links)
            if self._asked_for(row, names):
                columns.candidate(row, number, reader.namespace)

    def _asked_for(self, row: _Row, names: Iterable[int]) -> bool:
        if not self._names.isdisjoint(names):
            return True
        pattern = self._pattern
        return pattern is not None and pattern.search(row.data, row.start, row.end) is not None


class _Row(NamedTuple):
    """A page of a dump; its text is `data[start:end]`, UTF-8 and escaped.

    `target` is "" where the page is no redirect.
    """

    title: str
    page_id: int
    ns: int
    target: str
    data: bytes
    start: int
    end: int

    def wikitext(self) -> str:
        """What stands between the page's text tags."""
        return html.unescape(self.data[self.start : self.end].decode(errors="replace"))


def _row(page: Page) -> _Row:
    data = html.escape(page.text, quote=False).encode()
    return _Row(page.title, page.page_id, page.ns, page.redirect or "", data, 0, len(data))


class _Columns:
    """What the articles and redirects of a unit come to."""

    def __init__(self) -> None:
        self._articles: dict[str, list[Any]] = {"number": [], "id": [], "title": []}
        self._redirects: dict[str, list[Any]] = {"ns": [], "title": [], "target": [], "section": []}
        self._names = (array("I"), array("I"))
        self._links = (array("I"), array("I"))
        self._candidates: list[dict[str, Any]] = []

    def article(
        self, row: _Row, number: int, names: Collection[int], links: Collection[int]
    ) -> None:
        """An article, page `number` of the unit, with the checksums of both kinds."""
        for name, value in (("number", number), ("id", row.page_id), ("title", row.title)):
            self._articles[name].append(value)
        for (values, counts), some in ((self._names, names), (self._links, links)):
            values.extend(some)
            counts.append(len(some))

    def redirect(self, ns: int, title: str, target: str, section: str) -> None:
        """A page that points to another."""
        values = {"ns": ns, "title": title, "target": target, "section": section}
        for name, value in values.items():
            self._redirects[name].append(value)

    def candidate(self, row: _Row, number: int, prefixes: Sequence[str]) -> None:
        """An article that may be an event."""
        text = row.wikitext()
        self._candidates.append(candidate(number, row.page_id, row.title, text, prefixes))

    def records(self, unit: int) -> Iterator[Out]:
        """All that was gathered."""
        if self._articles["number"]:
            names, links = map(_encoded, (self._names, self._links))
            yield Out("articles", {"unit": unit, **self._articles, **names})
            yield Out("links", {"unit": unit, "number": self._articles["number"], **links})
        if self._redirects["ns"]:
            yield Out("redirects", self._redirects)
        for record in self._candidates:
            yield Out("candidates", {"unit": unit, **record})


def _encoded(column: tuple[array[int], array[int]]) -> dict[str, str]:
    values, counts = (base64.b64encode(numbers.tobytes()).decode() for numbers in column)
    return {"values": values, "counts": counts}


class _Cache(dict[bytes, int]):
    """Answers of `work`, forgotten all at once when they are too many."""

    def __init__(self, work: Callable[[bytes], int]) -> None:
        self._work = work

    def __missing__(self, key: bytes) -> int:
        if len(self) >= _CACHED:
            self.clear()
        value = self[key] = self._work(key)
        return value


class _Reader:
    """Reads the pages of one wiki."""

    def __init__(self, site: SiteInfo) -> None:
        self.namespace = site.namespaces[TEMPLATE]
        self.prefixes = templates.prefix_names(self.namespace)
        self._site = site
        self._settings = markup_settings(site)
        self._titles = _Cache(self._title)
        self._names = _Cache(self._name)
        self._kinds: dict[bytes, bool] = {}

    def read(self, chunk: Chunk, number: int) -> _Row | None:
        """A page that is written as MediaWiki writes it; None for any other."""
        data, end = chunk.data, chunk.end(number)
        head = _HEAD.match(data, chunk.starts[number], end)
        if head is None:
            return None
        tag = data.find(b"<text", head.end(), end)
        text = _TEXT.match(data, tag, end) if tag >= 0 else None
        if text is None or b"deleted" in text[1] or data.find(b"<!", head.end(), tag) >= 0:
            return None
        start = stop = text.end()
        if not text[2]:
            stop = data.find(b"<", start, end)
            if not data.startswith(b"</text>", stop):
                return None
        elif b"bytes=" in text[1]:
            return None
        if data.find(b"<revision", stop, end) >= 0 or data.find(b"<!", stop, end) >= 0:
            return None
        try:
            title = " ".join(html.unescape(head[1].decode()).replace("_", " ").split())
            target = html.unescape((head[4] or b"").decode())
        except UnicodeDecodeError:
            return None
        if not title:
            return None
        row = _Row(title, int(head[3]), int(head[2]), target, data, start, stop)
        if not target and data[start : start + 100].lstrip()[:1] == b"#":
            row = row._replace(target=redirect_target(row.wikitext(), self._site) or "")
        return row

    def redirect(self, row: _Row) -> tuple[str, str, str]:
        """The title of a page that points to another, that of the other, and the section of it."""
        if row.ns == TEMPLATE:
            title, target = (
                templates.squeeze(name, self.prefixes) for name in (row.title, row.target)
            )
            return title, target, ""
        target, section = normalise_title(row.target, self._site)
        link = _LINK.search(row.data, row.start, row.end)
        if link and b"#" in link[1]:
            section = normalise_title(_plain(link[1]), self._site)[1]
        return row.title, target, section

    def links(self, row: _Row) -> Collection[int]:
        """The checksums of the titles that a page links to, in the order of the first links."""
        raws = _LINK.findall(row.data, row.start, row.end)
        found = dict.fromkeys(map(crc32, raws))
        targets = b"\n".join(raws)
        unusual = _UNUSUAL.findall(targets)
        if _SPACES.search(targets):
            unusual += [raw for raw in raws if raw != b" ".join(raw.split())]
        if unusual:
            found.update(dict.fromkeys(map(self._titles.__getitem__, unusual)))
            if b"{{" in targets or b"&lt;" in targets:
                found.update(dict.fromkeys(self._odd(row)))
            found.pop(_NONE, None)
        return found

    def names(self, row: _Row) -> Collection[int]:
        """The checksums of the names of a page's templates, sorted."""
        raws = _TEMPLATE.findall(row.data, row.start, row.end)
        found = set(map(self._names.__getitem__, raws))
        if _ODD in found:
            text = _COMMENT.sub("", row.wikitext()).encode()
            found |= set(map(self._names.__getitem__, _TEMPLATE.findall(text)))
        return sorted(found - {_NONE, _ODD})

    def _title(self, raw: bytes) -> int:
        """The checksum of the title that a link's target means, `_NONE` for no article's."""
        prefix, colon, _ = raw.partition(b":")
        if colon and self._leads_elsewhere(prefix):
            return _NONE
        title, _ = normalise_title(_plain(raw), self._site)
        return checksum(title) if title else _NONE

    def _leads_elsewhere(self, prefix: bytes) -> bool:
        known = self._kinds.get(prefix)
        if known is None:
            if len(self._kinds) >= _CACHED:
                self._kinds.clear()
            known = normalise_prefix(_plain(prefix)) in self._settings.prefixes
            self._kinds[prefix] = known
        return known

    def _odd(self, row: _Row) -> Iterator[int]:
        """The checksums of targets that stand about comments, tags and templates."""
        for match in _ODD_LINK.finditer(row.data, row.start, row.end):
            raw = row.data[match.start() : min(match.start() + _ODD_REACH, row.end)]
            text, _ = cut_braces(_plain(raw), self._settings.templates)
            target = _TARGET.match(strip_marks(text))
            if target is not None:
                yield self._titles[html.escape(target[1], quote=False).encode()]

    def _name(self, raw: bytes) -> int:
        text = _plain(raw)
        if "<!--" in text:
            if "-->" not in text:
                return _ODD
            text = _COMMENT.sub("", text)
        name = templates.squeeze(text, self.prefixes)
        return checksum(name) if name else _NONE


def _plain(raw: bytes) -> str:
    """The wikitext that a dump holds as `raw`, without soft hyphens, as the cleaner wants it."""
    return html.unescape(raw.decode(errors="replace")).replace(SOFT_HYPHEN, "")

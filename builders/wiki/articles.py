"""Read a dump as the builders' input: windows or chunks, and the stage that makes articles."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, partial

from corefmill.builders.run.stages import Context, Progress, Unit, split_payload
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.builders.wiki.dump.chunks import MIB, Chunk, chunks
from corefmill.builders.wiki.dump.pages import Page, normalise_title, pages
from corefmill.builders.wiki.dump.siteinfo import CATEGORY, FILE, SiteInfo, language
from corefmill.builders.wiki.dump.windows import DumpWindow, windows
from corefmill.builders.wiki.markup import MarkupSettings, clean
from corefmill.builders.wiki.markup.templates import OwnTemplates
from corefmill.builders.wiki.person_signs import is_person
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.remote import Place, place

LICENCE = "CC BY-SA 4.0"
"""Wikipedia's text; a corpus made of it comes under the same terms."""


class DumpSource:
    """The pages of one dump, given as its files in order.

    If a file can be cut into windows, a unit is a window, which the worker reads. Any other file (a
    pipe, one stream of bz2, gz, xz, zst, rows) is read by this process into units of pages.
    """

    shard_size = 2 * MIB  # of XML where there are no windows, but where a copy has another

    def __init__(
        self,
        dumps: Sequence[Place | str],
        lang: str,
        *,
        threads: int | None = None,
    ) -> None:
        """`dumps` are paths or URLs, "-" is standard input. Raises `RemoteError` for a URL that
        cannot be read."""
        self._dumps = [dump if dump == "-" else place(dump) for dump in dumps]
        # A pipe can be read only once: like standard input, it has no fingerprint.
        self.paths = [
            dump for dump in self._dumps if not isinstance(dump, str) and not dump.is_fifo()
        ]
        self._lang = lang
        self._threads = threads
        self._cut: dict[Place, list[DumpWindow] | None] = {}
        self._done: dict[Place | str, int] = {}  # compressed bytes read of each file

    def cut_at(self, size: int) -> DumpSource:
        """Return the source of the same dump with chunks of `size` bytes."""
        other = copy(self)
        other.shard_size = size
        other._done = {}
        return other

    @property
    def rereadable(self) -> bool:
        """Whether all files can be read twice, as pipes and standard input cannot."""
        return len(self.paths) == len(self._dumps)

    @property
    def most_workers(self) -> int:
        """Allow one worker for two windows, some 4 MiB of XML: loading a pipeline takes as long."""
        number = 0
        for dump in self._dumps:
            try:
                cut = self._windows_of(dump)
            except DataError:  # `units` raises it
                continue
            if cut is None:
                return sys.maxsize
            number += (len(cut) - 1) // 2
        return number + 1

    def progress(self) -> Progress | None:
        """Count the compressed bytes read of all files; the total of standard input is unknown."""
        total = sum(path.stat().st_size for path in self.paths)
        return Progress(sum(self._done.values()), total if self.rereadable else None, "B")

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """Yield the units; raises `DataError` as `chunks` does, and for another language.

        Damage within a window is noted in its receipt, and other windows are read.
        """
        number = 0
        for dump in self._dumps:
            cut = self._windows_of(dump)
            if cut is None:
                for unit in self._chunks(dump, number):
                    yield unit
                    number = unit.index + 1
                continue
            path = cut[0].path
            self._check_language(cut[0].site, path)
            for window in cut:
                self._done[path] = window.end
                yield Unit(number, window, window.digest)
                number += 1

    def chunks(self) -> Iterator[Chunk]:
        """Yield all pages of the dump, read in this process; raises as `units` does.

        At the end it also raises `DataError` if a part could not be read.
        """
        context = Context(0, 0)
        for unit in self.units(()):
            yield from split_payload(unit.payload, context)
        if context.damage is not None:
            raise context.damage

    def _windows_of(self, dump: Place | str) -> list[DumpWindow] | None:
        """Cut a file into windows, once; None for a file without windows."""
        if isinstance(dump, str) or dump not in self.paths:
            return None
        if dump not in self._cut:
            self._cut[dump] = windows(dump)
        return self._cut[dump]

    def _chunks(self, dump: Place | str, first: int) -> Iterator[Unit]:
        """Read a file without windows to its end, and number its chunks from `first` on."""
        found = chunks(
            dump,
            target_bytes=self.shard_size,
            threads=self._threads,
            progress=partial(self._done.__setitem__, dump),
        )
        for number, chunk in enumerate(found, first):
            self._check_language(chunk.site, dump)
            rejects = {"page_too_large": len(chunk.oversized)} if chunk.oversized else {}
            yield Unit(number, chunk, chunk.digest, rejects)

    def _check_language(self, site: SiteInfo, path: Place | str) -> None:
        """Raise `DataError` for a dump in another language than the build's."""
        if site.lang.partition("-")[0] != self._lang.partition("-")[0]:
            raise DataError(
                f"this dump says that its language is {site.lang!r}, not {self._lang!r}",
                path=path,
                remedy=f"--lang {site.lang}",
            )


@dataclass(frozen=True, slots=True)
class ReadDump:
    """Stage from chunks of a dump to cleaned articles of the main namespace, and redirects."""

    lang: str
    templates: OwnTemplates = ()

    def __call__(self, dump: Iterator[Chunk], context: Context) -> Iterator[Article | Redirect]:
        """Counts `pages` (all), `articles`, `redirects`; rejects are those of `pages`."""
        for chunk in dump:
            site = chunk.site.for_language(self.lang)
            settings = markup_settings(site, self.templates)
            for page in pages(chunk, self.lang, reject=context.reject):
                context.count("pages")
                if page.redirect is not None and page.ns == 0:
                    context.count("redirects")
                    target, _ = normalise_title(page.redirect, site)
                    yield Redirect(page.title, target)
                elif page.ns == 0 and page.redirect is None:
                    context.count("articles")
                    yield self._article(page, settings, site)

    def _article(self, page: Page, settings: MarkupSettings, site: SiteInfo) -> Article:
        """Make the article of a page: clean its wikitext and look for signs of a person."""
        cleaned = clean(page.text, settings)
        return Article(
            key=f"{self.lang}wiki-{page.page_id}",
            title=page.title,
            page_id=page.page_id,
            paragraphs=cleaned.paragraphs,
            is_person=is_person(cleaned.categories, cleaned.templates, self.lang),
            site=site,
        )


def markup_settings(site: SiteInfo, templates: OwnTemplates = ()) -> MarkupSettings:
    """Return the settings of the wikitext cleaner for a wiki, cached.

    `templates` are the user's own.
    """
    key = tuple((number, tuple(names)) for number, names in sorted(site.namespaces.items()))
    return _settings_of(site.lang, key, templates)


@cache
def _settings_of(
    lang: str, namespaces: tuple[tuple[int, tuple[str, ...]], ...], templates: OwnTemplates
) -> MarkupSettings:
    """Make the cleaner's settings for a language and the names of its namespaces."""
    names = dict(namespaces)
    other = (
        name for number, own in names.items() if number not in (0, FILE, CATEGORY) for name in own
    )
    trail = language(lang).link_trail
    return MarkupSettings(
        lang,
        file_prefixes=frozenset(names.get(FILE, ())),
        category_prefixes=frozenset(names.get(CATEGORY, ())),
        other_prefixes=frozenset(other),
        link_trail=f"[{trail}]+" if trail else "",
        own_templates=templates,
    )

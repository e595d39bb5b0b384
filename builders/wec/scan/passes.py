"""What a dump has of events before any text is cleaned: the pass, the joins, what they leave.

    with known_events(dump, lang="en", judge=table, out_dir=out, do=locally(cores=2)) as events:
        for pivot, aliases in events.pivots(): ...
        for title, pivot_title, section in events.titles(): ...
        job = Job(source=events.needed, setup=..., ...)   # its units are Chunks, as a dump's are

The dump is read once for all of that (`scan`), and once more for the text of the pages that hold
a link to an event: to keep all text aside would cost a third of the dump's size, and nearly all
units have such a page. Between the two it may be read a third time, for pages whose infobox goes
by a name of which only the dump's own template redirects tell that it makes events.

All work lies in `out_dir`/.corefmill/passes, resumes after a kill, and is the same bytes with any
number of workers.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, Self, TypeAlias

from corefmill.builders.runner.code import code_of
from corefmill.builders.runner.database import scratch_database
from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.run import run
from corefmill.builders.runner.stages import Context, Out, Stage
from corefmill.builders.wec.facts.records import Pivot
from corefmill.builders.wec.scan import MEMORY, join, needed, scan
from corefmill.builders.wec.scan.needed import NeededSource
from corefmill.builders.wiki.articles import DumpSource
from corefmill.builders.wiki.dump.chunks import Chunk
from corefmill.builders.wiki.dump.pages import pages
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE
from corefmill.corpora.atomic import ensure_folder
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.ownership import private

_NEEDED = "needed.jsonl"
_OWN = 250  # megabytes of these that Python has before there is any work


class Judge(Protocol):
    """Says which pages are events: a `Table` of infoboxes, or anything that does."""

    @property
    def names(self) -> frozenset[str]:
        """Squeezed names of templates; only articles that have one of them above their first
        heading are asked about."""

    def with_redirects(self, template_aliases: Mapping[str, str], /) -> Self:
        """The same with what a dump's template redirects tell, squeezed name by squeezed name."""

    def pivot_of(
        self, title: str, wikitext: str, *, page_id: int, template_prefixes: Sequence[str]
    ) -> Pivot | None:
        """The page as an event, None if it is none.

        `wikitext` is what stands above the first heading, `template_prefixes` are the names of the
        namespace of templates in its dump.
        """


Do: TypeAlias = Callable[[Job], AbstractContextManager[RunResult]]
"""Runs a job, here or on a cluster, and holds its folder inside the block."""


Listed: TypeAlias = Callable[[], Iterator[tuple[Pivot, Sequence[str]]]]
"""Events, each with titles that lead to it as redirects do."""


def locally(*, cores: int = 1, progress: bool | None = None, overwrite: bool = False) -> Do:
    """Runs jobs on this machine, as `run` does."""
    return partial(run, workers=scan.workers(cores), progress=progress, overwrite=overwrite)


@dataclass(frozen=True)
class Events:
    """What the joins found; readable as often as need be while the block lasts.

    `pivots` are by title, each with its aliases, but for redirects to a section; `titles` are all
    that lead to one, themselves included: title, the pivot's title, section or None. `needed` are
    the pages with a link to one, as a source of Chunks; it outlives the block.
    """

    pivots: Callable[[], Iterator[tuple[Pivot, Sequence[str]]]]
    titles: Callable[[], Iterator[tuple[str, str, str | None]]]
    needed: NeededSource
    counts: Counter[str]
    """`pages`, `articles`, `redirects`, `links` of the dump; `candidates` that were asked about,
    `candidates_by_redirect` among them, `pivots`, `titles`, `pages_needed`; with a list of events
    `pivots_without_page`."""
    rejects: Counter[str]
    """Pages that could not be read, by reason."""
    source_error: DataError | None
    """What the dump broke off with; the pages that are needed lie before that."""


@contextmanager
def known_events(
    dump: DumpSource,
    *,
    lang: str,
    judge: Judge,
    out_dir: Path,
    do: Do | None = None,
    memory: int = MEMORY,
    pattern: bytes | None = None,
    titles: Collection[str] = (),
    listed: Listed | None = None,
) -> Iterator[Events]:
    """Read the dump and join.

    Besides pages with a template that the judge names those are asked about in whose escaped XML
    `pattern` finds something, with their whole text, and those of `titles`. What is `listed` is an
    event though the dump has no page of it. `do` is by default one process here; `memory` is in
    megabytes.

    Raises UsageError for a dump that can be read but once, besides what `do` raises.
    """
    do = do or locally()
    if not dump.rereadable:
        raise UsageError(
            "standard input can be read but once, and events need their dump twice",
            remedy="save it to a file and name that",
        )
    dump = dump.cut_at(scan.UNIT)
    folder = _folder(out_dir)
    wanted = scan.Wanted(judge.names, pattern, frozenset(titles))
    with ExitStack() as stack:
        scanned = stack.enter_context(
            do(scan.job(dump, lang=lang, wanted=wanted, out_dir=folder / "scan"))
        )
        base, scratch = stack.enter_context(
            scratch_database(folder, memory=f"{max(memory - _OWN, 100)}MB")
        )
        counts = scanned.counts
        join.load_redirects(base, scanned)
        resolved = judge.with_redirects(join.template_redirects(base))
        candidates = [scanned]
        late = folder / "late.jsonl"
        counts["candidates_by_redirect"] = needed.write(
            late, _late(scanned, judge.names, resolved.names), _digests(scanned)
        )
        if counts["candidates_by_redirect"]:
            job = _late_job(NeededSource(dump, late), lang, resolved.names, folder / "late")
            candidates.append(stack.enter_context(do(job)))
        counts["candidates"] = sum(result.written["candidates"] for result in candidates)
        join.load_pivots(base, _judged(candidates, resolved), scratch)
        if listed is not None:
            counts["pivots_without_page"] = join.add_listed(base, listed(), scratch)
        join.follow_redirects(base)
        path = folder / _NEEDED
        leading = partial(join.known_titles, base)
        checksums = join.link_checksums((title for title, *_ in leading()), lang)
        counts["pages_needed"] = needed.write(
            path, join.articles_with(scanned.records("links"), checksums), _digests(scanned)
        )
        for table in ("pivots", "titles"):
            counts[table] = base.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
        yield Events(
            pivots=partial(join.known_pivots, base),
            titles=leading,
            needed=needed_source(dump, out_dir),
            counts=counts,
            rejects=sum((result.rejects for result in candidates), Counter[str]()),
            source_error=scanned.source_error,
        )


def folder_of(out_dir: Path) -> Path:
    """Where `known_events` works."""
    return private(out_dir) / "passes"


def needed_source(dump: DumpSource, out_dir: Path) -> NeededSource:
    """The source that `known_events` will have prepared when units are asked of it."""
    return NeededSource(dump.cut_at(scan.UNIT), folder_of(out_dir) / _NEEDED)


def _folder(out_dir: Path) -> Path:
    folder = folder_of(out_dir)
    ensure_folder(folder)
    return folder


def _digests(scanned: RunResult) -> Sequence[str]:
    return [receipt.input for receipt in scanned.receipts]


def _late(
    scanned: RunResult, known: frozenset[str], names: frozenset[str]
) -> Iterator[tuple[int, list[int]]]:
    """The pages with a template of the `names` that were not `known` when the dump was read."""
    there: dict[int, set[int]] = {}
    new = names - known
    if not new:
        return
    for record in scanned.records("candidates"):
        there.setdefault(record["unit"], set()).add(record["number"])
    found = join.articles_with(scanned.records("articles"), join.name_checksums(new))
    for unit, numbers in found:
        if left := [number for number in numbers if number not in there.get(unit, ())]:
            yield unit, left


def _late_job(source: NeededSource, lang: str, names: frozenset[str], out_dir: Path) -> Job:
    return Job(
        name="wec-late",
        source=source,
        setup=partial(_late_setup, lang),
        out_dir=out_dir,
        channels=("candidates",),
        options={"lang": lang, "names": sorted(names)},
        code=code_of(__name__),
    )


def _late_setup(lang: str) -> Sequence[Stage]:
    return [_Candidates(lang)]


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The stage that hands on all pages as they are."""

    lang: str

    def __call__(self, payloads: Iterator[Chunk], context: Context) -> Iterator[Out]:
        for chunk in payloads:
            prefixes = chunk.site.for_language(self.lang).namespaces[TEMPLATE]
            for number, page in enumerate(pages(chunk, self.lang, reject=context.reject)):
                xml = html.escape(page.text, quote=False)
                record = scan.candidate(number, page.page_id, page.title, xml, prefixes)
                yield Out("candidates", {"unit": chunk.index, **record})


def _judged(candidates: Sequence[RunResult], judge: Judge) -> Iterator[Pivot]:
    for result in candidates:
        for record in result.records("candidates"):
            pivot = judge.pivot_of(
                record["title"],
                html.unescape(record["xml"]),
                page_id=record["id"],
                template_prefixes=tuple(record["prefixes"]),
            )
            if pivot is not None:
                yield pivot

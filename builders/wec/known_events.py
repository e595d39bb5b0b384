"""From a dump to its events: the first pass, the joins, and what they leave for the second pass.

    with known_events(dump, lang="en", criteria=criteria, out_dir=out, do=do) as join:
        with join() as events:
            for page, aliases in events.pages(): ...
            for title, event_title, section in events.titles(): ...

The first pass may be followed by another one, for pages whose infobox goes by a name of which only
the dump's own template redirects say that it makes events.

All work lies in `out_dir`/.corefmill/passes/LANG, resumes after a kill, and is the same bytes with
any number of workers.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol, Self, TypeAlias

import duckdb

from corefmill.builders.run.database import scratch_database
from corefmill.builders.run.job import Job, RunResult, folder_of
from corefmill.builders.run.run import Runner
from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.wec.facts import templates
from corefmill.builders.wec.facts.event_facts import first_paragraph
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wiki.articles import DumpSource, markup_settings
from corefmill.builders.wiki.dump.chunks import MIB, Chunk
from corefmill.builders.wiki.dump.pages import Page, normalise_title, pages
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE, SiteInfo
from corefmill.builders.wiki.markup.render import SOFT_HYPHEN
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.writing import ensure_folder, write_whole

_OWN = 250  # megabytes of these that Python has before there is any work


class EventJudge(Protocol):
    """Says which pages are events: an `InfoboxTable`, or anything that does."""

    @property
    def names(self) -> frozenset[str]:
        """Squeezed names of templates; only articles that have one of them above their first
        heading are asked about."""

    def with_redirects(self, template_aliases: Mapping[str, str], /) -> Self:
        """The same with a dump's template redirects, squeezed name by squeezed name."""

    def event_page_of(
        self, title: str, wikitext: str, *, page_id: int, template_prefixes: Sequence[str]
    ) -> EventPage | None:
        """The page as an event, None if it is none.

        `wikitext` is what stands above the first heading, `template_prefixes` are the names of the
        namespace of templates in its dump.
        """


Events: TypeAlias = Callable[[], Iterator[tuple[EventPage, Sequence[str]]]]
"""Events, each with titles that lead to it as redirects do; as often as it is called."""


@dataclass(frozen=True, slots=True)
class EventCriteria:
    """Which pages are events, and what the fields of their infoboxes hold.

    Besides pages with a template that the judge names those are asked about in whose wikitext
    `pattern` finds something, with their whole text, and those of `titles`. What is `listed` is an
    event whether the dump has its page or not; `unmapped` has the classes of articles that a list
    names in vain. `identity` enters the corpus's fingerprint: equal criteria have an equal one
    (anything JSON can hold).
    """

    judge: EventJudge
    fields: EventFields
    identity: Any
    pattern: str | None = None
    titles: Collection[str] = ()
    listed: Events | None = None
    unmapped: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class KnownEvents:
    """The result of the joins, readable while the block lasts.

    `pages` are by title, each with its aliases, but for redirects to a section; `titles` are all
    that lead to one, themselves included: title, the event's title, section or None.
    """

    pages: Events
    titles: Callable[[], Iterator[tuple[str, str, str | None]]]
    counts: Counter[str]
    """`pages`, `articles`, `redirects` of the dump; `candidates` that were asked about,
    `candidates_by_redirect` among them, `pivots` (event pages), `titles`; with a list of events
    `pivots_without_page`."""
    leads: Callable[[], Iterator[tuple[str, str]]] = lambda: iter(())
    """Title and first paragraph of pages, those of all events among them."""


Join: TypeAlias = Callable[[], AbstractContextManager[KnownEvents]]
"""Joins what the passes found, and holds the result inside the block."""


@contextmanager
def known_events(
    dump: DumpSource,
    *,
    lang: str,
    criteria: EventCriteria,
    out_dir: Path,
    do: Runner,
    memory: int = 1000,
) -> Iterator[Join]:
    """Read the dump by `do`; yield the function to join it, in `memory` megabytes.

    Raises UsageError for a dump that can be read but once, besides what `do` raises.
    """
    if not dump.rereadable:
        raise UsageError(
            "standard input can be read but once, and events need their dump twice",
            remedy="save it to a file and name that",
        )
    folder = folder_of(out_dir) / lang
    ensure_folder(folder)
    rules = CandidateRules(criteria.judge.names, criteria.pattern, frozenset(criteria.titles))
    limit = f"{max(memory - _OWN, 100)}MB"
    read = partial(first_pass, dump, lang=lang)
    with ExitStack() as stack:
        first = stack.enter_context(do(read(rules=rules, out_dir=folder / "first")))
        found = folder / "template_redirects.json"
        _find_template_redirects(first, rules, criteria, found, limit)
        said = json.loads(found.read_bytes())
        judge = criteria.judge.with_redirects(said["aliases"])
        candidates = [first]
        if said["late"]:
            new = CandidateRules(judge.names - rules.names)
            late = read(rules=new, out_dir=folder / "late", earlier=rules)
            candidates.append(stack.enter_context(do(late)))
        yield partial(_join_candidates, candidates, judge, criteria, folder, limit)


def _find_template_redirects(
    first: RunResult, rules: CandidateRules, criteria: EventCriteria, path: Path, memory: str
) -> None:
    """Write the dump's template redirects, and whether the late pass is needed.

    It is where a page has a template that makes events by a name known from redirects alone.
    """
    with scratch_database(path.parent, memory=memory) as (base, _):
        load_redirects(base, first, namespace=TEMPLATE)
        aliases = template_redirects(base)
    new = criteria.judge.with_redirects(aliases).names - rules.names
    late = any(not new.isdisjoint(record["names"]) for record in first.records("templates"))
    write_whole(path, json.dumps({"aliases": aliases, "late": late}))


@contextmanager
def _join_candidates(
    candidates: Sequence[RunResult],
    judge: EventJudge,
    criteria: EventCriteria,
    folder: Path,
    memory: str,
) -> Iterator[KnownEvents]:
    counts = candidates[0].counts
    asked = [result.written["candidates"] for result in candidates]
    counts["candidates"], counts["candidates_by_redirect"] = sum(asked), sum(asked[1:])
    with scratch_database(folder, memory=memory) as (base, scratch):
        load_redirects(base, candidates[0], namespace=0)
        load_event_pages(base, _judge_candidates(candidates, judge), scratch)
        if criteria.listed is not None:
            counts["pivots_without_page"] = add_listed(base, criteria.listed(), scratch)
        follow_redirects(base)
        counts["pivots"], counts["titles"] = sizes(base)
        yield KnownEvents(
            *(partial(known_event_pages, base), partial(known_titles, base), counts),
            leads=partial(_leads, candidates),
        )


def _leads(candidates: Iterable[RunResult]) -> Iterator[tuple[str, str]]:
    for result in candidates:
        for record in result.records("candidates"):
            yield record["title"], record["first"]


def _judge_candidates(candidates: Iterable[RunResult], judge: EventJudge) -> Iterator[EventPage]:
    for result in candidates:
        for record in result.records("candidates"):
            page = judge.event_page_of(
                record["title"],
                record["text"],
                page_id=record["id"],
                template_prefixes=tuple(record["prefixes"]),
            )
            if page is not None:
                yield page


# First pass over a dump: collects pages that may be events, redirects, and names of templates.


UNIT = 8 * MIB
"""XML that goes into a unit: each shard waits for the disk."""

_LINK = re.compile(r"\[\[([^][|\n]*+)")
_TEMPLATE = re.compile(r"\{\{([^|{}]{1,200}+)")
_squeezed = lru_cache(1 << 16)(templates.squeeze)


@dataclass(frozen=True, slots=True)
class CandidateRules:
    """Which articles may be events: those with a template of one of the squeezed `names` above
    their first heading, those in whose wikitext `pattern` finds something, those of `titles`."""

    names: frozenset[str] = frozenset()
    pattern: str | None = None
    titles: frozenset[str] = frozenset()

    def as_json(self) -> dict[str, Any]:
        """What a fingerprint is made of."""
        titles = hashlib.blake2b("\n".join(sorted(self.titles)).encode(), digest_size=16)
        return {
            "names": sorted(self.names),
            "pattern": self.pattern,
            "titles": [len(self.titles), titles.hexdigest()],
        }

    def text_of(self, page: Page, lead: str, names: frozenset[str]) -> str | None:
        """What of a page must be looked at to tell whether it is an event, None for nothing."""
        if self.pattern is not None and re.search(self.pattern, page.text):
            return page.text
        return lead if page.title in self.titles or not self.names.isdisjoint(names) else None


def first_pass(
    dump: DumpSource,
    *,
    lang: str,
    rules: CandidateRules,
    out_dir: Path,
    earlier: CandidateRules | None = None,
) -> Job:
    """The pass over a dump, in units of its own size.

    With `earlier` it gives candidates alone, without those that these rules gave before.
    """
    return Job(
        name="wec-first-pass" if earlier is None else "wec-late-candidates",
        source=dump.cut_at(UNIT),
        setup=partial(_setup, lang, rules, earlier),
        out_dir=out_dir,
        channels=("redirects", "templates", "candidates"),
        options={
            "lang": lang,
            **rules.as_json(),
            "earlier": None if earlier is None else earlier.as_json(),
        },
    )


def _setup(lang: str, rules: CandidateRules, earlier: CandidateRules | None) -> Sequence[Stage]:
    return [FirstPass(lang, rules, earlier)]


@dataclass(frozen=True, slots=True)
class FirstPass:
    """The stage: chunks of a dump to the three channels.

    Counts `pages`, `articles` and `redirects`; rejects what the parser does.
    """

    lang: str
    rules: CandidateRules
    earlier: CandidateRules | None = None

    def __call__(self, dump: Iterator[Chunk], context: Context) -> Iterator[Out]:
        """Yields to all channels, with `earlier` to `candidates` alone."""
        for chunk in dump:
            site = chunk.site.for_language(self.lang)
            prefixes = templates.prefix_names(site.namespaces[TEMPLATE])
            seen: set[str] = set()
            redirects: dict[str, list[Any]] = {"ns": [], "title": [], "target": [], "section": []}
            for page in pages(chunk, self.lang, reject=context.reject):
                context.count("pages")
                if page.redirect is None and page.ns == 0:
                    context.count("articles")
                    names = _names(lead := templates.lead(page.text), prefixes)
                    seen |= names
                    text = self.rules.text_of(page, lead, names)
                    if self.earlier and self.earlier.text_of(page, lead, names) is not None:
                        text = None  # the first pass gave it
                    if text is not None:
                        candidate = {
                            "id": page.page_id,
                            "title": page.title,
                            "text": text,
                            "first": first_paragraph(lead, markup_settings(site)),
                            "prefixes": list(site.namespaces[TEMPLATE]),
                        }
                        yield Out("candidates", candidate)
                elif page.redirect is not None and page.ns in (0, TEMPLATE):
                    values = _redirect(page, page.redirect, site, prefixes)
                    for column, value in zip(redirects.values(), values, strict=True):
                        column.append(value)
            if self.earlier is None and redirects["ns"]:
                context.count("redirects", len(redirects["ns"]))
                yield Out("redirects", redirects)
            if self.earlier is None and seen:
                yield Out("templates", {"names": sorted(seen)})


def _names(lead: str, prefixes: tuple[str, ...]) -> frozenset[str]:
    """The squeezed names after each `{{`, whether anything of them is a template or not."""
    raw = set(_TEMPLATE.findall(lead))
    if "<!--" in lead:  # a comment may hide a part of a name
        raw.update(_TEMPLATE.findall(templates.without_comments(lead)))
    return frozenset(_squeezed(name, prefixes) for name in raw) - {""}


def _redirect(
    page: Page, target: str, site: SiteInfo, prefixes: tuple[str, ...]
) -> tuple[int, str, str, str]:
    """A page that points to another, as a row of its channel."""
    if page.ns == TEMPLATE:
        return page.ns, _squeezed(page.title, prefixes), _squeezed(target, prefixes), ""
    title, section = normalise_title(target, site)
    link = _LINK.search(page.text)
    if link and "#" in link[1]:  # the dump's own <redirect/> names no section
        section = normalise_title(link[1].replace(SOFT_HYPHEN, ""), site)[1]
    return page.ns, page.title, title, section


# Joins events and redirects: which titles lead to which event.


DEEPEST = 8
"""Redirects that are followed one after the other; MediaWiki follows one, its robots fix two."""

_FILES = 500  # that DuckDB reads at a time
_ROWS = 1000
_SHORT, _LONGEST = 1 << 20, 1 << 27
"""Bytes of a line. DuckDB sets twice as much aside as it is told a line may have."""

_NOBODY: tuple[str | None, Iterator[tuple[Any, ...]]] = None, iter(())
_COLUMNS = "title, page_id, event_type, infobox, fields"
_READ_PAGES = (
    "SELECT * FROM read_json(?, format = 'newline_delimited', maximum_object_size = ?,"
    " columns = {title: 'VARCHAR', page_id: 'BIGINT', event_type: 'VARCHAR', infobox: 'VARCHAR',"
    " fields: 'VARCHAR', aliases: 'VARCHAR[]', row: 'BIGINT'})"
)


def load_redirects(base: duckdb.DuckDBPyConnection, first: RunResult, *, namespace: int) -> None:
    """Make the table `redirects` of the pages of a namespace that only point to another."""
    base.execute("CREATE TABLE redirects (ns INT, title VARCHAR, target VARCHAR, section VARCHAR)")
    paths = first.files("redirects")
    while files := list(islice(paths, _FILES)):
        longest = max(path.stat().st_size for path in files)
        with disk.plain_names(files) as names:
            base.execute(
                "INSERT INTO redirects SELECT * FROM ("
                " SELECT unnest(ns) AS ns, unnest(title), unnest(target), unnest(section)"
                " FROM read_json(?, format = 'newline_delimited', maximum_object_size = ?,"
                " columns = {ns: 'INT[]', title: 'VARCHAR[]', target: 'VARCHAR[]',"
                " section: 'VARCHAR[]'})) WHERE ns = ?",
                [names, min(max(longest, _SHORT), _LONGEST), namespace],
            )


def template_redirects(base: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Squeezed names of templates that stand for others; of a title given twice the lesser."""
    found = base.execute(
        "SELECT title, min(target) FROM redirects WHERE ns = ? AND title <> '' AND target <> ''"
        " AND title <> target GROUP BY title ORDER BY title",
        [TEMPLATE],
    )
    return dict(found.fetchall())


def load_event_pages(
    base: duckdb.DuckDBPyConnection, found: Iterable[EventPage], scratch: Path
) -> None:
    """Make the table `event_pages`; of a title given twice the first stays."""
    base.execute(
        f"CREATE TABLE event_pages AS SELECT {_COLUMNS} FROM ({_READ_PAGES})"
        " QUALIFY row_number() OVER (PARTITION BY title ORDER BY row) = 1",
        _write_pages(((page, ()) for page in found), scratch / "event_pages.jsonl"),
    )


def add_listed(
    base: duckdb.DuckDBPyConnection,
    listed: Iterable[tuple[EventPage, Sequence[str]]],
    scratch: Path,
) -> int:
    """Add to `event_pages` those whose titles no page has, and to `redirects` the aliases of all.

    A title that redirects is what it leads to. An alias leads where the list says, whatever the
    dump says of it, unless it is the title of an event. Returns how many were added.
    """
    base.execute(
        f"CREATE TABLE listed AS {_READ_PAGES}", _write_pages(listed, scratch / "listed.jsonl")
    )
    before = base.execute("SELECT count(*) FROM event_pages").fetchall()[0][0]
    base.execute(
        f"INSERT INTO event_pages SELECT {_COLUMNS} FROM listed WHERE title NOT IN"
        " (SELECT title FROM event_pages)"
        " AND title NOT IN (SELECT title FROM redirects WHERE ns = 0)"
    )
    base.execute(
        "CREATE TABLE aliases AS SELECT alias, title FROM (SELECT unnest(aliases) AS alias, title"
        " FROM listed) WHERE alias NOT IN (SELECT title FROM listed)"
    )
    base.execute("DELETE FROM redirects WHERE ns = 0 AND title IN (SELECT alias FROM aliases)")
    base.execute("INSERT INTO redirects SELECT 0, alias, title, '' FROM aliases")
    after = base.execute("SELECT count(*) FROM event_pages").fetchall()[0][0]
    return int(after - before)


def _write_pages(pages: Iterable[tuple[EventPage, Sequence[str]]], path: Path) -> tuple[str, int]:
    """Write the file for `_READ_PAGES`; return it with its longest line."""
    longest = _SHORT
    with path.open("w", encoding="utf-8") as lines:
        for row, (page, aliases) in enumerate(pages):
            record = {**asdict(page), "fields": json.dumps(dict(page.fields))}
            line = json.dumps({**record, "aliases": list(aliases), "row": row}) + "\n"
            longest = max(longest, len(line))
            lines.write(line)
    return str(path), min(longest, _LONGEST)


def follow_redirects(base: duckdb.DuckDBPyConnection) -> None:
    """Make the table `titles` of all that leads to an event: title, event, section, depth.

    A chain's section is the one nearest to its beginning. A loop leads nowhere; of a title that
    redirects twice one target counts, whichever way the dump was cut.
    """
    base.execute(
        "CREATE TABLE titles AS"
        " SELECT title, title AS event, CAST(NULL AS VARCHAR) AS section, 0 AS depth"
        " FROM event_pages"
    )
    for depth in range(1, DEEPEST + 1):
        base.execute(
            "INSERT INTO titles"
            " SELECT title, lead.event, lead.section, $depth FROM ("
            "  SELECT r.title AS title, min({'event': t.event,"
            "   'section': coalesce(nullif(r.section, ''), t.section)}) AS lead"
            "  FROM redirects r JOIN titles t ON r.target = t.title"
            "  WHERE r.ns = 0 AND t.depth = $depth - 1 GROUP BY r.title)"
            " WHERE title NOT IN (SELECT title FROM titles)",
            {"depth": depth},
        )


def known_event_pages(base: duckdb.DuckDBPyConnection) -> Iterator[tuple[EventPage, Sequence[str]]]:
    """Each event page, by title, with its aliases: titles that redirect to it, not a section."""
    # Sorts go to disk beyond the memory, where lists in a join do not; one is done before the next.
    base.execute(
        "CREATE OR REPLACE TABLE aliases_of AS SELECT event, title FROM titles"
        " WHERE depth > 0 AND section IS NULL ORDER BY event, title"
    )
    found = base.cursor().execute(f"SELECT {_COLUMNS} FROM event_pages ORDER BY title")
    leading = base.cursor().execute("SELECT event, title FROM aliases_of")
    groups = groupby(_rows(leading), key=itemgetter(0))
    event, aliases = next(groups, _NOBODY)
    for title, page_id, event_type, infobox, fields in _rows(found):
        own = [alias for _, alias in aliases] if event == title else []
        if event == title:
            event, aliases = next(groups, _NOBODY)
        yield EventPage(title, page_id, event_type, infobox, json.loads(fields)), own


def known_titles(base: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str, str | None]]:
    """Each title that leads to an event, in order: title, the event's, section of it or None."""
    found = base.cursor().execute("SELECT title, event, section FROM titles ORDER BY title")
    yield from _rows(found)


def _rows(found: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while batch := found.fetchmany(_ROWS):
        yield from batch


def sizes(base: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    """How many events there are, and how many titles lead to one."""
    query = "SELECT (SELECT count(*) FROM event_pages), (SELECT count(*) FROM titles)"
    return base.execute(query).fetchall()[0]

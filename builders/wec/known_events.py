"""Find the events of a dump: the first pass, the joins, and their result for the second pass.

    with known_events(dump, lang="en", judge=judge, out_dir=out, do=do) as events:
        for page, aliases in events.pages(): ...
        for title, event_title, section in events.titles(): ...

A second reading of the dump may follow, for pages with an infobox that only the dump's template
redirects show to be an event's.

All work is in `out_dir`/.corefmill/passes/LANG, resumes after a kill, and has the same bytes with
any number of workers.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb

from corefmill.builders.run.database import scratch_database
from corefmill.builders.run.job import Job, RunResult, passes_folder
from corefmill.builders.run.run import Runner
from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.wec.facts import templates
from corefmill.builders.wec.facts.event_facts import first_paragraph
from corefmill.builders.wec.facts.infoboxes import EventJudge
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wiki.articles import DumpSource, markup_settings
from corefmill.builders.wiki.dump.chunks import MIB, Chunk
from corefmill.builders.wiki.dump.pages import Page, normalise_title, pages
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE
from corefmill.builders.wiki.markup.render import SOFT_HYPHEN
from corefmill.builders.wiki.markup.templates import OwnTemplates
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.writing import ensure_folder

_OWN = 250  # megabytes of these that Python has before there is any work


@dataclass(frozen=True)
class KnownEvents:
    """The events of a dump, readable while the block lasts.

    `pages` are the event pages by title, each with its aliases (no redirects to a section).
    `titles` are all titles that lead to an event, its own included: title, the event's title,
    section or None. `leads` are title and first paragraph of pages, among them all event pages.
    """

    pages: Callable[[], Iterator[tuple[EventPage, Sequence[str]]]]
    titles: Callable[[], Iterator[tuple[str, str, str | None]]]
    counts: Counter[str]
    """`pages`, `articles`, `redirects` of the dump; `candidates` that were asked about,
    `candidates_by_redirect` among them, `pivots` (event pages), `titles`; with a list of events
    `pivots_without_page`."""
    leads: Callable[[], Iterator[tuple[str, str]]] = lambda: iter(())


@contextmanager
def known_events(
    dump: DumpSource,
    *,
    lang: str,
    judge: EventJudge,
    out_dir: Path,
    do: Runner,
    memory: int = 1000,
    templates: OwnTemplates = (),
) -> Iterator[KnownEvents]:
    """Read the dump by `do`, and join the events found by `judge` in `memory` megabytes.

    Raises UsageError for a dump that can be read only once, and the errors of `do`.
    """
    if not dump.rereadable:
        raise UsageError(
            "standard input can be read only once, but events need their dump twice",
            remedy="save it to a file and name that",
        )
    folder = passes_folder(out_dir) / lang
    ensure_folder(folder)
    rules = CandidateRules(judge.names, judge.pattern, frozenset(judge.titles))
    with ExitStack() as stack:
        first = stack.enter_context(
            do(
                first_pass(
                    dump, lang=lang, rules=rules, out_dir=folder / "first", templates=templates
                )
            )
        )
        passes = [first]
        # Templates redirect to templates: a name that no table has may make events in this dump.
        aliases: dict[str, str] = {}
        for record in first.records("templates"):
            for alias, target in record["redirects"]:  # of a title given twice the lesser counts
                aliases[alias] = min(target, aliases.get(alias, target))
        judge = judge.with_redirects(aliases)
        new = judge.names - rules.names
        # The dump is read once more only if a page has a template of such a name.
        if any(not new.isdisjoint(record["names"]) for record in first.records("templates")):
            late = first_pass(
                dump,
                lang=lang,
                rules=CandidateRules(new),
                out_dir=folder / "late",
                earlier=rules,
                templates=templates,
            )
            passes.append(stack.enter_context(do(late)))
        counts = first.counts
        asked = [result.written["candidates"] for result in passes]
        counts["candidates"], counts["candidates_by_redirect"] = sum(asked), sum(asked[1:])
        limit = f"{max(memory - _OWN, 100)}MB"
        base, scratch = stack.enter_context(scratch_database(folder, memory=limit))
        load_redirects(base, first)
        pages, listed = _judge_pages(passes, judge), judge.listed_events()
        without_page = join_events(base, pages, listed, scratch)
        if judge.titles:
            counts["pivots_without_page"] = without_page
        query = "SELECT (SELECT count(*) FROM event_pages), (SELECT count(*) FROM titles)"
        counts["pivots"], counts["titles"] = base.execute(query).fetchall()[0]
        yield KnownEvents(
            *(partial(known_event_pages, base), partial(known_titles, base), counts),
            leads=lambda: ((one["title"], one["first"]) for one in _candidates(passes)),
        )


def _candidates(passes: Iterable[RunResult]) -> Iterator[dict[str, Any]]:
    for result in passes:
        yield from result.records("candidates")


def _judge_pages(passes: Iterable[RunResult], judge: EventJudge) -> Iterator[EventPage]:
    """Yield the event pages among the candidates of the passes."""
    for record in _candidates(passes):
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
    """Conditions on the articles to be judged: a template of one of the squeezed `names` above the
    first heading, a match of `pattern` in the wikitext, or a title in `titles`.
    """

    names: frozenset[str] = frozenset()
    pattern: str | None = None
    titles: frozenset[str] = frozenset()

    def as_json(self) -> dict[str, Any]:
        """Describe the rules for a fingerprint."""
        titles = hashlib.blake2b("\n".join(sorted(self.titles)).encode(), digest_size=16)
        return {
            "names": sorted(self.names),
            "pattern": self.pattern,
            "titles": [len(self.titles), titles.hexdigest()],
        }

    def text_of(self, page: Page, lead: str, names: frozenset[str]) -> str | None:
        """Return the text of a possible event page for the judge, None for any other page."""
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
    templates: OwnTemplates = (),
) -> Job:
    """Make the job of the pass over a dump, in units of its own size.

    With `earlier` rules, the pass writes only candidates that the earlier rules did not find.
    """
    return Job(
        name="wec-first-pass" if earlier is None else "wec-late-candidates",
        source=dump.cut_at(UNIT),
        setup=partial(_setup, lang, rules, earlier, templates),
        out_dir=out_dir,
        channels=("redirects", "templates", "candidates"),
        options={
            "lang": lang,
            **rules.as_json(),
            "templates": templates,
            "earlier": None if earlier is None else earlier.as_json(),
        },
    )


def _setup(
    lang: str,
    rules: CandidateRules,
    earlier: CandidateRules | None,
    templates: OwnTemplates,
) -> Sequence[Stage]:
    return [FirstPass(lang, rules, earlier, templates)]


@dataclass(frozen=True, slots=True)
class FirstPass:
    """Stage from chunks of a dump to records of redirects, templates and candidates.

    Counts `pages`, `articles` and `redirects`; the rejects are the parser's.
    """

    lang: str
    rules: CandidateRules
    earlier: CandidateRules | None = None
    own_templates: OwnTemplates = ()

    def __call__(self, dump: Iterator[Chunk], context: Context) -> Iterator[Out]:
        """Yield to all channels; with `earlier`, only candidates that the first pass lacked."""
        for chunk in dump:
            site = chunk.site.for_language(self.lang)
            prefixes = templates.prefix_names(site.namespaces[TEMPLATE])
            seen: set[str] = set()
            template_redirects: list[tuple[str, str]] = []
            redirects: dict[str, list[str]] = {"title": [], "target": [], "section": []}
            for page in pages(chunk, self.lang, reject=context.reject):
                context.count("pages")
                if page.redirect is None and page.ns == 0:
                    context.count("articles")
                    # So far only the table's own templates are known to make events. All names
                    # are kept, so that the dump's redirects may show that a late pass is needed.
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
                            "first": first_paragraph(
                                lead, markup_settings(site, self.own_templates)
                            ),
                            "prefixes": list(site.namespaces[TEMPLATE]),
                        }
                        yield Out("candidates", candidate)
                elif page.redirect is not None and page.ns == 0:
                    # Columns, not rows: a chunk's redirects are one record, which DuckDB unnests.
                    title, section = normalise_title(page.redirect, site)
                    link = _LINK.search(page.text)
                    if link and "#" in link[1]:  # the dump's own <redirect/> names no section
                        section = normalise_title(link[1].replace(SOFT_HYPHEN, ""), site)[1]
                    values = page.title, title, section
                    for column, value in zip(redirects.values(), values, strict=True):
                        column.append(value)
                elif page.redirect is not None and page.ns == TEMPLATE:
                    pair = _squeezed(page.title, prefixes), _squeezed(page.redirect, prefixes)
                    template_redirects.append(pair)
            if self.earlier is not None:
                continue
            if number := len(redirects["title"]) + len(template_redirects):
                context.count("redirects", number)
            if redirects["title"]:
                yield Out("redirects", redirects)
            if seen or template_redirects:
                # Titles that differ in case or blanks alone are one squeezed name.
                pairs = sorted((a, b) for a, b in template_redirects if a and b and a != b)
                yield Out("templates", {"names": sorted(seen), "redirects": pairs})


def _names(lead: str, prefixes: tuple[str, ...]) -> frozenset[str]:
    """Find the squeezed names after each `{{`, without checking that they are templates."""
    raw = set(_TEMPLATE.findall(lead))
    if "<!--" in lead:  # a comment may hide a part of a name
        raw.update(_TEMPLATE.findall(templates.without_comments(lead)))
    return frozenset(_squeezed(name, prefixes) for name in raw) - {""}


# Join events and redirects, to map titles to events.


DEEPEST = 8
"""Redirects that are followed one after the other; MediaWiki follows one, its robots fix two."""

_FILES = 500  # that DuckDB reads at a time
_ROWS = 1000
_SHORT, _LONGEST = 1 << 20, 1 << 27
"""Longest line in bytes. DuckDB reserves twice as much memory."""

_COLUMNS = "title, page_id, event_type, infobox, fields"
_READ_PAGES = (
    "SELECT * FROM read_json(?, format = 'newline_delimited', maximum_object_size = ?,"
    " columns = {title: 'VARCHAR', page_id: 'BIGINT', event_type: 'VARCHAR', infobox: 'VARCHAR',"
    " fields: 'VARCHAR', aliases: 'VARCHAR[]', row: 'BIGINT'})"
)


def load_redirects(base: duckdb.DuckDBPyConnection, first: RunResult) -> None:
    """Make the table `redirects` of the redirects between articles."""
    base.execute("CREATE TABLE redirects (title VARCHAR, target VARCHAR, section VARCHAR)")
    paths = first.files("redirects")
    while files := list(islice(paths, _FILES)):
        longest = max(path.stat().st_size for path in files)
        with disk.plain_names(files) as names:
            base.execute(
                "INSERT INTO redirects SELECT unnest(title), unnest(target), unnest(section)"
                " FROM read_json(?, format = 'newline_delimited', maximum_object_size = ?,"
                " columns = {title: 'VARCHAR[]', target: 'VARCHAR[]', section: 'VARCHAR[]'})",
                [names, min(max(longest, _SHORT), _LONGEST)],
            )


def join_events(
    base: duckdb.DuckDBPyConnection,
    pages: Iterable[EventPage],
    listed: Iterable[tuple[EventPage, Sequence[str]]],
    scratch: Path,
) -> int:
    """Make the tables `event_pages`, and `titles` of all titles of events: title, event, section.

    `pages` are pages of the dump; `listed` are events with aliases, also those without a page in
    the dump. Returns the number of events without a page.
    """
    # Of a title given twice the first page stays.
    base.execute(
        f"CREATE TABLE event_pages AS SELECT {_COLUMNS} FROM ({_READ_PAGES})"
        " QUALIFY row_number() OVER (PARTITION BY title ORDER BY row) = 1",
        _write_pages(((page, ()) for page in pages), scratch / "event_pages.jsonl"),
    )
    base.execute(
        f"CREATE TABLE listed AS {_READ_PAGES}", _write_pages(listed, scratch / "listed.jsonl")
    )
    # A listed title that redirects is the page to which it leads.
    without_page = base.execute(
        f"INSERT INTO event_pages SELECT {_COLUMNS} FROM listed WHERE title NOT IN"
        " (SELECT title FROM event_pages) AND title NOT IN (SELECT title FROM redirects)"
    ).fetchall()[0][0]
    # A listed alias leads to the list's target, whatever its target in the dump, unless it is the
    # title of an event.
    base.execute(
        "CREATE TABLE aliases AS SELECT alias, title FROM (SELECT unnest(aliases) AS alias, title"
        " FROM listed) WHERE alias NOT IN (SELECT title FROM listed)"
    )
    base.execute("DELETE FROM redirects WHERE title IN (SELECT alias FROM aliases)")
    base.execute("INSERT INTO redirects SELECT alias, title, '' FROM aliases")
    # Redirects are followed from the events outwards, so that a loop leads nowhere. The section of
    # a chain is the section nearest to its beginning. A title that redirects twice takes the least
    # target, so that the result does not depend on how the dump was cut.
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
            "  WHERE t.depth = $depth - 1 GROUP BY r.title)"
            " WHERE title NOT IN (SELECT title FROM titles)",
            {"depth": depth},
        )
    return int(without_page)


def _write_pages(pages: Iterable[tuple[EventPage, Sequence[str]]], path: Path) -> tuple[str, int]:
    """Write event pages to a file of JSON Lines; return its path and its longest line."""
    longest = _SHORT
    with path.open("w", encoding="utf-8") as lines:
        for row, (page, aliases) in enumerate(pages):
            record = {**asdict(page), "fields": json.dumps(dict(page.fields))}
            line = json.dumps({**record, "aliases": list(aliases), "row": row}) + "\n"
            longest = max(longest, len(line))
            lines.write(line)
    return str(path), min(longest, _LONGEST)


def known_event_pages(base: duckdb.DuckDBPyConnection) -> Iterator[tuple[EventPage, Sequence[str]]]:
    """Yield each event page, by title, with its aliases: titles redirecting to the whole page."""
    # Sorts go to disk beyond the memory, lists in a join do not; sort one after the other.
    base.execute(
        "CREATE OR REPLACE TABLE aliases_of AS SELECT event, title FROM titles"
        " WHERE depth > 0 AND section IS NULL ORDER BY event, title"
    )
    found = base.cursor().execute(f"SELECT {_COLUMNS} FROM event_pages ORDER BY title")
    leading = base.cursor().execute("SELECT event, title FROM aliases_of")
    groups = groupby(_rows(leading), key=itemgetter(0))
    nobody: tuple[str | None, Iterator[tuple[Any, ...]]] = None, iter(())
    event, aliases = next(groups, nobody)
    for title, page_id, event_type, infobox, fields in _rows(found):
        own = [alias for _, alias in aliases] if event == title else []
        if event == title:
            event, aliases = next(groups, nobody)
        yield EventPage(title, page_id, event_type, infobox, json.loads(fields)), own


def known_titles(base: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str, str | None]]:
    """Yield each title of an event, in order: title, the event's title, its section or None."""
    found = base.cursor().execute("SELECT title, event, section FROM titles ORDER BY title")
    yield from _rows(found)


def _rows(result: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while batch := result.fetchmany(_ROWS):
        yield from batch

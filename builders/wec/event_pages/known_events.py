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

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, Self, TypeAlias

from corefmill.builders.run.database import scratch_database
from corefmill.builders.run.job import RunResult, folder_of
from corefmill.builders.run.run import Runner
from corefmill.builders.wec.event_pages import join
from corefmill.builders.wec.event_pages.first_pass import CandidateRules, first_pass
from corefmill.builders.wec.facts.event_page import EventPage
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wiki.articles import DumpSource
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE
from corefmill.corpora.atomic import ensure_folder, write_whole
from corefmill.corpora.errors import UsageError

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
    """What the joins found; readable as often as need be while the block lasts.

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
    """Has the dump read by `do`, and gives what joins it, in `memory` megabytes.

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
        yield partial(_joined, candidates, judge, criteria, folder, limit)


def _find_template_redirects(
    first: RunResult, rules: CandidateRules, criteria: EventCriteria, path: Path, memory: str
) -> None:
    """Writes the dump's other names of templates, and whether any page has one of those that make
    events and were not asked for: such pages are the late pass's."""
    with scratch_database(path.parent, memory=memory) as (base, _):
        join.load_redirects(base, first, namespace=TEMPLATE)
        aliases = join.template_redirects(base)
    new = criteria.judge.with_redirects(aliases).names - rules.names
    late = any(not new.isdisjoint(record["names"]) for record in first.records("templates"))
    write_whole(path, json.dumps({"aliases": aliases, "late": late}))


@contextmanager
def _joined(
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
        join.load_redirects(base, candidates[0], namespace=0)
        join.load_event_pages(base, _judged(candidates, judge), scratch)
        if criteria.listed is not None:
            counts["pivots_without_page"] = join.add_listed(base, criteria.listed(), scratch)
        join.follow_redirects(base)
        counts["pivots"], counts["titles"] = join.sizes(base)
        yield KnownEvents(
            *(partial(join.known_event_pages, base), partial(join.known_titles, base), counts),
            leads=partial(_leads, candidates),
        )


def _leads(candidates: Iterable[RunResult]) -> Iterator[tuple[str, str]]:
    for result in candidates:
        for record in result.records("candidates"):
            yield record["title"], record["first"]


def _judged(candidates: Iterable[RunResult], judge: EventJudge) -> Iterator[EventPage]:
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

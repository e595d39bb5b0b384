"""`build wec`: the command."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from corefmill.builders.wec.options import (
    DEV_SHARE,
    FILTERS,
    MEMORY,
    QUOTA,
    TEST_SHARE,
    Same,
    Sections,
    WecOptions,
)
from corefmill.builders.wiki.dump.locate import ShippedSample
from corefmill.cli.options import (
    INPUT,
    WORK,
    ClusterOptions,
    CommandLine,
    DumpOptions,
    Mode,
    Rules,
    WorkOptions,
    grouped,
)
from corefmill.cli.plain_options import finite, limit_option, without_option
from corefmill.cli.printing import print_json
from corefmill.cli.printing import table as show
from corefmill.corpora.errors import DataError, UsageError

if TYPE_CHECKING:
    from corefmill.builders.sources.inputs import Input
    from corefmill.builders.wec.event_pages.known_events import EventCriteria
    from corefmill.builders.wec.facts.event_list import ListedEvents

EXAMPLES = """Examples:

    build wec --lang en

    build wec --lang it --dump latest --workers 8

    build wec --lang en --mode paper --dump 'enwiki-*.xml.bz2'

    build wec --lang ro --nlp wiki --event-list events.tsv --dump 'rowiki-*.xml.bz2'

    build wec --lang en --without unidentified --sections named --json
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionOptions:
    """Which links are mentions, and which of them are left out."""

    mode: Rules = Mode.clean
    without: Annotated[list[str] | None, without_option(FILTERS)] = None
    sections: Annotated[
        Sections,
        typer.Option(
            help="Which links to a section of an event's article are mentions: drop (none),"
            " named (those whose text is the event's title or an alias), keep (all)."
        ),
    ] = Sections.drop
    quota: Annotated[
        int, typer.Option(min=1, help="Mentions of a cluster that may be the same string.")
    ] = QUOTA
    same: Annotated[
        Same | None,
        typer.Option(
            help="What makes two mentions the same string: equal words, or equal lemmas.",
            show_default="lemma in clean mode where the language is inflected, else string",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOptions:
    """Which articles are events."""

    PANEL: ClassVar[str] = INPUT

    infoboxes: Annotated[
        Path | None,
        typer.Option(
            help="A table of event infoboxes of your own.", show_default="the language's that ships"
        ),
    ] = None
    event_list: Annotated[
        Path | None,
        typer.Option(
            help="A list of articles that are events, instead of infoboxes, in either mode; the"
            " dump may lack their pages. Lines of title, class and optionally aliases (a|b)"
            " separated by tabs, or JSON Lines."
        ),
    ] = None
    classes: Annotated[
        Path | None,
        typer.Option(
            help="A TOML of event types by class for --event-list.",
            show_default="Wikidata's classes of events, by identifier or English name",
        ),
    ] = None
    list_infoboxes: Annotated[
        bool,
        typer.Option(
            "--list-infoboxes",
            help="List the infoboxes of the dump with their counts and what the table says of each;"
            " build nothing.",
        ),
    ] = False
    propose_table: Annotated[
        bool,
        typer.Option(
            "--propose-table",
            help="Draft a table for --infoboxes from the dump's infoboxes and an --event-list, by"
            " their names alone without one; build nothing. It goes to the file --out, or is"
            " printed.",
        ),
    ] = False
    langlinks: Annotated[
        Path | None,
        typer.Option(
            help="For --propose-table, where the --event-list is of another language: lines of a"
            " title in --lang, a tab, the title in that language."
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSplitOptions:
    """How large the corpus and its splits are."""

    PANEL: ClassVar[str] = WORK

    dev: Annotated[
        float,
        typer.Option(
            min=0, callback=finite, help="Clusters of the dev split; below 1 their share."
        ),
    ] = DEV_SHARE
    test: Annotated[
        float,
        typer.Option(
            min=0, callback=finite, help="Clusters of the test split; below 1 their share."
        ),
    ] = TEST_SHARE
    limit: Annotated[int | None, limit_option("mentions")] = None
    memory: Annotated[int, typer.Option(min=300, help="Megabytes for the joins.")] = MEMORY


@grouped
def wec(
    *,
    source: DumpOptions,
    mentions: MentionOptions,
    events: EventOptions,
    size: ClusterSplitOptions,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """Event coreference: links to the same event's article, with their paragraphs.

    After WEC (Eirew et al. 2021). A run that was stopped goes on where it was when the same
    command is given again.
    """
    from corefmill.builders import nlp
    from corefmill.builders.wec import build as wec_build
    from corefmill.cli.builds import before, build, given

    lang, mode = source.lang, mentions.mode.value
    if events.propose_table:
        _propose(source, events, work, cluster)
        return
    if events.langlinks is not None:
        raise UsageError("--langlinks is for --propose-table", remedy="give both, or leave it out")
    if events.list_infoboxes:
        found = given(source, work, cluster, sample=ShippedSample.world)
        _list(found, lang, events.infoboxes, as_json=work.as_json)
        return
    options = WecOptions.make(
        lang,
        mode,
        source.nlp or nlp.choose(lang),
        without=tuple(sorted(set(mentions.without or ()))),
        sections=mentions.sections,
        same=mentions.same or wec_build.default_same(lang, mode),
        quota=mentions.quota,
    )
    job, assembly, first_pass = wec_build.plan(
        options,
        _criteria(options, events),
        given(source, work, cluster, sample=ShippedSample.world),
        work.request(f"wec-{lang}", line, size.limit),
        dev=size.dev,
        test=size.test,
        memory=size.memory,
    )
    build(job, assembly, work, cluster, partial(first_pass, before(work, cluster)))


def _criteria(options: WecOptions, events: EventOptions) -> EventCriteria:
    from corefmill.builders.wec.build import by_infobox, by_list
    from corefmill.builders.wec.facts import infoboxes

    table = events.infoboxes
    if events.event_list is not None:
        if table is not None:
            raise UsageError("--event-list stands in for --infoboxes", remedy="give one of the two")
        return by_list(_listed(events.event_list, events.classes))
    if events.classes is not None:
        raise UsageError("--classes is for an --event-list", remedy="name one, or leave it out")
    lang = options.lang
    own = infoboxes.load(lang) if table is None else infoboxes.load_file(table, lang)
    return by_infobox(options, own)


def _propose(
    source: DumpOptions, events: EventOptions, work: WorkOptions, cluster: ClusterOptions
) -> None:
    """Prints the draft of a table, or writes it to the file --out."""
    from corefmill.builders.wec.event_pages import table_proposal
    from corefmill.cli.builds import given
    from corefmill.corpora.atomic import make_way, write_whole

    if events.list_infoboxes or events.infoboxes is not None or work.as_json:
        raise UsageError(
            "--propose-table drafts a table, in TOML",
            remedy="leave out --list-infoboxes, --infoboxes and --json",
        )
    if work.out is not None:
        make_way(work.out, overwrite=work.overwrite)
    listed = None
    if events.event_list is not None:
        own = _listed(events.event_list, events.classes)
        listed = table_proposal.listed_titles(own, events.langlinks)
    elif events.langlinks is not None or events.classes is not None:
        raise UsageError(
            "--langlinks and --classes are for an --event-list",
            remedy="name one, or leave them out",
        )
    # Nothing but the table may stand in what is printed.
    found = given(source, replace(work, quiet=True), cluster, sample=ShippedSample.world)
    draft = table_proposal.propose_table(found.source.units(skip=()), source.lang, listed)
    if work.out is None:
        print(draft, end="")
    else:
        write_whole(work.out, draft)


def _listed(path: Path, classes: Path | None) -> ListedEvents:
    """The events of a list; raises `DataError` where none has a class that is known."""
    from corefmill.builders.wec.facts import event_list as lists

    listed = lists.ListedEvents(lists.read(path, lists.mapping(classes)))
    if listed.unmapped and not listed.titles:
        raise DataError(lists.warning(listed.unmapped), path=path)
    return listed


def _list(found: Input, lang: str, table: Path | None, *, as_json: bool) -> None:
    from corefmill.builders.wec.event_pages import infobox_counts
    from corefmill.builders.wec.facts import infoboxes

    own = None if table is None else infoboxes.load_file(table, lang)
    rows = infobox_counts.list_infoboxes(found.source.units(skip=()), lang, own)
    if as_json:
        print_json([row.as_json() for row in rows])
    else:
        print(show(infobox_counts.HEAD, infobox_counts.cells(rows)))

"""`build wec`: the command."""

from __future__ import annotations

from dataclasses import dataclass
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
    from corefmill.builders.wec.facts import event_list as lists
    from corefmill.builders.wec.facts import infoboxes

    table = events.infoboxes
    if events.event_list is not None:
        if table is not None:
            raise UsageError("--event-list stands in for --infoboxes", remedy="give one of the two")
        types = lists.mapping(events.classes)
        listed = lists.ListedEvents(lists.read(events.event_list, types))
        if listed.unmapped and not listed.titles:
            raise DataError(lists.warning(listed.unmapped), path=events.event_list)
        return by_list(listed)
    if events.classes is not None:
        raise UsageError("--classes is for an --event-list", remedy="name one, or leave it out")
    lang = options.lang
    own = infoboxes.load(lang) if table is None else infoboxes.load_file(table, lang)
    return by_infobox(options, own)


def _list(found: Input, lang: str, table: Path | None, *, as_json: bool) -> None:
    from corefmill.builders.wec.event_pages import infobox_counts
    from corefmill.builders.wec.facts import infoboxes

    own = None if table is None else infoboxes.load_file(table, lang)
    rows = infobox_counts.list_infoboxes(found.source.units(skip=()), lang, own)
    if as_json:
        print_json([row.as_json() for row in rows])
    else:
        print(show(infobox_counts.HEAD, infobox_counts.cells(rows)))

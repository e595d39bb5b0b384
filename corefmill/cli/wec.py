"""`build wec`: the command."""

from __future__ import annotations

import json
import os
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.builders.wec import splits
from corefmill.builders.wec.options import FILTERS, QUOTA, Options
from corefmill.builders.wec.scan import MEMORY
from corefmill.builders.wiki.dump.locate import ShippedSample
from corefmill.cli.options import (
    INPUT,
    WORK,
    ClusterOptions,
    CommandLine,
    DumpOptions,
    Mode,
    WorkOptions,
    grouped,
)
from corefmill.cli.plain_options import finite
from corefmill.cli.tables import table as show
from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.builders.sources.inputs import Input
    from corefmill.builders.wec.build import Who
    from corefmill.builders.wec.scan.passes import Do

EXAMPLES = """Examples:

    build wec --lang en

    build wec --lang it --dump latest --workers 8

    build wec --lang en --mode paper --dump 'enwiki-*.xml.bz2'

    build wec --lang en --without unidentified --sections named --json
"""


class Sections(StrEnum):
    """What becomes of links to a section of an event's article."""

    drop = "drop"
    named = "named"
    keep = "keep"


class Same(StrEnum):
    """What makes two mentions the same string."""

    string = "string"
    lemma = "lemma"


@grouped
def wec(
    *,
    source: DumpOptions,
    mode: Annotated[
        Mode, typer.Option(help="The published rules to the letter, or with filters.")
    ] = Mode.clean,
    without: Annotated[
        list[str] | None,
        typer.Option(help=f"Leave a filter of clean mode out. Repeatable. {', '.join(FILTERS)}."),
    ] = None,
    sections: Annotated[
        Sections,
        typer.Option(
            help="Links to a section of an event's article: none is a mention, those that show"
            " the event's title or an alias are, all are."
        ),
    ] = Sections.drop,
    quota: Annotated[
        int, typer.Option(min=1, help="Mentions of a cluster that may be the same string.")
    ] = QUOTA,
    same: Annotated[
        Same | None,
        typer.Option(
            help="What is the same string: the words, or their lemmas."
            " (default: lemma in clean mode where the language is inflected, else string)"
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--infoboxes",
            help="A table of event infoboxes of your own. (default: the language's that ships)",
            rich_help_panel=INPUT,
        ),
    ] = None,
    event_list: Annotated[
        Path | None,
        typer.Option(
            help="Articles that are events, instead of infoboxes, though the dump lack their pages:"
            " lines of title, class and perhaps aliases (a|b), tabs between, or JSON Lines.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    classes: Annotated[
        Path | None,
        typer.Option(
            help="A TOML of event types by class for --event-list. (default: some of Wikidata's)",
            rich_help_panel=INPUT,
        ),
    ] = None,
    list_infoboxes: Annotated[
        bool,
        typer.Option(
            "--list-infoboxes",
            help="Count the infoboxes of the dump, and what the table says of each; build nothing.",
            rich_help_panel=INPUT,
        ),
    ] = False,
    dev: Annotated[
        float,
        typer.Option(
            min=0,
            callback=finite,
            help="Clusters of the dev split; below 1 their share.",
            rich_help_panel=WORK,
        ),
    ] = splits.DEV_SHARE,
    test: Annotated[
        float,
        typer.Option(
            min=0,
            callback=finite,
            help="Clusters of the test split; below 1 their share.",
            rich_help_panel=WORK,
        ),
    ] = splits.TEST_SHARE,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Stop at this many mentions.", rich_help_panel=WORK),
    ] = None,
    memory: Annotated[
        int, typer.Option(min=300, help="Megabytes for the joins.", rich_help_panel=WORK)
    ] = MEMORY,
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
    from corefmill.cli.builds import build, given

    lang = source.lang
    if list_infoboxes:
        _list(
            given(source, work, cluster, sample=ShippedSample.world),
            lang,
            table,
            as_json=work.as_json,
        )
        return
    options = Options.make(
        lang,
        mode.value,
        source.nlp or nlp.choose(lang),
        without=tuple(sorted(set(without or ()))),
        sections=sections.value,
        same=None if same is None else same.value,
        quota=quota,
    )
    planned = wec_build.plan(
        options,
        _who(options, table, event_list, classes),
        given(source, work, cluster, sample=ShippedSample.world),
        out=(work.out or Path("out") / f"wec-{lang}").absolute(),
        seed=work.seed,
        dev=dev,
        test=test,
        limit=limit,
        memory=memory,
        command=line,
    )
    build(planned.job, planned.finish, work, cluster, partial(planned.prepare, _do(work, cluster)))


def _do(work: WorkOptions, cluster: ClusterOptions) -> Do:
    """How the passes before the last are run: on the cluster if it lets us wait, else here."""
    from corefmill.builders.runner.cluster import Ray, run_on_ray
    from corefmill.builders.wec.scan.passes import locally

    where = cluster.cluster()
    if isinstance(where, Ray):
        return partial(run_on_ray, how=where, overwrite=work.overwrite)
    return locally(
        cores=work.workers or os.cpu_count() or 1,
        progress=False if work.silent else None,
        overwrite=work.overwrite,
    )


def _who(
    options: Options, table: Path | None, event_list: Path | None, classes: Path | None
) -> Who:
    from corefmill.builders.wec.build import by_infobox, by_list
    from corefmill.builders.wec.facts import infoboxes, wikidata

    if event_list is not None:
        if table is not None or options.mode == "paper":
            raise UsageError("--event-list stands in for infoboxes", remedy="give one of the two")
        listed = wikidata.read(event_list, wikidata.mapping(classes))
        return by_list(wikidata.ListedEvents(listed))
    lang = options.lang
    own = infoboxes.load(lang) if table is None else infoboxes.load_file(table, lang)
    return by_infobox(options, own)


def _list(found: Input, lang: str, table: Path | None, *, as_json: bool) -> None:
    from corefmill.builders.wec.facts import infoboxes
    from corefmill.builders.wec.scan import listing

    own = None if table is None else infoboxes.load_file(table, lang)
    rows = listing.list_infoboxes(found.source.units(skip=()), lang, own)
    if as_json:
        print(json.dumps([row.as_json() for row in rows], ensure_ascii=False))
    else:
        print(show(listing.HEAD, listing.cells(rows)))

"""`build wec`: the command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

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
from corefmill.cli.cluster_options import ClusterOptions
from corefmill.cli.command import Option
from corefmill.cli.options import (
    INPUT,
    WORK,
    CommandLine,
    DumpOptions,
    Mode,
    Rules,
    WorkOptions,
)
from corefmill.cli.plain_options import finite, limit_option, without_option
from corefmill.cli.printing import print_json
from corefmill.cli.printing import table as show
from corefmill.cli.wikis import WikiOptions, by_language
from corefmill.corpora.errors import DataError, UsageError

if TYPE_CHECKING:
    from corefmill.builders.wec.event_pages.known_events import EventCriteria
    from corefmill.builders.wec.facts.event_list import ListedEvents


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionOptions:
    """Which links are mentions, and which of them are left out."""

    mode: Rules = Mode.clean
    without: Annotated[list[str] | None, without_option(FILTERS)] = None
    sections: Annotated[
        Sections,
        Option(
            help="Which links to a section of an event's article are mentions: drop (none),"
            " named (those whose text is the event's title or an alias), keep (all)."
        ),
    ] = Sections.drop
    quota: Annotated[
        int, Option(min=1, help="How many mentions of a cluster may be the same string.")
    ] = QUOTA
    same: Annotated[
        Same | None,
        Option(
            help="What makes two mentions the same string: equal words, or either equal words"
            " or equal lemmas.",
            default="lemma in clean mode where the language is inflected, else string",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOptions:
    """Which articles are events."""

    PANEL: ClassVar[str] = INPUT

    infoboxes: Annotated[
        list[str] | None,
        Option(
            help="A table of event infoboxes of your own; of several languages it=FILE.",
            default="the language's that ships",
        ),
    ] = None
    event_list: Annotated[
        list[str] | None,
        Option(
            help="A list of articles that are events, instead of infoboxes, in either mode; the"
            " dump may lack their pages. Lines of title, class and optionally aliases (a|b)"
            " separated by tabs, or of titles alone, or JSON Lines. Of several languages it=FILE."
        ),
    ] = None
    classes: Annotated[
        Path | None,
        Option(
            help="A TOML of event types by class for --event-list.",
            default="builders/wec/facts/wikidata.toml, which has Wikidata's classes",
        ),
    ] = None
    list_infoboxes: Annotated[
        bool,
        Option(
            "--list-infoboxes",
            help="List the infoboxes of the dump with counts, examples and what the table says of"
            " each; build nothing.",
        ),
    ] = False
    event_infobox: Annotated[
        list[str] | None,
        Option(
            metavar="NAME=TYPE",
            help="With --list-infoboxes: write a table for --infoboxes, in which the infobox NAME"
            " makes an event of TYPE. It goes to the file --out, or is printed. Repeatable.",
        ),
    ] = None

    def tables(self, langs: Sequence[str]) -> dict[str, str]:
        """The user's tables of infoboxes by language; raises `UsageError`."""
        return by_language("--infoboxes", self.infoboxes, langs, whose=_whose_file)

    def lists(self, langs: Sequence[str]) -> dict[str, str]:
        """The user's lists of events by language; raises `UsageError`."""
        found = by_language("--event-list", self.event_list, langs, whose=_whose_file)
        if self.classes is not None and not found:
            raise UsageError("--classes is for an --event-list", remedy="name one, or leave it out")
        return found


def _whose_file(value: str, langs: Sequence[str]) -> str | None:
    raise UsageError(f"{value}: of which language?", remedy=f"{langs[0]}={value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSplitOptions:
    """How large the corpus and its splits are."""

    PANEL: ClassVar[str] = WORK

    dev: Annotated[
        float,
        Option(
            "--validation",
            min=0,
            check=finite,
            help="How many clusters the validation split, dev.jsonl, has; below 1, their"
            " share of all.",
        ),
    ] = DEV_SHARE
    test: Annotated[
        float,
        Option(
            min=0,
            check=finite,
            help="How many clusters the test split has; below 1, their share of all.",
        ),
    ] = TEST_SHARE
    limit: Annotated[int | None, limit_option("mentions")] = None
    memory: Annotated[int, Option(min=300, help="Megabytes for the joins.")] = MEMORY


def wec(
    *,
    source: WikiOptions,
    mentions: MentionOptions,
    events: EventOptions,
    size: ClusterSplitOptions,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """Event coreference: links to the same event's article, with their paragraphs.

    After WEC (Eirew et al. 2021). With --links an event that several Wikipedias have is one
    cluster in all of their languages. A run that was stopped goes on where it was when the same
    command is given again.

    Examples:
        build wec --lang en
        build wec --lang it --dump latest --workers 8
        build wec --lang en --mode paper --dump 'enwiki-*.xml.bz2'
        build wec --lang ro --nlp wiki --event-list events.tsv --dump 'rowiki-*.xml.bz2'
        build wec --lang en --without unidentified --sections named --json
        build wec --lang en,it --dump sample --links sample
        build wec --lang en,it --dump enwiki-pages.xml.bz2 --dump it=it.xml.bz2 --links items.tsv
    """
    from corefmill.builders.wec import build as wec_build
    from corefmill.cli.builds import build, given

    wikis = source.each()
    if events.list_infoboxes:
        _list(_alone(wikis, source), events, work)
        return
    if events.event_infobox:
        raise UsageError("--event-infobox is for --list-infoboxes", remedy="give both")
    if len(wikis) > 1 and size.limit is not None:
        raise UsageError(
            "--limit would stop within the first of several languages", remedy="leave it out"
        )
    tables, lists = events.tables(source.langs), events.lists(source.langs)
    plans = []
    for wiki in wikis:
        options = _options(wiki, mentions)
        criteria = _criteria(options, tables.get(wiki.lang), lists.get(wiki.lang), events.classes)
        found = given(wiki, work, sample=ShippedSample.world)
        plans.append(wec_build.WikiPlan(options, criteria, found))
    job, assembly, first_pass = wec_build.plan(
        plans,
        work.request(f"wec-{'-'.join(source.langs)}", line, size.limit),
        links=source.link_files(),
        dev=size.dev,
        test=size.test,
        memory=size.memory,
    )
    build(job, assembly, work, cluster, first_pass)


def _alone(wikis: Sequence[DumpOptions], source: WikiOptions) -> DumpOptions:
    """The one wiki whose infoboxes are looked at; raises `UsageError` where a corpus is meant."""
    if len(wikis) > 1:
        raise UsageError("--list-infoboxes is for one language", remedy="name one by --lang")
    if source.links:
        raise UsageError(
            "--links joins the clusters of a corpus, and none is built", remedy="leave it out"
        )
    return wikis[0]


def _options(wiki: DumpOptions, mentions: MentionOptions) -> WecOptions:
    """What is asked of the mentions in one language."""
    from corefmill.builders import nlp
    from corefmill.builders.wec.build import default_same

    lang, mode = wiki.lang, mentions.mode.value
    return WecOptions.make(
        lang,
        mode,
        wiki.nlp or nlp.choose(lang),
        without=tuple(sorted(set(mentions.without or ()))),
        sections=mentions.sections,
        same=mentions.same or default_same(lang, mode),
        quota=mentions.quota,
    )


def _criteria(
    options: WecOptions, table: str | None, event_list: str | None, classes: Path | None
) -> EventCriteria:
    """Which pages of a language are events, by the user's own table or list if there is one."""
    from corefmill.builders.wec.build import by_infobox, by_list
    from corefmill.builders.wec.facts import infoboxes

    if event_list is not None:
        if table is not None:
            raise UsageError("--event-list stands in for --infoboxes", remedy="give one of the two")
        return by_list(_listed(Path(event_list), classes))
    lang = options.lang
    own = infoboxes.load(lang) if table is None else infoboxes.load_file(Path(table), lang)
    return by_infobox(options, own)


def _listed(path: Path, classes: Path | None) -> ListedEvents:
    """The events of a list; raises `DataError` where none has a class that is known."""
    from corefmill.builders.wec.facts import event_list as lists

    listed = lists.ListedEvents(lists.read(path, lists.mapping(classes)))
    if listed.unmapped and not listed.titles:
        raise DataError(lists.warning(listed.unmapped), path=path)
    return listed


def _list(source: DumpOptions, events: EventOptions, work: WorkOptions) -> None:
    """Print which infoboxes the dump has, or write a table of those that are named."""
    from corefmill.builders.run.run import until_broken
    from corefmill.builders.wec.build import dump_of
    from corefmill.builders.wec.event_pages import infobox_counts
    from corefmill.builders.wec.facts import infoboxes
    from corefmill.cli.builds import given
    from corefmill.corpora.atomic import make_way, write_whole

    lang = source.lang
    named = [one.rpartition("=") for one in events.event_infobox or ()]
    if any(not (name and event_type) for name, _, event_type in named):
        raise UsageError(
            "--event-infobox is NAME=TYPE",
            remedy="for example 'Infobox flood=Flood'",
        )
    if named and work.out is not None:
        make_way(work.out, overwrite=work.overwrite)
    # Nothing but the table may stand in what is printed.
    told = replace(work, quiet=True) if named else work
    found = given(source, told, sample=ShippedSample.world)
    tables = events.tables([lang])
    own = infoboxes.load_file(Path(tables[lang]), lang) if lang in tables else None
    broke_off: list[DataError] = []
    chunks = until_broken(dump_of(found).chunks(), broke_off)
    rows = infobox_counts.list_infoboxes(chunks, lang, own)
    if named:
        table = infobox_counts.write_table(rows, {name: kind for name, _, kind in named})
        if work.out is None:
            print(table, end="")
        else:
            write_whole(work.out, table)
    elif work.as_json:
        failure = str(broke_off[0]) if broke_off else None
        print_json([row.as_json() for row in rows], failure=failure)
    else:
        print(show(infobox_counts.HEAD, infobox_counts.cells(rows)))
    if broke_off:  # the table is of what came before
        raise broke_off[0]

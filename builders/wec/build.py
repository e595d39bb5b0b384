"""`build wec`: from dumps to a finished corpus of event mentions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from corefmill.builders.corpus.builder import Builder, Choose, Listing, find_input
from corefmill.builders.corpus.corpus import DEFAULT_FILTERS, Corpus
from corefmill.builders.corpus.filters import describe_filters, idle_warnings, unread
from corefmill.builders.nlp import WIKI, of_wiki
from corefmill.builders.run.job import folder_of
from corefmill.builders.run.run import Runner, until_broken
from corefmill.builders.run.stages import Setup
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wec import event_index, infobox_counts, same_event
from corefmill.builders.wec.choose import choose
from corefmill.builders.wec.facts import event_list, infoboxes, lexicon
from corefmill.builders.wec.facts.event_list import ListedEvents
from corefmill.builders.wec.facts.infoboxes import InfoboxTable
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wec.filters import syntax
from corefmill.builders.wec.forms import DATA_FILES
from corefmill.builders.wec.known_events import EventCriteria, Join, known_events
from corefmill.builders.wec.options import MEMORY, QUOTA, SYNTAX, WecOptions, WecRequest
from corefmill.builders.wec.paper import PATTERN, PaperInfoboxes
from corefmill.builders.wec.same_event import LinkFile
from corefmill.builders.wec.stages import DumpsInTurn, setup, setup_languages
from corefmill.builders.wec.verdicts import CHANNEL
from corefmill.builders.wiki.articles import DumpSource
from corefmill.builders.wiki.dump.locate import ShippedSample
from corefmill.corpora.card_parts import columns
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import make_way, write_whole

_READING = {name: getattr(syntax, name) for name in SYNTAX}
"""The filters that look at what the pipeline reads."""

_CHEAP = (
    "Dev and test are not drawn blindly: of clusters alike in type and size those are preferred"
    " whose articles hold few other events, and an article that holds many stays train's. Types and"
    " sizes of clusters are the corpus's own, the articles are simpler."
)
"""What clean mode's draw (`splits`) does to dev and test."""

_LIMITS = (
    "A cluster holds what editors linked, not every mention of the event: gold mentions only.",
    "No mention was checked by hand. The paper found 83 of 100 valid before its readers chose; the"
    " filters above are what took their place here.",
    "What a link shows may be more or less than the words that name the event.",
    "Entities, heads and lemmas come from the pipeline and are wrong where it is wrong.",
    "Which events there are, and how they are written of, is Wikipedia's choice.",
)

_TRANSLATED = (
    "An article and its translation count as two: one may be in train and the other in dev or test,"
    " though never with mentions of the same event. Of an event that is linked in one language and"
    " not known to be the same in another, two clusters stay."
)


def by_infobox(options: WecOptions, table: InfoboxTable) -> EventCriteria:
    """The table in clean mode, in paper mode the original's own search."""
    if options.mode == "paper":
        return EventCriteria(PaperInfoboxes(options.lang), table.fields, "paper", PATTERN)
    identity = sorted((name, kind.name) for name, kind in table.of_name.items())
    return EventCriteria(table, table.fields, identity)


def by_list(listed: ListedEvents) -> EventCriteria:
    """A list of articles, whose infoboxes nobody looks at."""
    identity = [(e.title, e.event_type, e.aliases) for e in listed.titles.values()]
    whole = json.dumps([identity, listed.unmapped] if listed.unmapped else identity)
    return EventCriteria(
        listed,
        EventFields(),
        hashlib.blake2b(whole.encode(), digest_size=8).hexdigest(),
        titles=listed.titles,
        listed=listed.event_pages,
        unmapped=listed.unmapped,
    )


@dataclass(frozen=True, slots=True)
class WikiPlan:
    """A Wikipedia of the corpus: its dump, which of its pages are events, and what is asked of
    their mentions."""

    options: WecOptions
    criteria: EventCriteria
    given: Input

    @property
    def lang(self) -> str:
        """The language."""
        return self.options.lang

    @property
    def dump(self) -> DumpSource:
        """Raises `UsageError` for any other input."""
        return dump_of(self.given)


def dump_of(given: Input) -> DumpSource:
    """The dump that is given; raises `UsageError` for any other input."""
    if not isinstance(given.source, DumpSource):
        raise UsageError("events are found in a dump, with its links", remedy="name one --dump")
    return given.source


class Wec(Builder[WecRequest]):
    """Events across documents: dumps, stages, splits and card."""

    name = "wec"
    schema = "event-mention/1"
    channels = (CHANNEL,)
    data_files = DATA_FILES
    sample = ShippedSample.world

    def __init__(self, options: WecRequest, inputs: Sequence[Input] = ()) -> None:
        super().__init__(options, inputs)
        tables, lists = options.tables(), options.lists()
        self.links = options.link_files()
        self.wikis = []
        for wiki, given in zip(options.each(), self.inputs, strict=True):
            own = WecOptions(
                wiki.lang,
                options.mode.value,
                wiki.pipeline,
                without=tuple(sorted(set(options.without))),
                quota=options.quota,
            )
            criteria = _criteria(own, tables.get(wiki.lang), lists.get(wiki.lang))
            self.wikis.append(WikiPlan(own, criteria, given))
        self.dumps = {wiki.lang: wiki.dump for wiki in self.wikis}
        # One after the other, so that they never take memory together.
        self.pipelines = {wiki.lang: _known(wiki.options) for wiki in self.wikis}
        self.indexes = {lang: folder_of(self.out) / lang / "events.sqlite" for lang in self.dumps}

    @classmethod
    def list_instead(cls, options: WecRequest) -> Listing | None:
        """List the infoboxes of the dump, or make a table of those that are named."""
        if not options.list_infoboxes:
            return None
        (source,) = options.each()
        lang, tables = source.lang, options.tables()
        named = [one.rpartition("=") for one in options.event_infobox]
        if any(not (name and event_type) for name, _, event_type in named):
            raise UsageError(
                "--event-infobox is NAME=TYPE", remedy="for example 'Infobox flood=Flood'"
            )
        if named and options.out is not None:
            make_way(options.out, overwrite=options.overwrite)
        # Nothing but the table may stand in what is printed.
        found = find_input(replace(source, quiet=options.silent or bool(named)), cls.sample)
        own = infoboxes.load_file(Path(tables[lang]), lang) if lang in tables else None
        broke_off: list[DataError] = []
        chunks = until_broken(dump_of(found).chunks(), broke_off)
        rows = infobox_counts.list_infoboxes(chunks, lang, own)
        error = broke_off[0] if broke_off else None
        if not named:
            text = "\n".join(columns(infobox_counts.HEAD, infobox_counts.cells(rows), 0))
            return Listing([row.as_json() for row in rows], text, error)
        text = infobox_counts.write_table(rows, {name: kind for name, _, kind in named})
        if options.out is None:
            return Listing(None, text.removesuffix("\n"), error)
        write_whole(options.out, text)
        return Listing(None, "", error)

    @property
    def corpus_name(self) -> str:
        """The name of the corpus, by all its languages."""
        return f"wec-{'-'.join(self.options.langs)}"

    def find_inputs(self) -> list[Input]:
        """Find the dump of each language, once it is known that each has a pipeline."""
        wikis = [replace(wiki, nlp=wiki.pipeline) for wiki in self.options.each()]
        return [find_input(wiki, self.sample) for wiki in wikis]

    @property
    def source(self) -> DumpsInTurn:
        """The dumps, one language after the other."""
        return DumpsInTurn(self.dumps, [file.path for file in self.links])

    def first_pass(self, do: Runner) -> None:
        """Find the events of each wiki, and which of them are one."""
        _first_pass(self.wikis, self.links, self.indexes, self.out, MEMORY, do)

    def stages(self) -> Setup:
        """Return what makes the stages of each language in a worker."""
        own = {w.lang: partial(setup, w.options, self.indexes[w.lang]) for w in self.wikis}
        return partial(setup_languages, own)

    def choose(self) -> Choose:
        """Return what decides on the mentions, and draws the clusters of dev and test."""
        return partial(
            choose,
            options={wiki.lang: wiki.options for wiki in self.wikis},
            indexes=self.indexes,
            dev=self.options.dev,
            test=self.options.test,
            unmapped=_unmapped(self.wikis),
        )

    def identity(self) -> dict[str, Any]:
        """Return what the corpus depends on: events, filters and pipeline of each language."""
        own = {w.lang: _described(w, self.pipelines[w.lang].identity) for w in self.wikis}
        return {
            **(own[self.wikis[0].lang] if len(own) == 1 else {"languages": own}),
            "links": [file.lang for file in self.links],
            "dev": self.options.dev,
            "test": self.options.test,
        }

    def describe(self) -> Corpus:
        """Return what the corpus states of itself."""
        return _corpus(self)


def _criteria(options: WecOptions, table: str | None, events: str | None) -> EventCriteria:
    """Return which pages are events, by the user's own table or list if there is one."""
    if events is not None:
        if table is not None:
            raise UsageError("--event-list stands in for --infoboxes", remedy="give one of the two")
        return by_list(_read_list(Path(events)))
    lang = options.lang
    own = infoboxes.load(lang) if table is None else infoboxes.load_file(Path(table), lang)
    return by_infobox(options, own)


def _read_list(path: Path) -> ListedEvents:
    """Read a list of events; raises `DataError` where none has a known class."""
    listed = event_list.ListedEvents(event_list.read(path, event_list.mapping()))
    if listed.unmapped and not listed.titles:
        raise DataError(event_list.warning(listed.unmapped), path=path)
    return listed


class _KnownPipeline(NamedTuple):
    version: str
    identity: str
    reads: str
    """What the card says of its heads and lemmas."""
    unread: tuple[str, ...]
    """The filters in force that look at what it has not."""


def _known(options: WecOptions) -> _KnownPipeline:
    pipeline = of_wiki(options.nlp, options.lang)
    version = pipeline.version
    reads = f"{version}: the last word is the head" if options.nlp == WIKI else version
    unseen = unread(options.filters, _READING, pipeline.does)
    return _KnownPipeline(version, pipeline.identity, reads, unseen)


def _described(wiki: WikiPlan, pipeline: str) -> dict[str, Any]:
    """What the corpus depends on besides the dump, for its fingerprint."""
    return {
        **wiki.options.as_json(), "events": wiki.criteria.identity, "pipeline": pipeline,
    }  # fmt: skip


def _unmapped(wikis: Sequence[WikiPlan]) -> dict[str, str]:
    """The classes of listed articles that are no events, by title."""
    if len(wikis) == 1:
        return dict(wikis[0].criteria.unmapped)
    return {
        f"{wiki.lang}:{title}": event_class
        for wiki in wikis
        for title, event_class in wiki.criteria.unmapped.items()
    }


def _first_pass(
    wikis: Sequence[WikiPlan],
    links: Sequence[LinkFile],
    indexes: Mapping[str, Path],
    out: Path,
    memory: int,
    do: Runner,
) -> None:
    """Finds the events of each wiki, and which of them are one."""
    if len(wikis) > 1:
        for wiki in wikis:  # a dump of another language is refused before any work is done
            next(iter(wiki.dump.units(())), None)
    with ExitStack() as stack:
        joins = {
            wiki.lang: stack.enter_context(
                known_events(
                    wiki.dump,
                    lang=wiki.lang,
                    criteria=wiki.criteria,
                    out_dir=out,
                    do=do,
                    memory=memory,
                )
            )
            for wiki in wikis
        }
        # All at once: what unites events writes into the files of all languages.
        _write_indexes(wikis, links, indexes, joins)


def _write_indexes(
    wikis: Sequence[WikiPlan],
    links: Sequence[LinkFile],
    indexes: Mapping[str, Path],
    joins: Mapping[str, Join],
) -> None:
    for wiki in wikis:
        words = lexicon.load(wiki.lang)
        with joins[wiki.lang]() as events:
            event_index.write(indexes[wiki.lang], events, words, wiki.criteria.fields)
    if links:
        same_event.unite(indexes, links)


def _corpus(builder: Wec) -> Corpus:
    wikis, links, pipelines = builder.wikis, builder.links, builder.pipelines
    options = wikis[0].options
    langs = [wiki.lang for wiki in wikis]
    same = of_languages(
        {wiki.lang: "lemma" if wiki.options.by_lemma else "string" for wiki in wikis}
    )
    facts = {
        "Language" if len(wikis) == 1 else "Languages": ", ".join(langs),
        "Mode": options.mode,
        "Method": "WEC (Eirew et al. 2021), section 3",
        "Heads, lemmas, entities by": of_languages(
            {lang: one.reads for lang, one in pipelines.items()}
        ),
        "Seed": str(builder.options.seed),
        "Same string": f"at most {options.quota} in a cluster, by {same}",
    }
    if links:
        names = ", ".join(disk.show_name(file.path.name) for file in links)
        facts["One event in several languages"] = f"by {names}"
    if options.mode == "clean":
        facts |= _filters(wikis, pipelines)
    where = "documents and languages" if len(wikis) > 1 else "documents"
    limits = [*_LIMITS, *([_CHEAP] if options.mode == "clean" else [])]
    return Corpus(
        name=builder.corpus_name,
        title=f"WEC, {', '.join(langs)}: mentions of events across {where}",
        lang=",".join(langs),
        mode=options.mode,
        out=builder.out,
        seed=builder.options.seed,
        licence=of_languages({wiki.lang: wiki.given.licence for wiki in wikis}),
        attribution="; ".join(dict.fromkeys(wiki.given.attribution for wiki in wikis)),
        command=builder.command,
        pipeline=of_languages({lang: one.version for lang, one in pipelines.items()}),
        facts=facts,
        filters=DEFAULT_FILTERS
        if all(not wiki.options.without and wiki.options.quota == QUOTA for wiki in wikis)
        else "",
        limits=limits + [_TRANSLATED] * (len(wikis) > 1),
        warnings=[
            warning
            for wiki in wikis
            for warning in idle_warnings(
                (), wiki.lang, pipelines[wiki.lang].unread, f"--nlp {wiki.options.nlp}"
            )
        ],
    )


def _filters(wikis: Sequence[WikiPlan], pipelines: Mapping[str, _KnownPipeline]) -> dict[str, str]:
    """The card's rows on filters, by language where they differ."""
    rows = {
        wiki.lang: describe_filters(wiki.options.filters, (), pipelines[wiki.lang].unread)
        for wiki in wikis
    }
    keys = dict.fromkeys(key for own in rows.values() for key in own)
    return {
        key: of_languages({lang: own.get(key, "none") for lang, own in rows.items()})
        for key in keys
    }


def of_languages(values: Mapping[str, str]) -> str:
    """What all languages have, or else what each has: `string (en), lemma (it)`."""
    if len(set(values.values())) == 1:
        return next(iter(values.values()))
    return ", ".join(f"{value} ({lang})" for lang, value in values.items())

"""`build wec`: from dumps to a finished corpus of event mentions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.builder import Builder, Choose, Listing, find_input
from corefmill.builders.corpus.corpus import DEFAULT_FILTERS, Corpus
from corefmill.builders.corpus.filters import describe_filters, find_unread, idle_warnings
from corefmill.builders.nlp import WIKI, load_wiki_pipeline
from corefmill.builders.run.job import passes_folder
from corefmill.builders.run.run import Runner, read_until_broken
from corefmill.builders.run.stages import Setup
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wec import event_index, infobox_counts, same_event
from corefmill.builders.wec.choose import CHANNEL, choose
from corefmill.builders.wec.facts import event_list, infoboxes, lexicon
from corefmill.builders.wec.facts.infoboxes import EventJudge
from corefmill.builders.wec.filters import syntax
from corefmill.builders.wec.forms import DATA_FILES
from corefmill.builders.wec.known_events import known_events
from corefmill.builders.wec.options import MEMORY, SYNTAX, WecOptions, WecRequest
from corefmill.builders.wec.paper import PaperInfoboxes
from corefmill.builders.wec.stages import DumpsInTurn, setup, setup_languages
from corefmill.builders.wiki.articles import DumpSource
from corefmill.builders.wiki.dump.locate import ShippedSample
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError

_READING = {name: getattr(syntax, name) for name in SYNTAX}
"""The filters that need the pipeline's analysis."""

_CHEAP = (
    "Dev and test are not drawn blindly: of clusters alike in type and size those are preferred"
    " whose articles hold few other events, and an article that holds many stays train's. Types and"
    " sizes of clusters are the corpus's own, the articles are simpler."
)
"""The effect of clean mode's draw (`splits`) on dev and test, for the card."""

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


@dataclass(frozen=True, slots=True)
class Wiki:
    """A Wikipedia of the corpus: its dump, the judge of its events, and its pipeline."""

    options: WecOptions
    given: Input
    dump: DumpSource
    judge: EventJudge
    version: str
    """The pipeline's name and version."""
    pipeline: str
    """The pipeline's part of the fingerprint."""
    unread: tuple[str, ...]
    """The filters in force that need a part of the analysis that the pipeline lacks."""


def find_judge(options: WecOptions, table: str | None, events: str | None) -> EventJudge:
    """Return the judge of events: the user's list, the paper's search, or a table of infoboxes.

    Raises `DataError` if no class of the list is known.
    """
    if events is not None:
        if table is not None:
            raise UsageError(
                "--event-list and --infoboxes exclude each other", remedy="give one of the two"
            )
        path = Path(events)
        listed = event_list.ListedEvents(event_list.read(path, event_list.load_types()))
        if listed.unmapped and not listed.titles:
            raise DataError(event_list.warning(listed.unmapped), path=path)
        return listed
    lang = options.lang
    own = infoboxes.load(lang) if table is None else infoboxes.load_file(Path(table), lang)
    return PaperInfoboxes(lang, own.fields) if options.mode == "paper" else own


def dump_of(text_input: Input) -> DumpSource:
    """Return the dump of an input; raises `UsageError` for any other input."""
    if not isinstance(text_input.source, DumpSource):
        raise UsageError(
            "build wec needs a dump: events are found by its links", remedy="name one by --dump"
        )
    return text_input.source


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
        self.wikis: dict[str, Wiki] = {}
        for asked, given in zip(options.each(), self.inputs, strict=True):
            lang = asked.lang
            own = WecOptions(
                lang,
                options.mode.value,
                asked.pipeline,
                without=tuple(sorted(set(options.without))),
                quota=options.quota,
                templates=asked.own_templates,
            )
            judge = find_judge(own, tables.get(lang), lists.get(lang))
            # One pipeline after the other, so that they never take memory together.
            pipeline = load_wiki_pipeline(own.nlp, lang)
            unseen = find_unread(own.filters, _READING, pipeline.does)
            self.wikis[lang] = Wiki(
                own, given, dump_of(given), judge, pipeline.version, pipeline.identity, unseen
            )
        self.indexes = {
            lang: passes_folder(self.out) / lang / "events.sqlite" for lang in self.wikis
        }

    @classmethod
    def list_instead(cls, options: WecRequest) -> Listing | None:
        """List the infoboxes of the dump."""
        if not options.list_infoboxes:
            return None
        (source,) = options.each()
        lang, tables = source.lang, options.tables()
        found = find_input(source, cls.sample)
        own = infoboxes.load_file(Path(tables[lang]), lang) if lang in tables else None
        broke_off: list[DataError] = []
        chunks = read_until_broken(dump_of(found).chunks(), broke_off)
        rows = infobox_counts.list_infoboxes(chunks, lang, own)
        return Listing(
            [row.as_json() for row in rows],
            infobox_counts.HEAD,
            infobox_counts.cells(rows),
            broke_off[0] if broke_off else None,
        )

    @property
    def corpus_name(self) -> str:
        """The name of the corpus, by all its languages."""
        return f"wec-{'-'.join(self.options.langs)}"

    def find_inputs(self) -> list[Input]:
        """Find the dump of each language, once all pipelines are known to be installed."""
        wikis = [replace(wiki, nlp=wiki.pipeline) for wiki in self.options.each()]
        return [find_input(wiki, self.sample) for wiki in wikis]

    @property
    def source(self) -> DumpsInTurn:
        """The dumps, one language after the other."""
        dumps = {lang: wiki.dump for lang, wiki in self.wikis.items()}
        return DumpsInTurn(dumps, [file.path for file in self.links])

    def first_pass(self, do: Runner) -> None:
        """Find the events of each wiki, and unite those of several wikis."""
        if len(self.wikis) > 1:
            for wiki in self.wikis.values():  # refuse a dump of another language before any work
                next(iter(wiki.dump.units(())), None)
        for lang, wiki in self.wikis.items():
            with known_events(
                wiki.dump,
                lang=lang,
                judge=wiki.judge,
                out_dir=self.out,
                do=do,
                memory=MEMORY,
                templates=wiki.options.templates,
            ) as events:
                words = lexicon.load(lang)
                event_index.write(self.indexes[lang], events, words, wiki.judge.fields)
        if self.links:
            same_event.unite(self.indexes, self.links)

    def stages(self) -> Setup:
        """Return the setup of each language's stages in a worker."""
        own = {
            lang: partial(setup, wiki.options, self.indexes[lang])
            for lang, wiki in self.wikis.items()
        }
        return partial(setup_languages, own)

    def choose(self) -> Choose:
        """Return the function to decide on the mentions and to draw dev and test."""
        several = len(self.wikis) > 1
        return partial(
            choose,
            options={lang: wiki.options for lang, wiki in self.wikis.items()},
            indexes=self.indexes,
            dev=self.options.dev,
            test=self.options.test,
            unmapped={
                f"{lang}:{title}" if several else title: event_class
                for lang, wiki in self.wikis.items()
                for title, event_class in wiki.judge.unmapped.items()
            },
        )

    def identity(self) -> dict[str, Any]:
        """Return the corpus's dependencies: events, filters and pipeline of each language."""
        own = {
            lang: {
                **wiki.options.as_json(), "events": wiki.judge.identity, "pipeline": wiki.pipeline,
            }
            for lang, wiki in self.wikis.items()
        }  # fmt: skip
        return {
            **(next(iter(own.values())) if len(own) == 1 else {"languages": own}),
            "links": [file.lang for file in self.links],
            "dev": self.options.dev,
            "test": self.options.test,
        }

    def facts(self) -> dict[str, str]:
        """Return the rows of the card's first table."""
        wikis, quota = self.wikis.values(), self.options.quota
        facts = {
            "Language" if len(wikis) == 1 else "Languages": ", ".join(self.wikis),
            "Mode": self.mode,
            "Method": "WEC (Eirew et al. 2021), section 3",
            "Heads, lemmas, entities by": self._by_language(
                f"{wiki.version}: the last word is the head"
                if wiki.options.nlp == WIKI
                else wiki.version
                for wiki in wikis
            ),
            "Seed": str(self.options.seed),
            "Same string": f"at most {quota} in a cluster, by "
            + self._by_language("lemma" if wiki.options.by_lemma else "string" for wiki in wikis),
        }
        if self.links:
            names = ", ".join(disk.show_name(file.path.name) for file in self.links)
            facts["One event in several languages"] = f"by {names}"
        if self.mode == "clean":
            rows = [describe_filters(wiki.options.filters, (), wiki.unread) for wiki in wikis]
            for key in dict.fromkeys(key for row in rows for key in row):
                facts[key] = self._by_language(row.get(key, "none") for row in rows)
        return facts

    def _by_language(self, values: Iterable[str]) -> str:
        """Join the values of all languages, one for all: `string`, `string (en), lemma (it)`."""
        own = dict(zip(self.wikis, values, strict=True))
        if len(set(own.values())) == 1:
            return next(iter(own.values()))
        return ", ".join(f"{value} ({lang})" for lang, value in own.items())

    def describe(self) -> Corpus:
        """Return the corpus's own description."""
        wikis = self.wikis.values()
        langs = ", ".join(self.wikis)
        where = "documents and languages" if len(wikis) > 1 else "documents"
        has_defaults = all(
            wiki.options == WecOptions(lang, self.mode, wiki.options.nlp)
            for lang, wiki in self.wikis.items()
        )
        limits = [*_LIMITS, *([_CHEAP] if self.mode == "clean" else [])]
        return Corpus(
            name=self.corpus_name,
            title=f"WEC, {langs}: mentions of events across {where}",
            lang=",".join(self.wikis),
            mode=self.mode,
            out=self.out,
            seed=self.options.seed,
            licence=self._by_language(wiki.given.licence for wiki in wikis),
            attribution="; ".join(dict.fromkeys(wiki.given.attribution for wiki in wikis)),
            command=self.command,
            pipeline=self._by_language(wiki.version for wiki in wikis),
            facts=self.facts(),
            filters=DEFAULT_FILTERS if has_defaults else "",
            limits=limits + [_TRANSLATED] * (len(wikis) > 1),
            warnings=[
                warning
                for lang, wiki in self.wikis.items()
                for warning in idle_warnings((), lang, wiki.unread, f"--nlp {wiki.options.nlp}")
            ],
        )

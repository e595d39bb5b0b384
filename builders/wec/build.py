"""`build wec`: from dumps to a finished corpus of event mentions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from corefmill.builders.corpus.assembly import Assembly, planned
from corefmill.builders.corpus.corpus import DEFAULT_FILTERS, BuildRequest, Corpus
from corefmill.builders.corpus.filters import described, idle_warnings, unread
from corefmill.builders.nlp import WIKI, of_wiki
from corefmill.builders.run.job import Job, folder_of
from corefmill.builders.run.run import Runner
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wec import event_index, same_event
from corefmill.builders.wec.choose import choose
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.facts.event_list import ListedEvents
from corefmill.builders.wec.facts.infoboxes import InfoboxTable
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wec.filters import syntax
from corefmill.builders.wec.forms import DATA_FILES
from corefmill.builders.wec.known_events import EventCriteria, Join, known_events
from corefmill.builders.wec.options import SYNTAX, Same, WecOptions
from corefmill.builders.wec.paper import PATTERN, PaperInfoboxes
from corefmill.builders.wec.same_event import LinkFile
from corefmill.builders.wec.stages import DumpsInTurn, setup, setup_languages
from corefmill.builders.wec.verdicts import CHANNEL
from corefmill.builders.wiki.articles import DumpSource
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError

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
    """Use the table in clean mode, the original's own search in paper mode."""
    if options.mode == "paper":
        return EventCriteria(PaperInfoboxes(options.lang), table.fields, "paper", PATTERN)
    identity = sorted((name, kind.name) for name, kind in table.of_name.items())
    return EventCriteria(table, table.fields, identity)


def by_list(listed: ListedEvents) -> EventCriteria:
    """Use a list of articles, whatever their infoboxes."""
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


def default_same(lang: str, mode: str) -> Same:
    """Choose the default of `--same`: lemmas where words are inflected, else strings."""
    return Same.lemma if mode == "clean" and lexicon.load(lang).inflected else Same.string


@dataclass(frozen=True, slots=True)
class WikiPlan:
    """A Wikipedia of the corpus: its dump, its criteria of events and its options."""

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
    """Return the source of a dump; raises `UsageError` for any other input."""
    if not isinstance(given.source, DumpSource):
        raise UsageError("events are found in a dump, with its links", remedy="name one --dump")
    return given.source


def plan(
    wikis: Sequence[WikiPlan],
    request: BuildRequest,
    *,
    links: Sequence[LinkFile] = (),
    dev: float,
    test: float,
    memory: int,
) -> tuple[Job, Assembly, Callable[[Runner], None]]:
    """Plan the job, its assembly, and the first pass before it.

    The wikis have different languages; `links` say which of their events are one. `memory` is in
    megabytes. Raises `UsageError` if a pipeline does not load, before any work is done.
    """
    dumps = {wiki.lang: wiki.dump for wiki in wikis}
    # One after the other, so that they never take memory together.
    pipelines = {wiki.lang: _load_pipeline(wiki.options) for wiki in wikis}
    indexes = {lang: folder_of(request.out) / lang / "events.sqlite" for lang in dumps}
    # What the corpus depends on besides the dumps, for its fingerprint.
    own_of = {
        wiki.lang: {
            **wiki.options.as_json(),
            "events": wiki.criteria.identity,
            "pipeline": pipelines[wiki.lang].identity,
        }
        for wiki in wikis
    }
    own = own_of[wikis[0].lang] if len(wikis) == 1 else {"languages": own_of}
    job, assembly = planned(
        _corpus(wikis, links, request, pipelines),
        request,
        builder="wec",
        source=DumpsInTurn(dumps, [file.path for file in links]),
        setup=partial(
            setup_languages,
            {wiki.lang: partial(setup, wiki.options, indexes[wiki.lang]) for wiki in wikis},
        ),
        channels=(CHANNEL,),
        options={**own, "links": [file.lang for file in links], "dev": dev, "test": test},
        schema="event-mention/1",
        choose=partial(
            choose,
            options={wiki.lang: wiki.options for wiki in wikis},
            indexes=indexes,
            dev=dev,
            test=test,
            unmapped=_unmapped_classes(wikis),
        ),
        data_files=DATA_FILES,
    )
    return job, assembly, partial(_first_pass, wikis, links, indexes, request.out, memory)


class _KnownPipeline(NamedTuple):
    version: str
    identity: str
    reads: str
    """What the card says of its heads and lemmas."""
    unread: tuple[str, ...]
    """The filters in force that look at what it has not."""


def _load_pipeline(options: WecOptions) -> _KnownPipeline:
    pipeline = of_wiki(options.nlp, options.lang)
    version = pipeline.version
    reads = f"{version}: the last word is the head" if options.nlp == WIKI else version
    unseen = unread(options.filters, _READING, pipeline.does)
    return _KnownPipeline(version, pipeline.identity, reads, unseen)


def _unmapped_classes(wikis: Sequence[WikiPlan]) -> dict[str, str]:
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
    """Find the events of each wiki, and unite those of several languages."""
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


def _corpus(
    wikis: Sequence[WikiPlan],
    links: Sequence[LinkFile],
    request: BuildRequest,
    pipelines: Mapping[str, _KnownPipeline],
) -> Corpus:
    """Describe the corpus for its card and manifest."""
    options = wikis[0].options
    langs = [wiki.lang for wiki in wikis]
    same = of_languages({wiki.lang: wiki.options.same for wiki in wikis})
    facts = {
        "Language" if len(wikis) == 1 else "Languages": ", ".join(langs),
        "Mode": options.mode,
        "Method": "WEC (Eirew et al. 2021), section 3",
        "Heads, lemmas, entities by": of_languages(
            {lang: one.reads for lang, one in pipelines.items()}
        ),
        "Seed": str(request.seed),
        "Same string": f"at most {options.quota} in a cluster, by {same}",
    }
    if links:
        names = ", ".join(disk.show_name(file.path.name) for file in links)
        facts["One event in several languages"] = f"by {names}"
    if options.mode == "clean":
        facts |= _filters(wikis, pipelines)
        facts["Links to sections"] = options.sections
    where = "documents and languages" if len(wikis) > 1 else "documents"
    limits = [*_LIMITS, *([_CHEAP] if options.mode == "clean" else [])]
    return Corpus(
        name=f"wec-{'-'.join(langs)}",
        title=f"WEC, {', '.join(langs)}: mentions of events across {where}",
        lang=",".join(langs),
        mode=options.mode,
        out=request.out,
        seed=request.seed,
        licence=of_languages({wiki.lang: wiki.given.licence for wiki in wikis}),
        attribution="; ".join(dict.fromkeys(wiki.given.attribution for wiki in wikis)),
        command=request.command,
        pipeline=of_languages({lang: one.version for lang, one in pipelines.items()}),
        facts=facts,
        filters=DEFAULT_FILTERS
        if all(own == own.make(own.lang, own.mode, own.nlp) for own in (w.options for w in wikis))
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
        wiki.lang: described(wiki.options.filters, (), pipelines[wiki.lang].unread)
        for wiki in wikis
    }
    keys = dict.fromkeys(key for own in rows.values() for key in own)
    return {
        key: of_languages({lang: own.get(key, "none") for lang, own in rows.items()})
        for key in keys
    }


def of_languages(values: Mapping[str, str]) -> str:
    """Join values of languages: one if equal, else `string (en), lemma (it)`."""
    if len(set(values.values())) == 1:
        return next(iter(values.values()))
    return ", ".join(f"{value} ({lang})" for lang, value in values.items())

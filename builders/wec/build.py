"""`build wec`: from a dump to a finished corpus of event mentions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial

from corefmill.builders.corpus.assembly import Assembly, planned
from corefmill.builders.corpus.corpus import BuildRequest, Corpus
from corefmill.builders.corpus.filters import described, idle_warnings, unread
from corefmill.builders.nlp import WIKI, Backend, of_wiki
from corefmill.builders.runner.job import Job
from corefmill.builders.runner.passes import Do, folder_of
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wec.choose import CHANNEL, choose
from corefmill.builders.wec.event_pages import event_index
from corefmill.builders.wec.event_pages.known_events import EventCriteria, known_events
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.facts.event_list import ListedEvents
from corefmill.builders.wec.facts.infoboxes import InfoboxTable
from corefmill.builders.wec.facts.paper_infoboxes import PATTERN, PaperInfoboxes
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wec.filters import syntax
from corefmill.builders.wec.forms import DATA_FILES
from corefmill.builders.wec.options import SYNTAX, Same, WecOptions
from corefmill.builders.wec.stages import setup
from corefmill.builders.wiki.articles import DumpSource
from corefmill.corpora.errors import UsageError

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


def default_same(lang: str, mode: str) -> Same:
    """What is the same string unless the user says: equal lemmas where words are inflected."""
    return Same.lemma if mode == "clean" and lexicon.load(lang).inflected else Same.string


def plan(
    options: WecOptions,
    criteria: EventCriteria,
    given: Input,
    request: BuildRequest,
    *,
    dev: float,
    test: float,
    memory: int,
) -> tuple[Job, Assembly, Callable[[Do], None]]:
    """What to run, what to make of it, and the first pass, which runs before; `memory` is in
    megabytes.

    Raises `UsageError` if the pipeline does not load, before any work is done.
    """
    dump = given.source
    if not isinstance(dump, DumpSource):
        raise UsageError("events are found in a dump, with its links", remedy="name one by --dump")
    pipeline = of_wiki(options.nlp, options.lang)
    index = folder_of(request.out) / "events.sqlite"

    def first_pass(do: Do) -> None:
        with known_events(
            dump, lang=options.lang, criteria=criteria, out_dir=request.out, do=do, memory=memory
        ) as events:
            words = lexicon.load(options.lang)
            event_index.write(index, events, words, criteria.fields)

    job, assembly = planned(
        _corpus(options, given, request, pipeline),
        request,
        module=__name__,
        builder="wec",
        source=dump,
        setup=partial(setup, options, index),
        channels=(CHANNEL,),
        options={
            **options.as_json(),
            "events": criteria.identity,
            "dev": dev,
            "test": test,
            "pipeline": pipeline.identity,
        },
        schema="event-mention/1",
        choose=partial(
            choose,
            options=options,
            index=index,
            dev=dev,
            test=test,
            unmapped=criteria.unmapped,
        ),
        data_files=DATA_FILES,
    )
    return job, assembly, first_pass


def _corpus(options: WecOptions, given: Input, request: BuildRequest, pipeline: Backend) -> Corpus:
    """What the corpus states of itself; `pipeline` is what reads it."""
    unseen = unread(options.filters, _READING, pipeline.does)
    facts = {
        "Language": options.lang,
        "Mode": options.mode,
        "Method": "WEC (Eirew et al. 2021), section 3",
        "Heads, lemmas, entities by": f"{pipeline.version}: the last word is the head"
        if options.nlp == WIKI
        else pipeline.version,
        "Seed": str(request.seed),
        "Same string": f"at most {options.quota} in a cluster, by {options.same}",
    }
    if options.mode == "clean":
        facts |= described(options.filters, (), unseen)
        facts["Links to sections"] = options.sections
    return Corpus(
        name=f"wec-{options.lang}",
        title=f"WEC, {options.lang}: mentions of events across documents",
        lang=options.lang,
        mode=options.mode,
        out=request.out,
        seed=request.seed,
        licence=given.licence,
        attribution=given.attribution,
        command=request.command,
        pipeline=pipeline.version,
        facts=facts,
        limits=(*_LIMITS, _CHEAP) if options.mode == "clean" else _LIMITS,
        warnings=idle_warnings((), options.lang, unseen, f"--nlp {options.nlp}"),
    )

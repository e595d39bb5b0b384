"""`build wec`: from a dump to a finished corpus of event mentions."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefmill.builders.nlp import load
from corefmill.builders.runner.code import code_of
from corefmill.builders.runner.job import Job, Limit
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wec import lookup
from corefmill.builders.wec.assemble import CHANNEL, Assemble
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.facts.infoboxes import EVENT_TYPES, Table
from corefmill.builders.wec.facts.paper_infoboxes import PATTERN, PaperTable
from corefmill.builders.wec.facts.validators import Fields
from corefmill.builders.wec.facts.wikidata import ListedEvents
from corefmill.builders.wec.finish import Finish
from corefmill.builders.wec.options import Options
from corefmill.builders.wec.read import ReadLinking
from corefmill.builders.wec.scan import passes
from corefmill.builders.wec.scan.before import Before
from corefmill.builders.wec.scan.passes import Do, Judge, Listed
from corefmill.builders.wec.stages import job_setup
from corefmill.builders.wiki.articles import DumpSource
from corefmill.corpora.errors import UsageError

_LIMITS = (
    "A cluster holds what editors linked, not every mention of the event: gold mentions only.",
    "No mention was checked by hand. The paper found 83 of 100 valid before its readers chose; the"
    " filters above are what took their place here.",
    "What a link shows may be more or less than the words that name the event.",
    "Entities, heads and lemmas come from the pipeline and are wrong where it is wrong.",
    "Which events there are, and how they are written of, is Wikipedia's choice.",
)


@dataclass(frozen=True, slots=True)
class Build:
    """A corpus to be built: `prepare` reads the dump and joins, then `job` and `finish` run."""

    job: Job
    finish: Finish
    prepare: Callable[[Do], None]


@dataclass(frozen=True, slots=True)
class Who:
    """Who says which pages are events, and what the fields of their infoboxes hold.

    `pattern` finds pages to ask about besides the judge's names, and so do `titles`; `listed` are
    events whether the dump has their page or not. `decides` is what of it decides the corpus, as
    JSON.
    """

    judge: Judge
    fields: Fields
    decides: Any
    pattern: bytes | None = None
    titles: Collection[str] = ()
    listed: Listed | None = None


def by_infobox(options: Options, table: Table) -> Who:
    """The table in clean mode, in paper mode the original's own search."""
    if options.mode == "paper":
        return Who(PaperTable(options.lang), table.fields, "paper", PATTERN)
    decides = sorted((name, kind.name) for name, kind in table.of_name.items())
    return Who(table, table.fields, decides)


def by_list(listed: ListedEvents) -> Who:
    """A list of articles, whose infoboxes nobody looks at."""
    decides = [(e.title, e.event_type, e.aliases) for e in listed.titles.values()]
    digest = hashlib.blake2b(json.dumps(decides).encode(), digest_size=8).hexdigest()
    return Who(listed, Fields(), digest, titles=listed.titles, listed=listed.pivots)


def plan(
    options: Options,
    who: Who,
    given: Input,
    *,
    out: Path,
    seed: int,
    dev: float,
    test: float,
    limit: int | None,
    memory: int,
    command: str,
) -> Build:
    """What to run, and what to make of it; `memory` is in megabytes.

    Raises `UsageError` if the pipeline does not load, before any work is done.
    """
    dump = given.source
    if not isinstance(dump, DumpSource):
        raise UsageError("events are found in a dump, with its links", remedy="name one by --dump")
    pipeline = load(options.nlp, options.lang)
    words = lexicon.load(options.lang)
    folder = passes.folder_of(out)
    events_file, before_file = folder / "events.sqlite", folder / "before.json"

    def prepare(do: Do) -> None:
        with passes.known_events(
            dump,
            lang=options.lang,
            judge=who.judge,
            out_dir=out,
            do=do,
            memory=memory,
            pattern=who.pattern,
            titles=who.titles,
            listed=who.listed,
        ) as events:
            lookup.write(events_file, events.pivots, events.titles(), words, who.fields)
            types = Counter(pivot.event_type for pivot, _ in events.pivots())
            Before(events.counts, events.rejects, types, events.source_error).write(before_file)

    job = Job(
        name="wec",
        source=passes.needed_source(dump, out),
        setup=job_setup(ReadLinking(options.lang), options, events_file),
        out_dir=out,
        channels=(CHANNEL,),
        options={
            **options.as_json(),
            "events": who.decides,
            "dev": dev,
            "test": test,
            "pipeline": pipeline.identity,
        },
        code=code_of(__name__),
        seed=seed,
        limit=None if limit is None else Limit(CHANNEL, limit),
    )
    facts = {
        "Language": options.lang,
        "Mode": options.mode,
        "Method": "WEC (Eirew et al. 2021), section 3",
        "Heads, lemmas, entities by": pipeline.version,
        "Seed": str(seed),
        "Same string": f"at most {options.quota} in a cluster, by {options.same}",
    }
    if options.mode == "clean":
        facts["Filters"] = ", ".join(options.filters)
        facts["Links to sections"] = options.sections
    finish = Finish(
        name=f"wec-{options.lang}",
        title=f"WEC, {options.lang}: mentions of events across documents",
        lang=options.lang,
        mode=options.mode,
        out=out,
        seed=seed,
        choose=Assemble(options=options, dev=dev, test=test, limit=limit, seed=seed),
        lexicon=words,
        before=before_file,
        facts=facts,
        types=EVENT_TYPES,
        limits=_LIMITS,
        licence=given.licence,
        attribution=given.attribution,
        command=command,
        pipeline=pipeline.version,
    )
    return Build(job, finish, prepare)

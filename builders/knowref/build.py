"""`build knowref`: from a dump, text, comments or subtitles to a corpus of pronoun problems."""

from __future__ import annotations

from pathlib import Path

from corefmill.builders.corpus.finish import Finish
from corefmill.builders.knowref import table
from corefmill.builders.knowref.assemble import Assemble, write_json
from corefmill.builders.knowref.options import ON_CORPUS, Options
from corefmill.builders.knowref.stages import job_setup
from corefmill.builders.nlp import load
from corefmill.builders.runner.code import code_of
from corefmill.builders.runner.job import Job, Limit
from corefmill.builders.sources.inputs import Input

CHANNELS = ("examples",)
FORMS = {".json": write_json}

_LIMITS = (
    "No problem has a label until people have answered it: `corefmill annotate`.",
    "Names come from a recogniser and clauses from a parser, and are wrong where these are wrong.",
    "Whether a person is a man or a woman is told by honorifics and given names alone; a surname"
    " passes for either.",
    "A person who is called by no name, but by a noun that the table does not list, is not seen.",
)
_PAPER_LIMITS = (
    "NLTK's splitter, its treebank sample, Stanford's tagger and CoreNLP are replaced by the"
    " pipeline; a sentence that made the published code fail is lost alone, not with its chunk.",
)


def plan(
    options: Options,
    given: Input,
    *,
    out: Path,
    seed: int,
    validation: int | None,
    limit: int | None,
    command: str,
) -> tuple[Job, Finish]:
    """What to run, and what to make of it.

    Raises `UsageError` if the pipeline does not load or the language has no table, before any
    work is done.
    """
    table.load(options.lang)
    pipeline = load(options.nlp, options.lang)
    facts = {
        "Language": options.lang,
        "Mode": options.mode,
        "Method": "KnowRef-60K (Emami et al. 2020), section 5.2",
        "Parsed by": pipeline.version,
        "Names": "drawn anew, of the pronoun's gender" if options.swap else "the text's own",
        "Seed": str(seed),
    }
    if options.mode == "clean":
        facts["Filters"] = ", ".join(options.filters)
    job = Job(
        name="knowref",
        source=given.source,
        setup=job_setup(given.reader, options),
        out_dir=out,
        channels=CHANNELS,
        options={**options.as_json(), "validation": validation, "pipeline": pipeline.identity},
        code=code_of(__name__),
        seed=seed,
        limit=None if limit is None else Limit("examples", limit),
    )
    finish = Finish(
        name=f"knowref-{options.lang}",
        title=f"KnowRef, {options.lang}: pronoun problems",
        lang=options.lang,
        mode=options.mode,
        out=out,
        seed=seed,
        choose=Assemble(
            mode=options.mode,
            filters=tuple(name for name in ON_CORPUS if name in options.filters),
            validation=validation,
            limit=limit,
            seed=seed,
        ),
        facts=facts,
        limits=_LIMITS if options.mode == "clean" else (*_LIMITS, *_PAPER_LIMITS),
        licence=given.licence,
        attribution=given.attribution,
        command=command,
        pipeline=pipeline.version,
        forms=FORMS,
    )
    return job, finish

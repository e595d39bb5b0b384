"""`build wikicrem`: from a dump or plain text to a finished corpus of masked names."""

from __future__ import annotations

from pathlib import Path

from corefmill.builders.corpus.finish import Finish
from corefmill.builders.nlp import load
from corefmill.builders.runner.code import code_of
from corefmill.builders.runner.job import Job, Limit
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wikicrem.assemble import Assemble
from corefmill.builders.wikicrem.options import ON_CORPUS, Options
from corefmill.builders.wikicrem.stages import job_setup

CHANNELS = ("examples", "pages")

_LIMITS = (
    "Names come from a recogniser and are wrong where it is wrong.",
    "Two persons of one name in a passage are taken for one.",
    "The text was not written with a mask in mind: in some passages a pronoun would be ambiguous"
    " or stiff, and in some nothing but the world tells who is meant.",
    "Who is written about, and how, is Wikipedia's or the text's bias; see the table of genders.",
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

    Raises `UsageError` if the pipeline does not load, before any work is done.
    """
    pipeline = load(options.nlp, options.lang)
    facts = {
        "Language": options.lang,
        "Mode": options.mode,
        "Method": "WikiCREM (Kocijan et al. 2019), section 3",
        "Names by": pipeline.version,
        "Seed": str(seed),
    }
    if options.mode == "clean":
        facts["Filters"] = ", ".join(options.filters)
        facts["Names"] = (
            "without possessive endings, with the honorific before them; known names carried over"
            " the whole article; sentences cut again at plain full stops"
        )
    job = Job(
        name="wikicrem",
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
        name=f"wikicrem-{options.lang}",
        title=f"WikiCREM, {options.lang}: masked names",
        lang=options.lang,
        mode=options.mode,
        out=out,
        seed=seed,
        choose=Assemble(
            lang=options.lang,
            filters=tuple(name for name in ON_CORPUS if name in options.filters),
            validation=validation,
            limit=limit,
            seed=seed,
        ),
        facts=facts,
        limits=_LIMITS,
        licence=given.licence,
        attribution=given.attribution,
        command=command,
        pipeline=pipeline.version,
    )
    return job, finish

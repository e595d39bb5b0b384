"""`build wikirand`: from a dump or plain text to the control corpus of another corpus."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from corefmill.builders.corpus.finish import Finish
from corefmill.builders.nlp import load
from corefmill.builders.runner.code import code_of
from corefmill.builders.runner.fingerprint import describe_inputs
from corefmill.builders.runner.job import Job
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wikirand.draw import Draw
from corefmill.builders.wikirand.quotas import Quotas
from corefmill.builders.wikirand.stages import Options, setup

CHANNELS = ("passages",)

_LIMITS = (
    "A control, not a resource: the masked word is any word, most often a function word.",
    "The wrong candidate is drawn from the types of the vocabulary, so it is mostly rare and"
    " seldom fits the sentence.",
    "Single sentences and pairs are drawn apart, so a sentence may stand in two passages.",
)


def plan(
    lang: str,
    mode: str,
    nlp: str,
    quotas: Quotas,
    given: Input,
    *,
    out: Path,
    seed: int,
    command: str,
) -> tuple[Job, Finish]:
    """What to run, and what to make of it.

    Raises `UsageError` if the pipeline does not load, before any work is done.
    """
    pipeline = load(nlp, lang)
    options = Options(lang, mode, nlp, quotas.for_inputs(describe_inputs(given.source.paths)))
    warnings: tuple[str, ...] = ()
    if quotas.pipeline not in ("", pipeline.version):
        warnings = (
            f"the tokens of {quotas.name} were counted by {quotas.pipeline},"
            f" these by {pipeline.version}",
        )
    job = Job(
        name="wikirand",
        source=given.source,
        setup=partial(setup, given.reader, options),
        out_dir=out,
        channels=CHANNELS,
        options={**options.as_json(), "pipeline": pipeline.identity},
        code=code_of(__name__),
        seed=seed,
    )
    finish = Finish(
        name=f"wikirand-{lang}",
        title=f"RandomWiki, {lang}: masked random words",
        lang=lang,
        mode=mode,
        out=out,
        seed=seed,
        choose=Draw(options.quotas, lang, mode, seed, warnings),
        facts={
            "Language": lang,
            "Mode": mode,
            "Method": "RandomWiki (Kocijan et al. 2019), section 6.1",
            "Sizes of": f"{quotas.name}, {quotas.total:,} examples",
            "Sentences by": pipeline.version,
            "Seed": str(seed),
        },
        limits=_LIMITS,
        licence=given.licence,
        attribution=given.attribution,
        command=command,
        pipeline=pipeline.version,
    )
    return job, finish

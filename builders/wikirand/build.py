"""`build wikirand`: from a dump or plain text to the control corpus of another corpus."""

from __future__ import annotations

from functools import partial

from corefmill.builders.corpus import masked
from corefmill.builders.corpus.assembly import Assembly, planned
from corefmill.builders.corpus.corpus import BuildRequest, Corpus
from corefmill.builders.nlp import of_wiki
from corefmill.builders.run.job import Job, describe_inputs
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wikirand.draw import WikirandContents
from corefmill.builders.wikirand.quotas import Quotas
from corefmill.builders.wikirand.stages import PASSAGES, WikirandOptions, setup

_LIMITS = (
    "A control, not a resource: the masked word is any word, most often a function word.",
    "The wrong candidate is drawn from the types of the vocabulary, so it is mostly rare and"
    " seldom fits the sentence.",
    "Passages of one, two and more sentences are drawn apart, so a sentence may stand in several.",
)


def plan(
    lang: str, mode: str, nlp: str, quotas: Quotas, given: Input, request: BuildRequest
) -> tuple[Job, Assembly]:
    """What to run, and what to make of it.

    Raises `UsageError` if the pipeline does not load, before any work is done.
    """
    pipeline = of_wiki(nlp, lang)
    own = quotas.for_inputs(describe_inputs(given.source.paths))
    options = WikirandOptions(lang, mode, nlp, own)
    corpus = Corpus(
        name=f"wikirand-{lang}",
        title=f"RandomWiki, {lang}: masked random words",
        lang=lang,
        mode=mode,
        out=request.out,
        seed=request.seed,
        licence=given.licence,
        attribution=given.attribution,
        texts=given.name,
        command=request.command,
        pipeline=pipeline.version,
        facts={
            "Language": lang,
            "Mode": mode,
            "Method": "RandomWiki (Kocijan et al. 2019), section 6.1",
            "Sizes of": f"{quotas.name}, {quotas.total:,} examples",
            "Sentences by": pipeline.version,
            "Seed": str(request.seed),
        },
        limits=_LIMITS,
        warnings=_warnings(quotas, pipeline.version),
    )
    return planned(
        corpus,
        request,
        builder="wikirand",
        source=given.source,
        setup=partial(setup, given.reader, options),
        channels=(PASSAGES,),
        options={**options.as_json(), "pipeline": pipeline.identity},
        schema=masked.SCHEMA,
        choose=partial(WikirandContents.chosen, quotas=own),
        data_files=masked.data_files(WikirandContents.forms(mode)),
    )


def _warnings(quotas: Quotas, pipeline: str) -> tuple[str, ...]:
    if quotas.pipeline in ("", pipeline):
        return ()
    return (f"the tokens of {quotas.name} were counted by {quotas.pipeline}, these by {pipeline}",)

"""`build wikicrem`: from a dump or plain text to a finished corpus of masked names."""

from __future__ import annotations

from functools import partial

from corefmill.builders.corpus import masked
from corefmill.builders.corpus.assembly import Assembly, planned
from corefmill.builders.corpus.bounds import NO_BOUNDS, Bounds
from corefmill.builders.corpus.corpus import BuildRequest, Corpus
from corefmill.builders.corpus.filters import described, idle_warnings
from corefmill.builders.nlp import load
from corefmill.builders.persons import table
from corefmill.builders.runner.job import Job
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wikicrem.assemble import WikicremContents
from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.builders.wikicrem.options import ON_CORPUS, WikicremOptions
from corefmill.builders.wikicrem.stages import setup

_LIMITS = (
    "Names come from a recogniser and are wrong where it is wrong.",
    "Two persons of one name in a passage are taken for one.",
    "The text was not written with a mask in mind: in some passages a pronoun would be ambiguous"
    " or stiff, and in some nothing but the world tells who is meant.",
    "Who is written about, and how, is Wikipedia's or the text's bias; see the table of genders.",
)


def plan(
    options: WikicremOptions,
    given: Input,
    request: BuildRequest,
    *,
    validation: int | None,
    bounds: Bounds = NO_BOUNDS,
) -> tuple[Job, Assembly]:
    """What to run, and what to make of it.

    Raises `UsageError` if the pipeline does not load, before any work is done.
    """
    pipeline = load(options.nlp, options.lang)
    idle = table.idle(options.filters, {**SURFACE, **SYNTAX}, options.lang)
    facts = {
        "Language": options.lang,
        "Mode": options.mode,
        "Method": "WikiCREM (Kocijan et al. 2019), section 3",
        "Names by": pipeline.version,
        "Seed": str(request.seed),
    }
    if options.mode == "clean":
        facts |= described(options.filters, idle)
        if "speech_tag" in options.filters:
            facts["Speech tags"] = "the filter speech_tag is asked of a wiki's pages alone"
        facts["Names"] = (
            "without possessive endings, with the honorific before them; known names carried over"
            " the whole article; sentences cut again at plain full stops"
        )
        if table.load(options.lang).declensions:
            facts["Candidates"] = (
                "the forms of a name are one name; all stand in the mask's case, as the passage has"
                " them there, else as the language's table declines them"
            )
    facts |= bounds.described
    corpus = Corpus(
        name=f"wikicrem-{options.lang}",
        title=f"WikiCREM, {options.lang}: masked names",
        lang=options.lang,
        mode=options.mode,
        out=request.out,
        seed=request.seed,
        licence=given.licence,
        attribution=given.attribution,
        command=request.command,
        pipeline=pipeline.version,
        facts=facts,
        limits=_LIMITS,
        warnings=idle_warnings(idle, options.lang),
    )
    choose = partial(
        WikicremContents.chosen,
        filters=tuple(name for name in ON_CORPUS if name in options.filters),
        validation=validation,
        bounds=bounds,
    )
    return planned(
        corpus,
        request,
        module=__name__,
        builder="wikicrem",
        source=given.source,
        setup=partial(setup, given.reader, options),
        channels=(masked.CHANNEL, "pages"),
        options={
            **options.as_json(),
            **bounds.as_json(),
            "validation": validation,
            "pipeline": pipeline.identity,
        },
        schema=masked.SCHEMA,
        choose=choose,
        data_files=masked.data_files(WikicremContents.forms(options.mode)),
    )

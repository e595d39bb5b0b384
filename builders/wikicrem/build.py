"""`build wikicrem`: from a dump or plain text to a finished corpus of masked names."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from corefmill.builders.corpus import masked
from corefmill.builders.corpus.assembly import Assembly, planned
from corefmill.builders.corpus.bounds import NO_BOUNDS, Bounds
from corefmill.builders.corpus.corpus import DEFAULT_FILTERS, BuildRequest, Corpus
from corefmill.builders.corpus.filters import described, idle_warnings, unread
from corefmill.builders.nlp import WIKI, digest, of_wiki
from corefmill.builders.persons import table
from corefmill.builders.run.job import Job
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wiki import known_persons
from corefmill.builders.wikicrem.assemble import WikicremContents
from corefmill.builders.wikicrem.confidence import refuse_unfit
from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.builders.wikicrem.options import ON_CORPUS, WikicremOptions
from corefmill.builders.wikicrem.stages import setup

_BY_PIPELINE = "Names come from a recogniser and are wrong where it is wrong."
_BY_WIKI = (
    "Names come from the wiki's links to persons and the titles of their articles. Who has none is"
    " no name here, and what is named after a person may be taken for one."
)
_LIMITS = (
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
    persons: Path | None = None,
) -> tuple[Job, Assembly]:
    """What to run, and what to make of it; `persons` is a list of titles for
    `known_persons.first_pass`.

    Raises `UsageError` if the pipeline does not load, or cannot do what is asked, before any work
    is done.
    """
    by_wiki = options.nlp == WIKI
    if by_wiki:
        known_persons.dump_of(given.source)
    pipeline = of_wiki(options.nlp, options.lang)
    if options.least is not None:
        refuse_unfit(pipeline)
    filters = {**SURFACE, **SYNTAX}
    idle = table.idle(options.filters, filters, options.lang)
    unseen = unread(options.filters, filters, pipeline.does)
    facts = {
        "Language": options.lang,
        "Mode": options.mode,
        "Method": "WikiCREM (Kocijan et al. 2019), section 3",
        "Names by": "the wiki's own titles and links" if by_wiki else pipeline.version,
        "Seed": str(request.seed),
        **({"Words and sentences by": pipeline.version} if by_wiki else {}),
        **(described(options.filters, idle, unseen) if options.mode == "clean" else {}),
        **(_clean_names(options) if options.mode == "clean" else {}),
        **bounds.described,
    }
    corpus = Corpus(
        name=f"wikicrem-{options.lang}",
        title=f"WikiCREM, {options.lang}: masked names",
        lang=options.lang,
        mode=options.mode,
        out=request.out,
        seed=request.seed,
        licence=given.licence,
        attribution=given.attribution,
        texts=given.name,
        filters=_settings(options),
        command=request.command,
        pipeline=pipeline.version,
        facts=facts,
        limits=(_BY_WIKI if by_wiki else _BY_PIPELINE, *_LIMITS),
        warnings=idle_warnings(idle, options.lang, unseen, f"--nlp {options.nlp}"),
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
        builder="wikicrem",
        source=given.source,
        setup=partial(
            setup,
            given.reader,
            options,
            known_persons.file_of(request.out) if by_wiki else None,
        ),
        channels=(masked.CHANNEL, "pages"),
        options={
            **options.as_json(),
            **bounds.as_json(),
            "validation": validation,
            "pipeline": pipeline.identity,
            **({} if persons is None else {"persons": digest.of_files([("", persons)])}),
        },
        schema=masked.SCHEMA,
        choose=choose,
        data_files=masked.data_files(WikicremContents.forms(options.mode)),
    )


def _settings(options: WikicremOptions) -> str:
    """`Corpus.filters` of the options."""
    if replace(options, least=None) != options.make(options.lang, options.mode, options.nlp):
        return ""
    return DEFAULT_FILTERS if options.least is None else f"--least {options.least:g}"


def _clean_names(options: WikicremOptions) -> dict[str, str]:
    """Rows of the card: what clean mode does to names besides its filters."""
    facts = {
        "Passages": f"up to {options.sentences} sentences, as few as name the answer and somebody"
        " else before the mask; the answer in the masked one or the one before it"
    }
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
    return facts

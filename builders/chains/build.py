"""`build chains`: from a dump or plain text to a corpus of silver coreference."""

from __future__ import annotations

from functools import partial

from corefmill.builders.chains.contents import DATA_FILES, SCHEMA, ChainsContents
from corefmill.builders.chains.stages import CHANNEL, ChainsOptions, setup
from corefmill.builders.corpus.assembly import Assembly, planned
from corefmill.builders.corpus.corpus import BuildRequest, Corpus
from corefmill.builders.nlp import WIKI, of_wiki
from corefmill.builders.persons import reference_words
from corefmill.builders.run.job import Job
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wiki.known_persons import dump_of, file_of

_LIMITS = (
    "Silver: nobody has annotated it. Names come from a recogniser and genders from names,"
    " honorifics and pronouns, and are wrong where these are wrong.",
    "Only persons have chains, by their names and by the pronouns that tell their gender: no noun"
    ' ("the doctor"), no "I", "you" or "they", no place, no thing. What is trained on it'
    " alone finds no others.",
    'A mention is the name with its honorific, without what belongs to it besides ("Ann, the'
    ' baker"); a person who is mentioned once in a passage has no cluster.',
    "Two persons of one name are taken for one.",
    "Passages in which nothing is in doubt are easier than others, and have fewer persons.",
    "A link's confidence was measured in English novels, and is an estimate for all else.",
)
_DROPPED = "Subjects that the language leaves unsaid have no mention, and break no chain."


def plan(
    options: ChainsOptions, given: Input, request: BuildRequest, *, validation: int | None
) -> tuple[Job, Assembly]:
    """What to run, and what to make of it.

    Raises `UsageError` if the pipeline does not load or the language's pronouns are not known,
    before any work is done.
    """
    by_wiki = options.nlp == WIKI
    if by_wiki:
        dump_of(given.source)
    reference = reference_words.load(options.lang)
    pipeline = of_wiki(options.nlp, options.lang)
    corpus = Corpus(
        name=f"chains-{options.lang}",
        title=f"Chains, {options.lang}: silver coreference of persons",
        lang=options.lang,
        mode="clean",
        out=request.out,
        seed=request.seed,
        licence=given.licence,
        attribution=given.attribution,
        texts=given.name,
        command=request.command,
        pipeline=pipeline.version,
        facts={
            "Labels": "silver: by rules, where nothing is in doubt",
            "Language": options.lang,
            "Names by": "the wiki's own titles and links" if by_wiki else pipeline.version,
            "Least confidence of a link": f"{options.least:g}",
            "Seed": str(request.seed),
        },
        limits=(*_LIMITS, _DROPPED) if reference.drops_subjects else _LIMITS,
    )
    return planned(
        corpus,
        request,
        builder="chains",
        source=given.source,
        setup=partial(setup, given.reader, options, file_of(request.out) if by_wiki else None),
        channels=(CHANNEL,),
        options={
            **options.as_json(),
            "validation": validation,
            "pipeline": pipeline.identity,
        },
        schema=SCHEMA,
        choose=partial(ChainsContents.chosen, validation=validation),
        data_files=DATA_FILES,
    )

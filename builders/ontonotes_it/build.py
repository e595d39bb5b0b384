"""`build ontonotes-it`: from English documents with clusters to an Italian corpus."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from corefmill.builders.corpus.assembly import Assembly, planned
from corefmill.builders.corpus.corpus import BuildRequest, Corpus
from corefmill.builders.nlp import Backend, load
from corefmill.builders.ontonotes_it.contents import (
    OntoNotesContents,
    data_files,
    other_files,
)
from corefmill.builders.ontonotes_it.datasets import DATASETS, SCHEMA
from corefmill.builders.ontonotes_it.english.source import DocumentSource, File, sample
from corefmill.builders.ontonotes_it.options import OntoNotesOptions
from corefmill.builders.ontonotes_it.stages import setup, translator_of
from corefmill.builders.runner.job import Job
from corefmill.builders.sources.inputs import named
from corefmill.builders.translation.cache import for_card
from corefmill.builders.translation.protocol import Translator
from corefmill.corpora.errors import DataError
from corefmill.corpora.splits import SPLITS

NAME = "ontonotes-it"

_LIMITS = (
    "The text is a machine's translation: what it says wrongly the rules do not correct.",
    "Only innermost mentions of the third person whose root is a noun, name, pronoun or determiner"
    " are kept, so entities are mentioned more often than the clusters say.",
    "Utterances without a verb, too short or too long are gone: documents have holes.",
    "Gender and number are estimated; a wrong one gives a wrong pronoun or ending.",
    "Trees are a pipeline's, and a rule is wrong where its tree is wrong.",
)


def plan(
    options: OntoNotesOptions, files: Sequence[File], request: BuildRequest
) -> tuple[Job, Assembly]:
    """What to run, and what to make of it.

    Raises `UsageError` if a pipeline or the translator is not there, before any work is done.
    """
    source = DocumentSource(files)
    if not source.paths:
        raise DataError("no files to read")
    english = load(options.nlp, "en", names=options.helps("persons"))
    italian = load(options.nlp_it, "it", names=False)
    translator = translator_of(options)
    corpus = _corpus(options, request, source.paths, (english, italian, translator))
    splits = tuple(split for split in SPLITS if any(file.split == split for file in files))
    return planned(
        corpus,
        request,
        module=__name__,
        builder=NAME,
        source=source,
        setup=partial(setup, options),
        channels=DATASETS,
        options={
            **options.as_json(),
            "translator": translator.fingerprint,
            "pipeline": english.identity,
            "pipeline_it": italian.identity,
            "splits": [file.split for file in files],
        },
        schema=SCHEMA,
        choose=partial(OntoNotesContents.chosen, splits=splits),
        data_files=data_files(splits),
        other_files=other_files(splits),
        counted=DATASETS[-1],
    )


def _corpus(
    options: OntoNotesOptions,
    request: BuildRequest,
    paths: Sequence[Path],
    tools: tuple[Backend, Backend, Translator],
) -> Corpus:
    english, italian, translator = tools
    ours = sample() in paths[0].parents
    return Corpus(
        name=NAME,
        title="OntoNotes in Italian: coreference by placeholder translation and rules",
        lang="it",
        mode=options.mode,
        out=request.out,
        seed=request.seed,
        licence="CC0 1.0" if ours else "that of the source",
        attribution=("the sample documents of corefmill" if ours else named(paths)),
        command=request.command,
        pipeline=f"{english.version}, {italian.version}, {translator.name}",
        facts={
            "Languages": "en to it",
            "Mode": options.mode,
            "Method": "Minutolo et al. 2022 (doi 10.1007/s00521-022-07641-3), section 4",
            "Translated by": for_card(translator),
            "English parsed by": english.version,
            "Italian parsed by": italian.version,
            "Utterances": f"of {options.shortest} to {options.longest} tokens",
            "Left out of clean mode": ", ".join(options.without) or "nothing",
            "Seed": str(request.seed),
        },
        limits=_LIMITS,
    )

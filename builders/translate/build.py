"""`build translate`: from documents with clusters to a corpus in another language."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from corefmill.builders.corpus.assembly import Assembly, planned
from corefmill.builders.corpus.corpus import BuildRequest, Corpus
from corefmill.builders.nlp import Backend, load
from corefmill.builders.run.job import Job
from corefmill.builders.sources.inputs import named
from corefmill.builders.translate.contents import (
    TranslatedContents,
    data_files,
    other_files,
)
from corefmill.builders.translate.engines.cache import for_card
from corefmill.builders.translate.engines.protocol import Translator
from corefmill.builders.translate.engines.resolve import entry_of
from corefmill.builders.translate.options import TranslateOptions
from corefmill.builders.translate.source_side.source import DocumentSource, File, sample
from corefmill.builders.translate.stages import BY_MARKS, DATASETS, SCHEMA, setup, translator_of
from corefmill.corpora import catalogue, languages
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.splits import SPLITS

NAME = "translate"

_PLACEHOLDERS = "Minutolo et al. 2022 (doi 10.1007/s00521-022-07641-3), section 4"
_MARKS = "marks: Chen et al. 2023 (doi 10.18653/v1/2023.findings-acl.357)"
_MACHINE = "The text is a machine's translation: what it says wrongly the rules do not correct."
_TREES = "Trees are a pipeline's, and a rule is wrong where its tree is wrong."
_LIMITS = (
    _MACHINE,
    "Only innermost mentions of the third person whose root is a noun, name, pronoun or determiner"
    " are kept, so entities are mentioned more often than the clusters say.",
    "Utterances without a verb, too short or too long are gone: documents have holes.",
    "Gender and number are estimated; a wrong one gives a wrong pronoun or ending.",
    _TREES,
)
_LIMITS_OF_MARKS = (
    _MACHINE,
    "A mention is what stands between its marks: where a translator moves words and not the marks"
    " with them, it is wrong.",
    "Mentions whose marks were lost are gone, and utterances too long: clusters have holes.",
    _TREES,
)


def plan(
    options: TranslateOptions,
    files: Sequence[File],
    request: BuildRequest,
    name: str = NAME,
) -> tuple[Job, Assembly]:
    """What to run, and what to make of it: a corpus of that name.

    Raises `UsageError` if a pipeline or the translator is not there, before any work is done.
    """
    source = DocumentSource(files, options.source)
    if not source.paths:
        raise DataError("no files to read")
    parser = None
    if options.nlp is not None:
        parser = load(options.nlp, options.source, names=options.helps("persons"))
    parser_to = load(options.nlp_to, options.target, names=False)
    translator = translator_of(options)
    tools = (parser, parser_to, translator)
    corpus = _corpus(options, request, source.paths, tools, name)
    splits = tuple(split for split in SPLITS if any(file.split == split for file in files))
    datasets = BY_MARKS if options.method == "marks" else DATASETS
    return planned(
        corpus,
        request,
        builder=name,
        source=source,
        setup=partial(setup, options),
        channels=datasets,
        options={
            **options.as_json(),
            "shortest": options.least,
            "longest": options.most,
            "translator": translator.fingerprint,
            "pipeline": None if parser is None else parser.identity,
            "pipeline_to": parser_to.identity,
            "splits": [file.split for file in files],
        },
        schema=SCHEMA,
        choose=partial(
            TranslatedContents.chosen, splits=splits, source=options.source, datasets=datasets
        ),
        data_files=data_files(splits),
        other_files=other_files(datasets, splits),
        counted=datasets[-1],
    )


def _again(command: str, options: TranslateOptions, translator: Translator) -> str:
    """The command with the translator and the pipelines that were taken, named or not."""
    entry = entry_of(translator)
    taken = {"--nlp": options.nlp, "--nlp-to": options.nlp_to, "--nlp-it": None}
    if entry is not None:
        taken = {"--translator": entry[0], **taken}
    words, kept = iter(shlex.split(command)), []
    for word in words:
        if word in taken:
            next(words, None)
        else:
            kept.append(word)
    named = (word for flag, name in taken.items() if name is not None for word in (flag, name))
    return shlex.join([*kept, *named])


def _title(paths: Sequence[Path]) -> str:
    """What the source is called: as the catalogue does, or by its file or folder."""
    if sample() in paths[0].parents:
        return "The sample documents"
    if known := catalogue.entry_of(paths):
        return re.split("[:,(]", known.title)[0].strip()
    return disk.show_name(paths[0].stem if len(paths) == 1 else paths[0].parent.name)


def _corpus(
    options: TranslateOptions,
    request: BuildRequest,
    paths: Sequence[Path],
    tools: tuple[Backend | None, Backend, Translator],
    name: str,
) -> Corpus:
    parser, parser_to, translator = tools
    before, after = languages.language_name(options.source), languages.language_name(options.target)
    parsed_by = {after: parser_to.version}
    if parser is not None:
        parsed_by = {before: parser.version, **parsed_by}
    marks = options.method == "marks"
    ours = sample() in paths[0].parents
    return Corpus(
        name=name,
        title=f"{_title(paths)} in {after}: coreference by {options.method} and rules",
        lang=options.target,
        mode=options.mode,
        out=request.out,
        seed=request.seed,
        licence="CC0 1.0" if ours else "that of the source",
        attribution="the sample documents of corefmill"
        if ours
        else f"{_title(paths)} ({named(paths)})",
        command=_again(request.command, options, translator),
        pipeline=", ".join(parsed_by.values()) + f", {translator.name}",
        facts={
            "Languages": f"{options.source} to {options.target}",
            "Mode": options.mode,
            "Method": _MARKS if marks else _PLACEHOLDERS,
            "Translated by": for_card(translator),
            **{f"{language} parsed by": version for language, version in parsed_by.items()},
            "Utterances": f"of {options.least} to {options.most} tokens"
            if options.most < sys.maxsize
            else f"of {options.least} tokens and more",
            "Left out of clean mode": ", ".join(options.without) or "nothing",
            "Seed": str(request.seed),
        },
        limits=_LIMITS_OF_MARKS if marks else _LIMITS,
    )

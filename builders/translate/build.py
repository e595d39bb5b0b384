"""`build translate`: from documents with clusters to a corpus in another language."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.builder import Builder, Choose, Contents
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.nlp import load_pipeline
from corefmill.builders.run.job import RunResult
from corefmill.builders.run.stages import UNANSWERED, Setup
from corefmill.builders.sources.inputs import Input, list_names
from corefmill.builders.translate.contents import BELOW, FORMS, TranslatedContents
from corefmill.builders.translate.engines.answers import Cached
from corefmill.builders.translate.engines.protocol import Translator, TranslatorRequest
from corefmill.builders.translate.engines.resolve import NAMES, resolve
from corefmill.builders.translate.engines.tables import SentenceTable, write_texts
from corefmill.builders.translate.options import TranslatorOptions
from corefmill.builders.translate.source_side.source import (
    DocumentSource,
    File,
    find_all,
    list_unread,
    sample,
)
from corefmill.builders.translate.stages import BY_MARKS, DATASETS, SCHEMA, setup
from corefmill.corpora import catalogue, languages, manifest
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.ownership import read_marker, settle
from corefmill.corpora.files.terminal import shorten
from corefmill.corpora.files.writing import make_way
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


class Translate(Builder[TranslatorOptions]):
    """Builder of a translated corpus: its document source, stages, splits and data card."""

    name = NAME
    schema = SCHEMA

    def __init__(self, options: TranslatorOptions, files: Sequence[File] = ()) -> None:
        super().__init__(options)
        self.files = [*files] or find_documents(options)
        self.pipelines = nlp, nlp_to = options.choose_pipelines()
        self._asked = options.translator_request(self.out)
        self._source = DocumentSource(self.files, options.from_lang)
        if not self._source.paths:
            raise DataError("the source has no files of documents")
        self.parser = None
        if nlp is not None:
            self.parser = load_pipeline(nlp, options.from_lang, names=options.helps("persons"))
        self.parser_to = load_pipeline(nlp_to, options.to_lang, names=False)
        self.translator = resolve(self._asked)
        _check_texts_path(self._asked, overwrite=options.overwrite)
        self.channels = BY_MARKS if options.by_marks else DATASETS
        self.counted = self.channels[-1]
        self.splits = tuple(s for s in SPLITS if any(file.split == s for file in self.files))

    @property
    def corpus_name(self) -> str:
        """The name of the corpus, by its two languages."""
        return f"{NAME}-{self.options.from_lang}-{self.options.to_lang}"

    def find_inputs(self) -> list[Input]:
        """Return no inputs: the documents come from `source`, not from downloaded articles."""
        return []

    @property
    def source(self) -> DocumentSource:
        """The source of the documents to translate."""
        return self._source

    def stages(self) -> Setup:
        """Return a function to make the stages in a worker process."""
        return partial(setup, self.options, *self.pipelines, self._asked)

    def choose(self) -> Choose:
        """Return a function to choose the documents of the corpus after the run."""
        return partial(_choose, self._asked, self.splits, self.channels)

    @property
    def data_files(self) -> tuple[str, ...]:
        """The names of the corpus files: every split in each of its formats."""
        return tuple(form.format(split=split) for form in FORMS for split in self.splits)

    @property
    def other_files(self) -> tuple[str, ...]:
        """The files of the intermediate datasets, each with a manifest of its own."""
        names = [manifest.NAME, *(f"{split}.jsonl" for split in self.splits)]
        return tuple(f"{BELOW}/{one}/{name}" for one in self.channels[:-1] for name in names)

    def identity(self) -> dict[str, Any]:
        """Collect the settings with an effect on the corpus, to recognise the same build again."""
        options, (nlp, nlp_to) = self.options, self.pipelines
        return {
            "mode": options.mode.value,
            "nlp": nlp,
            "nlp_to": nlp_to,
            "method": options.method_name,
            "without": tuple(sorted(set(options.without))),
            "translator": self.translator.fingerprint,
            "pipeline": None if self.parser is None else self.parser.identity,
            "pipeline_to": self.parser_to.identity,
            "splits": [file.split for file in self.files],
        }

    def describe(self) -> Corpus:
        """Describe the corpus for its card and manifest."""
        options, paths = self.options, self._source.paths
        parser, parser_to, translator = self.parser, self.parser_to, self.translator
        before, after = (
            languages.language_name(options.from_lang),
            languages.language_name(options.to_lang),
        )
        parsed_by = {after: parser_to.version}
        if parser is not None:
            parsed_by = {before: parser.version, **parsed_by}
        marks = options.by_marks
        ours = sample() in paths[0].parents
        return Corpus(
            name=self.corpus_name,
            title=f"{_title(paths)} in {after}: coreference by {options.method_name} and rules",
            lang=options.to_lang,
            mode=options.mode.value,
            out=self.out,
            seed=self.options.seed,
            licence="CC0 1.0" if ours else "that of the source",
            attribution="the sample documents of corefmill"
            if ours
            else f"{_title(paths)} ({list_names(paths)})",
            command=_complete_command(self.command, self.pipelines, translator),
            pipeline=", ".join(parsed_by.values()) + f", {translator.name}",
            facts={
                "Languages": f"{options.from_lang} to {options.to_lang}",
                "Mode": options.mode.value,
                "Method": _MARKS if marks else _PLACEHOLDERS,
                "Translated by": translator.describe()
                if isinstance(translator, Cached)
                else translator.name,
                **{f"{language} parsed by": version for language, version in parsed_by.items()},
                "Utterances": f"of {options.least} to {options.most} tokens"
                if options.most < sys.maxsize
                else f"of {options.least} tokens and more",
                "Left out of clean mode": ", ".join(sorted(set(options.without))) or "nothing",
                "Seed": str(self.options.seed),
            },
            limits=_LIMITS_OF_MARKS if marks else _LIMITS,
        )


class OntonotesIt(Translate):
    """Builder of OntoNotes in Italian: `Translate` with fixed languages."""

    name = "ontonotes-it"
    corpus_name = "ontonotes-it"


def find_documents(options: TranslatorOptions) -> list[File]:
    """Find the files of --source, by default corefmill's sample, and print their number."""
    lang = options.from_lang
    if not options.source and lang != "en":
        raise UsageError(
            f"no documents in {lang!r} ship with corefmill",
            remedy="name your own documents by --source",
        )
    names = options.source or [str(sample())]
    found = find_all(names, lang)
    if not options.silent:
        what = ", ".join(options.source) if options.source else "corefmill's sample"
        files = f"{len(found):,} file{'s' * (len(found) != 1)}"
        print(f"Reading {what}: {files}.", flush=True)
        if others := list_unread(names, found):
            more = f"{len(others):,} other file{'s' * (len(others) != 1)}"
            print(
                f"Left out: {more} of documents,"
                f" such as {disk.show_name(others[0])}: the folder is read as one known corpus"
                " (--source takes files and patterns, too).",
                flush=True,
            )
    return found


def _check_texts_path(request: TranslatorRequest, *, overwrite: bool) -> None:
    """Check the path of --list-texts, raising `UsageError` if the file cannot be written."""
    if request.name == "table" and request.list_texts is not None:
        if request.list_texts in request.table:
            raise UsageError(
                "is one of the tables of --table and would be overwritten",
                path=request.list_texts,
                remedy="name another file by --list-texts",
            )
        make_way(request.list_texts, overwrite=overwrite)


@contextmanager
def _choose(
    request: TranslatorRequest,
    splits: Sequence[str],
    datasets: Sequence[str],
    corpus: Corpus,
    result: RunResult,
) -> Iterator[Contents]:
    """Yield the contents of the corpus, or raise `UsageError` if tables lack translations."""
    if request.name == "table" and (missing := SentenceTable(request).missing()):
        if request.list_texts is not None:
            write_texts(request.list_texts, missing)
        nothing = next(result.records(DATASETS[-1]), None) is None
        if nothing or not request.allow_missing:
            # Another table makes another build: no work of this build may stay in its folder.
            ours = read_marker(corpus.out) or ()
            settle(corpus.out, [name for name in ours if (corpus.out / name).exists()])
            raise UsageError(
                f"{len(missing):,} texts have no translation yet, such as {shorten(missing[0])}"
                + (
                    "; no document is left without them"
                    if nothing and request.allow_missing
                    else ""
                ),
                path=request.list_texts,
                remedy="translate the texts in this file and repeat the command with the file as"
                " another --table, until none is missing"
                + ("" if request.allow_missing else "; --allow-missing builds without the rest")
                if request.list_texts
                else "--list-texts FILE writes the missing texts to a file"
                + ("" if request.allow_missing else "; --allow-missing builds without those texts"),
            )
    contents = TranslatedContents(corpus, result, splits, request.source, datasets)
    if failed := result.counts[UNANSWERED]:
        what = f"the translator failed on {failed:,} text{'s' * (failed != 1)}"
        if next(result.records(DATASETS[-1]), None) is None:
            raise DataError(
                f"{what}, and no document is left",
                path=corpus.out,
                remedy="check the translator; the same command asks again",
            )
        contents.warnings = [f"{what}, which were left out; the same command asks again"]
    yield contents


def _complete_command(
    command: str, pipelines: tuple[str | None, str], translator: Translator
) -> str:
    """Add the chosen translator and pipelines to the command, for the data card."""
    name = translator.name.partition(" ")[0]
    taken = dict(zip(("--nlp", "--nlp-to"), pipelines, strict=True))
    if name in NAMES:
        taken = {"--translator": name, **taken}
    words, kept = iter(shlex.split(command)), []
    for word in words:
        if word in taken:
            next(words, None)
        else:
            kept.append(word)
    named = (word for flag, name in taken.items() if name is not None for word in (flag, name))
    return shlex.join([*kept, *named])


def _title(paths: Sequence[Path]) -> str:
    """Name the source corpus by its catalogue title, or by its file or folder."""
    if sample() in paths[0].parents:
        return "The sample documents"
    if known := catalogue.find_entry(paths):
        return re.split("[:,(]", known.title)[0].strip()
    return disk.show_name(paths[0].stem if len(paths) == 1 else paths[0].parent.name)

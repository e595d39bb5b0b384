"""Declaration of a builder, and the one way from it to a corpus on disk.

A `Builder` declares the input, the stages, the contents and the card. Its `plan` makes the job to
run, and the `Assembly` for writing splits, rejects, card and manifest.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from corefmill.builders.corpus import card
from corefmill.builders.corpus.corpus import COUNTED, KEPT, Corpus, write_rejects
from corefmill.builders.corpus.options import DumpInput, RunOptions, format_command, is_date
from corefmill.builders.nlp import Backend, choose_pipeline, load_wiki_pipeline
from corefmill.builders.run.job import Job, Limit, RunResult
from corefmill.builders.run.run import Runner
from corefmill.builders.run.stages import UNANSWERED, Setup, UnitSource
from corefmill.builders.sources import inputs
from corefmill.builders.sources.inputs import Input
from corefmill.builders.sources.text import TextKind, TextSource
from corefmill.builders.wiki.dump.locate import ShippedSample
from corefmill.corpora import manifest
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.ownership import settle

_log = logging.getLogger(__name__)

SUMMARY = "summary"
"""Key of the manifest's counts: lines printed at the end of the build and first on the card."""


class Contents(Protocol):
    """The records selected from a run for the corpus, and their figures for the card."""

    result: RunResult

    @property
    def warnings(self) -> Sequence[str]:
        """Warnings for the user about the records."""
        return ()

    @property
    @abstractmethod
    def rejects(self) -> Mapping[str, Counter[str]]:
        """Counts of rejected records by stage and reason, those of the run included."""

    def read_rejects(self) -> Iterator[dict[str, Any]]:
        """Yield the records rejected after the run as {"reason", "record"}, as the runner does."""
        return iter(())

    @abstractmethod
    def write(self, out: Path) -> Mapping[str, int]:
        """Write each split in all its forms; return the number of records by split."""

    @abstractmethod
    def sections(self) -> Iterable[str]:
        """Return the lines of the card between its facts and its limits; called after `write`."""

    @abstractmethod
    def counts(self) -> Mapping[str, Any]:
        """Return the manifest's figures besides those read and rejected; called after `write`."""


Choose: TypeAlias = Callable[[Corpus, RunResult], AbstractContextManager[Contents]]
"""Selects the records of a finished run. The contents are valid inside the `with` block; raises
`DataError` if no record is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """Writes the folder of a corpus from the shards of a finished run.

    `schema` is the records' schema. The manifest has checksums of `data_files`, the files of the
    records, but not of `other_files`; both are relative to `out`.
    """

    corpus: Corpus
    schema: str
    choose: Choose
    data_files: tuple[str, ...]

    other_files: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """Names of all files of `out`."""
        own = (*card.FILES, COUNTED, KEPT, manifest.NAME)
        return (*own, *self.data_files, *self.other_files)

    def __call__(self, result: RunResult) -> None:
        """Write the corpus, the manifest last, and remove the shards.

        The shards stay if a service left questions unanswered: the same command asks them again.
        Raises `DataError` if no record is left.
        """
        corpus = self.corpus
        with self.choose(corpus, result) as contents:
            result = contents.result
            sizes = contents.write(corpus.out)
            rejects = contents.rejects
            warnings = [result.broke_off] if result.broke_off else []
            warnings += (*corpus.warnings, *contents.warnings)
            more = write_rejects(corpus.out, rejects, result, contents.read_rejects())
            # Lines on how much of the source was kept; only builders of whole documents have them.
            summary: Sequence[str] = getattr(contents, "summary", ())
            card.write_card(
                corpus,
                contents.sections(),
                warnings,
                schema=self.schema,
                splits=sizes,
                summary=summary,
            )
            counts = {"read": dict(sorted(result.counts.items())), **contents.counts()}
            if summary:
                counts[SUMMARY] = list(summary)
        total = sum(rejects.values(), Counter[str]())
        counts.setdefault("rejected", dict(sorted(total.items())))
        made = corpus.manifest(
            result,
            schema=self.schema,
            splits=sizes,
            counts=counts,
            files=(*card.FILES, *self.data_files, *more),
            warnings=warnings,
        )
        manifest.write(corpus.out, made)
        settle(
            corpus.out,
            (manifest.NAME, *made.files, *self.other_files),
            keep_work=result.counts[UNANSWERED] > 0,
        )


@dataclass(frozen=True, slots=True)
class Listing:
    """A list in place of a corpus: rows for --json, a table's head and cells, a broken input."""

    rows: Sequence[Mapping[str, Any]]
    head: Sequence[str]
    cells: Sequence[Sequence[str]]
    error: DataError | None


Options = TypeVar("Options", bound=RunOptions)


class Builder(ABC, Generic[Options]):
    """The declaration of a corpus: its input, stages, splits and forms, and its card.

    `name` is the command's name. `channels` are the last stage's; --limit counts the records of the
    channel `counted`, by default the first. Other methods do what most builders need.
    """

    name: ClassVar[str]
    title: str
    schema: ClassVar[str]
    channels: tuple[str, ...]
    counted: str = ""
    sample: ClassVar[ShippedSample] = ShippedSample.articles

    def __init__(self, options: Options, inputs: Sequence[Input] = ()) -> None:
        """Take the options and find the input.

        Raises `UsageError` for a missing input or pipeline, before any work is done.
        """
        self.command = format_command(self.name, options)
        self.options = self.complete(options)
        self.inputs = [*inputs] or self.find_inputs()
        self.out = options.folder(self.corpus_name)

    @classmethod
    def list_instead(cls, options: Options) -> Listing | None:
        """Make a list in place of a corpus if the options ask for one; None to build the corpus."""
        return None

    def complete(self, options: Options) -> Options:
        """Fill in the default pipeline of the language if the options name none."""
        if isinstance(options, DumpInput) and options.nlp is None:
            return replace(options, nlp=choose_pipeline(options.lang))
        return options

    @property
    def lang(self) -> str:
        """The language of the corpus."""
        return str(getattr(self.options, "lang", ""))

    @property
    def mode(self) -> str:
        """The mode, clean or paper; builders without modes have the clean one."""
        return str(getattr(self.options, "mode", "clean"))

    @property
    def corpus_name(self) -> str:
        """The name of the corpus, and of its folder."""
        return f"{self.name}-{self.lang}"

    def find_inputs(self) -> list[Input]:
        """Find the dump or the texts named by the options, else the shipped sample."""
        assert isinstance(self.options, DumpInput)
        return [find_input(self.options, self.sample)]

    @property
    def given(self) -> Input:
        """The single input."""
        return self.inputs[0]

    @property
    def source(self) -> UnitSource:
        """The input cut into units, for the first stage."""
        return self.given.source

    @cached_property
    def pipeline(self) -> Backend:
        """The language pipeline for the text."""
        assert isinstance(self.options, DumpInput) and self.options.nlp is not None
        return load_wiki_pipeline(self.options.nlp, self.lang)

    @abstractmethod
    def stages(self) -> Setup:
        """Return a factory of the stages, to be called in a worker."""

    @abstractmethod
    def choose(self) -> Choose:
        """Return the function to choose the records of the finished run."""

    @property
    @abstractmethod
    def data_files(self) -> tuple[str, ...]:
        """Names of the files of the records."""

    @property
    def other_files(self) -> tuple[str, ...]:
        """Names of the corpus's files without a checksum in the manifest."""
        return ()

    def identity(self) -> dict[str, Any]:
        """Return the settings with influence on the records, for the build's fingerprint."""
        return {**self.options.identity(), "pipeline": self.pipeline.identity}

    def first_pass(self, do: Runner) -> None:
        """Run a pass over the input before the build, with the runner `do`; by default none."""

    def facts(self) -> dict[str, str]:
        """Return the rows of the card's first table."""
        return {}

    def limits(self) -> Sequence[str]:
        """Return the known weaknesses of the method, for the card."""
        return ()

    def warnings(self) -> Sequence[str]:
        """Return warnings for the user about the input and the options."""
        return ()

    def describe(self) -> Corpus:
        """Gather the corpus's title, licence, facts and limits for its card and manifest."""
        return Corpus(
            name=self.corpus_name,
            title=self.title.format(self.lang),
            lang=self.lang,
            mode=self.mode,
            out=self.out,
            seed=self.options.seed,
            licence=self.given.licence,
            attribution=self.given.attribution,
            texts=self.given.name,
            filters=self.filter_setting(),
            command=self.command,
            pipeline=self.pipeline.version,
            facts=self.facts(),
            limits=self.limits(),
            warnings=self.warnings(),
        )

    def filter_setting(self) -> str:
        """Name the filter setting in the words of readings.toml; "" for one not listed there."""
        return ""

    def plan(self) -> tuple[Job, Assembly]:
        """Make the job to run, and the assembly for writing the corpus from the job's result."""
        options = self.options
        assembly = Assembly(
            corpus=self.describe(),
            schema=self.schema,
            choose=self.choose(),
            data_files=self.data_files,
            other_files=self.other_files,
        )
        counted = self.counted or self.channels[0]
        job = Job(
            name=self.name,
            source=self.source,
            setup=self.stages(),
            out_dir=self.out,
            channels=self.channels,
            options=self.identity(),
            seed=options.seed,
            limit=None if options.limit is None else Limit(counted, options.limit),
            keep_rejects=options.keep_rejects,
            files=assembly.files,
        )
        return job, assembly


def find_input(options: DumpInput, sample: ShippedSample) -> Input:
    """Find the dump or the texts named by the options, else the sample; print the choice."""
    # Each kind of text has a field of the same name; not every builder has all fields.
    texts = {kind: names for kind in TextKind if (names := getattr(options, kind.value, ()))}
    flags = [f"--{kind}" for kind in texts]
    if options.dump is not None:
        flags.insert(0, "--dump")
    if len(flags) > 1:
        raise UsageError(f"{flags[0]} and {flags[1]} exclude each other", remedy="name one of them")
    if texts and options.templates is not None:
        raise UsageError(
            f"--templates works only with a dump, not with {flags[0]}",
            remedy="leave --templates out",
        )
    if texts:
        [(kind, names)] = texts.items()
        found = inputs.from_text(names, kind)
    else:
        date = options.dump if is_date(options.dump) else None
        found = inputs.from_dump(
            "latest" if date else options.dump or "auto",
            options.lang,
            data_dir=options.data_dir,
            date=date,
            threads=options.workers,
            quiet=options.silent,
            sample=sample,
            templates=options.own_templates,
        )
    if not options.silent:
        print(found.says[:1].upper() + found.says[1:] + ".", flush=True)
    lang = options.lang
    if isinstance(found.source, TextSource) and (other := found.source.other_language(lang)):
        _log.warning("the text seems to be in %r, not in %r (--lang %s)", other, lang, other)
    return found

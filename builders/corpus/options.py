"""Options, declared once: the command line, Python's keywords and the card read the same fields.

A command or a builder annotates a parameter or a field with `Option` or `Argument`. This module
imports nothing heavy, so that a help is shown at once.
"""

from __future__ import annotations

import math
import os
import re
import shlex
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args, get_type_hints

from corefmill.corpora import splits
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError

if TYPE_CHECKING:
    from corefmill.builders.run.executors import Cluster


class Option:
    """An option's name, help, bounds and checks, besides its type and default.

    `names` replace the name of the field. `check` takes the value and returns it, or raises
    `UsageError`; `parse` makes it of the text typed. `default` is the default in words. An option
    that `decides_nothing` of a corpus is not in the command on its card.
    """

    def __init__(
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        default: str | None = None,
        panel: str | None = None,
        check: Callable[[Any], Any] | None = None,
        parse: Callable[[str], Any] | None = None,
        decides_nothing: bool = False,
    ) -> None:
        self.names, self.help, self.metavar, self.default = names, help, metavar, default
        self.min, self.max, self.panel = min, max, panel
        self.check, self.parse = check, parse
        self.decides_nothing = decides_nothing


class Argument(Option):
    """A positional argument."""


def split_names(text: str) -> list[str]:
    """Split a list of names at its commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


# As in BCP 47, and as Wikipedia's names: en, pt-BR, zh-min-nan, simple.
_LANGUAGE = re.compile("[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*")


def check_language(value: Any, option: str = "--lang") -> Any:
    """Check a language's code, later a part of names of files, pipelines and addresses.

    Raises `UsageError` for what is none.
    """
    if value is not None and not _LANGUAGE.fullmatch(value):
        raise UsageError(
            f"{option} {value!r} is no code of a language", remedy="such as en, it or zh-min-nan"
        )
    return value


def is_date(dump: str | None) -> bool:
    """Whether a dump is named by its day, YYYYMMDD."""
    return dump is not None and re.fullmatch(r"\d{8}", dump) is not None


def check_finite(value: float) -> float:
    """Return a number; raises `UsageError` for infinity and nan."""
    if not math.isfinite(value):
        raise UsageError(f"{value} is not a finite number")
    return value


class Mode(StrEnum):
    """The published rules to the letter, or today's improved ones."""

    clean = "clean"
    paper = "paper"


class ExecutorName(StrEnum):
    """The engine for the work."""

    local = "local"
    slurm = "slurm"
    ray = "ray"


INPUT, SIZE, RUN = "Input", "Size", "Run"
"""Sections of the help, in which order the command on the card has them, too."""

Without: TypeAlias = Annotated[
    tuple[str, ...], Option(help="Leave out a filter of the clean mode, see below. Repeatable.")
]


def parse_folder(name: str) -> Any:
    """Return the folder of a path or URL."""
    from corefmill.corpora.files.remote import folder_of

    return folder_of(name)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Where a corpus goes, and how the work is done: what every builder is asked.

    `decides` are the fields that decide what a corpus holds besides its input and seed; all fields
    but those of this class and of the input, unless a builder says so.
    """

    out: Annotated[
        Path | None,
        Option(
            help="Folder of the corpus. One at s3://, gs:// or az:// is built below out/"
            " here, and uploaded when it is whole.",
            default="out/NAME-LANG",
            parse=parse_folder,
            metavar="PATH",
            panel=RUN,
        ),
    ] = None
    workers: Annotated[
        int | None,
        Option(
            min=1,
            help="Worker processes, here or of each task.",
            default="one for each core here, one of a task",
            panel=RUN,
        ),
    ] = None
    limit: Annotated[int | None, Option(min=1, help="Stop at this many records.", panel=RUN)] = None
    seed: Annotated[
        int,
        Option(min=0, max=splits.LARGEST_SEED, help="Seed of every random draw.", panel=RUN),
    ] = 0
    executor: Annotated[
        ExecutorName,
        Option(
            help="This machine, or a cluster whose nodes all see the input (extra 'cluster').",
            panel=RUN,
        ),
    ] = ExecutorName.local
    tasks: Annotated[
        int, Option(min=1, help="Tasks on a cluster, each with --workers processes.", panel=RUN)
    ] = 16
    slurm: Annotated[
        tuple[str, ...],
        Option(
            metavar="KEY=VALUE",
            help="A parameter of sbatch (partition, time, mem, constraint ...); setup=COMMAND comes"
            " before each task. Repeatable.",
            panel=RUN,
        ),
    ] = ()
    overwrite: Annotated[
        bool,
        Option(
            help="Replace the corpus in --out, and any other file there whose name the corpus"
            " needs.",
            panel=RUN,
        ),
    ] = False
    keep_rejects: Annotated[
        bool, Option(help="Write what was left out to rejects.jsonl.", panel=RUN)
    ] = False
    quiet: Annotated[
        bool,
        Option(
            "--quiet",
            "-q",
            help="Print nothing but errors, and tables where they are the result.",
            panel=RUN,
        ),
    ] = False
    as_json: Annotated[
        bool, Option("--json", help="Print the result as JSON, for scripts.", panel=RUN)
    ] = False

    @property
    def silent(self) -> bool:
        """Whether nothing but the result, or nothing at all, is printed."""
        return self.as_json or self.quiet

    @property
    def url(self) -> str | None:
        """The upload address of the corpus, if --out is a URL."""
        from corefmill.corpora.files.remote import url_of

        return url_of(self.out)

    def folder(self, name: str) -> Path:
        """Return the local folder for a corpus of this name."""
        here = self.out or Path("out") / name
        if self.url:
            here = Path("out", self.url.replace("://", "/"))
        return here.absolute()

    def cluster(self) -> Cluster | None:
        """Return the cluster, None for this machine; raises `UsageError` for a wrong parameter."""
        from corefmill.builders.run.executors import Cluster

        if self.slurm and self.executor is not ExecutorName.slurm:
            raise UsageError("--slurm is for --executor slurm")
        if self.executor is ExecutorName.local:
            return None
        given = [parameter.partition("=") for parameter in self.slurm]
        for key, equals, value in given:
            if not key or not equals or not f"{key}{value}".isprintable():
                raise UsageError(
                    f"--slurm {key}{equals}{value}: no parameter",
                    remedy="such as --slurm partition=cpu",
                )
        return Cluster(
            engine=self.executor.value,
            tasks=self.tasks,
            slurm={key: value for key, _, value in given},
            address=os.environ.get("RAY_ADDRESS"),
        )

    def identity(self) -> dict[str, Any]:
        """Return the fields with an influence on the corpus, for a fingerprint."""
        left_out = {*_fields(RunOptions), *_fields(KindsOfText)} - {"lang", "nlp"}
        return {name: getattr(self, name) for name in _fields(type(self)) if name not in left_out}


def _fields(group: type[RunOptions]) -> list[str]:
    return [field.name for field in fields(group)]


@dataclass(frozen=True, kw_only=True)
class DumpInput(RunOptions):
    """A dump, the language of its text, and its pipeline."""

    lang: Annotated[
        str,
        Option(
            help="Language of the text, such as en.",
            check=check_language,
            panel=INPUT,
        ),
    ] = "en"
    dump: Annotated[
        str | None,
        Option(
            help="auto (newest below --data-dir, else the sample), sample, latest or YYYYMMDD"
            " (download),"
            " a file (XML, or rows of JSON Lines or Parquet) or its URL (s3://, gs://, az://, hf://,"
            " https://), a pattern of parts, or - for standard input.",
            default="auto",
            panel=INPUT,
        ),
    ] = None
    data_dir: Annotated[Path, Option(help="Folder in which dumps lie.", panel=INPUT)] = Path("data")
    nlp: Annotated[
        str | None,
        Option(
            help="Pipeline with NER: spaCy's by name or path, or stanza[:PACKAGE]; see `corefmill"
            " models`. For any language at all wiki: names by a dump's own titles and links.",
            default="ours if it is here, else spaCy's largest installed",
            panel=INPUT,
        ),
    ] = None

    @property
    def pipeline(self) -> str:
        """The pipeline, chosen by the language where none is named; raises `UsageError`."""
        from corefmill.builders.nlp import choose

        return self.nlp or choose(self.lang)


@dataclass(frozen=True, kw_only=True)
class TextInput(DumpInput):
    """A dump or plain text."""

    text: Annotated[
        tuple[str, ...],
        Option(
            help="Plain text or JSON Lines instead of a dump: a file, URL, folder or pattern."
            " Repeatable.",
            panel=INPUT,
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class KindsOfText(TextInput):
    """A dump, plain text, comments or subtitles."""

    reddit: Annotated[
        tuple[str, ...],
        Option(
            help="Reddit's comments as JSON Lines (RC_*.zst and the like): a file, folder or"
            " pattern. Repeatable.",
            panel=INPUT,
        ),
    ] = ()
    subtitles: Annotated[
        tuple[str, ...],
        Option(
            help="OpenSubtitles' monolingual text, a subtitle a line: a file, folder or pattern."
            " Repeatable.",
            panel=INPUT,
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class SplitOptions:
    """How large the validation split is."""

    validation: Annotated[
        int | None,
        Option(
            min=0,
            help="Size of the validation split, made of whole articles.",
            default="5 %, at least 30 and at most 10,000; none where that is over a fifth",
            panel=SIZE,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class JudgedOptions(DumpInput, SplitOptions):
    """Options of a builder with examples judged together at the end."""

    @property
    @abstractmethod
    def filters(self) -> tuple[str, ...]:
        """The filters in force."""


def declared(options: type) -> list[tuple[Any, Any, Option]]:
    """Return the fields of a dataclass of options with their types, in the order of the help."""
    hints = get_type_hints(options, include_extras=True)
    found = [(field, *get_args(hints[field.name])) for field in fields(options)]
    order = (INPUT, None, SIZE, RUN)
    return sorted(found, key=lambda one: order.index(one[2].panel) if one[2].panel in order else 9)


def command_line(name: str, options: RunOptions) -> str:
    """Return a builder's command in its shortest form, for the card.

    Whoever gives the same input, options and seed gets the same line, and so the same bytes:
    defaults are left out, and what decides nothing, such as --workers. --out names no folder, so
    that copies of a corpus have one card.
    """
    words = ["build", name]
    decides_nothing = {*_fields(RunOptions)} - {"limit", "seed", "keep_rejects"}
    for field, _, option in declared(type(options)):
        value = getattr(options, field.name)
        shown = field.name == "lang" or value != field.default
        if field.name in decides_nothing or option.decides_nothing or not shown:
            continue
        flag = max(option.names, key=len, default=f"--{field.name.replace('_', '-')}")
        if value is True:
            words.append(flag)
        else:
            for one in value if isinstance(value, tuple) else [value]:
                words += [flag, disk.strip_folders(str(one), command=field.name == "command")]
    return disk.show_name(shlex.join([*words, "--out", "FOLDER"]))

"""Options, declared once: the command line, Python's keywords and the card read the same fields.

A command or a builder annotates a parameter or a field with `Option` or `Argument`. This module
imports nothing heavy, so that a help is shown at once. At the end are the filters that `--without`
names.
"""

from __future__ import annotations

import math
import os
import re
import shlex
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, get_args, get_type_hints

from corefmill.corpora import splits
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from corefmill.builders.run.executors import Cluster
    from corefmill.builders.wiki.markup.templates import OwnTemplates

Stops = TypeVar("Stops", bound=Callable[..., bool])


class Option:
    """The declaration of a command's option besides its type and default: help, bounds, checks.

    `names` replace the name of the field. `parse` converts the text typed; `check` takes the value
    and returns it, or raises `UsageError`. `default` is the default in words. An option with
    `decides_nothing` has no influence on the corpus and is left out of the command on its card.
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
    """Check the form of a language code, later a part of file names, pipelines and addresses.

    Returns the code; raises `UsageError` for any other text.
    """
    if value is not None and not _LANGUAGE.fullmatch(value):
        raise UsageError(
            f"{option} {value!r} is not a code of a language",
            remedy="give one such as en, it or zh-min-nan",
        )
    return value


def is_date(dump: str | None) -> bool:
    """Tell whether the value of --dump is a date, YYYYMMDD."""
    return dump is not None and re.fullmatch(r"\d{8}", dump) is not None


def check_finite(value: float) -> float:
    """Check a number to be finite; raises `UsageError` for infinity and nan."""
    if not math.isfinite(value):
        raise UsageError(f"{value} is not a finite number: give one such as 0.5")
    return value


class Mode(StrEnum):
    """The rules of a builder: the published ones (paper), or improved ones (clean)."""

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
    tuple[str, ...],
    Option(help="Name of a filter of clean mode (listed below) to leave out. Repeatable."),
]


Templates: TypeAlias = Annotated[
    Path | None,
    Option(
        help="File with the texts that a dump's templates show, besides those that corefmill"
        ' knows: TOML lines such as "lle" = "lle" or "coin" = "{1} crowns" (docs/wikipedias.md).',
        panel=INPUT,
    ),
]


def parse_folder(name: str) -> Any:
    """Convert the path or URL typed for --out to a folder."""
    from corefmill.corpora.files.remote import folder_of

    return folder_of(name)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options of every builder: where the corpus is written, and how the work is done."""

    out: Annotated[
        Path | None,
        Option(
            help="Folder to write the corpus to. A corpus for s3://, gs:// or az:// is built below"
            " the local folder out/, and uploaded when it is finished.",
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
            help="Number of worker processes on this machine, or in each of --tasks on a cluster.",
            default="on this machine one for each core, in a task one",
            panel=RUN,
        ),
    ] = None
    limit: Annotated[
        int | None, Option(min=1, help="Stop the build after N records of the corpus.", panel=RUN)
    ] = None
    seed: Annotated[
        int,
        Option(min=0, max=splits.LARGEST_SEED, help="Seed of all random draws.", panel=RUN),
    ] = 0
    executor: Annotated[
        ExecutorName,
        Option(
            help="Where to run the build: local, on this machine; slurm or ray, on a cluster whose"
            " nodes all see the input (needs the extra 'cluster').",
            panel=RUN,
        ),
    ] = ExecutorName.local
    tasks: Annotated[
        int, Option(min=1, help="Number of cluster tasks, of --workers processes.", panel=RUN)
    ] = 16
    slurm: Annotated[
        tuple[str, ...],
        Option(
            metavar="KEY=VALUE",
            help="Parameter to pass to Slurm's sbatch, such as partition, time or mem; or"
            " setup=COMMAND, a shell command to run before each task. Repeatable.",
            panel=RUN,
        ),
    ] = ()
    overwrite: Annotated[
        bool,
        Option(
            help="Replace a corpus in the folder --out, and any other files there that have names"
            " of the new corpus's files.",
            panel=RUN,
        ),
    ] = False
    keep_rejects: Annotated[
        bool,
        Option(help="Write the records that filters rejected to rejects.jsonl.", panel=RUN),
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
        bool, Option("--json", help="Print the command's result as JSON, for scripts.", panel=RUN)
    ] = False

    @property
    def silent(self) -> bool:
        """Whether progress and choices are not printed (--json, --quiet)."""
        return self.as_json or self.quiet

    @property
    def upload_url(self) -> str | None:
        """The upload address of the corpus, if --out is a URL."""
        from corefmill.corpora.files.remote import url_of

        return url_of(self.out)

    def folder(self, name: str) -> Path:
        """Return the local folder to build a corpus of this name in."""
        here = self.out or Path("out") / name
        if self.upload_url:
            here = Path("out", self.upload_url.replace("://", "/"))
        return here.absolute()

    def cluster(self) -> Cluster | None:
        """Make the cluster of --executor, None for this machine; raises `UsageError`."""
        from corefmill.builders.run.executors import Cluster

        if self.slurm and self.executor is not ExecutorName.slurm:
            raise UsageError("--slurm has no effect without --executor slurm")
        if self.executor is ExecutorName.local:
            return None
        given = [parameter.partition("=") for parameter in self.slurm]
        for key, equals, value in given:
            if not key or not equals or not f"{key}{value}".isprintable():
                raise UsageError(
                    f"--slurm {key}{equals}{value} is not of the form KEY=VALUE",
                    remedy="give a parameter of sbatch, such as --slurm partition=cpu",
                )
        return Cluster(
            engine=self.executor.value,
            tasks=self.tasks,
            slurm={key: value for key, _, value in given},
            address=os.environ.get("RAY_ADDRESS"),
        )

    def identity(self) -> dict[str, Any]:
        """Return the fields with influence on the records, for the build's fingerprint."""
        left_out = {*_list_fields(RunOptions), *_list_fields(KindsOfText)} - {"lang", "nlp"}
        fields = (name for name in _list_fields(type(self)) if name not in left_out)
        return {name: getattr(self, name) for name in fields}


def _list_fields(group: type[RunOptions]) -> list[str]:
    return [field.name for field in fields(group)]


@dataclass(frozen=True, kw_only=True)
class DumpInput(RunOptions):
    """A dump, the language of its text, and its pipeline."""

    lang: Annotated[
        str,
        Option(
            help="Language code of the input text, such as en.",
            check=check_language,
            panel=INPUT,
        ),
    ] = "en"
    dump: Annotated[
        str | None,
        Option(
            help="Dump of a wiki to read: auto (the newest below --data-dir, else the sample),"
            " sample, latest or YYYYMMDD (downloads it), a file (XML, or rows of JSON Lines or"
            " Parquet) or its URL (s3://, gs://, az://, hf://, https://), a pattern of files, or -"
            " for standard input.",
            default="auto",
            panel=INPUT,
        ),
    ] = None
    data_dir: Annotated[Path, Option(help="Folder with dumps.", panel=INPUT)] = Path("data")
    nlp: Annotated[
        str | None,
        Option(
            help="Language pipeline that finds names: name or path of a spaCy pipeline, or"
            " stanza[:PACKAGE] (`corefmill models` lists them); wiki finds names of any language by"
            " a dump's titles and links.",
            default="the one of corefmill if installed, else spaCy's largest installed",
            panel=INPUT,
        ),
    ] = None
    templates: Templates = None

    def identity(self) -> dict[str, Any]:
        """Return the fields with influence on the records; for --templates, the file's contents."""
        return {**super().identity(), "templates": self.own_templates}

    @property
    def own_templates(self) -> OwnTemplates:
        """The templates of --templates; raises `DataError` for a malformed file."""
        from corefmill.builders.wiki.markup.templates import read_templates

        return read_templates(self.templates, self.lang)

    @property
    def pipeline(self) -> str:
        """The pipeline's name, by default that for the language; raises `UsageError` for none."""
        from corefmill.builders.nlp import choose_pipeline

        return self.nlp or choose_pipeline(self.lang)


@dataclass(frozen=True, kw_only=True)
class TextInput(DumpInput):
    """A dump or plain text."""

    text: Annotated[
        tuple[str, ...],
        Option(
            help="Plain text or JSON Lines to read instead of a dump: a file, URL, folder or"
            " pattern. Repeatable.",
            panel=INPUT,
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class KindsOfText(TextInput):
    """A dump, plain text, comments or subtitles."""

    reddit: Annotated[
        tuple[str, ...],
        Option(
            help="Comments of Reddit as JSON Lines (RC_*.zst and the like) to read instead of a"
            " dump: a file, folder or pattern. Repeatable.",
            panel=INPUT,
        ),
    ] = ()
    subtitles: Annotated[
        tuple[str, ...],
        Option(
            help="Monolingual text of OpenSubtitles, one subtitle a line, to read instead of a"
            " dump: a file, folder or pattern. Repeatable.",
            panel=INPUT,
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class SplitOptions:
    """The option for the size of the validation split."""

    validation: Annotated[
        int | None,
        Option(
            min=0,
            help="Largest number of examples in the validation split, which has whole articles.",
            default="5 %, at least 30 and at most 10,000; no such split if that is over a fifth",
            panel=SIZE,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class JudgedOptions(DumpInput, SplitOptions):
    """Options of a builder of masked examples with filters over the whole corpus."""

    @property
    @abstractmethod
    def filters(self) -> tuple[str, ...]:
        """The filters in force."""


def list_options(options: type) -> list[tuple[Any, Any, Option]]:
    """List a builder's options as (field, type, option), in the order of the help."""
    hints = get_type_hints(options, include_extras=True)
    found = [(field, *get_args(hints[field.name])) for field in fields(options)]
    order = (INPUT, None, SIZE, RUN)
    return sorted(found, key=lambda one: order.index(one[2].panel) if one[2].panel in order else 9)


def format_command(name: str, options: RunOptions) -> str:
    """Write the builder's command for making the corpus again, in its shortest form, for the card.

    The same input, options and seed give the same line, and so the same bytes of the card: defaults
    are left out, and options without influence, such as --workers. --out is the word FOLDER.
    """
    words = ["build", name]
    decides_nothing = {*_list_fields(RunOptions)} - {"limit", "seed", "keep_rejects"}
    for field, _, option in list_options(type(options)):
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


def needs_part(part: str) -> Callable[[Stops], Stops]:
    """Mark a filter as dependent on a part of the pipeline's analysis: "tags", "trees", "names"."""

    def mark(stops: Stops) -> Stops:
        stops.__dict__["reads"] = part
        return stops

    return mark


def find_unread(
    in_force: Iterable[str], filters: Mapping[str, Callable[..., bool]], does: Collection[str]
) -> tuple[str, ...]:
    """Select the filters `in_force` that need a part of the analysis missing from `does`."""
    needed = {name: getattr(filters.get(name), "reads", None) for name in in_force}
    return tuple(name for name, part in needed.items() if part and part not in does)


def choose_filters(
    known: Sequence[str], without: Collection[str], in_force: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Choose the filters `in_force` (by default all known ones) except those in `without`.

    Raises `UsageError` for an unknown name in `without`, also in a mode without filters.
    """
    for name in without:
        if name not in known:
            guess = did_you_mean(name, known)
            raise UsageError(f"--without: no filter {name!r}{guess}; there are {', '.join(known)}")
    return tuple(name for name in (known if in_force is None else in_force) if name not in without)


def describe_filters(
    in_force: Sequence[str], idle: Sequence[str], unread: Sequence[str] = ()
) -> dict[str, str]:
    """Make the card's rows on filters with and without effect.

    Filters without effect are the `idle` ones, for lack of the language's word lists, and the
    `unread` ones, for lack of a part of the pipeline.
    """
    cannot = dict.fromkeys((*idle, *unread))
    rows = {"Filters": ", ".join(name for name in in_force if name not in cannot)}
    if cannot:
        rows["Filters that cannot work here"] = ", ".join(cannot)
    return rows


def idle_warnings(
    idle: Sequence[str], lang: str, unread: Sequence[str] = (), pipeline: str = ""
) -> tuple[str, ...]:
    """Warn of filters without effect: for lack of word lists of the language (`idle`), or of tags,
    trees or entities from the pipeline (`unread`)."""
    because = {
        f"word lists of {lang!r}": idle,
        f"tags, trees or entities ({pipeline})": [name for name in unread if name not in idle],
    }
    return tuple(
        f"without {what} these filters have no effect: {', '.join(names)}"
        for what, names in because.items()
        if names
    )

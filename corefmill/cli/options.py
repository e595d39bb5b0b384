"""The options that all builders share, in groups."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import click

from corefmill.builders.wiki.dump.download import WIKIMEDIA
from corefmill.cli.cluster_options import ClusterOptions
from corefmill.cli.command import Option
from corefmill.cli.plain_options import (
    Json,
    Printing,
    Quiet,
    lang_option,
    limit_option,
    seed_option,
)
from corefmill.corpora import disk
from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.builders.corpus.bounds import Bounds
    from corefmill.builders.corpus.corpus import BuildRequest
    from corefmill.builders.sources.text import TextKind


class Mode(StrEnum):
    """Which of the two ways of building."""

    clean = "clean"
    paper = "paper"


Rules = Annotated[
    Mode,
    Option(help="paper follows the published rules to the letter, clean filters more."),
]


INPUT, WORK = "Input", "Work and output"
"""The panels of the help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitOptions:
    """How large the corpus and its validation split are."""

    PANEL: ClassVar[str] = WORK

    validation: Annotated[
        int | None,
        Option(
            min=0,
            help="Size of the validation split, made of whole articles.",
            default="5 %, at least 30 and at most 10,000; none where that is over a fifth",
        ),
    ] = None
    limit: Annotated[int | None, limit_option("examples")] = None


class Balance(StrEnum):
    """What the answers may be balanced by."""

    gender = "gender"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundOptions:
    """How much one passage, one source or one gender may give; drawn with the seed."""

    PANEL: ClassVar[str] = WORK

    one_per_passage: Annotated[
        bool,
        Option(
            "--one-per-passage", help="Of examples that share a sentence keep one, drawn at random."
        ),
    ] = False
    per_source: Annotated[
        int | None,
        Option(
            min=1,
            help="Keep at most this many examples, drawn at random, from one page, book or"
            " comment.",
        ),
    ] = None
    balance: Annotated[
        Balance | None,
        Option(
            help="Keep as many examples with a female answer as with a male one, drawn at"
            " random, and the same share of those of unknown gender."
        ),
    ] = None

    def bounds(self) -> Bounds:
        """What the builder is asked to bound."""
        from corefmill.builders.corpus.bounds import Bounds

        return Bounds(
            one_per_passage=self.one_per_passage,
            per_source=self.per_source,
            balance=self.balance and self.balance.value,
        )


DumpDate = Annotated[str | None, Option(help="Download the dump of this day, YYYYMMDD.")]
DumpFolder = Annotated[Path, Option(help="Folder in which dumps lie.")]
Mirror = Annotated[str, Option(help="Where dumps are downloaded from.")]
TrustLang = Annotated[
    bool,
    Option(
        "--trust-lang",
        help="Read the dump in --lang though its header names another language.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpOptions:
    """Which dump is read, and with which pipeline."""

    PANEL: ClassVar[str] = INPUT

    lang: Annotated[str, lang_option("Language of the text, such as en.")] = "en"
    dump: Annotated[
        str | None,
        Option(
            help="auto (newest below --data-dir, else the sample), sample, latest (downloads),"
            " a file (XML, or rows of JSON Lines or Parquet) or its URL (s3://, gs://, az://, hf://,"
            " https://), a pattern of parts, or - for standard input.",
            default="auto",
        ),
    ] = None
    dump_date: DumpDate = None
    data_dir: DumpFolder = Path("data")
    mirror: Mirror = WIKIMEDIA
    trust_lang: TrustLang = False
    nlp: Annotated[
        str | None,
        Option(
            help="Pipeline with NER: spaCy's by name or path, or stanza[:PACKAGE]; see `corefmill"
            " models`. For any language at all wiki: names by a dump's own titles and links.",
            default="ours if it is here, else spaCy's largest installed",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputOptions(DumpOptions):
    """The same, or plain text instead of a dump."""

    text: Annotated[
        list[str] | None,
        Option(
            help="Plain text or JSON Lines instead of a dump: a file, URL, folder or pattern."
            " Repeatable."
        ),
    ] = None

    def texts(self) -> tuple[TextKind, list[str]]:
        """What kind of text is named, and by which names."""
        from corefmill.builders.sources.text import TextKind

        return TextKind.TEXT, self.text or []


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions(InputOptions):
    """The same, or comments or subtitles."""

    reddit: Annotated[
        list[str] | None,
        Option(
            help="Reddit's comments as JSON Lines (RC_*.zst and the like): a file, folder or"
            " pattern. Repeatable."
        ),
    ] = None
    subtitles: Annotated[
        list[str] | None,
        Option(
            help="OpenSubtitles' monolingual text, a subtitle a line: a file, folder or pattern."
            " Repeatable."
        ),
    ] = None

    def texts(self) -> tuple[TextKind, list[str]]:
        """What kind of text is named, and by which names; raises `UsageError` for two kinds."""
        from corefmill.builders.sources.text import TextKind

        given = {
            TextKind.TEXT: self.text or [],
            TextKind.COMMENTS: self.reddit or [],
            TextKind.LINES: self.subtitles or [],
        }
        kinds = [kind for kind, names in given.items() if names]
        if len(kinds) > 1:
            raise UsageError(
                f"--{kinds[0]} and --{kinds[1]} exclude each other", remedy="name one of them"
            )
        kind = kinds[0] if kinds else TextKind.TEXT
        return kind, given[kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOptions(Printing):
    """How much is printed, and in which form."""

    PANEL: ClassVar[str] = WORK

    as_json: Json = False
    quiet: Quiet = False


def _folder(name: str) -> Path:
    from corefmill.corpora.remote import folder_of

    return folder_of(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOptions(ShownOptions):
    """Where the corpus goes, and how the work is done on this machine."""

    out: Annotated[
        Path | None,
        Option(
            help="Folder of the corpus. One at s3://, gs:// or az:// is built below out/"
            " here, and uploaded when it is whole.",
            default="out/NAME-LANG",
            parse=_folder,
            metavar="PATH",
        ),
    ] = None
    seed: Annotated[int, seed_option("Seed of every random draw.")] = 0
    workers: Annotated[
        int | None,
        Option(
            min=1,
            help="Worker processes, here or of each task.",
            default="one for each core here, one of a task",
        ),
    ] = None
    overwrite: Annotated[
        bool,
        Option(
            "--overwrite",
            help="Replace the corpus in --out, and any other file there whose name the"
            " corpus needs.",
        ),
    ] = False
    verify: Annotated[
        bool,
        Option(
            "--verify",
            help="If the corpus is there already, read all of the input to see whether it is still"
            " the same.",
            default="only if a file was touched since",
        ),
    ] = False
    keep_rejects: Annotated[
        bool, Option("--keep-rejects", help="Write what was left out to rejects.jsonl.")
    ] = False

    @property
    def url(self) -> str | None:
        """Where the corpus is put, if --out is a URL."""
        from corefmill.corpora.remote import url_of

        return url_of(self.out)

    def request(self, name: str, command: str, limit: int | None = None) -> BuildRequest:
        """What is asked of the builder; the corpus goes to out/`name` where no --out is given."""
        from corefmill.builders.corpus.corpus import BuildRequest

        here = self.out or Path("out") / name
        if self.url:  # built here, then uploaded
            here = Path("out", self.url.replace("://", "/"))
        return BuildRequest(
            out=here.absolute(),
            command=command,
            seed=self.seed,
            limit=limit,
            keep_rejects=self.keep_rejects,
        )


class CommandLine(str):
    """A builder's command in its shortest form, for the card.

    Whoever gives the same input, options and seed gets the same line, and so the same bytes:
    defaults are left out, and what decides nothing, such as --workers. --out names no folder, so
    that copies of a corpus have one card.
    """

    __slots__ = ()

    @classmethod
    def of_call(cls, name: str, options: Iterable[Any], given: Mapping[str, Any]) -> CommandLine:
        """That of a command of this name, with its options and the values given to them."""
        words = ["build", name]
        for option in options:
            if option.name not in given:
                continue
            value = given[option.name]
            shown = option.name == "lang" or value not in (
                option.get_default(click.Context(click.Command(name))),
                None,
                [],
                (),
            )
            if option.name in _DECIDES_NOTHING or not shown:
                continue
            flag = max(option.opts, key=len)
            if value is True:
                words.append(flag)
            else:
                for one in value if isinstance(value, list) else [value]:
                    said = disk.without_folders(str(one), command=option.name == "command")
                    words += [flag, said]
        return cls(disk.shown(shlex.join([*words, "--out", "FOLDER"])))


_DECIDES_NOTHING = {
    *(field.name for field in fields(ClusterOptions)),
    *(field.name for field in fields(WorkOptions)),
    *("memory", "cache", "key_variable", "requests_per_minute", "at_once", "timeout", "list_texts"),
} - {"seed", "keep_rejects"}

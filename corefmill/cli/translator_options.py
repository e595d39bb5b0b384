"""The options of all translators, for every command that translates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from corefmill.builders.translation.devices import BATCH_TOKENS, DeviceName
from corefmill.builders.translation.protocol import TranslatorRequest
from corefmill.builders.translation.resolve import NAMES, anchored, what_is
from corefmill.cli.command import Option
from corefmill.cli.options import WORK
from corefmill.corpora.atomic import make_way
from corefmill.corpora.errors import UsageError
from corefmill.corpora.ownership import owned, private, settle
from corefmill.corpora.printable import shown

if TYPE_CHECKING:
    from corefmill.builders.corpus.assembly import Assembly, Choose, Contents
    from corefmill.builders.corpus.corpus import Corpus
    from corefmill.builders.run.job import RunResult

TRANSLATOR = "Translator"
"""The panel of the help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatorOptions:
    """Which translator is asked, and what it is told."""

    PANEL: ClassVar[str] = TRANSLATOR

    translator: Annotated[
        str | None,
        Option(
            help=f"{', '.join(NAMES)}.",
            default="argos or apertium, if installed; else sample, for the sample that ships",
        ),
    ] = None
    model: Annotated[str | None, Option(help=f"{what_is('model')}.")] = None
    device: Annotated[
        DeviceName | None,
        Option(
            help="Where a network translates; auto: a GPU if there is one, of several the next one"
            " for each worker.",
            default="auto",
        ),
    ] = None
    batch_tokens: Annotated[
        int | None,
        Option(
            min=1,
            help="Tokens, padding included, that a network translates at once.",
            default=f"{BATCH_TOKENS['cpu']:,} on the processor, {BATCH_TOKENS['cuda']:,} on a GPU",
        ),
    ] = None
    url: Annotated[str | None, Option(help=f"{what_is('url')}.")] = None
    key_variable: Annotated[
        str | None,
        Option(
            help="Variable of the environment that holds the service's key, if it wants one.",
            default=f"{what_is('key_variable')}",
        ),
    ] = None
    requests_per_minute: Annotated[
        int | None,
        Option(
            min=1,
            help="Most requests a minute to a service, of all workers together.",
            default="no bound",
        ),
    ] = None
    at_once: Annotated[
        int | None,
        Option(
            min=1,
            max=256,
            help="Requests that a worker has out at once.",
            default="4",
            panel=TRANSLATOR,
        ),
    ] = None
    timeout: Annotated[
        float | None,
        Option(
            min=0.01,
            max=3600,
            help="Seconds that an answer may take.",
            default="60, of a command 120",
        ),
    ] = None
    command: Annotated[str | None, Option(help=f"{what_is('command')}.")] = None
    table: Annotated[list[Path] | None, Option(help=f"{what_is('table')}. Repeatable.")] = None
    list_texts: Annotated[Path | None, Option(help=f"{what_is('list_texts')}.")] = None
    allow_missing: Annotated[
        bool, Option("--allow-missing", help=f"{what_is('allow_missing')}.")
    ] = False
    cache: Annotated[
        Path | None,
        Option(
            help="Folder that keeps translations for later builds.",
            default="one that is removed at the end",
            panel=WORK,
        ),
    ] = None

    def request(
        self, source: str, target: str, out: Path, *, sample: bool = False
    ) -> TranslatorRequest:
        """What is asked of the translator, for a corpus in `out`, between two languages; `sample`
        says that the texts are those of the sample that ships.

        Raises `UsageError` for a translator, or a device, that there is not.
        """
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        work = private(out) / "translations"
        told |= {
            "name": told.pop("translator"),
            "cache": (self.cache or work).absolute(),
            "missing": (work / "missing").absolute(),
            "table": tuple(self.table or ()),
        }
        return anchored(TranslatorRequest(source=source, target=target, sample=sample, **told))

    def completed(
        self, assembly: Assembly, asked: TranslatorRequest, *, overwrite: bool
    ) -> Assembly:
        """The assembly, which is not begun where a table lacks texts and that is not allowed.

        Nor is it where no document is left without these texts.

        Raises `UsageError` where what it lacks cannot be written to the file of --list-texts.
        """
        if asked.name != "table":
            return assembly
        if asked.list_texts is not None:
            if asked.list_texts in asked.table:
                raise UsageError(
                    "is one of the tables, which would be lost",
                    path=asked.list_texts,
                    remedy="name another file by --list-texts",
                )
            make_way(asked.list_texts, overwrite=overwrite)
        return replace(assembly, choose=partial(_completed, assembly.choose, asked))


@contextmanager
def _completed(
    choose: Choose, asked: TranslatorRequest, corpus: Corpus, result: RunResult
) -> Iterator[Contents]:
    from corefmill.builders.translate.datasets import DATASETS
    from corefmill.builders.translation.sentence_table import SentenceTable, write_texts

    if missing := SentenceTable(asked).missing():
        if asked.list_texts is not None:
            write_texts(asked.list_texts, missing)
        nothing = next(result.records(DATASETS[-1]), None) is None
        if nothing or not asked.allow_missing:
            # Another table is another build, which must find no work of this one in its way.
            ours = owned(corpus.out) or ()
            settle(corpus.out, [name for name in ours if (corpus.out / name).exists()])
            raise UsageError(
                f"{len(missing):,} texts have no translation yet, {shown(missing[0])} the first"
                + ("; no document is left without them" if nothing and asked.allow_missing else ""),
                path=asked.list_texts,
                remedy="translate what this file lists, and give the same command with it as one"
                " more --table, until nothing is missing"
                + ("" if asked.allow_missing else "; --allow-missing goes without the rest")
                if asked.list_texts
                else "--list-texts FILE writes them all"
                + ("" if asked.allow_missing else "; --allow-missing goes without them"),
            )
    with choose(corpus, result) as contents:
        yield contents

"""`build ontonotes-it`: the command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from corefmill.builders.ontonotes_it.english.simplify import LONGEST, SHORTEST
from corefmill.builders.ontonotes_it.options import HELPS, OntoNotesOptions
from corefmill.cli.options import (
    INPUT,
    WORK,
    ClusterOptions,
    CommandLine,
    Mode,
    WorkOptions,
    grouped,
)
from corefmill.cli.translator_options import TranslatorOptions

if TYPE_CHECKING:
    from corefmill.builders.ontonotes_it.english.source import File

EXAMPLES = """Examples:

    build ontonotes-it

    build ontonotes-it --source conll-2012/v4/data --workers 8

    build ontonotes-it --source ontogum.train.conll --translator apertium --mode paper

    build ontonotes-it --translator argos --model en_it.argosmodel --without subject-deletion
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainInput:
    """What is translated, and what parses it."""

    PANEL: ClassVar[str] = INPUT

    source: Annotated[
        Path | None,
        typer.Option(
            help="English documents with clusters: a file, or a folder with OntoNotes, OntoGUM,"
            " LitBank or other CoNLL-2012 files.",
            show_default="the sample that ships",
        ),
    ] = None
    nlp: Annotated[
        str | None,
        typer.Option(
            help="Pipeline that parses the English tokens, with NER.",
            show_default="spaCy's best installed, else the small one that ships",
        ),
    ] = None
    nlp_it: Annotated[
        str | None,
        typer.Option(
            help="Pipeline that parses the Italian.",
            show_default="Stanza's model if it is here, else spaCy's best installed, else the small"
            " one that ships",
        ),
    ] = None

    def files(self, *, silent: bool) -> list[File]:
        """The files to read, which the first line printed says."""
        from corefmill.builders.ontonotes_it.english import source

        found = source.find_files((self.source or source.sample()).absolute())
        if not silent:
            what = "the sample that ships" if self.source is None else str(self.source)
            print(f"Reading {what}: {len(found):,} file{'s' * (len(found) != 1)}.", flush=True)
        return found


@grouped
def ontonotes_it(
    *,
    given: ChainInput,
    translator: TranslatorOptions,
    mode: Annotated[
        Mode, typer.Option(help="The published rules to the letter, or refined.")
    ] = Mode.clean,
    without: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Leave out a help of clean mode ({', '.join(HELPS)}), a rule such as"
            " subject-deletion, or a refinement such as subject-deletion/focus. Repeatable."
        ),
    ] = None,
    shortest: Annotated[
        int, typer.Option(min=1, help="Tokens that an utterance must have.")
    ] = SHORTEST,
    longest: Annotated[
        int, typer.Option(min=1, help="Tokens that an utterance may have.")
    ] = LONGEST,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Stop at this many parts.", rich_help_panel=WORK),
    ] = None,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """OntoNotes to Italian: mentions give way to placeholders, text is translated, rules refine it.

    After Minutolo et al. (2022). A run that was stopped goes on where it was when the same command
    is given again.
    """
    from corefmill.builders import nlp
    from corefmill.builders.ontonotes_it import build as chain
    from corefmill.cli.builds import build

    files = given.files(silent=work.silent)
    request = work.request(chain.NAME, line, limit)
    options = OntoNotesOptions(
        mode=mode.value,
        nlp=given.nlp or nlp.choose("en"),
        nlp_it=given.nlp_it or _italian(),
        without=tuple(sorted(set(without or ()))),
        shortest=shortest,
        longest=longest,
        translator=translator.request("en", "it", request.out),
    )
    job, assembly = chain.plan(options, files, request)
    build(job, assembly, work, cluster)


def _italian() -> str:
    """Stanza, whose trees are the best, where its Italian model is."""
    from corefmill.builders.nlp import catalogue, choose

    installed = any(
        offer.name == "stanza" and offer.how.startswith("--nlp") and "trees" in offer.does
        for offer in catalogue.offers("it")
    )
    return "stanza" if installed else choose("it")

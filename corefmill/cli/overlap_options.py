"""The options of `corefmill overlap`, in groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from corefmill.cli import completing
from corefmill.cli.options import INPUT, WORK, Mode
from corefmill.cli.plain_options import (
    DataDir,
    Json,
    Overwrite,
    Printing,
    Quiet,
    Split,
    finite,
    input_here,
    lang_option,
    output_here,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapInput:
    """The test sets, and the texts that may give them away."""

    PANEL: ClassVar[str] = INPUT

    test: Annotated[
        str,
        typer.Option(
            help="Corpora of masked examples, separated by commas: names (`corefmill corpora`),"
            " files or folders.",
            callback=input_here,
            autocompletion=completing.corpora,
        ),
    ]
    text: Annotated[
        list[str] | None,
        typer.Option(help="Plain text or JSON Lines: a file, folder or pattern. Repeatable."),
    ] = None
    dump: Annotated[
        str | None,
        typer.Option(
            help="A Wikipedia dump, beside --text or alone: auto, sample, latest (downloads), a"
            " file or a pattern."
        ),
    ] = None
    lang: Annotated[str, lang_option("Language of the test sets and of the text.")] = "en"
    data_dir: DataDir = Path("data")
    split: Split = None
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            callback=input_here,
            help="A model's answers, to compare its accuracy on items that overlap with that"
            " on the rest. A CSV of corpus, id and correct as `evaluate --answers`"
            " writes it, or lm-eval's log of a task that `export-task` made. Repeatable.",
        ),
    ] = None
    nlp: Annotated[
        str | None,
        typer.Option(help="Pipeline that parses the test sets.", show_default="as for build"),
    ] = None
    sentences: Annotated[
        str,
        typer.Option(
            help="What cuts the text into sentences: rules, or a pipeline, which is slower."
        ),
    ] = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapSearch:
    """How sentences are searched, and from which likeness on they count."""

    PANEL: ClassVar[str] = "Search"

    mode: Annotated[
        Mode,
        typer.Option(
            help="clean asks the query that the paper describes; paper the one that its code"
            " asks, with words and lengths as Whoosh counts them."
        ),
    ] = Mode.clean
    slop: Annotated[
        int, typer.Option(min=1, help="How far a word of the predicates may be from the last.")
    ] = 10
    k1: Annotated[
        float,
        typer.Option(
            "--k1",
            min=0.0,
            callback=finite,
            help="BM25's k1: how fast the weight of a repeated word levels off.",
        ),
    ] = 1.2
    b: Annotated[
        float,
        typer.Option(
            "-b",
            "--b",
            min=0.0,
            max=1.0,
            help="BM25's b: how much longer sentences are marked down.",
        ),
    ] = 0.75
    idf: Annotated[
        str,
        typer.Option(
            help="How rare words are weighed: whoosh, on whose scale the paper's cut-offs are;"
            " robertson, as the paper prints it; lucene, the same but never negative."
        ),
    ] = "whoosh"
    cutoffs: Annotated[
        str,
        typer.Option(
            help="BM25 scores, separated by commas: an item overlaps if its best sentence"
            " has a higher score."
        ),
    ] = "0,25,35"
    top: Annotated[int, typer.Option(min=1, help="Sentences kept for an item.")] = 5
    gram: Annotated[
        int,
        typer.Option(
            min=2,
            help="An item is copied if the text has this many of its words in a row. One of"
            " fewer words, but of 8 or more, is copied if the text has all of them in a"
            " row.",
        ),
    ] = 13
    near: Annotated[
        float,
        typer.Option(
            min=0.5,
            max=1.0,
            help="Jaccard similarity of a near-duplicate, by 5-grams of characters.",
        ),
    ] = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapOutput(Printing):
    """Where the results go, and how the work is done."""

    PANEL: ClassVar[str] = WORK

    out: Annotated[Path, typer.Option(callback=output_here, help="Folder of the results.")] = Path(
        "out/overlap"
    )
    index: Annotated[
        Path | None,
        typer.Option(
            callback=output_here,
            help="Folder of the search indexes, which later calls use again.",
            show_default="index in --out",
        ),
    ] = None
    remove: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=output_here,
            help="Write the texts, as JSON Lines, without the sentences that copy or rewrite a"
            " problem: 13-grams, near-duplicates, other names, tense or sentences.",
        ),
    ] = None
    overwrite: Overwrite = False
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes.", show_default="one for each core")
    ] = None
    as_json: Json = False
    quiet: Quiet = False

    @property
    def indexes(self) -> Path:
        """The folder of the indexes."""
        return self.index or self.out / "index"

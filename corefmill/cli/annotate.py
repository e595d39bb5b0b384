"""`corefmill annotate`: tasks for raters, their answers, and the hashed form of the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.cli import (
    annotate_answers,
    annotate_ask,
    annotate_chains,
    annotate_labels,
    annotate_page,
    annotate_report,
    annotate_serve,
    annotate_table,
)
from corefmill.cli.grouping import grouped
from corefmill.cli.plain_options import Json, Overwrite, Quiet, seed_option
from corefmill.cli.printing import Told, print_result
from corefmill.corpora.atomic import make_way
from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.annotate.exchange.transfer import TaskSelection

CORPUS = Annotated[
    Path, typer.Argument(metavar="CORPUS", help="Directory of a corpus of masked examples.")
]
JUDGED = Annotated[
    Path,
    typer.Argument(
        metavar="CORPUS", help="Corpus of masked examples, event mentions or documents."
    ),
]

_EXPORT = """Examples:

    corefmill annotate export out/knowref-en --out tasks.csv

    corefmill annotate export out/knowref-en --raters 3 --limit 200 --out tasks.csv

    corefmill annotate export out/wec-en --split test --out mentions.csv

    corefmill annotate export out/wec-en --to label-studio --out label-studio

    corefmill annotate export litbank.jsonl --to inception --out inception
"""
_IMPORT = """Examples:

    corefmill annotate import out/knowref-en tasks.csv --out out/knowref-en-labelled

    corefmill annotate import out/knowref-en rater-*.csv --least 3 --out out/labelled --json

    corefmill annotate import out/wec-en out/wec-en.answers.sqlite --out out/wec-en-validated

    corefmill annotate import litbank.conll litbank.conll.chains.sqlite --out out/litbank

    corefmill annotate import out/wec-en export.json --from label-studio --out judgements.jsonl

    corefmill annotate import litbank.jsonl zoe/ --from brat --out zoe.jsonl
"""
_RELEASE = """Examples:

    corefmill annotate release out/knowref-en-labelled --out knowref-en.hashed.jsonl

    build knowref --lang en --dump latest --release knowref-en.hashed.jsonl
"""

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


@app.callback()
def annotate() -> None:
    """Have people answer problems: tasks out, answers in, and a release without text."""


app.command("report", epilog=annotate_report.EXAMPLES)(annotate_report.report)
app.command("chains", epilog=annotate_chains.EXAMPLES)(annotate_chains.chains)
app.command("table", epilog=annotate_table.EXAMPLES)(annotate_table.table)

TOOLS = "csv, label-studio, potato, inception, xmi, brat"
SHEETS = "csv"
Chains = Annotated[
    bool,
    typer.Option("--chains", help="With label-studio: documents with their chains, no questions."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFile:
    """For which tool tasks are written, for how many raters, and which of them."""

    out: Annotated[Path, typer.Option("--out", help="The task file, CSV; else a folder.")]
    to: Annotated[str, typer.Option("--to", metavar="TOOL", help=f"What is written: {TOOLS}.")] = (
        SHEETS
    )
    chains: Chains = False
    raters: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Raters of each item, in csv.",
            show_default=f"{annotate_labels.RATERS}, of event mentions"
            f" {annotate_answers.EVENTS_RATERS}",
        ),
    ] = None
    split: Annotated[
        str | None,
        typer.Option(help="Only this split.", show_default="all, of event mentions not train"),
    ] = None
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most this many items, drawn at random.")
    ] = None
    seed: Annotated[int, seed_option("Seed of the draw and of each rater's order.")] = 0
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


@app.command("export", epilog=_EXPORT)
@grouped
def export(corpus: JUDGED, given: TaskFile) -> None:
    """Write the tasks: a row for each item and rater, the pronoun or mention in brackets.

    The raters fill the column `answer`: the letter of a candidate, or x where none is meant; of
    event mentions y or n, and a reason. Rows stand rater by rater. `annotate serve` asks the same
    in a browser; other tools ask it by what --to writes. inception, xmi and brat carry documents
    with their chains.
    """
    from corefmill.annotate.exchange.transfer import TaskSelection

    selection = TaskSelection(split=given.split, limit=given.limit, seed=given.seed)
    write = _write_sheet if given.to == SHEETS else _write_for_tool
    result, said = write(corpus, given, selection)
    print_result(result, said, as_json=given.as_json, quiet=given.quiet)


def _write_for_tool(corpus: Path, given: TaskFile, selection: TaskSelection) -> Told:
    from corefmill.annotate.exchange import table, transfer

    if given.raters is not None:
        raise UsageError(f"--raters is for csv: {given.to} hands out the items itself")
    out, tool = given.out, table.exchange(given.to)
    done = transfer.export(
        corpus, out, tool, selection, as_chains=given.chains, overwrite=given.overwrite
    )
    result = {"out": str(out), "to": tool.name, done.what: done.count}
    return result, f"{done.count:,} {done.what} for {tool.name} are in {out}."


def _write_sheet(corpus: Path, given: TaskFile, selection: TaskSelection) -> Told:
    if given.chains:
        raise UsageError("csv carries no chains", remedy="name another --to")
    if given.out.suffix.lower() in (".xlsx", ".xls", ".ods"):
        raise UsageError("CSV is written here", path=given.out, remedy="name it .csv")
    if annotate_answers.is_events(corpus):
        what, write = "mentions", annotate_answers.export_events
        raters = given.raters or annotate_answers.EVENTS_RATERS
    else:
        what, write = "items", annotate_labels.export_examples
        raters = given.raters or annotate_labels.RATERS
    items, rows = write(corpus, given.out, selection, raters=raters, overwrite=given.overwrite)
    result = {"out": str(given.out), "items": items, "rows": rows}
    return result, f"{items:,} {what} for {raters} raters, {rows:,} rows, are in {given.out}."


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFiles:
    """Whose answers are read, and how many of them decide."""

    out: Annotated[Path, typer.Option("--out", help="Directory of the labelled corpus.")]
    come_from: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="TOOL",
            help=f"The tool that wrote the files: {TOOLS}. For all but csv OUT is a file of JSON"
            " Lines, of judgements or of documents with the chains that were read.",
        ),
    ] = SHEETS
    chains: Chains = False
    rater: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Only of this rater; not of csv.", show_default="all of them"
        ),
    ] = None
    least: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many raters must agree on an item, as in the published sets; for"
            " documents, how many must be done with it.",
            show_default=f"{annotate_labels.LEAST}, of events and documents"
            f" {annotate_answers.EVENTS_LEAST}",
        ),
    ] = None
    adjudicator: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The rater whose answers, in JSON Lines, overrule those of all others.",
        ),
    ] = None
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


@app.command("import", epilog=_IMPORT)
@grouped
def import_(
    corpus: JUDGED,
    answers: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Answers: of `annotate serve`, JSON Lines, or CSV. With --from, files or folders.",
        ),
    ],
    given: AnswerFiles,
) -> None:
    """Read the answers: items on which enough raters agree become a corpus with labels.

    Of event mentions: what raters rejected leaves dev and test, and their articles leave train.
    Of documents that were corrected (`serve --task`): what who adjudicates made of each, else what
    more than half of its raters say. Answers of models are left out. What --from reads has to be
    imported again as JSON Lines.
    """
    read = _read_answers if given.come_from == SHEETS else _read_of_tool
    result, said = read(corpus, answers, given)
    print_result(result, said, as_json=given.as_json, quiet=given.quiet)


def _read_of_tool(corpus: Path, answers: Sequence[Path], given: AnswerFiles) -> Told:
    from corefmill.annotate.exchange import table, transfer

    if given.least is not None or given.adjudicator is not None:
        raise UsageError("--least and --adjudicator decide on labels, and --from makes none")
    out, tool = given.out, table.exchange(given.come_from)
    done = transfer.import_answers(
        *(corpus, answers, out, tool),
        as_chains=given.chains,
        rater=given.rater,
        overwrite=given.overwrite,
    )
    left_out = dict(sorted(done.left_out.items()))
    said = f"{done.count:,} {done.what} of {tool.name} are in {out}."
    if left_out:
        left = ", ".join(f"{what} ({count:,})" for what, count in left_out.items())
        said += f" Not read: {left}."
    result = {"out": str(out), "from": tool.name, done.what: done.count, "left_out": left_out}
    return result, said


def _read_answers(corpus: Path, answers: Sequence[Path], given: AnswerFiles) -> Told:
    if given.chains or given.rater is not None:
        raise UsageError(f"{'--chains' if given.chains else '--rater'} needs --from")
    asked = annotate_answers.AnswerImport(
        corpus=corpus,
        files=answers,
        out=given.out,
        least=given.least,
        adjudicator=given.adjudicator,
        overwrite=given.overwrite,
    )
    if annotate_chains.is_of_documents(answers):
        write = annotate_chains.import_documents
    elif annotate_answers.is_events(corpus):
        write = annotate_answers.import_events
    else:
        write = annotate_labels.import_labels
    made, said = write(asked)
    return {"out": str(given.out), "splits": made.splits, "counts": made.counts}, said


@app.command("release", epilog=_RELEASE)
def release(
    corpus: CORPUS,
    out: Annotated[Path, typer.Option("--out", help="The release, JSON Lines.")],
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the corpus without its text: SHA-224 of each original sentence, names, offsets, label.

    `build knowref --release FILE` makes the corpus again where the text is at hand.
    """
    from corefmill.builders.knowref import release as hashed

    make_way(out, overwrite=overwrite)
    count = hashed.write(corpus, out)
    result = {"out": str(out), "examples": count}
    said = f"{count:,} problems, without their text, are in {out}."
    print_result(result, said, as_json=as_json, quiet=quiet)


app.command("serve", epilog=annotate_serve.EXAMPLES)(annotate_serve.serve)
app.command("page", epilog=annotate_page.EXAMPLES)(annotate_page.page)
app.command("answers", epilog=annotate_answers.EXAMPLES)(annotate_answers.answers)
app.command("ask", epilog=annotate_ask.EXAMPLES)(annotate_ask.ask)

"""What `corefmill annotate export --to` and `import --from` do with other annotation tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from corefmill.annotate.exchange.transfer import TaskSelection

TOOLS = "csv, label-studio, potato, inception, xmi, brat"
SHEETS = "csv"

To = Annotated[str, typer.Option("--to", metavar="TOOL", help=f"What is written: {TOOLS}.")]
From = Annotated[
    str,
    typer.Option(
        "--from",
        metavar="TOOL",
        help=f"Whose files these are: {TOOLS}. Other than csv: OUT is a file of JSON Lines, of"
        " judgements, or of documents with the chains that were read.",
    ),
]
Chains = Annotated[
    bool,
    typer.Option("--chains", help="With label-studio: documents with their chains, no questions."),
]
Rater = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Only of this rater; not of csv.", show_default="all of them"
    ),
]


def export(
    corpus: Path,
    out: Path,
    to: str,
    selection: TaskSelection,
    *,
    chains: bool,
    overwrite: bool,
) -> tuple[str, dict[str, Any]]:
    """Writes the tasks for a tool; returns what to say of it, and the result as JSON has it."""
    from corefmill.annotate.exchange import table, transfer

    tool = table.exchange(to)
    done = transfer.export(corpus, out, tool, selection, as_chains=chains, overwrite=overwrite)
    said = f"{done.count:,} {done.what} for {tool.name} are in {out}."
    return said, {"out": str(out), "to": tool.name, done.what: done.count}


def import_(
    corpus: Path,
    files: Sequence[Path],
    out: Path,
    come_from: str,
    *,
    chains: bool,
    rater: str | None,
    overwrite: bool,
) -> tuple[str, dict[str, Any]]:
    """Reads what a tool gives back; returns as `export` does."""
    from corefmill.annotate.exchange import table, transfer

    tool = table.exchange(come_from)
    done = transfer.import_answers(
        corpus, files, out, tool, as_chains=chains, rater=rater, overwrite=overwrite
    )
    left_out = dict(sorted(done.left_out.items()))
    said = f"{done.count:,} {done.what} of {tool.name} are in {out}."
    if left_out:
        left = ", ".join(f"{what} ({count:,})" for what, count in left_out.items())
        said += f" Not read: {left}."
    return said, {
        "out": str(out),
        "from": tool.name,
        done.what: done.count,
        "left_out": left_out,
    }

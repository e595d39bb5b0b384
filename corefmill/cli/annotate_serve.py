"""`corefmill annotate serve`: a corpus in the browsers of those who judge it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.cli.grouping import grouped
from corefmill.cli.plain_options import Json, Quiet, seed_option
from corefmill.cli.printing import print_json

if TYPE_CHECKING:
    from corefmill.annotate.web.serving import ServedRound

EXAMPLES = """Examples:

    corefmill annotate serve out/wec-en --rater ann --rater ben --adjudicator eve

    corefmill annotate serve out/wikicrem-en --limit 200 --rater ann --port 9000

    corefmill annotate serve litbank.conll --task chains --rater ann --rater ben

    corefmill annotate serve out/wec-en --votes qwen.jsonl --votes llama.jsonl

    corefmill annotate serve out/wec-en --new-links

Raters elsewhere open a tunnel, and then their link: ssh -N -L 8765:127.0.0.1:8765 HOST
"""


class CorrectionTask(StrEnum):
    """What is corrected in documents."""

    chains = "chains"
    spans = "spans"


Corpus = Annotated[Path, typer.Argument(metavar="CORPUS", help="A corpus: folder or file.")]
Raters = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A rater, who gets a link or page. Repeatable."),
]
Overlap = Annotated[
    int | None, typer.Option(min=1, help="Raters of each item.", show_default="all of them")
]
Splits = Annotated[
    list[str] | None,
    typer.Option(
        help="Only items of this split. Repeatable.",
        show_default="validation and test of event mentions, else all",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="At most this many items, drawn at random. Of the others some with a known label"
        " become a practice round.",
    ),
]
Votes = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Judgements of `annotate ask` or of people, by three raters or more in all:"
        " the items of which they are least sure come first, of those that --limit"
        " drew. Repeatable.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What is asked, of whom, and where the answers are kept."""

    db: Annotated[
        Path | None,
        typer.Option(
            help="File of the answers.",
            show_default="CORPUS.answers.sqlite, with a task CORPUS.TASK.sqlite",
        ),
    ] = None
    task: Annotated[
        CorrectionTask | None,
        typer.Option(
            help="Correct the documents instead: their chains (clusters and mentions), or the spans"
            " of mentions alone."
        ),
    ] = None
    rater: Raters = None
    adjudicator: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who decides where raters disagree; gets a link."),
    ] = None
    overlap: Overlap = None
    split: Splits = None
    limit: Limit = None
    seed: Annotated[
        int | None,
        seed_option(
            "Seed of the draw and of the order. The first call sets it, and later ones keep it."
        ),
    ] = None
    votes: Votes = None
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of 127.0.0.1; 0 takes any that is free.")
    ] = 8765
    new_links: Annotated[
        bool, typer.Option("--new-links", help="New links for all; those given before end.")
    ] = False
    as_json: Json = False
    quiet: Quiet = False


@grouped
def serve(corpus: Corpus, given: ServeOptions) -> None:
    """Serve a corpus to people who judge it in a browser, by one key a decision.

    Event mentions: is it this event? Masked names: a person, which, natural with a pronoun? Pronoun
    problems: who is meant? Documents: are their utterances grammatical, acceptable? With --task
    their clusters or mentions are corrected, beginning with those of the corpus. The same command
    resumes, with the same links. `annotate answers` writes what was said, `annotate import` makes
    a corpus of it.
    """
    from corefmill.annotate.web.serving import RoundRequest, default_db
    from corefmill.annotate.web.serving import serve as run

    run(
        RoundRequest(
            corpus=corpus,
            db=given.db or default_db(corpus, given.task),
            task=given.task,
            raters=tuple(given.rater or ()),
            adjudicator=given.adjudicator,
            splits=given.split,
            limit=given.limit,
            overlap=given.overlap,
            seed=given.seed,
            port=given.port,
            new_links=given.new_links,
            votes=tuple(given.votes or ()),
        ),
        partial(_tell, as_json=given.as_json, quiet=given.quiet),
    )


def _tell(served: ServedRound, *, as_json: bool, quiet: bool) -> None:
    """Prints the links, once the pages are there."""
    if as_json:
        made = {"db": served.db, "port": served.port, "items": served.items}
        print_json({**made, "raters": list(served.raters), "links": dict(served.links)})
    else:
        if not quiet:
            print(
                f"{served.items:,} items of {served.corpus} for {', '.join(served.raters)};"
                f" answers are kept in {served.db}."
            )
        for name, link in served.links.items():
            print(f"{name}: {link}")
        if not quiet and len(served.links) < len(served.raters):
            print("Links given before go on; --new-links makes new ones. Ctrl-C ends it.")
        elif not quiet:
            print("Keep the links: they are shown once. Ctrl-C ends it, nothing is lost.")
    sys.stdout.flush()

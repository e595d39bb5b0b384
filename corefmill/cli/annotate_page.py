"""`corefmill annotate page`: the pages of `annotate serve` as files, for raters far away."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from corefmill.cli.annotate_serve import Corpus, Limit, Overlap, Raters, Splits, Votes
from corefmill.cli.plain_options import Json, Overwrite, Quiet, seed_option
from corefmill.cli.printing import print_result

EXAMPLES = """Examples:

    corefmill annotate page out/wec-en --rater ann --rater ben --out pages

    corefmill annotate page out/knowref-en --limit 200 --overlap 2 --rater ann --rater ben \\
        --rater cat --out pages

    corefmill annotate import out/wec-en wec-en-ann.jsonl wec-en-ben.jsonl --out out/wec-en-valid
"""


def page(
    corpus: Corpus,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the pages.")],
    rater: Raters = None,
    overlap: Overlap = None,
    split: Splits = None,
    limit: Limit = None,
    seed: Annotated[int, seed_option("Seed of the draw and of the order.")] = 0,
    votes: Votes = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a page for each rater: one HTML file that works by itself, to be sent by mail.

    It asks what `annotate serve` asks, keeps the answers in the browser, and asks no host for
    anything. Raters send back the answers that they download, JSON Lines: `annotate import` and
    `annotate report` read them.
    """
    from corefmill.annotate.web.mailing import write
    from corefmill.annotate.web.serving import RoundRequest

    made = write(
        RoundRequest(
            corpus=corpus,
            raters=tuple(rater or ()),
            splits=split,
            limit=limit,
            overlap=overlap,
            seed=seed,
            votes=tuple(votes or ()),
        ),
        out,
        overwrite=overwrite,
    )
    said = [
        *(f"{n}: {out / file}, {made.questions[n]:,} questions" for n, file in made.files.items()),
        f"{made.items:,} items. Each rater sends back what the page downloads.",
    ]
    result = {"out": str(out), **asdict(made)}
    print_result(result, "\n".join(said), as_json=as_json, quiet=quiet)

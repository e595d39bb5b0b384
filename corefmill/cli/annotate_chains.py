"""`corefmill annotate chains`: how far raters agree on the clusters of the same documents."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from corefmill.cli.plain_options import Draws, Json, Theirs, seed_option
from corefmill.cli.printing import print_json, table
from corefmill.corpora.errors import DataError, UsageError

EXAMPLES = """Examples:

    corefmill annotate chains ada.conll bob.conll

    corefmill annotate chains ada.jsonl bob.jsonl cy.conllu --json
"""


def chains(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Documents of one rater each, in any format."),
    ],
    form: Theirs = None,
    rounds: Draws = 1000,
    seed: Annotated[int, seed_option("Seed of these draws.")] = 0,
    as_json: Json = False,
) -> None:
    """Krippendorff's alpha over links, of all raters, and the CoNLL F1 of each pair.

    Alpha has Passonneau's distance of sets, MASI: what a rater says of a mention is its cluster. In
    ( ) the middle 95 % of draws of documents. A file's name is its rater's.
    """
    from corefmill.corpora.scoring import chain_agreement, sources

    if len(set(files)) < max(2, len(files)):
        raise UsageError("agreement is between two files or more, each of another rater")
    raters = {}
    for path in files:
        found = sources.load(path, form=form)
        if not isinstance(found, sources.Texts):
            raise DataError("holds no documents with clusters", path=path)
        raters[str(path)] = found.texts
    alpha = chain_agreement.alpha(raters, rounds, seed)
    pairs = chain_agreement.conll(raters)
    if not pairs:
        raise DataError("no two files have a document in common", path=files[0])
    if as_json:
        rows = [{"raters": names, "conll": value} for names, value in pairs.items()]
        print_json({"alpha": asdict(alpha), "pairs": rows})
        return
    shown = "-" if alpha.value is None else f"{alpha.value:.3f}"
    if alpha.low is not None and alpha.high is not None:
        shown += f" ({alpha.low:.3f} to {alpha.high:.3f})"
    print(f"Krippendorff's alpha over links: {shown}\n")
    cells = [(*names, f"{100 * value:.2f}") for names, value in pairs.items()]
    print(table(("pair", "", "CoNLL F1"), cells, 1))

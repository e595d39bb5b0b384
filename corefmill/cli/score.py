"""`corefmill score`: a response against a key."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from corefmill.cli.options import grouped
from corefmill.cli.plain_options import Json, Theirs, seed_option
from corefmill.cli.printing import print_json
from corefmill.corpora.errors import UsageError
from corefmill.corpora.patterns import GENRE, AnyPattern, given

EXAMPLES = """Examples:

    corefmill score key.conll response.conll

    corefmill score key.conll response.conll --metrics muc,bcub,ceafe --by genre

    corefmill score key.conll ours.conll --against theirs.conll --bootstrap 1000

    corefmill score dev_mentions.json predicted.json --group topic

    corefmill score gap-development.tsv answers.tsv --json
"""


class SingletonsKept(StrEnum):
    """What becomes of entities of one mention."""

    keep = "keep"
    drop = "drop"


class Unmatched(StrEnum):
    """What becomes of documents that do not match."""

    refuse = "refuse"
    ignore = "ignore"


class By(StrEnum):
    """What further tables there are."""

    document = "document"
    genre = "genre"


class Style(StrEnum):
    """How tables look."""

    plain = "plain"
    markdown = "markdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """What is counted, what is drawn to say how sure a score is, and what is printed."""

    against: Annotated[
        Path | None,
        typer.Option(help="A second response: tests how its scores differ from the first's."),
    ] = None
    metrics: Annotated[
        str,
        typer.Option(
            help="muc, bcub (or b3), ceafe, ceafm, lea, blanc, separated by commas; conll stands"
            " for the first three, all for all of them."
        ),
    ] = "all"
    singletons: Annotated[
        SingletonsKept,
        typer.Option(
            help="drop takes entities of one mention out of both sides, as is right for"
            " OntoNotes, which has none."
        ),
    ] = SingletonsKept.keep
    unmatched: Annotated[
        Unmatched,
        typer.Option(
            help="ignore does as the reference scorer where the response lacks documents, or has"
            " others or other tokens: what is not there counts as empty."
        ),
    ] = Unmatched.refuse
    by: Annotated[
        list[By] | None, typer.Option(help="Also a table by document or genre. Repeatable.")
    ] = None
    genre: Annotated[
        str,
        typer.Option(
            metavar="REGEX",
            help="What of a document's name is its genre, where the corpus does not say: the"
            " group of this expression, matched from the start (RE2: no look-around, no"
            " back-references).",
        ),
    ] = GENRE.pattern
    group: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Event mentions: documents are those with the same KEY in meta, such as topic,"
            " or in the same article.",
            show_default="all are one document",
        ),
    ] = None
    bootstrap: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="95 % intervals from N draws of documents; with --against, N draws and N random"
            " exchanges (10000 if not given).",
        ),
    ] = None
    seed: Annotated[int, seed_option("Seed of these draws.")] = 42
    form: Theirs = None
    style: Annotated[
        Style, typer.Option("--format", help="How tables look.", show_default=True)
    ] = Style.plain
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the numbers without remarks.")
    ] = False
    as_json: Json = False


@grouped
def score(
    key: Annotated[
        Path, typer.Argument(help="The right clusters or answers: a file, or a folder of *conll.")
    ],
    response: Annotated[
        Path, typer.Argument(help="The clusters or answers to score, in any format.")
    ],
    options: ScoreOptions,
) -> None:
    """Score clusters, answers to GAP or masked examples, without Perl.

    MUC, B3, CEAFe, CEAFm, BLANC and the CoNLL mean have the counts of the reference scorer 8.01,
    duplicate mentions included; LEA counts an entity of one mention as a link to itself. Spans must
    be the same, singletons count as they stand in the files, counts are summed over documents.
    Percentages are rounded, where the reference scorer cuts them off.
    """
    from corefmill.corpora.scoring import sources
    from corefmill.corpora.scoring.metrics import named
    from corefmill.corpora.scoring.report import ScoreReport
    from corefmill.corpora.scoring.resample import compare, intervals
    from corefmill.corpora.scoring.score import score as count

    pattern = _pattern(options.genre)
    named(options.metrics)
    right = sources.load(key, form=options.form, group=options.group)
    paths = [response] if options.against is None else [response, options.against]
    tables = [
        count(
            right,
            path,
            metrics=options.metrics,
            singletons=options.singletons.value,
            unmatched=options.unmatched.value,
            genre=pattern,
            form=options.form,
            group=options.group,
        )
        for path in paths
    ]
    draws, seed = options.bootstrap, options.seed
    number = 10_000 if draws is None else draws
    report = ScoreReport(
        key=key,
        responses=paths,
        tables=tables,
        intervals=None if draws is None else [intervals(table, draws, seed) for table in tables],
        differences=compare(tables[0], tables[1], number, seed) if options.against else None,
        draws=number,
        seed=seed,
        singletons=options.singletons.value if isinstance(right, sources.Texts) else None,
        by=[one.value for one in options.by or ()],
    )
    if options.as_json:
        print_json(report.as_json())
    else:
        print(report.as_text(markdown=options.style is Style.markdown, quiet=options.quiet))


def _pattern(genre: str) -> AnyPattern:
    try:
        return given(genre)
    except ValueError as error:
        raise UsageError(f"--genre {genre!r} is no regular expression: {error}") from None

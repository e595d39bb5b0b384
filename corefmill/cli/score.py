"""`corefmill score`: a response against a key."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.cli.grouping import grouped
from corefmill.cli.printing import print_json
from corefmill.cli.score_options import (
    Guideline,
    MatchedBy,
    ScoreOptions,
    SingletonsKept,
    Unmatched,
    Zeros,
)
from corefmill.corpora.cycles import no_search_for_cycles
from corefmill.corpora.errors import UsageError
from corefmill.corpora.patterns import AnyPattern, given

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corefmill.corpora.scoring.report import ScoreReport
    from corefmill.corpora.scoring.resample import Difference, Interval
    from corefmill.corpora.scoring.signature import Signature
    from corefmill.corpora.scoring.sources import Source
    from corefmill.corpora.scoring.table import ScoreTable

EXAMPLES = """Examples:

    corefmill score key.conll response.conll

    corefmill score key.conll response.conll --metrics muc,bcub,ceafe --by genre

    corefmill score key.conll ours.conll --against theirs.conll --bootstrap 1000

    corefmill score dev_mentions.json predicted.json --group topic

    corefmill score gap-development.tsv answers.tsv --json

    corefmill score key.conllu response.conllu --match head --singletons drop

    corefmill score key.conllu response.conllu --match head --by class --by distance

    corefmill score key.conllu response.conllu --signature 'clusters|metrics:muc+...'
"""


@grouped
def score(
    key: Annotated[
        Path,
        typer.Argument(
            help="The right clusters or answers: a file, or a folder of *conll; with --match of"
            " *.conllu."
        ),
    ],
    response: Annotated[
        Path, typer.Argument(help="The clusters or answers to score, in any format.")
    ],
    options: ScoreOptions,
) -> None:
    """Score clusters, answers to GAP or masked examples, without Perl.

    MUC, B3, CEAFe, CEAFm, BLANC and the CoNLL mean have the counts of the reference scorer 8.01,
    duplicate mentions included; LEA counts an entity of one mention as a link to itself. Two
    mentions match if their spans are equal. Singletons are scored as the files have them. Counts
    are summed over documents. Percentages are rounded; the reference scorer truncates them.

    With --match the rules are those of corefud-scorer 1.2, which ranks by --match head
    --singletons drop. The signature under a score names the metrics and rules behind it: compare
    only scores with the same signature.
    """
    report = _report(key, response, options)
    if options.as_json:
        print_json(report.as_json(), signature=report.signature)
    else:
        print(report.as_text(markdown=options.as_markdown, quiet=options.quiet))


def _report(key: Path, response: Path, options: ScoreOptions) -> ScoreReport:
    from corefmill.corpora.scoring import signature, sources
    from corefmill.corpora.scoring.report import ScoreReport

    pattern = _pattern(options.genre)
    wanted = None if options.signature is None else signature.parsed(options.signature)
    if wanted is not None:
        options = _as_signed(options, wanted)
        wanted.check(key)
    responses = [response] if options.against is None else [response, options.against]
    right, tables = _counted(key, responses, options, pattern)
    clusters = isinstance(right, sources.Texts)
    made = signature.of_table(
        tables[0],
        key,
        clusters=clusters,
        draws=options.draws() if options.resamples else None,
        seed=options.seed,
        **options.rules(),
    )
    if wanted is not None and wanted.fields["version"] != made.fields["version"]:
        said = f"the signature is of corefmill {wanted.fields['version']}"
        tables = [replace(table, notes=(*table.notes, said)) for table in tables]
    drawn, differences = _resampled(tables, options)
    measured = [measure.name for measure in tables[0].measures]
    return ScoreReport(
        key=key,
        responses=responses,
        tables=tables,
        intervals=drawn,
        differences=differences,
        draws=options.draws(),
        seed=options.seed,
        singletons=options.singletons.value if clusters else None,
        by=options.groupings(),
        signature=str(made),
        matching=options.matching(),
        cite=signature.cited(measured, made.fields.get("rules")) if options.cite else (),
    )


def _counted(
    key: Path, responses: Sequence[Path], options: ScoreOptions, genre: AnyPattern
) -> tuple[Source, list[ScoreTable]]:
    """The key as it was read, and the counts of each response against it."""
    from corefmill.corpora.scoring import sources
    from corefmill.corpora.scoring.metrics import METRICS, NODE_METRICS, named
    from corefmill.corpora.scoring.score import score as count

    rules, classes = options.rules(), options.classes()
    nodes = rules["matching"] is not None
    named(options.metrics, NODE_METRICS if nodes else METRICS)  # before files are read
    with no_search_for_cycles():
        right = sources.load(
            key,
            form=options.form,
            group=options.group,
            nodes=nodes,
            columns=bool(options.left_out or classes),
        )
        tables = [
            count(
                right,
                path,
                metrics=options.metrics,
                genre=genre,
                by=classes,
                form=options.form,
                **rules,
            )
            for path in responses
        ]
    return right, tables


def _resampled(
    tables: Sequence[ScoreTable], options: ScoreOptions
) -> tuple[list[dict[str, tuple[Interval, ...]]] | None, dict[str, Difference] | None]:
    """The intervals of each response, and how two differ, where they were asked for."""
    if not options.resamples:
        return None, None
    from corefmill.corpora.scoring.resample import compare, intervals

    draws, seed = options.draws(), options.seed
    return (
        None if options.bootstrap is None else [intervals(one, draws, seed) for one in tables],
        None if options.against is None else compare(tables[0], tables[1], draws, seed),
    )


def _pattern(genre: str) -> AnyPattern:
    try:
        return given(genre)
    except ValueError as error:
        raise UsageError(f"--genre {genre!r} is no regular expression: {error}") from None


_SIGNED = [
    "metrics",
    "match",
    "zeros",
    "singletons",
    "left_out",
    "unmatched",
    "group",
    "bootstrap",
    "seed",
]
"""Options that a signature gives."""


def _as_signed(options: ScoreOptions, wanted: Signature) -> ScoreOptions:
    """The options with which a score of this signature was made."""
    plain = ScoreOptions()
    for name in _SIGNED:
        if getattr(options, name) != getattr(plain, name):
            flag = "leave-out" if name == "left_out" else name
            said = f"--signature says what --{flag} is"
            raise UsageError(said, remedy="give one of the two, not both")
    fields, matching, seed = wanted.fields, wanted.matching, wanted.number("seed")
    found = replace(
        options,
        group=fields.get("group"),
        bootstrap=wanted.number("bootstrap"),
        seed=options.seed if seed is None else seed,
    )
    if wanted.what != "clusters":
        return found
    return replace(
        found,
        metrics=fields["metrics"].replace("+", ","),
        match=None if matching is None else MatchedBy(matching.how),
        zeros=None if matching is None else Zeros(matching.zeros),
        singletons=SingletonsKept(fields.get("singletons", "keep")),
        left_out=[Guideline(one) for one in fields.get("left-out", "").split("+") if one],
        unmatched=Unmatched(fields.get("unmatched", "refuse")),
    )

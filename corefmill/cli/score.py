"""`corefmill score`: a response against a key."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corefmill.cli.command import Argument
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
from corefmill.corpora.patterns import given

if TYPE_CHECKING:
    from corefmill.corpora.scoring.report import ScoreReport
    from corefmill.corpora.scoring.signature import Signature


def score(
    key: Annotated[
        Path,
        Argument(
            help="The right clusters or answers: a file, or a folder of *conll; with --match of"
            " *.conllu."
        ),
    ],
    response: Annotated[Path, Argument(help="The clusters or answers to score, in any format.")],
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

    Examples:
        corefmill score key.conll response.conll
        corefmill score key.conll response.conll --metrics muc,bcub,ceafe --by genre
        corefmill score key.conll ours.conll --against theirs.conll --bootstrap 1000
        corefmill score dev_mentions.json predicted.json --group topic
        corefmill score gap-development.tsv answers.tsv --json
        corefmill score key.conllu response.conllu --match head --singletons drop
        corefmill score key.conllu response.conllu --match head --by class --by distance
        corefmill score key.conllu response.conllu --signature 'clusters|metrics:muc+...'
    """
    report = _report(key, response, options)
    if options.as_json:
        print_json(report.as_json(), signature=str(report.table.signature))
    else:
        print(report.as_text(markdown=options.as_markdown, quiet=options.quiet))


def _report(key: Path, response: Path, options: ScoreOptions) -> ScoreReport:
    from corefmill.corpora.scoring import signature
    from corefmill.corpora.scoring.report import ScoreReport
    from corefmill.corpora.scoring.score import score as count

    pattern = _pattern(options.genre)
    wanted = None if options.signature is None else signature.parsed(options.signature)
    if wanted is not None:
        options = _as_signed(options, wanted)
        wanted.check(key)
    with no_search_for_cycles():
        table = count(
            key,
            response,
            against=options.against,
            genre=pattern,
            by=options.classes(),
            **options.rules(),
        )
    made = table.signature
    assert made is not None
    if wanted is not None and wanted.fields["version"] != made.fields["version"]:
        said = f"the signature is of corefmill {wanted.fields['version']}"
        other = table.against and replace(table.against, notes=(*table.against.notes, said))
        table = replace(table, notes=(*table.notes, said), against=other)
    measured = [measure.name for measure in table.measures]
    return ScoreReport(
        key=key,
        responses=[response] if options.against is None else [response, options.against],
        table=table,
        draws=options.draws(),
        seed=options.seed,
        singletons=options.singletons.value if made.what == "clusters" else None,
        by=options.groupings(),
        matching=made.matching,
        cite=signature.cited(measured, made.fields.get("rules")) if options.cite else (),
    )


def _pattern(genre: str) -> re.Pattern[str]:
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

"""`corefmill score`: a response against a key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Json, Markdown, Quiet, Theirs, seed_option
from corefmill.cli.printing import print_json
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.scoring.coreference import GENRE, compile_pattern

if TYPE_CHECKING:
    from corefmill.corpora.scoring.report import ScoreReport


class SingletonsKept(StrEnum):
    """Treatment of entities with one mention."""

    keep = "keep"
    drop = "drop"


class Unmatched(StrEnum):
    """Treatment of documents without a counterpart."""

    refuse = "refuse"
    ignore = "ignore"


class MatchedBy(StrEnum):
    """When two mentions of CoNLL-U are the same."""

    exact = "exact"
    head = "head"
    partial = "partial"


class Zeros(StrEnum):
    """Treatment of zero mentions."""

    none = "none"
    linear = "linear"
    dependent = "dependent"


class By(StrEnum):
    """Keys of the further tables."""

    document = "document"
    genre = "genre"
    language = "language"
    class_ = "class"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """Metrics, matching, confidence intervals and output of a score."""

    against: Annotated[
        Path | None,
        Option(help="A second response: tests how its scores differ from the first's."),
    ] = None
    metrics: Annotated[
        str,
        Option(
            help="muc, bcub (or b3), ceafe, ceafm, lea, blanc, separated by commas; conll stands"
            " for the first three, all for all of them. With --match or --zeros also mor (mention"
            " overlap ratio) and zero (zero anaphors)."
        ),
    ] = "all"
    match: Annotated[
        MatchedBy | None,
        Option(
            help="For CoNLL-U with Entity, when two mentions match, by the rules of"
            " corefud-scorer 1.2: exact, if they have the same nodes; head, if they have"
            " the same head; partial, if the response's is a part of the key's that"
            " includes its head.",
            default="equal spans, in any format",
        ),
    ] = None
    zeros: Annotated[
        Zeros | None,
        Option(
            help="With --match: none leaves zero mentions out, linear matches them by their place,"
            " dependent by DEPS of their heads.",
            default="dependent, as CRAC ranks",
        ),
    ] = None
    singletons: Annotated[
        SingletonsKept,
        Option(
            help="drop takes entities of one mention out of both sides, as is right for"
            " OntoNotes, which has none."
        ),
    ] = SingletonsKept.keep
    unmatched: Annotated[
        Unmatched,
        Option(
            help="If the response lacks documents, or has other documents or other tokens:"
            " refuse is an error; ignore scores as the reference scorer does, a missing"
            " document as one without mentions."
        ),
    ] = Unmatched.refuse
    by: Annotated[
        list[By] | None,
        Option(
            help="Also a table by document, genre or language; with --match of mentions and"
            " anaphors by class (pronoun, zero, name, nominal). Repeatable."
        ),
    ] = None
    genre: Annotated[
        str,
        Option(
            metavar="REGEX",
            help="Finds a document's genre in its name, if the corpus does not state it: the"
            " group of this regular expression, matched from the start (RE2: no"
            " look-around, no back-references).",
        ),
    ] = GENRE.pattern
    group: Annotated[
        str | None,
        Option(
            metavar="KEY",
            help="For event mentions: score those with the same value of KEY in meta, such"
            " as topic, as one document; the KEY article takes those of one article.",
            default="all are one document",
        ),
    ] = None
    bootstrap: Annotated[
        int | None,
        Option(
            metavar="N",
            help="Print 95 % intervals from N draws of documents. With --against, N is also"
            " the number of random exchanges that test the difference (10000 if not"
            " given).",
        ),
    ] = None
    seed: Annotated[int, seed_option("Seed of these draws.")] = 0
    form: Theirs = None
    as_markdown: Markdown = False
    quiet: Quiet = False
    as_json: Json = False

    def rules(self) -> dict[str, Any]:
        """Return what decides the counts and draws, as `scoring.score.score` takes it."""
        return {
            "metrics": self.metrics,
            "match": self.match and self.match.value,
            "zeros": self.zeros and self.zeros.value,
            "singletons": self.singletons.value,
            "unmatched": self.unmatched.value,
            "form": self.form,
            "group": self.group,
            "by_class": By.class_ in (self.by or ()),
            "bootstrap": self.bootstrap,
            "seed": self.seed,
        }

    def groupings(self) -> list[str]:
        """Return the keys of the tables of documents, each once."""
        return list(dict.fromkeys(one.value for one in self.by or () if one is not By.class_))


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
        corefmill score key.conllu response.conllu --match head --by class
    """
    report = _report(key, response, options)
    if options.as_json:
        print_json(report.as_json(), signature=str(report.table.signature))
    else:
        print(report.as_text(markdown=options.as_markdown, quiet=options.quiet))


def _report(key: Path, response: Path, options: ScoreOptions) -> ScoreReport:
    from corefmill.corpora.scoring.report import ScoreReport
    from corefmill.corpora.scoring.score import score as count

    table = count(
        key,
        response,
        against=options.against,
        genre=_pattern(options.genre),
        **options.rules(),
    )
    return ScoreReport(
        key=key,
        responses=[response] if options.against is None else [response, options.against],
        table=table,
        by=options.groupings(),
    )


def _pattern(genre: str) -> re.Pattern[str]:
    try:
        return compile_pattern(genre)
    except ValueError as error:
        raise UsageError(f"--genre {genre!r} is no regular expression: {error}") from None

"""`corefmill score`: a response against a key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Columns, Json, Lenient, Markdown, Quiet, Theirs, seed_option
from corefmill.cli.printing import print_json
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.scoring.coreference import GENRE, compile_pattern


class SingletonsKept(StrEnum):
    """Treatment of entities with one mention: keep them, or drop them from both sides."""

    keep = "keep"
    drop = "drop"


class Unmatched(StrEnum):
    """Treatment of documents without a counterpart: refuse the files, or ignore the gap."""

    refuse = "refuse"
    ignore = "ignore"


class MatchedBy(StrEnum):
    """Matching of two mentions of CoNLL-U: the same nodes, the same head, or a part with it."""

    exact = "exact"
    head = "head"
    partial = "partial"


class Zeros(StrEnum):
    """Treatment of zero mentions."""

    none = "none"
    linear = "linear"
    dependent = "dependent"


class By(StrEnum):
    """Groupings of the further tables: document, genre, language, or class of mention."""

    document = "document"
    genre = "genre"
    language = "language"
    class_ = "class"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """Metrics, matching, confidence intervals and output of a score."""

    against: Annotated[
        Path | None,
        Option(help="Second response to compare with the first, by significance tests."),
    ] = None
    metrics: Annotated[
        str,
        Option(
            help="Metrics to compute, separated by commas: muc, bcub (or b3), ceafe, ceafm, lea,"
            " blanc; conll for muc,bcub,ceafe; all. With --match or --zeros also mor (mention"
            " overlap ratio) and zero (zero anaphors)."
        ),
    ] = "all"
    match: Annotated[
        MatchedBy | None,
        Option(
            help="How to match mentions in CoNLL-U, by the rules of corefud-scorer 1.2: exact, by"
            " the same nodes; head, by the same head; partial, by a part of the key's mention with"
            " its head.",
            default="equal spans, in any format",
        ),
    ] = None
    zeros: Annotated[
        Zeros | None,
        Option(
            help="How to treat zero mentions in CoNLL-U: none leaves them out, linear matches them"
            " by their place, dependent by the DEPS of their heads.",
            default="dependent, as CRAC ranks",
        ),
    ] = None
    singletons: Annotated[
        SingletonsKept,
        Option(
            help="What to do with entities of one mention: keep them, or drop them from key and"
            " response, as for OntoNotes, which has none."
        ),
    ] = SingletonsKept.keep
    unmatched: Annotated[
        Unmatched,
        Option(
            help="What to do if the response has other documents or tokens than the key: refuse"
            " it with an error, or ignore the differences as the reference scorer does, which takes"
            " a missing document for one without mentions."
        ),
    ] = Unmatched.refuse
    by: Annotated[
        list[By] | None,
        Option(
            help="Add a table by document, genre or language; with --match also by the class of"
            " mentions and anaphors (pronoun, zero, name, nominal). Repeatable."
        ),
    ] = None
    genre: Annotated[
        str,
        Option(
            metavar="REGEX",
            help="Regular expression whose group is the genre, matched from the start of a"
            " document's name, if the corpus does not state genres (RE2: no look-around, no"
            " back-references).",
        ),
    ] = GENRE.pattern
    group: Annotated[
        str | None,
        Option(
            metavar="KEY",
            help="Score event mentions with the same value of this key of meta, such as topic, as"
            " one document; article groups by the article of each mention.",
            default="all are one document",
        ),
    ] = None
    bootstrap: Annotated[
        int | None,
        Option(
            metavar="N",
            help="Print 95 % intervals from N bootstrap draws of documents. With --against, test"
            " the difference by N random swaps of both systems' documents (default: 10000).",
        ),
    ] = None
    seed: Annotated[int, seed_option("Seed of the draws of --bootstrap.")] = 0
    form: Theirs = None
    columns: Columns = None
    lenient: Lenient = False
    as_markdown: Markdown = False
    quiet: Quiet = False
    as_json: Json = False

    def list_rules(self) -> dict[str, Any]:
        """List the settings of counts and draws, the keyword arguments of `scoring.score.score`."""
        return {
            "metrics": self.metrics,
            "match": self.match and self.match.value,
            "zeros": self.zeros and self.zeros.value,
            "singletons": self.singletons.value,
            "unmatched": self.unmatched.value,
            "form": self.form,
            "layout": self.columns,
            "group": self.group,
            "by_class": By.class_ in (self.by or ()),
            "bootstrap": self.bootstrap,
            "seed": self.seed,
        }

    def list_groupings(self) -> list[str]:
        """List the groupings of the further tables, each once; without the table by class."""
        return list(dict.fromkeys(one.value for one in self.by or () if one is not By.class_))


def score(
    key: Annotated[
        Path,
        Argument(
            help="Key with the right clusters or answers: a file, or a folder of *conll; with"
            " --match of *.conllu."
        ),
    ],
    response: Annotated[
        Path, Argument(help="Response with the clusters or answers to score, in any format.")
    ],
    options: ScoreOptions,
) -> None:
    """Score clusters, answers to GAP, or masked examples, without Perl.

    MUC, B3, CEAFe, CEAFm, BLANC and the CoNLL mean have the counts of the reference scorer 8.01,
    duplicate mentions included; LEA counts an entity of one mention as a link to itself. Two
    mentions match if their spans are equal. Singletons are scored as the files have them. Counts
    are summed over documents. Percentages are rounded; the reference scorer truncates them.

    With --match the rules are those of corefud-scorer 1.2; CRAC ranks by --match head --singletons
    drop. The signature under a score names its metrics and rules: compare only scores with the
    same signature.

    Examples:
        corefmill score key.conll response.conll
        corefmill score key.conll response.conll --metrics muc,bcub,ceafe --by genre
        corefmill score key.conll ours.conll --against theirs.conll --bootstrap 1000
        corefmill score dev_mentions.json predicted.json --group topic
        corefmill score gap-development.tsv answers.tsv --json
        corefmill score key.conllu response.conllu --match head --singletons drop
        corefmill score key.conllu response.conllu --match head --by class
    """
    from corefmill.corpora.formats.bad_mentions import lenient
    from corefmill.corpora.scoring.report import ScoreReport
    from corefmill.corpora.scoring.score import score as count

    with lenient(options.lenient):
        table = count(
            key,
            response,
            against=options.against,
            genre=_compile_genre(options.genre),
            **options.list_rules(),
        )
    responses = [response] if options.against is None else [response, options.against]
    report = ScoreReport(key=key, responses=responses, table=table, by=options.list_groupings())
    if options.as_json:
        print_json(report.as_json(), signature=str(table.signature))
    else:
        print(report.as_text(markdown=options.as_markdown, quiet=options.quiet))


def _compile_genre(genre: str) -> re.Pattern[str]:
    """Compile the expression of --genre; raise `UsageError` for an invalid one."""
    try:
        return compile_pattern(genre)
    except ValueError as error:
        raise UsageError(f"--genre {genre!r} is not a regular expression: {error}") from None

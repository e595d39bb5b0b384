"""`corefmill score`: a response against a key."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from corefmill.cli.grouping import grouped
from corefmill.cli.plain_options import Json, Markdown, Quiet, Theirs, seed_option
from corefmill.cli.printing import print_json
from corefmill.corpora.errors import UsageError
from corefmill.corpora.patterns import GENRE, AnyPattern, given

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corefmill.corpora.scoring.columns import MentionClass
    from corefmill.corpora.scoring.matching import Matching
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


class SingletonsKept(StrEnum):
    """What becomes of entities of one mention."""

    keep = "keep"
    drop = "drop"


class Unmatched(StrEnum):
    """What becomes of documents that do not match."""

    refuse = "refuse"
    ignore = "ignore"


class MatchedBy(StrEnum):
    """When two mentions of CoNLL-U are the same."""

    exact = "exact"
    head = "head"
    partial = "partial"


class Zeros(StrEnum):
    """What becomes of zero mentions."""

    none = "none"
    linear = "linear"
    dependent = "dependent"


class By(StrEnum):
    """What further tables there are."""

    document = "document"
    genre = "genre"
    language = "language"
    class_ = "class"
    type = "type"
    distance = "distance"


class Guideline(StrEnum):
    """Mentions that some guidelines mark and others do not."""

    relatives = "relatives"
    appositions = "appositions"


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
            " for the first three, all for all of them. With --match or --zeros also mor (mention"
            " overlap ratio) and zero (zero anaphors)."
        ),
    ] = "all"
    match: Annotated[
        MatchedBy | None,
        typer.Option(
            help="CoNLL-U with Entity: when two mentions match, as corefud-scorer 1.2 has it: the"
            " same nodes, the same head, or a part of the key's mention that has its head.",
            show_default="equal spans, in any format",
        ),
    ] = None
    zeros: Annotated[
        Zeros | None,
        typer.Option(
            help="With --match: none leaves zero mentions out, linear matches them by their place,"
            " dependent by DEPS of their heads.",
            show_default="dependent, as CRAC ranks",
        ),
    ] = None
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
    left_out: Annotated[
        list[Guideline] | None,
        typer.Option(
            "--leave-out",
            help="With --match, by the key's columns, from both sides: relative pronouns"
            " (PronType=Rel), or appositions (appos to a word of their entity). Repeatable.",
        ),
    ] = None
    by: Annotated[
        list[By] | None,
        typer.Option(
            help="Also a table by document, genre or language; with --match of mentions and"
            " anaphors by class (pronoun, zero, name, nominal), by type (the etype of Entity) or by"
            " distance from the antecedent. Repeatable."
        ),
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
            help="Event mentions alone: documents are those with the same KEY in meta, such as"
            " topic, or in the same article.",
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
    seed: Annotated[int, seed_option("Seed of these draws.")] = 0
    signature: Annotated[
        str | None,
        typer.Option(
            metavar="SIGNATURE",
            help="Score as the score with this signature was; another key is an error.",
        ),
    ] = None
    cite: Annotated[
        bool, typer.Option("--cite", help="Also print BibTeX of the metrics and rules used.")
    ] = False
    form: Theirs = None
    as_markdown: Markdown = False
    quiet: Quiet = False
    as_json: Json = False

    @property
    def resamples(self) -> bool:
        """Whether documents are drawn at all."""
        return self.bootstrap is not None or self.against is not None

    def draws(self) -> int:
        """How many draws of documents."""
        return 10_000 if self.bootstrap is None else self.bootstrap

    def guidelines(self) -> list[str]:
        """Those whose mentions are left out, each once."""
        return list(dict.fromkeys(one.value for one in self.left_out or ()))

    def classes(self) -> list[MentionClass]:
        """The classes by which mentions are counted, in the order in which all are listed."""
        from corefmill.corpora.scoring.columns import MentionClass

        return [one for one in get_args(MentionClass) if one in {by.value for by in self.by or ()}]

    def groupings(self) -> list[str]:
        """What documents are grouped by, each once."""
        given = dict.fromkeys(one.value for one in self.by or ())
        return [one for one in given if one not in self.classes()]


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
    duplicate mentions included; LEA counts an entity of one mention as a link to itself. Spans must
    be the same, singletons count as they stand in the files, counts are summed over documents.
    Percentages are rounded, where the reference scorer cuts them off.

    With --match the rules are those of corefud-scorer 1.2, which ranks by --match head
    --singletons drop. The signature under a score says what it means; two scores compare where
    theirs are the same.
    """
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
        matching=_matching(options),
        singletons=options.singletons.value,
        unmatched=options.unmatched.value,
        left_out=options.guidelines(),
        group=options.group,
        draws=options.draws() if options.resamples else None,
        seed=options.seed,
    )
    if wanted is not None and wanted.fields["version"] != made.fields["version"]:
        said = f"the signature is of corefmill {wanted.fields['version']}"
        tables = [replace(table, notes=(*table.notes, said)) for table in tables]
    drawn, differences = _resampled(tables, options)
    measured = [measure.name for measure in tables[0].measures]
    report = ScoreReport(
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
        matching=_matching(options),
        cite=signature.cited(measured, made.fields.get("rules")) if options.cite else (),
    )
    if options.as_json:
        print_json(report.as_json(), signature=str(made))
    else:
        print(report.as_text(markdown=options.as_markdown, quiet=options.quiet))


def _counted(
    key: Path, responses: Sequence[Path], options: ScoreOptions, genre: AnyPattern
) -> tuple[Source, list[ScoreTable]]:
    """The key as it was read, and the counts of each response against it."""
    from corefmill.corpora.scoring import sources
    from corefmill.corpora.scoring.metrics import METRICS, NODE_METRICS, named
    from corefmill.corpora.scoring.score import score as count

    matching, classes, left_out = _matching(options), options.classes(), options.guidelines()
    named(options.metrics, METRICS if matching is None else NODE_METRICS)  # before files are read
    with sources.no_search_for_cycles():
        right = sources.load(
            key,
            form=options.form,
            group=options.group,
            nodes=matching is not None,
            columns=bool(left_out or classes),
        )
        tables = [
            count(
                right,
                path,
                metrics=options.metrics,
                singletons=options.singletons.value,
                unmatched=options.unmatched.value,
                genre=genre,
                matching=matching,
                left_out=left_out,  # type: ignore[arg-type]
                by=classes,
                form=options.form,
                group=options.group,
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

    drawn = differences = None
    if options.bootstrap is not None:
        drawn = [intervals(table, options.bootstrap, options.seed) for table in tables]
    if options.against is not None:
        differences = compare(tables[0], tables[1], options.draws(), options.seed)
    return drawn, differences


def _pattern(genre: str) -> AnyPattern:
    try:
        return given(genre)
    except ValueError as error:
        raise UsageError(f"--genre {genre!r} is no regular expression: {error}") from None


def _matching(options: ScoreOptions) -> Matching | None:
    """How mentions are compared; None where --match and --zeros are not given."""
    from corefmill.corpora.scoring.matching import Matching

    if options.match is None and options.zeros is None:
        return None
    how = MatchedBy.exact if options.match is None else options.match
    zeros = Zeros.dependent if options.zeros is None else options.zeros
    return Matching(how.value, zeros.value)


_SIGNED = ["metrics", "match", "zeros", "singletons", "left_out", "unmatched", "group"]
_SIGNED += ["bootstrap", "seed"]
"""Options that a signature gives."""


def _as_signed(options: ScoreOptions, wanted: Signature) -> ScoreOptions:
    """The options with which a score of this signature was made."""
    plain = ScoreOptions()
    given = [name for name in _SIGNED if getattr(options, name) != getattr(plain, name)]
    if given:
        name = "leave-out" if given[0] == "left_out" else given[0]
        raise UsageError(
            f"--signature says what --{name} is", remedy="give one of the two, not both"
        )
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

"""`corefmill annotate report` and `chains`: the raters' answers and their agreement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Draws, Json, Theirs, seed_option
from corefmill.cli.printing import many, print_json, table
from corefmill.corpora import card_parts
from corefmill.corpora.files.errors import DataError, UsageError

if TYPE_CHECKING:
    from corefmill.annotate.summary import QuestionSummary, WithModel
    from corefmill.corpora.scoring.agreement import Estimate


Block = tuple[str, Sequence[str], Sequence[Sequence[str]], int]
"""A table's title, head and rows, and how many of the last columns are numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """The tests of models, the draws, and the form of the report."""

    min_people: Annotated[
        int,
        Option(min=2, help="Minimum number of people for an alt-test; its authors advise three."),
    ] = 3
    epsilon: Annotated[
        float,
        Option(
            min=0,
            max=1,
            help="Handicap of people in the alt-test, since they cost more than a model: 0.1 for"
            " crowd-workers, 0.15 for skilled raters, 0.2 for experts.",
        ),
    ] = 0.1
    models: Annotated[
        bool, Option("--models", help="Include questions with answers of models alone.")
    ] = False
    rounds: Draws = 1000
    seed: Annotated[int, seed_option("Seed of the draws of --bootstrap.")] = 0
    as_json: Json = False


def report(
    files: Annotated[
        list[Path],
        Argument(
            metavar="FILE...",
            help="Files of answers, written by `annotate serve` or in JSON Lines.",
        ),
    ],
    given: ReportOptions,
) -> None:
    """Report the shares of answers, agreement and pace for each question, without and with models.

    The report is Markdown. In ( ) are 95 % intervals: of shares Wilson's, with a model by PPI++; of
    agreement by bootstrap over items. A share with a model holds only where the items that people
    answered are a random draw.

    Examples:
        corefmill annotate report out/wec-en.answers.sqlite
        corefmill annotate report people.jsonl model.jsonl --epsilon 0.15 > report.md
        corefmill annotate report people.jsonl model.jsonl --json
    """
    from corefmill.annotate import judgements, summary

    settings = summary.SummarySettings(
        rounds=given.rounds, seed=given.seed, epsilon=given.epsilon, least_people=given.min_people
    )
    said = summary.group_by_question(chain.from_iterable(map(judgements.read_any, files)))
    if not said:
        raise DataError("the file holds no judgement", path=files[0])
    answered = {
        question: own
        for question, own in said.items()
        if given.models or any(one.person for one in own)
    }
    left = [question for question in said if question not in answered]
    if not answered:
        raise UsageError(
            f"only models answered the question {left[0]!r}, and the report is of people's answers",
            remedy="--models adds a report of the models' answers",
        )
    found = [summary.summarise(question, own, settings) for question, own in answered.items()]
    if given.as_json:
        print_json({"questions": [asdict(one) for one in found], "models_only": left})
        return
    print("# What the raters said")
    for one in found:
        skipped = f", {one.skipped:,} skipped" if one.skipped else ""
        pace = f"; a person takes {one.seconds:.1f} s an item (median)" if one.seconds else ""
        dates = f"; {one.first} to {one.last}" if one.first else ""
        size = (
            f"{one.items:,} items, {one.answers:,} answers{skipped}, by"
            f" {many(one.people, 'person')} and {many(one.models, 'model')}{pace}{dates}"
        )
        print(f"\n## {card_parts.plain(one.question)}\n\n{card_parts.plain(size)}")
        for title, head, rows, numbers in _make_blocks(one):
            escaped = [[card_parts.plain(cell) for cell in row] for row in rows]
            print("", f"{title}:", "", *card_parts.table(head, escaped, numbers), sep="\n")
    if left:
        listed = ", ".join(map(card_parts.plain, left))
        print(f"\nAnswered by models alone, and left out (--models reports them): {listed}.")


def _make_blocks(one: QuestionSummary) -> Iterator[Block]:
    """Make the tables of a question: shares, with a model, the alt-test, agreement, raters."""
    if one.shares:
        shares = [(answer, _format_share(own)) for answer, own in one.shares.items()]
        yield "share of items, by people", ("answer", "share"), shares, 1
    rows: list[tuple[str, ...]] = [
        (
            *(own.model, answer, f"{own.items:,}", f"{own.votes:,}"),
            *(_format_share(own.alone[answer]), _format_share(share), f"{own.power[answer]:.2f}"),
        )
        for own in one.with_models
        for answer, share in own.shares.items()
    ]
    if rows:
        head = ("model", "answer", "items", "votes", "people alone", "with the model", "power")
        yield "share of items, by people and a model", head, rows, 5
    if one.with_models:
        rows = [row for own in one.with_models for row in _list_tests(own)]
        head = ("model", "left out", "items", "model nearer", "person nearer", "p", "result")
        yield "may the model stand in for people? (alt-test)", head, rows, 5
    if one.groups:
        rows = [
            (
                *(own.group, f"{own.raters}", f"{own.items:,}"),
                *map(_format_number, (own.observed, own.fleiss, own.alpha)),
            )
            for own in one.groups
        ]
        titles = ("group", "raters", "items", "observed", "Fleiss' kappa", "Krippendorff's alpha")
        yield "agreement", titles, rows, 5
    if one.pairs:
        rows = [
            (*own.raters, f"{own.items:,}", _format_number(own.observed), _format_number(own.kappa))
            for own in one.pairs
        ]
        yield "agreement by pair", ("pair", "", "items", "observed", "Cohen's kappa"), rows, 3
    names = list(dict.fromkeys(answer for own in one.raters for answer in own.shares))
    rows = [
        (
            *(own.rater, "person" if own.person else "model"),
            *(f"{own.items:,}", f"{own.skipped:,}"),
            *(_format_share(own.shares[name]) if name in own.shares else "-" for name in names),
            *(_format_number(own.agreement), "-" if own.seconds is None else f"{own.seconds:.1f}"),
        )
        for own in one.raters
    ]
    columns = ("rater", "is a", "items", "skipped", *names, "agrees with others", "seconds")
    yield "raters", columns, rows, len(columns) - 2


def _list_tests(own: WithModel) -> Iterator[tuple[str, ...]]:
    """Yield the rows of an alt-test: one for each person left out, and the result."""
    if own.test is None:
        yield own.model, f"not made: {own.refused}", "", "", "", "", ""
        return
    for one in own.test.against:
        shares = f"{one.model:.3f}", f"{one.person:.3f}", f"{one.p:.4f}"
        yield own.model, one.rater, f"{one.items:,}", *shares, "won" if one.won else "lost"
    rate, advantage = f"{own.test.winning_rate:.2f} won", f"{own.test.advantage:.3f}"
    result = "passed" if own.test.passes else "failed"
    yield own.model, f"epsilon {own.test.epsilon:g}", "", advantage, "", rate, result


def _format_share(share: Estimate) -> str:
    """Format a share in percent with its interval, - where the share is unknown."""
    if share.value is None:
        return "-"
    if share.low is None or share.high is None:
        return f"{share.value:.1%}"
    return f"{share.value:.1%} ({share.low * 100:.1f}-{share.high * 100:.1f})"


def _format_number(coefficient: Estimate) -> str:
    """Format a coefficient with its interval, - where the coefficient is unknown."""
    if coefficient.value is None:
        return "-"
    if coefficient.low is None or coefficient.high is None:
        return f"{coefficient.value:.3f}"
    return f"{coefficient.value:.3f} ({coefficient.low:.3f} to {coefficient.high:.3f})"


def chains(
    files: Annotated[
        list[Path],
        Argument(
            metavar="FILE...",
            help="Files of documents, one for each rater, in any format; or one file of"
            " `annotate serve --chains`, with --corpus.",
        ),
    ],
    form: Theirs = None,
    corpus: Annotated[
        Path | None, Option(help="Corpus that was served, for a file of `annotate serve`.")
    ] = None,
    rounds: Draws = 1000,
    seed: Annotated[int, seed_option("Seed of the draws of --bootstrap.")] = 0,
    as_json: Json = False,
) -> None:
    """Measure the raters' agreement on clusters: Krippendorff's alpha, and CoNLL F1 by pair.

    Alpha has Passonneau's distance of sets, MASI: the answer about a mention is its cluster. In ( )
    the 95 % interval by bootstrap over documents. Each rater is named after the file. For a file
    of `annotate serve --chains` with its --corpus: also the number and time of each rater's acts.

    Examples:
        corefmill annotate chains ada.conll bob.conll
        corefmill annotate chains ada.jsonl bob.jsonl cy.conllu --json
        corefmill annotate chains litbank.conll.chains.sqlite --corpus litbank.conll
    """
    from corefmill.corpora.scoring import agreement, sources

    pace = {}
    if corpus is not None:
        from corefmill.annotate import results

        corrected = results.read(corpus, files)
        alpha, pairs = corrected.agreement(rounds, seed)
        pace = corrected.pace()
    else:
        if len(set(files)) < max(2, len(files)):
            raise UsageError(
                "agreement needs two files or more, each of another rater, or one with --corpus"
            )
        raters = {}
        for path in files:
            found = sources.load(path, form=form)
            if not isinstance(found, sources.Texts):
                raise DataError("the file holds no documents with clusters", path=path)
            raters[str(path)] = found.texts
        alpha, pairs = agreement.link_alpha(raters, rounds, seed), agreement.pairwise_conll(raters)
        if not pairs:
            raise DataError("no two of the files have a document in common", path=files[0])
    if as_json:
        rows = [{"raters": names, "conll": value} for names, value in pairs.items()]
        made = {"raters": [{"rater": name, **one} for name, one in pace.items()]}
        print_json({"alpha": asdict(alpha), "pairs": rows, **(made if corpus else {})})
        return
    print(f"Krippendorff's alpha over links: {_format_number(alpha)}\n")
    scores = [(*names, f"{100 * value:.2f}") for names, value in pairs.items()]
    print(table(("pair", "", "CoNLL F1"), scores, 1))
    if corpus is not None:
        head = ("rater", "done", "skipped", "acts", "seconds a document", "seconds an act")
        cells = [
            (
                *(name, *(f"{one[key]:,}" for key in ("done", "skipped", "acts"))),
                *("-" if one[key] is None else f"{one[key]:.1f}" for key in ("document", "act")),
            )
            for name, one in pace.items()
        ]
        print("\n" + table(head, cells, 5))

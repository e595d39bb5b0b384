"""`corefmill annotate report`: what the raters of a corpus said, how far they agree, how surely."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.cli.grouping import grouped
from corefmill.cli.plain_options import Draws, Json, Overwrite, Quiet, seed_option
from corefmill.cli.printing import many, print_json
from corefmill.corpora import tables
from corefmill.corpora.atomic import make_way, write_whole
from corefmill.corpora.errors import DataError, UsageError

if TYPE_CHECKING:
    from corefmill.annotate.judgements import Judgement
    from corefmill.annotate.summary import QuestionSummary, WithModel
    from corefmill.corpora.scoring.agreement import Estimate

EXAMPLES = """Examples:

    corefmill annotate report judgements.jsonl

    corefmill annotate report people.jsonl model.jsonl --epsilon 0.15 --out report.md

    corefmill annotate report people.jsonl second.jsonl --consolidated "both of us"

    corefmill annotate report people.jsonl model.jsonl --next 50 --json
"""

Block = tuple[str, Sequence[str], Sequence[Sequence[str]], int]
"""A table's title, head and rows, and how many of the last columns are numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """What is reported, by which tests, and where."""

    least_people: Annotated[
        int,
        typer.Option(
            min=2, help="How many people the alt-test needs at least; its authors advise three."
        ),
    ] = 3
    epsilon: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="By how much the alt-test marks people down, since they cost more than a"
            " model: 0.1 for crowd-workers, 0.15 for skilled raters, 0.2 for experts.",
        ),
    ] = 0.1
    without_people: Annotated[
        bool,
        typer.Option(
            "--without-people",
            help="Estimate shares by a model's votes alone; refused unless the model passes"
            " the alt-test.",
        ),
    ] = False
    models: Annotated[
        bool, typer.Option("--models", help="Report questions that models alone answered, too.")
    ] = False
    next_items: Annotated[
        int,
        typer.Option("--next", min=0, help="List this many items that people should answer next."),
    ] = 0
    consolidated: Annotated[
        str | None,
        typer.Option(
            metavar="RATER",
            help="The rater whose answers are the consolidated reading: the precision and"
            " recall of all others are measured against it.",
        ),
    ] = None
    rounds: Draws = 1000
    seed: Annotated[int, seed_option("Seed of these draws.")] = 0
    out: Annotated[
        Path | None, typer.Option(help="Write the report here, Markdown.", show_default="print it")
    ] = None
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


@grouped
def report(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Judgements, JSON Lines.")],
    given: ReportOptions,
) -> None:
    """Shares, agreement and pace of the raters of each question, with and without models.

    In ( ) are 95 % intervals: of shares Wilson's, with a model by PPI++; of agreement the middle of
    draws of items. A share with a model holds only where the items that people answered are a
    random draw: leave out answers to items that --next chose.
    """
    from corefmill.annotate import summary

    settings = summary.SummarySettings(
        rounds=given.rounds,
        seed=given.seed,
        epsilon=given.epsilon,
        least_people=given.least_people,
        next=given.next_items,
        consolidated=given.consolidated,
    )
    answered, left = _answered(files, given.models, given.consolidated)
    if given.out is not None:
        make_way(given.out, overwrite=given.overwrite)
    found = [summary.summary(question, own, settings) for question, own in answered.items()]
    if given.without_people:
        for one in found:
            summary.without_people(one)
    if given.out is not None:
        write_whole(given.out, "\n".join(_markdown(found, left, given.without_people)) + "\n")
    if given.as_json:
        print_json({"questions": [asdict(one) for one in found], "models_only": left})
    elif not given.quiet and given.out is None:
        print("\n".join(_plain(found, left, given.without_people)))


def _answered(
    files: Sequence[Path], models: bool, consolidated: str | None
) -> tuple[Mapping[str, Sequence[Judgement]], Sequence[str]]:
    """The judgements by question, and the questions left out, which models alone answered."""
    from corefmill.annotate import judgements, summary

    said = summary.by_question(chain.from_iterable(map(judgements.read, files)))
    if not said:
        raise DataError("no judgement is in here", path=files[0])
    raters = {one.rater: one.person for own in said.values() for one in own}
    if consolidated is not None and consolidated not in raters:
        raise UsageError(
            f"--consolidated: no rater {consolidated!r}; there are {', '.join(raters)}"
        )
    answered = {
        question: own
        for question, own in said.items()
        if models or any(one.person and one.rater != consolidated for one in own)
    }
    left = [question for question in said if question not in answered]
    if not answered:
        raise UsageError(
            f"no person answered {left[0]!r}, and a model's votes are not people's",
            remedy="--models reports them as a model's",
        )
    return answered, left


def _markdown(found: Sequence[QuestionSummary], left: Sequence[str], bare: bool) -> Iterator[str]:
    yield "# What the raters said"
    for one in found:
        yield from ("", f"## {tables.plain(one.question)}", "", tables.plain(_line(one)))
        for title, head, rows, numbers in _blocks(one, bare):
            escaped = [[tables.plain(cell) for cell in row] for row in rows]
            yield from ("", f"{title}:", "", *tables.table(head, escaped, numbers))
        if one.next:
            listed = ", ".join(map(tables.plain, one.next))
            yield from ("", f"People should see next: {listed}.")
    yield from (f"\n{line}" for line in _left(left))


def _plain(found: Sequence[QuestionSummary], left: Sequence[str], bare: bool) -> Iterator[str]:
    for number, one in enumerate(found):
        yield from ([""] * bool(number) + [f"{one.question}: {_line(one)}"])
        for title, head, rows, numbers in _blocks(one, bare):
            yield from ("", title, *tables.columns(head, rows, numbers))
        if one.next:
            yield from ("", "people should see next", *one.next)
    yield from (f"\n{line}" for line in _left(left))


def _left(left: Sequence[str]) -> Iterator[str]:
    if left:
        listed = ", ".join(tables.plain(one) for one in left)
        yield f"Answered by models alone, and left out (--models reports them): {listed}."


def _line(one: QuestionSummary) -> str:
    skipped = f", {one.skipped:,} skipped" if one.skipped else ""
    pace = f"; a person takes {one.seconds:.1f} s an item (median)" if one.seconds else ""
    dates = f"; {one.first} to {one.last}" if one.first else ""
    return (
        f"{one.items:,} items, {one.answers:,} answers{skipped}, by {many(one.people, 'person')}"
        f" and {many(one.models, 'model')}{pace}{dates}"
    )


def _blocks(one: QuestionSummary, bare: bool) -> Iterator[Block]:
    """The tables of a question, in the order in which they are read."""
    yield from _share_blocks(one, bare)
    yield from _agreement_blocks(one)
    yield _rater_block(one)


def _share_blocks(one: QuestionSummary, bare: bool) -> Iterator[Block]:
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    if one.shares and not bare:
        shares = [(answer, _share(own)) for answer, own in one.shares.items()]
        yield "share of items, by people", ("answer", "share"), shares, 1
    for title, chosen in (("people and a model", False), ("a model's votes alone", True)):
        rows = [row for own in one.with_models for row in _with_model(own, chosen)]
        if rows and chosen == bare:
            head = ("model", "answer", "items", "votes", "people alone", "with the model", "power")
            yield f"share of items, by {title}", head, rows, 5
    if one.with_models:
        rows = [row for own in one.with_models for row in _tests(own)]
        head = ("model", "left out", "items", "model nearer", "person nearer", "p", "result")
        yield "may the model stand in for people? (alt-test)", head, rows, 5
    if one.joint and not bare:
        joint = [(answer, f"{share:.1%}") for answer, share in one.joint.items()]
        yield "right, by all raters together (Dawid and Skene)", ("answer", "share"), joint, 1


def _agreement_blocks(one: QuestionSummary) -> Iterator[Block]:
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    if one.against:
        head = ("rater", "items", "precision", "recall", "Cohen's kappa")
        rows = [
            (
                *(own.rater, f"{own.items:,}"),
                *(_share(own.precision), _share(own.recall), _number(own.kappa)),
            )
            for own in one.against
        ]
        yield "yes, against the consolidated reading", head, rows, 4
    if one.groups:
        head = ("group", "raters", "items", "observed", "Fleiss' kappa", "Krippendorff's alpha")
        rows = [
            (
                *(own.group, f"{own.raters}", f"{own.items:,}"),
                *map(_number, (own.observed, own.fleiss, own.alpha)),
            )
            for own in one.groups
        ]
        yield "agreement", head, rows, 5
    if one.pairs:
        head = ("pair", "", "items", "observed", "Cohen's kappa")
        rows = [
            (*own.raters, f"{own.items:,}", _number(own.observed), _number(own.kappa))
            for own in one.pairs
        ]
        yield "agreement by pair", head, rows, 3


def _rater_block(one: QuestionSummary) -> Block:
    names = list(dict.fromkeys(answer for own in one.raters for answer in own.shares))
    head = (
        *("rater", "is a", "items", "skipped"),
        *names,
        *("agrees with others", "accuracy", "seconds"),
    )
    rows = [
        (
            *(own.rater, "person" if own.person else "model"),
            *(f"{own.items:,}", f"{own.skipped:,}"),
            *(_share(own.shares[name]) if name in own.shares else "-" for name in names),
            *(_number(own.agreement), _short(own.accuracy, 3), _short(own.seconds, 1)),
        )
        for own in one.raters
    ]
    return "raters", head, rows, len(head) - 2


def _with_model(own: WithModel, bare: bool) -> Iterator[tuple[str, ...]]:
    for answer in own.votes_alone if bare else own.shares:
        if bare:
            share = own.votes_alone[answer]
            yield own.model, answer, "0", f"{own.items + own.votes:,}", "-", _share(share), "-"
        else:
            shares = _share(own.alone[answer]), _share(own.shares[answer])
            power = f"{own.power[answer]:.2f}"
            yield own.model, answer, f"{own.items:,}", f"{own.votes:,}", *shares, power


def _tests(own: WithModel) -> Iterator[tuple[str, ...]]:
    if own.test is None:
        yield own.model, f"not made: {own.refused}", "", "", "", "", ""
        return
    for one in own.test.against:
        shares = f"{one.model:.3f}", f"{one.person:.3f}", f"{one.p:.4f}"
        yield own.model, one.rater, f"{one.items:,}", *shares, "won" if one.won else "lost"
    result = "passed" if own.test.passed else "failed"
    rate = f"{own.test.winning_rate:.2f} won"
    yield (
        own.model,
        f"epsilon {own.test.epsilon:g}",
        "",
        f"{own.test.advantage:.3f}",
        "",
        rate,
        result,
    )


def _share(own: Estimate) -> str:
    if own.value is None:
        return "-"
    if own.low is None or own.high is None:
        return f"{own.value:.1%}"
    return f"{own.value:.1%} ({own.low * 100:.1f}-{own.high * 100:.1f})"


def _number(own: Estimate) -> str:
    if own.value is None:
        return "-"
    if own.low is None or own.high is None:
        return f"{own.value:.3f}"
    return f"{own.value:.3f} ({own.low:.3f} to {own.high:.3f})"


def _short(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"

"""`corefmill annotate report` and `chains`: what the raters said, and how far they agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Draws, Json, Overwrite, Quiet, Theirs, seed_option
from corefmill.cli.printing import many, print_json, table
from corefmill.corpora import card_parts
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import make_way, write_whole

if TYPE_CHECKING:
    from corefmill.annotate.judgements import Judgement
    from corefmill.annotate.store import JudgementStore
    from corefmill.annotate.summary import QuestionSummary, WithModel
    from corefmill.corpora.scoring.agreement import Estimate


Block = tuple[str, Sequence[str], Sequence[Sequence[str]], int]
"""A table's title, head and rows, and how many of the last columns are numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """The tests of models, the draws, and the form of the report."""

    min_people: Annotated[
        int,
        Option(
            min=2, help="How many people the alt-test needs at least; its authors advise three."
        ),
    ] = 3
    epsilon: Annotated[
        float,
        Option(
            min=0,
            max=1,
            help="By how much the alt-test marks people down, since they cost more than a"
            " model: 0.1 for crowd-workers, 0.15 for skilled raters, 0.2 for experts.",
        ),
    ] = 0.1
    models: Annotated[
        bool, Option("--models", help="Report questions that models alone answered, too.")
    ] = False
    rounds: Draws = 1000
    seed: Annotated[int, seed_option("Seed of these draws.")] = 0
    out: Annotated[
        Path | None, Option(help="Write the report here, Markdown.", default="print it")
    ] = None
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


def report(
    files: Annotated[
        list[Path],
        Argument(metavar="FILE...", help="Answers: of `annotate serve`, or JSON Lines."),
    ],
    given: ReportOptions,
) -> None:
    """Shares, agreement and pace of the raters of each question, with and without models.

    In ( ) are 95 % intervals: of shares Wilson's, with a model by PPI++; of agreement the middle of
    draws of items. A share with a model holds only where the items that people answered are a
    random draw.

    Examples:
        corefmill annotate report out/wec-en.answers.sqlite
        corefmill annotate report people.jsonl model.jsonl --epsilon 0.15 --out report.md
        corefmill annotate report people.jsonl model.jsonl --json
    """
    from corefmill.annotate import summary

    settings = summary.SummarySettings(
        rounds=given.rounds,
        seed=given.seed,
        epsilon=given.epsilon,
        least_people=given.min_people,
    )
    answered, left = _read_judgements(files, given.models)
    if given.out is not None:
        make_way(given.out, overwrite=given.overwrite)
    found = [summary.summary(question, own, settings) for question, own in answered.items()]
    if given.out is not None:
        write_whole(given.out, "\n".join(_markdown(found, left)) + "\n")
    if given.as_json:
        print_json({"questions": [asdict(one) for one in found], "models_only": left})
    elif not given.quiet and given.out is None:
        print("\n".join(_plain(found, left)))


def _read_judgements(
    files: Sequence[Path], models: bool
) -> tuple[Mapping[str, Sequence[Judgement]], Sequence[str]]:
    """The judgements by question, and the questions left out, which models alone answered."""
    from corefmill.annotate import judgements, summary

    said = summary.by_question(chain.from_iterable(map(judgements.read_any, files)))
    if not said:
        raise DataError("no judgement is in here", path=files[0])
    answered = {
        question: own for question, own in said.items() if models or any(one.person for one in own)
    }
    left = [question for question in said if question not in answered]
    if not answered:
        raise UsageError(
            f"no person answered {left[0]!r}, and a model's votes are not people's",
            remedy="--models reports them as a model's",
        )
    return answered, left


def _markdown(found: Sequence[QuestionSummary], left: Sequence[str]) -> Iterator[str]:
    yield "# What the raters said"
    for one in found:
        yield from ("", f"## {card_parts.plain(one.question)}", "", card_parts.plain(_line(one)))
        for title, head, rows, numbers in _blocks(one):
            escaped = [[card_parts.plain(cell) for cell in row] for row in rows]
            yield from ("", f"{title}:", "", *card_parts.table(head, escaped, numbers))
    yield from (f"\n{line}" for line in _left(left))


def _plain(found: Sequence[QuestionSummary], left: Sequence[str]) -> Iterator[str]:
    for number, one in enumerate(found):
        yield from ([""] * bool(number) + [f"{one.question}: {_line(one)}"])
        for title, head, rows, numbers in _blocks(one):
            yield from ("", title, *card_parts.columns(head, rows, numbers))
    yield from (f"\n{line}" for line in _left(left))


def _left(left: Sequence[str]) -> Iterator[str]:
    if left:
        listed = ", ".join(card_parts.plain(one) for one in left)
        yield f"Answered by models alone, and left out (--models reports them): {listed}."


def _line(one: QuestionSummary) -> str:
    skipped = f", {one.skipped:,} skipped" if one.skipped else ""
    pace = f"; a person takes {one.seconds:.1f} s an item (median)" if one.seconds else ""
    dates = f"; {one.first} to {one.last}" if one.first else ""
    return (
        f"{one.items:,} items, {one.answers:,} answers{skipped}, by {many(one.people, 'person')}"
        f" and {many(one.models, 'model')}{pace}{dates}"
    )


def _blocks(one: QuestionSummary) -> Iterator[Block]:
    """The tables of a question, in the order in which they are read."""
    yield from _share_blocks(one)
    yield from _agreement_blocks(one)
    yield _rater_block(one)


def _share_blocks(one: QuestionSummary) -> Iterator[Block]:
    if one.shares:
        shares = [(answer, _share(own)) for answer, own in one.shares.items()]
        yield "share of items, by people", ("answer", "share"), shares, 1
    if rows := [row for own in one.with_models for row in _with_model(own)]:
        head = ("model", "answer", "items", "votes", "people alone", "with the model", "power")
        yield "share of items, by people and a model", head, rows, 5
    if one.with_models:
        rows = [row for own in one.with_models for row in _tests(own)]
        head = ("model", "left out", "items", "model nearer", "person nearer", "p", "result")
        yield "may the model stand in for people? (alt-test)", head, rows, 5


def _agreement_blocks(one: QuestionSummary) -> Iterator[Block]:
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
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
        *("agrees with others", "seconds"),
    )
    rows = [
        (
            *(own.rater, "person" if own.person else "model"),
            *(f"{own.items:,}", f"{own.skipped:,}"),
            *(_share(own.shares[name]) if name in own.shares else "-" for name in names),
            *(_number(own.agreement), "-" if own.seconds is None else f"{own.seconds:.1f}"),
        )
        for own in one.raters
    ]
    return "raters", head, rows, len(head) - 2


def _with_model(own: WithModel) -> Iterator[tuple[str, ...]]:
    for answer, share in own.shares.items():
        shares = _share(own.alone[answer]), _share(share)
        power = f"{own.power[answer]:.2f}"
        yield own.model, answer, f"{own.items:,}", f"{own.votes:,}", *shares, power


def _tests(own: WithModel) -> Iterator[tuple[str, ...]]:
    if own.test is None:
        yield own.model, f"not made: {own.refused}", "", "", "", "", ""
        return
    for one in own.test.against:
        shares = f"{one.model:.3f}", f"{one.person:.3f}", f"{one.p:.4f}"
        yield own.model, one.rater, f"{one.items:,}", *shares, "won" if one.won else "lost"
    result = "passed" if own.test.passes else "failed"
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


def chains(
    files: Annotated[
        list[Path],
        Argument(
            metavar="FILE...",
            help="Documents of a rater each, in any format; or a file of `serve --task`.",
        ),
    ],
    form: Theirs = None,
    corpus: Annotated[
        Path | None, Option(help="The corpus that a file of `annotate serve` is about.")
    ] = None,
    rounds: Draws = 1000,
    seed: Annotated[int, seed_option("Seed of these draws.")] = 0,
    as_json: Json = False,
) -> None:
    """Krippendorff's alpha over links, of all raters, and the CoNLL F1 of each pair.

    Alpha has Passonneau's distance of sets, MASI: what a rater says of a mention is its cluster. In
    ( ) the middle 95 % of draws of documents. A file's name is its rater's. Of a file of `annotate
    serve --task` with its --corpus: also how many acts each rater took, and how long. Where spans
    were corrected, the F1 is of mentions.

    Examples:
        corefmill annotate chains ada.conll bob.conll
        corefmill annotate chains ada.jsonl bob.jsonl cy.conllu --json
        corefmill annotate chains litbank.conll.chains.sqlite --corpus litbank.conll
    """
    if corpus is not None:
        _of_pages(files, corpus, rounds, seed, as_json=as_json)
        return
    from corefmill.corpora.scoring import agreement, sources

    if len(set(files)) < max(2, len(files)):
        raise UsageError("agreement is between two files or more, each of another rater")
    raters = {}
    for path in files:
        found = sources.load(path, form=form)
        if not isinstance(found, sources.Texts):
            raise DataError("holds no documents with clusters", path=path)
        raters[str(path)] = found.texts
    alpha = agreement.link_alpha(raters, rounds, seed)
    pairs = agreement.pairwise_conll(raters)
    if not pairs:
        raise DataError("no two files have a document in common", path=files[0])
    if as_json:
        rows = [{"raters": names, "conll": value} for names, value in pairs.items()]
        print_json({"alpha": asdict(alpha), "pairs": rows})
        return
    _print_agreement(alpha, pairs, "CoNLL F1")


def _print_agreement(alpha: Estimate, pairs: Mapping[tuple[str, str], float], measure: str) -> None:
    shown = "-" if alpha.value is None else f"{alpha.value:.3f}"
    if alpha.low is not None and alpha.high is not None:
        shown += f" ({alpha.low:.3f} to {alpha.high:.3f})"
    print(f"Krippendorff's alpha over links: {shown}\n")
    cells = [(*names, f"{100 * value:.2f}") for names, value in pairs.items()]
    print(table(("pair", "", measure), cells, 1))


def _of_pages(files: list[Path], corpus: Path, rounds: int, seed: int, *, as_json: bool) -> None:
    from corefmill.annotate import results

    with open_pages(files, corpus) as kept:
        own = results.read(corpus, kept)
    alpha, pairs = own.agreement(rounds, seed)
    pace = own.pace()
    measure = "conll" if own.kind == "chains" else "mentions"
    if as_json:
        rows = [{"raters": names, measure: value} for names, value in pairs.items()]
        raters = [{"rater": name, **asdict(one)} for name, one in pace.items()]
        print_json({"alpha": asdict(alpha), "pairs": rows, "raters": raters})
        return
    _print_agreement(alpha, pairs, "CoNLL F1" if measure == "conll" else "F1 of mentions")
    head = ("rater", "done", "skipped", "acts", "seconds a document", "seconds an act")
    cells = [
        (
            *(name, f"{one.done:,}", f"{one.skipped:,}", f"{one.acts:,}"),
            *("-" if own is None else f"{own:.1f}" for own in (one.document, one.act)),
        )
        for name, one in pace.items()
    ]
    print("\n" + table(head, cells, 5))


@contextmanager
def open_pages(files: Sequence[Path], corpus: Path) -> Iterator[JudgementStore]:
    """Open the file of `annotate serve --task` about a corpus; raise `UsageError` for others."""
    from corefmill.annotate.judgements import refuse_other, task_of
    from corefmill.annotate.store import JudgementStore

    if len(files) > 1 or not task_of(files[0]):
        raise UsageError("--corpus goes with one file of `annotate serve --task`", path=files[-1])
    with JudgementStore.open(files[0]) as kept:
        refuse_other(corpus, kept)
        yield kept

"""`corefmill annotate ask`: a model answers the questions that raters are asked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from corefmill.cli.grouping import grouped
from corefmill.cli.options import WORK
from corefmill.cli.plain_options import Json, Overwrite, Quiet, seed_option
from corefmill.cli.printing import print_result, progress
from corefmill.corpora import disk
from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.annotate.asking.run import ItemQuestion
    from corefmill.annotate.asking.session import ModelSession

EXAMPLES = """Examples:

    corefmill annotate ask out/wec-en --endpoint http://localhost:8000/v1 --model Qwen/Qwen3-8B \\
        --out qwen.jsonl

    corefmill annotate ask out/knowref-en --endpoint https://api.example.com/v1 --model small \\
        --limit 500 --max-tokens 1000000 --twice --out small.jsonl --json

    corefmill annotate ask out/knowref-en --masked-model minilm --out minilm.jsonl
"""
ALONE = (
    "They are a model's: report them beside people's (`corefmill annotate report`), never alone."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterOptions:
    """Which model is asked."""

    PANEL: ClassVar[str] = "Model"

    endpoint: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Base URL of a server with OpenAI's chat completions, such as"
            " http://localhost:8000/v1.",
        ),
    ] = None
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="The model's name at the endpoint.")
    ] = None
    key_variable: Annotated[
        str | None,
        typer.Option(
            help="Variable of the environment that holds the endpoint's key, if it wants one.",
            show_default="OPENAI_API_KEY",
        ),
    ] = None
    twice: Annotated[
        bool,
        typer.Option(
            "--twice",
            help="Ask each question again with its options in the opposite order; an answer that"
            " changes is no vote.",
        ),
    ] = False
    masked_model: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Instead of an endpoint: a model of masked names that `train` wrote, or an encoder"
            " with a masked-LM head, such as minilm.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingOptions:
    """What may be spent, and how fast."""

    PANEL: ClassVar[str] = "Limits"

    max_items: Annotated[
        int | None,
        typer.Option(min=1, help="Ask about so many items at most.", show_default="no bound"),
    ] = None
    max_tokens: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Stop before all calls together, those of earlier runs with this cache too, might"
            " cost more tokens, read and written.",
            show_default="no bound",
        ),
    ] = None
    answer_tokens: Annotated[
        int,
        typer.Option(min=1, help="Tokens that an answer may have; a model that thinks needs more."),
    ] = 200
    workers: Annotated[
        int, typer.Option("--at-once", min=1, max=256, help="Requests that are out at once.")
    ] = 4
    requests_per_minute: Annotated[
        int | None, typer.Option(min=1, help="Most requests a minute.", show_default="no bound")
    ] = None
    timeout: Annotated[
        float, typer.Option(min=0.01, max=3600, help="Seconds that an answer may take.")
    ] = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatOptions:
    """Which items and questions."""

    PANEL: ClassVar[str] = "Questions"

    split: Annotated[
        str | None, typer.Option(help="Only the items of this split.", show_default="all")
    ] = None
    question: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only this question, such as valid or answer. Repeatable.",
            show_default="all",
        ),
    ] = None
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most this many items, drawn at random.")
    ] = None
    seed: Annotated[int, seed_option("Seed of the draw, and of the order of asking.")] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintOptions:
    """Where the votes go, and what is printed."""

    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The votes, JSON Lines.")]
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder that keeps replies and the log of calls.",
            show_default="FILE's name with .cache",
            rich_help_panel=WORK,
        ),
    ] = None
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


@grouped
def ask(
    corpus: Annotated[
        Path,
        typer.Argument(
            metavar="CORPUS", help="Event mentions, masked names, pronoun problems or documents."
        ),
    ],
    *,
    rater: RaterOptions,
    limits: SpendingOptions,
    what: WhatOptions,
    shown: PrintOptions,
) -> None:
    """Ask a model what raters are asked, by the same guidelines, and write its votes.

    Broken answers are counted, never guessed. A run that is stopped goes on where it was, and pays
    for no reply twice. Items are asked about in an order drawn by --seed, so that what a limit
    leaves is a random sample.
    """
    from corefmill.annotate import questions
    from corefmill.annotate.asking import run, votes

    _check(rater)
    votes.make_way_for(shown.out, overwrite=shown.overwrite)
    asked = run.to_ask(
        questions.items(corpus),
        split=what.split,
        named=what.question or (),
        limit=what.limit,
        seed=what.seed,
    )
    began = time.monotonic()
    if rater.masked_model is not None:
        session = _by_scorer(rater.masked_model, corpus, asked)
    else:
        session = _by_endpoint(asked, rater, limits, what, shown)
    counts = {
        "items": len({one.item.id for one in asked}),
        **session.outcome.counts(),
        **session.spent,
        "seconds": round(time.monotonic() - began, 3),
    }
    drawn = {"corpus": disk.shown(corpus.name), **asdict(what)}
    about = {"rater": session.rater, **session.facts, **drawn, "counts": counts}
    votes.write(shown.out, session.outcome, about)
    result = {"out": str(shown.out), "rater": session.rater, **counts}
    said = "\n".join(_said(session.rater, counts, limits, shown.out))
    print_result(result, said, as_json=shown.as_json, quiet=shown.quiet)


def _check(rater: RaterOptions) -> None:
    named = rater.endpoint is not None or rater.model is not None
    if rater.masked_model is not None and named:
        raise UsageError("--masked-model and --endpoint exclude each other")
    if rater.masked_model is None and (rater.endpoint is None or rater.model is None):
        raise UsageError(
            "no model is named", remedy="--endpoint URL and --model NAME, or --masked-model DIR"
        )


def _by_endpoint(
    asked: Sequence[ItemQuestion],
    rater: RaterOptions,
    limits: SpendingOptions,
    what: WhatOptions,
    shown: PrintOptions,
) -> ModelSession:
    from corefmill.annotate.asking import session, votes
    from corefmill.annotate.asking.endpoint_rater import EndpointSettings

    return session.by_endpoint(
        asked,
        EndpointSettings(
            url=rater.endpoint or "",
            model=rater.model or "",
            key_variable=rater.key_variable,
            answer_tokens=limits.answer_tokens,
            timeout=limits.timeout,
            requests_per_minute=limits.requests_per_minute,
        ),
        shown.cache or votes.cache_beside(shown.out),
        max_items=limits.max_items,
        max_tokens=limits.max_tokens,
        bounded=bool(limits.max_items or limits.max_tokens or what.limit),
        twice=rater.twice,
        workers=limits.workers,
        watch=partial(progress, unit="questions"),
    )


def _by_scorer(model: str, corpus: Path, asked: Sequence[ItemQuestion]) -> ModelSession:
    from corefmill.coref_model.missing import TRAINING, need

    need(*TRAINING)
    from corefmill.annotate.asking import session
    from corefmill.cli.predictors import named_predictor

    return session.by_scorer(asked, named_predictor(model), disk.shown(Path(model).name), corpus)


def _said(name: str, counts: dict[str, Any], limits: SpendingOptions, out: Path) -> list[str]:
    without = {**counts["broken"], **{one: counts[one] for one in ("unstable", "swayed", "left")}}
    listed = ", ".join(f"{kind} {count:,}" for kind, count in without.items() if count) or "-"
    said = [
        f"{counts['answered']:,} votes of {name} on {counts['items']:,} items are in {out};"
        f" {counts['flagged']:,} items read as instructions to their reader."
        f" Without a vote, of {counts['questions']:,} questions: {listed}."
    ]
    if "tokens" in counts:
        read, written, charged, _ = counts["tokens"].values()
        said.append(
            f"{counts['calls']:,} calls read {read:,} tokens and wrote {written:,}; all runs are"
            f" charged with {charged:,}. {counts['from_cache']:,} questions were answered before."
        )
    if counts["stopped"] == "max_items":
        said.append(
            f"Stopped by --max-items {limits.max_items:,}: the same command with more goes on."
        )
    if counts["stopped"] == "max_tokens":
        said.append(
            f"Stopped before --max-tokens {limits.max_tokens:,}, since the next call may take up to"
            f" {counts['tokens']['next_call']:,}: the same command with more goes on."
        )
    return [*said, ALONE]

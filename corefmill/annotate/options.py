"""Declare the options of `annotate serve` and `annotate ask`, for the commands and their code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from corefmill.builders.corpus.options import Option
from corefmill.corpora.splits import LARGEST_SEED


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOptions:
    """The questions, the raters, and the file and address of the pages."""

    db: Annotated[
        Path | None,
        Option(
            help="File of the answers.",
            default="CORPUS.answers.sqlite, with --chains CORPUS.chains.sqlite",
        ),
    ] = None
    chains: Annotated[
        bool,
        Option("--chains", help="Correct the clusters and mentions of documents instead."),
    ] = False
    rater: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="A rater, who gets a link. Repeatable."),
    ] = None
    adjudicator: Annotated[
        str | None,
        Option(metavar="NAME", help="Who decides where raters disagree; gets a link."),
    ] = None
    raters: Annotated[
        int | None, Option(min=1, help="Raters of each item.", default="all of them")
    ] = None
    split: Annotated[
        list[str] | None,
        Option(
            help="Only items of this split. Repeatable.",
            default="validation and test of event mentions, else all",
        ),
    ] = None
    limit: Annotated[
        int | None, Option(min=1, help="At most this many items, drawn at random.")
    ] = None
    seed: Annotated[
        int | None,
        Option(
            min=0,
            max=LARGEST_SEED,
            help="Seed of the draw and of the order. The first call sets it, and later ones keep"
            " it.",
        ),
    ] = None
    port: Annotated[
        int, Option(min=0, max=65535, help="Port of 127.0.0.1; 0 takes any that is free.")
    ] = 8765
    host: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Public name of a proxy with TLS on this machine that passes on to --port.",
            default="none: only this machine reaches the pages",
        ),
    ] = None
    new_link: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="A new link for this rater; the one before ends. Repeatable."),
    ] = None

    def find_db(self, corpus: Path) -> Path:
        """Name the file of the answers, by default beside the corpus."""
        kind = "chains" if self.chains else "answers"
        return self.db or corpus.resolve().with_name(f"{corpus.resolve().name}.{kind}.sqlite")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointOptions:
    """The model behind an endpoint, and the limits of a request."""

    PANEL: ClassVar[str] = "Model"

    endpoint: Annotated[
        str,
        Option(
            metavar="URL",
            help="Base URL of a server with OpenAI's chat completions, such as"
            " http://localhost:8000/v1.",
        ),
    ]
    model: Annotated[str, Option(metavar="NAME", help="The model's name at the endpoint.")]
    key_variable: Annotated[
        str | None,
        Option(
            help="Variable of the environment that holds the endpoint's key, if it wants one.",
            default="OPENAI_API_KEY",
        ),
    ] = None
    answer_tokens: Annotated[
        int,
        Option(
            min=1,
            help="Longest answer, in tokens; a model that thinks before it answers needs more.",
        ),
    ] = 200
    workers: Annotated[
        int, Option("--at-once", min=1, max=256, help="Largest number of requests at one time.")
    ] = 4
    timeout: Annotated[
        float, Option(min=0.01, max=3600, help="Longest wait for an answer, in seconds.")
    ] = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOptions:
    """The items and questions."""

    PANEL: ClassVar[str] = "Questions"

    split: Annotated[str | None, Option(help="Only the items of this split.", default="all")] = None
    question: Annotated[
        list[str] | None,
        Option(
            metavar="NAME",
            help="Only this question, such as valid or answer. Repeatable.",
            default="all",
        ),
    ] = None
    limit: Annotated[int, Option(min=1, help="At most this many items, drawn at random.")] = 500
    seed: Annotated[int, Option(min=0, max=LARGEST_SEED, help="Seed of the draw.")] = 0

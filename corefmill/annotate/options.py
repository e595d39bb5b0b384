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
            help="File for the raters' answers.",
            default="CORPUS.answers.sqlite, with --chains CORPUS.chains.sqlite",
        ),
    ] = None
    chains: Annotated[
        bool, Option("--chains", help="Let raters correct the clusters and mentions of documents.")
    ] = False
    rater: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="Name of a rater, who gets a link to the pages. Repeatable."),
    ] = None
    adjudicator: Annotated[
        str | None,
        Option(metavar="NAME", help="Person who gets a link and decides where raters disagree."),
    ] = None
    raters: Annotated[
        int | None, Option(min=1, help="Number of raters of each item.", default="all raters")
    ] = None
    split: Annotated[
        list[str] | None,
        Option(
            help="Serve only items of this split. Repeatable.",
            default="validation and test of event mentions, else all",
        ),
    ] = None
    limit: Annotated[
        int | None, Option(min=1, help="Serve at most this many items, drawn at random.")
    ] = None
    seed: Annotated[
        int | None,
        Option(
            min=0,
            max=LARGEST_SEED,
            help="Seed of the draw and order of the items; the first call sets the seed for all"
            " later ones.",
        ),
    ] = None
    port: Annotated[
        int, Option(min=0, max=65535, help="Port of 127.0.0.1 for the pages; 0 takes a free port.")
    ] = 8765
    host: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Public host name of a proxy with TLS on this machine, which forwards to --port.",
            default="none: only this machine reaches the pages",
        ),
    ] = None
    new_link: Annotated[
        list[str] | None,
        Option(
            metavar="NAME", help="Make a new link for this rater, and end the old one. Repeatable."
        ),
    ] = None

    def find_db(self, corpus: Path) -> Path:
        """Choose the file for the answers: --db, by default one beside the corpus."""
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
    model: Annotated[str, Option(metavar="NAME", help="Name of the model to ask at the endpoint.")]
    key_variable: Annotated[
        str | None,
        Option(
            help="Environment variable with the endpoint's key, if it needs one.",
            default="OPENAI_API_KEY",
        ),
    ] = None
    answer_tokens: Annotated[
        int, Option(min=1, help="Longest answer, in tokens; reasoning models need more.")
    ] = 200
    workers: Annotated[
        int, Option("--at-once", min=1, max=256, help="Number of requests to send at one time.")
    ] = 4
    timeout: Annotated[
        float, Option(min=0.01, max=3600, help="Longest wait for an answer, in seconds.")
    ] = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOptions:
    """The items and questions to ask about."""

    PANEL: ClassVar[str] = "Questions"

    split: Annotated[
        str | None, Option(help="Ask only about items of this split.", default="all")
    ] = None
    question: Annotated[
        list[str] | None,
        Option(
            metavar="NAME",
            help="Ask only this question, such as valid or answer. Repeatable.",
            default="all",
        ),
    ] = None
    limit: Annotated[
        int, Option(min=1, help="Ask about at most this many items, drawn at random.")
    ] = 500
    seed: Annotated[int, Option(min=0, max=LARGEST_SEED, help="Seed of the draw of items.")] = 0

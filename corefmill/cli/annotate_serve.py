"""`corefmill annotate serve` and `ask`: people answer in a browser, models by their endpoint."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from corefmill.builders.corpus.options import RUN
from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Json, Overwrite, Quiet, seed_option
from corefmill.cli.printing import print_json, print_result, progress
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.writing import make_way, write_whole

if TYPE_CHECKING:
    from corefmill.annotate.ask import AskedQuestion, RaterOutcome
    from corefmill.annotate.server import OpenRound


class CorrectionTask(StrEnum):
    """What is corrected in documents."""

    chains = "chains"
    spans = "spans"


Corpus = Annotated[Path, Argument(metavar="CORPUS", help="A corpus: folder or file.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The questions, the raters, and the file and address of the pages."""

    db: Annotated[
        Path | None,
        Option(
            help="File of the answers.",
            default="CORPUS.answers.sqlite, with a task CORPUS.TASK.sqlite",
        ),
    ] = None
    task: Annotated[
        CorrectionTask | None,
        Option(
            help="Correct the documents instead: their chains (clusters and mentions), or the spans"
            " of mentions alone."
        ),
    ] = None
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
        int | None,
        Option(
            min=1,
            help="At most this many items, drawn at random. Of the others some with a known label"
            " become a practice round.",
        ),
    ] = None
    seed: Annotated[
        int | None,
        seed_option(
            "Seed of the draw and of the order. The first call sets it, and later ones keep it."
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
    as_json: Json = False
    quiet: Quiet = False


def serve(corpus: Corpus, given: ServeOptions) -> None:
    """Serve a corpus to people who judge it in a browser, by one key a decision.

    Event mentions: is it this event? Masked names: a person, which, natural with a pronoun? Pronoun
    problems: who is meant? Documents: are their utterances grammatical, acceptable? With --task
    their clusters or mentions are corrected, beginning with those of the corpus. The same command
    resumes, with the same links. `annotate answers` writes what was said, `annotate import` makes
    a corpus of it.

    Examples:
        corefmill annotate serve out/wec-en --rater ann --rater ben --adjudicator eve
        corefmill annotate serve out/wikicrem-en --limit 200 --rater ann --port 9000
        corefmill annotate serve litbank.conll --task chains --rater ann --rater ben
        corefmill annotate serve out/wec-en --host annotate.example.org --rater ann
        corefmill annotate serve out/wec-en --new-link ann
        With --host raters elsewhere come by a proxy with TLS, such as Caddy:
        caddy reverse-proxy --from annotate.example.org --to 127.0.0.1:8765
    """
    from corefmill.annotate.server import RoundRequest, default_db
    from corefmill.annotate.server import serve as run

    db = given.db or default_db(corpus, given.task)
    run(
        RoundRequest(
            corpus=corpus,
            db=db,
            task=given.task,
            raters=tuple(given.rater or ()),
            adjudicator=given.adjudicator,
            splits=given.split,
            limit=given.limit,
            overlap=given.raters,
            seed=given.seed,
            port=given.port,
            host=given.host and given.host.lower(),
            new_links=tuple(given.new_link or ()),
        ),
        partial(_print_links, str(db), as_json=given.as_json, quiet=given.quiet),
    )


def _print_links(
    db: str, served: OpenRound, port: int, links: Mapping[str, str], *, as_json: bool, quiet: bool
) -> None:
    """Print the links, once the pages are there."""
    if as_json:
        made = {"db": db, "port": port, "items": served.items}
        print_json({**made, "raters": list(served.raters), "links": links})
    else:
        if not quiet:
            print(
                f"{served.items:,} items of {served.corpus} for {', '.join(served.raters)};"
                f" answers are kept in {db}."
            )
        for name, link in links.items():
            print(f"{name}: {link}")
        if not quiet and len(links) < len(served.raters):
            print("Links given before go on; --new-link NAME makes a new one. Ctrl-C ends it.")
        elif not quiet:
            print("Keep the links: they are shown once. Ctrl-C ends it, nothing is lost.")
    sys.stdout.flush()


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterOptions:
    """The model that is asked, and how fast."""

    PANEL: ClassVar[str] = "Model"

    endpoint: Annotated[
        str | None,
        Option(
            metavar="URL",
            help="Base URL of a server with OpenAI's chat completions, such as"
            " http://localhost:8000/v1.",
        ),
    ] = None
    model: Annotated[
        str | None, Option(metavar="NAME", help="The model's name at the endpoint.")
    ] = None
    key_variable: Annotated[
        str | None,
        Option(
            help="Variable of the environment that holds the endpoint's key, if it wants one.",
            default="OPENAI_API_KEY",
        ),
    ] = None
    masked_model: Annotated[
        str | None,
        Option(
            metavar="DIR",
            help="Instead of an endpoint: a model of masked names that `train` wrote, or an encoder"
            " with a masked-LM head, such as minilm.",
        ),
    ] = None
    answer_tokens: Annotated[
        int,
        Option(min=1, help="Tokens that an answer may have; a model that thinks needs more."),
    ] = 200
    workers: Annotated[
        int, Option("--at-once", min=1, max=256, help="Requests that are out at once.")
    ] = 4
    timeout: Annotated[
        float, Option(min=0.01, max=3600, help="Seconds that an answer may take.")
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
    seed: Annotated[int, seed_option("Seed of the draw.")] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteFiles:
    """The file of the votes, and what is printed."""

    out: Annotated[Path, Option("--out", metavar="FILE", help="The votes, JSON Lines.")]
    cache: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Folder that keeps replies.",
            default="FILE's name with .cache",
            panel=RUN,
        ),
    ] = None
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False

    def beside(self, ending: str) -> Path:
        """Name a path beside the votes; only .jsonl is cut off, for models are named 0.5B."""
        return self.out.parent / f"{self.out.name.removesuffix('.jsonl')}{ending}"


def ask(
    corpus: Annotated[
        Path,
        Argument(
            metavar="CORPUS", help="Event mentions, masked names, pronoun problems or documents."
        ),
    ],
    *,
    rater: RaterOptions,
    what: QuestionOptions,
    files: VoteFiles,
) -> None:
    """Ask a model what raters are asked, by the same guidelines, and write its votes.

    Broken answers are counted, never guessed. A run that was stopped goes on where it was, and pays
    for no reply twice. FILE.asked.json beside the votes has what was asked, and what it cost.

    Examples:
        corefmill annotate ask out/wec-en --endpoint http://localhost:8000/v1 \\
            --model Qwen/Qwen3-8B --out qwen.jsonl
        corefmill annotate ask out/knowref-en --endpoint https://api.example.com/v1 --model small \\
            --limit 500 --out small.jsonl --json
        corefmill annotate ask out/knowref-en --masked-model minilm --out minilm.jsonl
    """
    from corefmill.annotate import judgements, questions
    from corefmill.annotate.ask import choose_questions

    named = rater.endpoint is not None or rater.model is not None
    if rater.masked_model is not None and named:
        raise UsageError("--masked-model and --endpoint exclude each other")
    if rater.masked_model is None and (rater.endpoint is None or rater.model is None):
        raise UsageError(
            "no model is named", remedy="--endpoint URL and --model NAME, or --masked-model DIR"
        )
    about = files.beside(".asked.json")
    make_way(files.out, about, overwrite=files.overwrite)
    asked = choose_questions(
        questions.items(corpus),
        split=what.split,
        named=what.question or (),
        limit=what.limit,
        seed=what.seed,
    )
    began = time.monotonic()
    made = _outcome(corpus, asked, rater, files)
    counts = {
        "items": len({item.id for item, _ in asked}),
        **made.counts(),
        "seconds": round(time.monotonic() - began, 3),
    }
    judgements.write(files.out, made.votes)
    told = {
        **{
            "rater": made.rater,
            **made.facts,
            "corpus": disk.show_name(corpus.name),
            **asdict(what),
        },
        **{"counts": counts, "without_vote": dict(sorted(made.without_vote.items()))},
    }
    write_whole(about, json.dumps(told, ensure_ascii=False, indent=1) + "\n")
    broken = ", ".join(f"{kind} {count:,}" for kind, count in counts["broken"].items()) or "-"
    print_result(
        {"out": str(files.out), "rater": made.rater, **counts},
        f"{counts['answered']:,} votes of {made.rater} on {counts['items']:,} items are in"
        f" {files.out}. Without a vote, of {counts['questions']:,} questions: {broken}.\n"
        f"{counts['asked']:,} were asked now, for {made.tokens_in:,} tokens read and"
        f" {made.tokens_out:,} written, as stated.\n"
        "They are a model's: report them beside people's (`corefmill annotate report`), never"
        " alone.",
        as_json=files.as_json,
        quiet=files.quiet,
    )


def _outcome(
    corpus: Path, asked: Sequence[AskedQuestion], rater: RaterOptions, files: VoteFiles
) -> RaterOutcome:
    from corefmill.annotate.ask import EndpointSettings, ask_endpoint, ask_scorer

    if rater.masked_model is not None:
        from corefmill.coref_model.missing import TRAINING, need

        need(*TRAINING)
        from corefmill.cli.predict import named_predictor

        name = disk.show_name(Path(rater.masked_model).name)
        return ask_scorer(asked, named_predictor(rater.masked_model), name, corpus)
    settings = EndpointSettings(
        url=rater.endpoint or "",
        model=rater.model or "",
        key_variable=rater.key_variable,
        answer_tokens=rater.answer_tokens,
        timeout=rater.timeout,
    )
    cache = files.cache or files.beside(".cache")
    watch: Any = partial(progress, unit="questions")
    return ask_endpoint(asked, settings, cache, workers=rater.workers, watch=watch)

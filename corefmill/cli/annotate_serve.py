"""`corefmill annotate serve` and `ask`: people answer in a browser, models by their endpoint."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from corefmill.annotate.options import EndpointOptions, QuestionOptions, RoundOptions
from corefmill.builders.corpus.options import RUN
from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Json, Overwrite, Quiet
from corefmill.cli.printing import print_json, print_result, progress
from corefmill.corpora.files import disk
from corefmill.corpora.files.writing import make_way, write_whole

if TYPE_CHECKING:
    from corefmill.annotate.server import OpenRound

Corpus = Annotated[
    Path, Argument(metavar="CORPUS", help="Folder or file of the corpus to be judged.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions(RoundOptions):
    """The questions, the raters, the file and address of the pages, and the printed links."""

    as_json: Json = False
    quiet: Quiet = False


def serve(corpus: Corpus, given: ServeOptions) -> None:
    """Serve a corpus to raters in a browser, with one key for a decision.

    Event mentions: do they name this event? Masked names: is it a person, which, natural with a
    pronoun? Pronoun problems: who is meant? Documents: are their utterances grammatical,
    acceptable? With --chains raters correct the clusters of the corpus. The same command resumes,
    with the same links. `annotate answers` writes the answers, `annotate import` a corpus of them.

    Examples:
        corefmill annotate serve out/wec-en --rater ann --rater ben --adjudicator eve
        corefmill annotate serve out/wikicrem-en --limit 200 --rater ann --port 9000
        corefmill annotate serve litbank.conll --chains --rater ann --rater ben
        corefmill annotate serve out/wec-en --host annotate.example.org --rater ann
        corefmill annotate serve out/wec-en --new-link ann
        With --host raters elsewhere come by a proxy with TLS, such as Caddy:
        caddy reverse-proxy --from annotate.example.org --to 127.0.0.1:8765
    """
    from corefmill.annotate import server

    db = str(given.find_db(corpus))

    def print_links(served: OpenRound, port: int, links: Mapping[str, str]) -> None:
        """Print the raters' new links, or all facts about the round as JSON."""
        if given.as_json:
            made = {"db": db, "port": port, "items": served.items}
            print_json({**made, "raters": list(served.raters), "links": links})
        else:
            if not given.quiet:
                print(
                    f"{served.items:,} items of {served.corpus} for {', '.join(served.raters)};"
                    f" answers are kept in {db}."
                )
            for name, link in links.items():
                print(f"{name}: {link}")
            hint = "Earlier links stay valid; --new-link NAME makes a new one."
            if len(links) >= len(served.raters):
                hint = "Keep the links: they are shown once."
            if not given.quiet:
                print(hint, "Ctrl-C stops the server; no answer is lost.")
        sys.stdout.flush()

    server.serve(corpus, given, print_links)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteFiles:
    """The file of the votes, and the output."""

    out: Annotated[Path, Option("--out", metavar="FILE", help="File for the votes, JSON Lines.")]
    cache: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Folder for the model's replies, from which a stopped run resumes.",
            default="FILE's name with .cache",
            panel=RUN,
        ),
    ] = None
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


def ask(
    corpus: Annotated[
        Path,
        Argument(
            metavar="CORPUS",
            help="Corpus of event mentions, masked names, pronoun problems or documents.",
        ),
    ],
    *,
    rater: EndpointOptions,
    what: QuestionOptions,
    files: VoteFiles,
) -> None:
    """Ask a language model the raters' questions, with the same guidelines, and write its votes.

    Broken answers are counted, never guessed. A stopped run resumes, and pays for no reply twice.
    FILE.asked.json beside the votes has the prompts, and the cost in tokens.

    Examples:
        corefmill annotate ask out/wec-en --endpoint http://localhost:8000/v1 \\
            --model Qwen/Qwen3-8B --out qwen.jsonl
        corefmill annotate ask out/knowref-en --endpoint https://api.example.com/v1 --model small \\
            --limit 500 --out small.jsonl --json
    """
    from corefmill.annotate import judgements, questions
    from corefmill.annotate.ask import ask_endpoint, choose_questions

    # Only .jsonl is cut off the name, for models are named 0.5B.
    stem = files.out.name.removesuffix(".jsonl")
    about = files.out.with_name(f"{stem}.asked.json")
    make_way(files.out, about, overwrite=files.overwrite)
    asked = choose_questions(questions.read_items(corpus), what)
    began = time.monotonic()
    cache = files.cache or files.out.with_name(f"{stem}.cache")
    watch: Any = partial(progress, unit="questions")
    made = ask_endpoint(asked, rater, cache, watch=watch)
    counts = {
        "items": len({item.id for item, _ in asked}),
        **made.counts(),
        "seconds": round(time.monotonic() - began, 3),
    }
    judgements.write(files.out, made.votes)
    facts = {
        **{
            "rater": made.rater,
            **made.facts,
            "corpus": disk.show_name(corpus.name),
            **asdict(what),
        },
        **{"counts": counts, "without_vote": dict(sorted(made.without_vote.items()))},
    }
    write_whole(about, json.dumps(facts, ensure_ascii=False, indent=1) + "\n")
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

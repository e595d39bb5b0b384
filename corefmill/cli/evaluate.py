"""`corefmill evaluate`: a model on the corpora of the field, one table."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corefmill.cli import completing
from corefmill.cli.grouping import grouped
from corefmill.cli.plain_options import (
    DataDir,
    Json,
    Markdown,
    MaybeLang,
    Overwrite,
    Quiet,
    Split,
    seed_option,
)
from corefmill.cli.plain_options import names as several
from corefmill.cli.predictors import named_predictor
from corefmill.cli.printing import markdown, print_json, progress, table
from corefmill.coref_model.missing import TRAINING, need
from corefmill.corpora import sheets
from corefmill.corpora.atomic import make_way, refuse_taken
from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.coref_model.evaluation.published import Paper
    from corefmill.coref_model.evaluation.rows import ScoreRow
    from corefmill.coref_model.prediction.predictor import Predictor
    from corefmill.corpora.find import FoundCorpus

_log = logging.getLogger(__name__)

EXAMPLES = """Examples:

    corefmill evaluate --model out/models/wikicrem-en-minilm --corpus gap,dpr --data-dir data

    corefmill evaluate --model minilm --corpus winogender,winobias --data-dir data --markdown

    corefmill evaluate --model out/models/gap-minilm --corpus gap --candidates found

    corefmill evaluate --model out/models/dpr-minilm --reproduce wikicrem --data-dir data

    corefmill evaluate --model out/models/dpr-minilm --corpus dpr --answers answers.csv --json
"""


class Candidates(StrEnum):
    """Whom GAP's pronouns may mean."""

    gold = "gold"
    found = "found"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
    """On what a model is evaluated, and what is written beside the table."""

    data_dir: DataDir = Path("data")
    split: Split = None
    lang: MaybeLang = None
    candidates: Annotated[
        Candidates,
        typer.Option(
            help="GAP: gold takes its two names; found adds the paper's way, all names of persons"
            " that a pipeline finds."
        ),
    ] = Candidates.gold
    nlp: Annotated[
        str | None,
        typer.Option(help="Pipeline for --candidates found and WNLI.", show_default="as for build"),
    ] = None
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a CSV of corpus, id and correct (0 or 1)."),
    ] = None
    wnli: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write WNLI's answers in GLUE's form.")
    ] = None
    overwrite: Overwrite = False
    seed: Annotated[int, seed_option("Seed of the draws that give the intervals.")] = 0
    as_markdown: Markdown = False
    as_json: Json = False
    quiet: Quiet = False


@grouped
def evaluate(
    model: Annotated[
        str,
        typer.Option(
            help="Folder of a model that `train` wrote, or en_small, which ships; or an encoder"
            " with a masked-LM head, such as minilm, as it is."
        ),
    ],
    corpus: Annotated[
        str | None,
        typer.Option(
            help="Names, files or folders, separated by commas; see `corefmill corpora`.",
            autocompletion=completing.corpora,
        ),
    ] = None,
    reproduce: Annotated[
        str | None,
        typer.Option(
            metavar="PAPER",
            help="wikicrem, wec or ontonotes-it: all corpora of its table that are here, with the"
            " published row under ours.",
        ),
    ] = None,
    *,
    options: EvaluateOptions,
) -> None:
    """Evaluate a model, each corpus by its own protocol, with 95 % intervals.

    Ties are never right. What was tied, cut or without a label is counted beside each score. The
    signatures under the tables say what the numbers mean: those of one signature compare.
    """
    need(*TRAINING)
    from corefmill.coref_model.evaluation import published

    paper = published.paper(reproduce) if reproduce else None
    names = several(corpus or "") or (paper.corpora if paper else [])
    if not names:
        raise UsageError("no corpus is named", remedy="--corpus NAME, or --reproduce PAPER")
    targets = [path for path in (options.answers, options.wnli) if path is not None]
    refuse_taken(*targets, overwrite=options.overwrite)
    predictor = replace(named_predictor(model), watch=progress)
    make_way(*targets, overwrite=options.overwrite)
    right: list[tuple[str, str, bool]] = []
    rows = _rows(predictor, names, options, right, absent=paper is not None)
    if options.answers is not None:
        make_way(options.answers, overwrite=options.overwrite)  # what came there meanwhile stays
        lines = ((name, item, int(correct)) for name, item, correct in right)
        sheets.write(options.answers, [("corpus", "id", "correct"), *lines], end="\n")
    about = _about(predictor, model)
    if options.as_json:
        of = {(row.corpus, row.protocol): row.signature for row in rows}
        told = {**about, "rows": [row.as_json() for row in rows]}
        print_json(told, signature=" ".join(of.values()) or None)
        return
    for line in _said(about):
        print(line)
    _show(rows, paper, markdown if options.as_markdown else table)
    if not options.quiet:
        _sign(rows)


def _sign(rows: Sequence[ScoreRow]) -> None:
    signed = {row.signature: f"{row.corpus}, {row.protocol}" for row in rows}
    for made, of in signed.items():
        print(f"\nSignature of {of}: {made}")


def _show(rows: Sequence[ScoreRow], paper: Paper | None, show: Callable[..., str]) -> None:
    """The tables: that of the paper where one is named, and ours."""
    from corefmill.coref_model.evaluation import published
    from corefmill.coref_model.evaluation.rows import HEAD, cells

    if paper is not None:
        print(f"\nPublished: {paper.title}; {paper.encoder}.\n")
        print(show(published.head(paper), published.cells(paper, rows), 0))
    if rows:
        print(f"\n{show(HEAD, cells(rows), 0)}")
    for note in dict.fromkeys(row.note for row in rows if row.note):
        print(f"\nNote: {note}")


def _rows(
    predictor: Predictor,
    names: Sequence[str],
    given: EvaluateOptions,
    right: list[tuple[str, str, bool]],
    *,
    absent: bool,
) -> list[ScoreRow]:
    """The rows of all corpora; one that is not here is passed over where `absent` allows it.

    `right` takes a corpus, an item's id, and whether it was answered right.
    """
    from corefmill.builders.nlp import choose, load, phrases
    from corefmill.coref_model.evaluation.rows import EvaluationOptions
    from corefmill.coref_model.evaluation.run import evaluate as rows_of
    from corefmill.corpora.find import found

    lang = given.lang or "en"
    asked = given.candidates is Candidates.found or "wnli" in names
    nlp = (given.nlp or choose(lang)) if asked else ""

    def found_by(way: Callable[..., Any]) -> Callable[..., Any]:
        return partial(way, load(nlp, lang))

    options = EvaluationOptions(
        split=given.split,
        seed=given.seed,
        persons=found_by(phrases.persons) if given.candidates is Candidates.found else None,
        nouns=found_by(phrases.nouns) if "wnli" in names else None,
        glue=given.wnli,
        nlp=nlp,
        on_answer=lambda *item: right.append(item),
    )
    silent = given.quiet or given.as_json
    here: dict[str, FoundCorpus] = {}
    for name in names:  # all of them before the first is judged, which takes minutes
        try:
            here[name] = found(name, data_dir=given.data_dir, lang=given.lang)
        except UsageError as error:
            if not absent:
                raise
            _log.warning("left out: %s", error)
    rows: list[ScoreRow] = []
    for name, corpus in here.items():
        if not silent:
            where = dict.fromkeys([name, str(corpus.found_in)])
            print(f"{', '.join(where)} ...", file=sys.stderr, flush=True)
        rows += rows_of(predictor, corpus, options)
    return rows


def _about(predictor: Predictor, model: str) -> dict[str, Any]:
    """What every table must state of the model."""
    about: dict[str, Any] = {
        "model": model,
        "task": predictor.task,
        "encoder": predictor.encoder.name,
        "encoder_fingerprint": predictor.encoder.fingerprint,
    }
    if predictor.checkpoint is not None:
        trained = predictor.checkpoint.model
        about |= {
            "trained_on": trained.corpus,
            "init_from": trained.init_from,
            "seed": trained.settings.get("seed"),
        }
    return about


def _said(about: dict[str, Any]) -> Iterator[str]:
    trained = f", trained on {about['trained_on']}" if about.get("trained_on") else ", as it is"
    begun = f" from {about['init_from']}" if about.get("init_from") else ""
    seed = f", seed {about['seed']}" if about.get("seed") is not None else ""
    yield f"Model {about['model']}: encoder {about['encoder']}{trained}{begun}{seed}."

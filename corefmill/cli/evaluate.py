"""`corefmill evaluate`: a model on the corpora of the field, one table."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corefmill.cli.plain_options import Json, Overwrite, language, seed_option
from corefmill.cli.tables import markdown, table
from corefmill.cli.train import NEEDED
from corefmill.coref_model.missing import need
from corefmill.corpora import sheets
from corefmill.corpora.atomic import make_way, refuse_taken
from corefmill.corpora.errors import CorefmillError, UsageError

if TYPE_CHECKING:
    from corefmill.coref_model.evaluation.rows import ScoreRow
    from corefmill.coref_model.prediction.predictor import Predictor

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


def evaluate(
    model: Annotated[
        str,
        typer.Option(
            help="Folder of a model that `train` wrote; or an encoder with a masked-LM head, such"
            " as minilm, as it is."
        ),
    ],
    corpus: Annotated[
        str | None,
        typer.Option(help="Names, files or folders, separated by commas; see `corefmill corpora`."),
    ] = None,
    reproduce: Annotated[
        str | None,
        typer.Option(
            metavar="PAPER",
            help="wikicrem, wec or ontonotes-it: all corpora of its table that are here, with the"
            " published row under ours.",
        ),
    ] = None,
    data_dir: Annotated[Path, typer.Option(help="Where corpora of the catalogue lie.")] = Path(
        "data"
    ),
    split: Annotated[
        str | None, typer.Option(help="(default: test, else validation, else all)")
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option(callback=language, help="Language, where the corpus does not say."),
    ] = None,
    candidates: Annotated[
        Candidates,
        typer.Option(
            help="GAP: gold takes its two names; found adds the paper's way, all names of persons"
            " that a pipeline finds."
        ),
    ] = Candidates.gold,
    nlp: Annotated[
        str | None,
        typer.Option(help="Pipeline for --candidates found and WNLI. (default: as for build)"),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a CSV of corpus, id and correct (0 or 1)."),
    ] = None,
    wnli: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write WNLI's answers in GLUE's form.")
    ] = None,
    overwrite: Overwrite = False,
    seed: Annotated[int, seed_option("Of the draws that give the intervals.")] = 0,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print tables in Markdown.")
    ] = False,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print tables only.")] = False,
) -> None:
    """Evaluate a model, each corpus by its own protocol, with 95 % intervals.

    Ties are never right. What was tied, cut or without a label is counted beside each score.
    """
    need(*NEEDED)
    from corefmill.coref_model.evaluation import published
    from corefmill.coref_model.evaluation.rows import EvaluationOptions

    paper = published.paper(reproduce) if reproduce else None
    names = [name.strip() for name in (corpus or "").split(",") if name.strip()]
    if paper and not names:
        names = paper.corpora
    if not names:
        raise UsageError("no corpus is named", remedy="--corpus NAME, or --reproduce PAPER")
    targets = [path for path in (answers, wnli) if path is not None]
    refuse_taken(*targets, overwrite=overwrite)
    predictor = _predictor(model)
    make_way(*targets, overwrite=overwrite)
    right: list[tuple[str, str, bool]] = []
    options = EvaluationOptions(
        split=split,
        seed=seed,
        persons=_persons(nlp, lang or "en") if candidates is Candidates.found else None,
        nouns=_nouns(nlp, lang or "en") if "wnli" in names else None,
        glue=wnli,
        on_answer=lambda *item: right.append(item),
    )
    rows = _rows(
        predictor, names, options, data_dir, lang, absent=bool(paper), silent=quiet or as_json
    )
    if answers is not None:
        make_way(answers, overwrite=overwrite)  # what came there meanwhile stays, too
        told = ((name, item, int(correct)) for name, item, correct in right)
        sheets.write(answers, [("corpus", "id", "correct"), *told], end="\n")
    show = markdown if as_markdown else table
    if as_json:
        print(
            json.dumps(
                {**_about(predictor, model), "rows": [row.as_json() for row in rows]},
                ensure_ascii=False,
            )
        )
        return
    for line in _said(_about(predictor, model)):
        print(line)
    if paper is not None:
        print(f"\nPublished: {paper.title}; {paper.encoder}.\n")
        print(show(published.head(paper), published.cells(paper, rows), 0))
    if rows:
        from corefmill.coref_model.evaluation.rows import HEAD, cells

        print(f"\n{show(HEAD, cells(rows), 0)}")
    for note in dict.fromkeys(row.note for row in rows if row.note):
        print(f"\nNote: {note}")


def _rows(
    predictor: Predictor,
    names: Sequence[str],
    options: Any,
    data_dir: Path,
    lang: str | None,
    *,
    absent: bool,
    silent: bool,
) -> list[ScoreRow]:
    """The rows of all corpora; one that is not here is passed over where `absent` allows it."""
    from corefmill.coref_model.evaluation.run import evaluate as rows_of
    from corefmill.corpora.find import found

    rows: list[ScoreRow] = []
    for name in names:
        try:
            corpus = found(name, data_dir=data_dir, lang=lang)
        except UsageError as error:
            if not absent:
                raise
            if not silent:
                print(f"left out: {error}", file=sys.stderr)
            continue
        if not silent:
            print(f"{name}, {corpus.source} ...", file=sys.stderr, flush=True)
        rows += rows_of(predictor, corpus, options)
    return rows


def _predictor(model: str) -> Predictor:
    """The model of a folder, or an encoder as it is with the head that ships for it."""
    from corefmill.coref_model.prediction.predictor import of_checkpoint, untrained
    from corefmill.coref_model.training.checkpoint import MODEL

    if (Path(model) / MODEL).exists() or (Path(model).is_dir() and not _is_encoder(Path(model))):
        return of_checkpoint(model)
    try:
        return untrained(model)
    except CorefmillError as error:
        if Path(model).exists():
            raise
        raise UsageError(
            f"no model {model}: {error}", remedy="train coref makes one in out/models"
        ) from None


def _is_encoder(folder: Path) -> bool:
    return (folder / "config.json").exists()


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


def _persons(nlp: str | None, lang: str) -> Any:
    from corefmill.builders.nlp import choose, load

    pipeline = load(nlp or choose(lang), lang)

    def persons(texts: Iterable[str]) -> Iterator[Sequence[str]]:
        for analysis in pipeline.names(texts):
            yield [
                analysis.text[one.start : one.end]
                for one in analysis.entities
                if one.label == "PERSON"
            ]

    return persons


def _nouns(nlp: str | None, lang: str) -> Any:
    from corefmill.builders.nlp import choose, load

    pipeline = load(nlp or choose(lang), lang)

    def nouns(texts: Iterable[str]) -> Iterator[Sequence[str]]:
        for analysis in pipeline.full(texts):
            runs: list[list[int]] = []
            for place, tag in enumerate(analysis.upos):
                if tag not in ("NOUN", "PROPN"):
                    continue
                if runs and runs[-1][-1] == place - 1:
                    runs[-1].append(place)
                else:
                    runs.append([place])
            spans = [(analysis.words[run[0]][0], analysis.words[run[-1]][1]) for run in runs]
            yield [analysis.text[start:end] for start, end in spans]

    return nouns

"""`corefmill evaluate`: score a model on the corpora of the field, in one table."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from corefmill.builders.corpus.options import split_names
from corefmill.cli.command import Option
from corefmill.cli.options import (
    DataDir,
    Json,
    Markdown,
    MaybeLang,
    Overwrite,
    Printing,
    Quiet,
    Split,
    input_here,
    seed_option,
)
from corefmill.cli.predict import choose_shipped, load_predictor
from corefmill.cli.printing import markdown, print_json, progress, table
from corefmill.cli.shell import explain_error, name_extra
from corefmill.coref_model import SHIPPED_FOR, TRAINING, need
from corefmill.corpora.files import sheets
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError
from corefmill.corpora.files.writing import make_way, refuse_taken

if TYPE_CHECKING:
    from corefmill.coref_model.evaluation.rows import EvaluationOptions, Parser, ScoreRow
    from corefmill.coref_model.prediction.predictor import Predictor
    from corefmill.corpora.find import FoundCorpus

_log = logging.getLogger(__name__)


class Candidates(StrEnum):
    """Candidates for the antecedents of GAP's pronouns: given names, or also found ones."""

    gold = "gold"
    found = "found"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions(Printing):
    """The model, the corpora, and the files written beside the table."""

    model: Annotated[
        str,
        Option(
            check=input_here,
            help="Model to evaluate: a folder that `train` wrote; en, the model that ships for"
            f" the corpora ({' or '.join(SHIPPED_FOR.values())}); or an untrained encoder with a"
            " masked-LM head, such as minilm.",
        ),
    ]
    corpus: Annotated[
        str,
        Option(
            help="Corpora to evaluate on, separated by commas: names of `corefmill corpora`, files"
            " or folders.",
            check=input_here,
        ),
    ]
    data_dir: DataDir = Path("data")
    split: Split = None
    lang: MaybeLang = None
    candidates: Annotated[
        Candidates,
        Option(
            help="Candidates for GAP's pronouns: gold, the two names in the file; found, in another"
            " row, all names of persons that a pipeline finds, as in the paper."
        ),
    ] = Candidates.gold
    nlp: Annotated[
        str | None,
        Option(
            help="Pipeline that parses texts for the baselines, and finds names for --candidates"
            " found and nouns for WNLI.",
            default="the one that build takes for the language",
        ),
    ] = None
    answers: Annotated[
        Path | None,
        Option(metavar="FILE", help="Write a CSV of each answer: corpus, id, correct (0 or 1)."),
    ] = None
    wnli: Annotated[
        Path | None,
        Option(metavar="FILE", help="Write the answers to WNLI as a file for GLUE's server."),
    ] = None
    overwrite: Overwrite = False
    seed: Annotated[int, seed_option("Seed of the bootstrap draws for the intervals.")] = 0
    as_markdown: Markdown = False
    as_json: Json = False
    quiet: Quiet = False

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Lay out rows below a head, as Markdown if --markdown was given."""
        return markdown(head, rows) if self.as_markdown else table(head, rows)


def evaluate(*, options: EvaluateOptions) -> None:
    """Evaluate a model on each corpus by its own protocol, with 95 % intervals.

    Untrained baselines stand below the model. For masked examples: the nearest, the first and the
    shortest candidate, and the candidate in the pronoun's grammatical role; for events: mentions
    of the same wording, and of the same head lemma. A tie counts as wrong. The table counts ties,
    texts cut to fit the encoder, and examples without a label. Compare only scores with the same
    signature. If a corpus fails, the others are still evaluated, and the exit code is 2.

    Examples:
        corefmill evaluate --model en --corpus gap --data-dir data
        corefmill evaluate --model out/models/wikicrem-en-minilm --corpus gap,dpr --data-dir data
        corefmill evaluate --model minilm --corpus winogender,winobias --data-dir data --markdown
        corefmill evaluate --model out/models/gap-minilm --corpus gap --candidates found
        corefmill evaluate --model out/models/dpr-minilm --corpus dpr --answers answers.csv --json
    """
    need(*TRAINING)
    from corefmill.corpora.find import find_corpus

    names = split_names(options.corpus)
    if not names:
        raise UsageError("no corpus is named", remedy="give --corpus NAME")
    targets = [path for path in (options.answers, options.wnli) if path is not None]
    refuse_taken(*targets, overwrite=options.overwrite)
    # Find all corpora before the first evaluation, which takes minutes.
    corpora = {
        name: find_corpus(name, data_dir=options.data_dir, lang=options.lang) for name in names
    }
    model = options.model
    if model == "en":
        model = choose_shipped(corpus.kind for corpus in corpora.values())
    predictor = replace(load_predictor(model), watch=progress)
    make_way(*targets, overwrite=options.overwrite)
    about = _describe_model(predictor, model)
    rows, failed = _evaluate_corpora(predictor, corpora, about, options)
    said = (
        f"{len(failed)} of {len(corpora)} corpora failed: {', '.join(failed)}" if failed else None
    )
    if options.as_json:
        of = {(row.corpus, row.protocol): row.signature for row in rows}
        told = {**about, "rows": [row.as_json() for row in rows]}
        told["failed"] = {name: str(error) for name, error in failed.items()}
        print_json(told, signature=" ".join(of.values()) or None, failure=said)
    if said is not None:
        raise DataError(said, remedy="the lines above give the causes; the other results stand")


def _evaluate_corpora(
    predictor: Predictor,
    corpora: Mapping[str, FoundCorpus],
    about: Mapping[str, Any],
    options: EvaluateOptions,
) -> tuple[list[ScoreRow], dict[str, CorefmillError]]:
    """Evaluate all corpora, print the table of each at once, and return rows and failures.

    Raises the first error if every corpus failed."""
    from corefmill.coref_model.evaluation.rows import evaluate as rows_of

    rows: list[ScoreRow] = []
    failed: dict[str, CorefmillError] = {}
    right: list[tuple[str, str, bool]] = []  # a corpus, an item's id, whether it was answered right
    protocol = _make_protocol_options(options, corpora, right)
    for name, corpus in corpora.items():
        if not options.silent:
            where = dict.fromkeys([name, str(corpus.found_in)])
            print(f"{', '.join(where)} ...", file=sys.stderr, flush=True)
        before = len(right)
        try:
            result = rows_of(predictor, corpus, protocol)
        except Exception as error:
            known = error if isinstance(error, CorefmillError) else explain_error(error)
            if known is None:
                raise
            del right[before:]
            failed[name] = known
            if len(corpora) > 1:
                _log.warning("%s failed: %s", name, known)
            continue
        if options.answers is not None:  # rewritten after each corpus
            if not before:  # a file created meanwhile stays
                make_way(options.answers, overwrite=options.overwrite)
            lines = ((of, item, int(correct)) for of, item, correct in right)
            sheets.write(options.answers, [("corpus", "id", "correct"), *lines], end="\n")
        if not rows and not options.as_json:
            trained = (
                f", trained on {about['trained_on']}" if about.get("trained_on") else ", as it is"
            )
            begun = f" from {about['init_from']}" if about.get("init_from") else ""
            seed = f", seed {about['seed']}" if about.get("seed") is not None else ""
            print(f"Model {about['model']}: encoder {about['encoder']}{trained}{begun}{seed}.")
        rows += result
        if not options.as_json:
            _print_table(result, options)
    if failed and len(failed) == len(corpora):
        raise next(iter(failed.values()))
    return rows, failed


def _print_table(rows: Sequence[ScoreRow], options: EvaluateOptions) -> None:
    """Print a corpus's table, notes and signatures; flushed, since a later corpus may fail."""
    from corefmill.coref_model.evaluation.rows import HEAD, format_rows

    if rows:
        print(f"\n{options.table(HEAD, format_rows(rows))}")
    for note in dict.fromkeys(row.note for row in rows if row.note):
        print(f"\nNote: {note}")
    of = {row.signature: f"{row.corpus}, {row.protocol}" for row in rows}
    for made, what in () if options.quiet else of.items():
        print(f"\nSignature of {what}: {made}")
    sys.stdout.flush()


def _make_protocol_options(
    given: EvaluateOptions, corpora: Mapping[str, FoundCorpus], right: list[tuple[str, str, bool]]
) -> EvaluationOptions:
    """Make the protocols' options from the command's; they append each answer to `right`."""
    from corefmill.builders.nlp import choose_pipeline, load_pipeline, roles
    from corefmill.coref_model.evaluation.rows import EvaluationOptions

    lang = given.lang or "en"
    found, wnli = given.candidates is Candidates.found, "wnli" in corpora
    nlp = (given.nlp or choose_pipeline(lang)) if found or wnli else ""

    def found_by(way: Callable[..., Any]) -> Callable[..., Any]:
        return partial(way, load_pipeline(nlp, lang))

    return EvaluationOptions(
        split=given.split,
        seed=given.seed,
        persons=found_by(roles.find_persons) if found else None,
        nouns=found_by(roles.find_nouns) if wnli else None,
        parser=cache(partial(_load_parser, given.nlp)),
        glue=given.wnli,
        nlp=nlp,
        on_answer=lambda *item: right.append(item),
    )


def _load_parser(nlp: str | None, lang: str) -> Parser:
    """Load a pipeline with syntax trees, by name or by language, for the baselines.

    Raises `UsageError` if no such pipeline or package is installed.
    """
    from corefmill.coref_model.evaluation.rows import Parser

    try:
        from corefmill.builders.nlp import load_parser
        from corefmill.builders.nlp.roles import find_roles
        from corefmill.builders.wec.filters.reading import with_heads

        pipeline = load_parser(nlp, lang)
    except ModuleNotFoundError as error:
        raise name_extra(error) or error from None
    return Parser(
        pipeline.version, partial(find_roles, pipeline), partial(with_heads, pipeline=pipeline)
    )


def _describe_model(predictor: Predictor, model: str) -> dict[str, Any]:
    """Collect the facts about a model for --json and the line above the tables."""
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

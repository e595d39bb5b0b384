"""Masked examples: GAP and WNLI by their own protocols, all else by the choice of a candidate.

Below the rows of the model stand those of rules that learn nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from corefmill.coref_model.evaluation import choices, gap, wnli
from corefmill.coref_model.evaluation.rows import (
    EvaluationOptions,
    Parser,
    ScoredSplit,
    ScoreRow,
    answered,
    missing,
)
from corefmill.coref_model.masked import answers
from corefmill.coref_model.masked.answers import Answerer, CandidateScores
from corefmill.coref_model.masked.passages import Parsing
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.corpora import find
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import MaskedExample


def rows_of(
    predictor: Predictor, corpus: FoundCorpus, split: str, options: EvaluationOptions
) -> list[ScoreRow]:
    """The rows of a corpus.

    Raises `UsageError` where WNLI is to be scored without nouns, or a model that asks trees without
    a pipeline that makes any.
    """
    model: Answerer = predictor
    if getattr(getattr(predictor, "settings", None), "syntax", False):  # a rule has no settings
        model = Parsing(predictor, options.parsed(corpus.lang).roles)

    def examples() -> Iterator[tuple[Path, int, MaskedExample]]:
        for path, line, record in find.read_placed(corpus, split):
            assert isinstance(record, MaskedExample)
            yield path, line, record

    def chosen(example: MaskedExample, answer: CandidateScores) -> None:
        if options.on_answer is not None and example.label is not None:
            options.on_answer(corpus.name, example.id, answer.choice == example.label)

    def judged(name: str, right: bool) -> None:
        if options.on_answer is not None:
            options.on_answer(corpus.name, name, right)

    scored = ScoredSplit(corpus=corpus.name, split=split, seed=options.seed)

    def of_rules(evaluate: Callable[..., list[ScoreRow]], **more: Any) -> Iterator[ScoreRow]:
        def rows_by(rule: Answerer, own: ScoredSplit) -> list[ScoreRow]:
            return evaluate(rule, examples(), **more, **own)

        return by_rules(rows_by, rows[0], scored, options.parsed, corpus.lang)

    if corpus.format == "gap":
        rows = gap.evaluate(model, examples(), keep=judged, **scored)
        rows += of_rules(gap.evaluate)
        if options.persons is not None:
            rows += gap.evaluate(model, examples(), persons=options.persons, **scored)
        return rows
    if corpus.format == "wnli":
        if options.nouns is None:
            raise UsageError(
                "WNLI needs a pipeline that finds nouns", remedy="name one by --nlp NAME|DIR"
            )
        nouns = options.nouns
        rows = wnli.evaluate(model, examples(), nouns=nouns, glue=options.glue, **scored)
        return [*rows, *of_rules(wnli.evaluate, nouns=nouns)] if rows else []  # it has no labels
    rows = choices.evaluate(model, examples(), keep=chosen, **scored)
    return [*rows, *of_rules(choices.evaluate)]


def by_rules(
    rows: Callable[[Answerer, ScoredSplit], list[ScoreRow]],
    model: ScoreRow,
    scored: ScoredSplit,
    parsed: Callable[[str], Parser],
    lang: str,
) -> Iterator[ScoreRow]:
    """The rows of each rule, answered as `rows` has it; `model` is a row of the model's.

    Where there is no pipeline for the rule that needs one, its row says so.
    """
    for by, rule in answers.BY_TEXT.items():
        yield from rows(rule, answered(scored, by))
    try:
        parser = parsed(lang)
    except UsageError as error:
        own = answered(scored, "same role, no pipeline")
        yield missing(model.protocol, model.metric, str(error), **own)
        return
    own = answered(scored, f"same role, {parser.name}")
    yield from rows(answers.SameRole(parser.roles), own)

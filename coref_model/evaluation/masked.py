"""Masked examples: GAP and WNLI by their own protocols, all else by the choice of a candidate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from corefmill.coref_model.evaluation import choices, gap, wnli
from corefmill.coref_model.evaluation.rows import EvaluationOptions, ScoredSplit, ScoreRow
from corefmill.coref_model.masked.answers import CandidateScores
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.corpora import find
from corefmill.corpora.errors import UsageError
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import MaskedExample


def rows_of(
    predictor: Predictor, corpus: FoundCorpus, split: str, options: EvaluationOptions
) -> list[ScoreRow]:
    """The rows of a corpus; raises `UsageError` where WNLI is to be scored without nouns."""

    def examples() -> Iterator[tuple[Path, int, MaskedExample]]:
        for path, line, record in find.placed(corpus, split):
            assert isinstance(record, MaskedExample)
            yield path, line, record

    def chosen(example: MaskedExample, answer: CandidateScores) -> None:
        if options.on_answer is not None and example.label is not None:
            options.on_answer(corpus.name, example.id, answer.choice == example.label)

    def judged(name: str, right: bool) -> None:
        if options.on_answer is not None:
            options.on_answer(corpus.name, name, right)

    scored = ScoredSplit(corpus=corpus.name, split=split, seed=options.seed)
    if corpus.format == "gap":
        rows = gap.evaluate(predictor, examples(), keep=judged, **scored)
        if options.persons is not None:
            rows += gap.evaluate(predictor, examples(), persons=options.persons, **scored)
        return rows
    if corpus.format == "wnli":
        if options.nouns is None:
            raise UsageError(
                "WNLI needs a pipeline that finds nouns", remedy="name one by --nlp NAME|DIR"
            )
        return wnli.evaluate(
            predictor, examples(), nouns=options.nouns, glue=options.glue, **scored
        )
    return choices.evaluate(predictor, examples(), keep=chosen, **scored)

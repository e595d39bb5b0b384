"""Documents: predicted mentions and clusters against the key, by MUC, B3 and CEAFe."""

from __future__ import annotations

from dataclasses import replace

from corefmill.coref_model.evaluation import clusters
from corefmill.coref_model.evaluation.rows import EvaluationOptions, ScoreRow
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.corpora import find
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import Document


def rows_of(
    predictor: Predictor, corpus: FoundCorpus, split: str, options: EvaluationOptions
) -> list[ScoreRow]:
    """The rows of a corpus; what its documents say of clusters is not shown to the model."""
    key = [one for one in find.records(corpus, split) if isinstance(one, Document)]
    bare = (replace(one, clusters=()) for one in key)
    response = [one for one in predictor.records(bare) if isinstance(one, Document)]
    return clusters.of_documents(
        key,
        response,
        corpus=corpus.name,
        split=split,
        protocol="predicted mentions",
        seed=options.seed,
        singletons="keep" if bool(predictor.model.singletons) else "drop",
    )

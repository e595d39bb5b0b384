"""Documents: predicted mentions and clusters against the key, by MUC, B3 and CEAFe.

Below the model stands the rule that mentions of one string, case aside, corefer: of the mentions
that the model found, and of the key's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from corefmill.coref_model.documents.task import scored_singletons
from corefmill.coref_model.evaluation.rows import (
    MEASURES,
    MODEL,
    EvaluationOptions,
    ScoredSplit,
    ScoreRow,
    rows,
)
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.corpora import find
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import Document, Mention, Meta
from corefmill.corpora.scoring import coreference
from corefmill.corpora.scoring.coreference import Singletons
from corefmill.corpora.scoring.metrics import parse_metrics
from corefmill.corpora.scoring.sources import text_of


def rows_of(
    predictor: Predictor, corpus: FoundCorpus, split: str, options: EvaluationOptions
) -> list[ScoreRow]:
    """The rows of a corpus; what its documents say of clusters is not shown to the model."""
    key = [one for one in find.records(corpus, split) if isinstance(one, Document)]
    bare = (replace(one, clusters=(), meta=_meta(one, corpus, predictor)) for one in key)
    response = [one for one in predictor.records(bare) if isinstance(one, Document)]
    singletons = scored_singletons(predictor.model, key)
    found: list[ScoreRow] = []
    sides: list[tuple[str, str, Sequence[Document]]] = [
        (MODEL, "predicted mentions", response),
        ("same string, of the model's mentions", "predicted mentions", _by_string(response)),
        ("same string", "gold mentions", _by_string(key)),
    ]
    for by, mentions, answered in sides:
        found += of_documents(
            key,
            answered,
            corpus=corpus.name,
            split=split,
            protocol=mentions,
            seed=options.seed,
            singletons=singletons,
            by=by,
            by_class=by == MODEL,
        )
    return found


def _meta(document: Document, corpus: FoundCorpus, predictor: Predictor) -> Meta:
    """The document's meta; a convention that has the corpus's name is that of its documents."""
    if corpus.name not in predictor.settings.conventions:
        return document.meta
    return {"convention": corpus.name, **document.meta}


def _by_string(documents: Sequence[Document]) -> list[Document]:
    """The documents with the mentions of their clusters, those of one string in one cluster.

    A zero mention has no words and stays alone.
    """
    made = []
    for document in documents:
        found: dict[object, list[Mention]] = {}
        for number, mention in enumerate(one for own in document.clusters for one in own):
            tokens = document.sentences[mention.sentence].tokens[mention.start : mention.end]
            words = " ".join(token.form for token in tokens).casefold()
            found.setdefault(words or number, []).append(mention)
        made.append(replace(document, clusters=tuple(map(tuple, found.values()))))
    return made


def of_documents(
    key: Sequence[Document],
    response: Sequence[Document],
    *,
    protocol: str,
    singletons: Singletons,
    by_class: bool = False,
    **scored: Unpack[ScoredSplit],
) -> list[ScoreRow]:
    """Rows of documents with clusters, matched by name and part; `n` counts documents.

    With `by_class` also recall and link accuracy of each class of mentions, of which `n` counts
    the mentions; see `with_classes`.

    Raises `DataError` where the documents do not match.
    """
    kept = "singletons kept" if singletons == "keep" else "singletons dropped"
    table = coreference.count(
        map(text_of, key), map(text_of, response), parse_metrics("conll"), singletons=singletons
    )
    found = rows(table, MEASURES, protocol=f"{protocol}, {kept}", **scored)
    if not by_class:
        return found
    more = coreference.add_classes(table, key, response, singletons=singletons == "keep")
    table = replace(more, measures=[one for one in more.measures if one not in table.measures])
    names = {one.name: one.name.partition(" ") for one in table.measures}
    own = rows(
        table,
        {name: kind for name, (_, _, kind) in names.items()},
        protocol=f"{protocol}, {kept}, by class",
        groups={name: group for name, (group, _, _) in names.items()},
        **scored,
    )
    totals = [int(table.totals()[name][1]) for name in names]
    return found + [replace(row, n=n) for row, n in zip(own, totals, strict=True)]

"""Score documents: predicted mentions and clusters against the key, by MUC, B3 and CEAFe.

Two baselines join mentions of one string, case aside: the model's mentions, and the key's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corefmill.coref_model.documents.task import choose_singletons, count_scores
from corefmill.coref_model.evaluation.rows import (
    MEASURES,
    MODEL,
    EvaluationOptions,
    ScoredSplit,
    ScoreRow,
)
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.corpora import find
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import Document, Mention
from corefmill.corpora.scoring.coreference import Singletons, class_measures


def score_corpus(
    predictor: Predictor, corpus: FoundCorpus, split: str, options: EvaluationOptions
) -> list[ScoreRow]:
    """Score a corpus of documents; the model does not see the clusters of the key."""
    key = [one for one in find.records(corpus, split) if isinstance(one, Document)]
    # A convention with the corpus's name is the convention of its documents.
    known = corpus.name in predictor.settings.conventions
    own = {"convention": corpus.name} if known else {}
    bare = (replace(one, clusters=(), meta={**own, **one.meta}) for one in key)
    response = [one for one in predictor.records(bare) if isinstance(one, Document)]
    singletons = choose_singletons(predictor.model, key)
    scored = ScoredSplit(corpus.name, split, options.seed)
    found: list[ScoreRow] = []
    for by, mentions, answered in (
        (MODEL, "predicted mentions", response),
        ("same string, of the model's mentions", "predicted mentions", join_strings(response)),
        ("same string", "gold mentions", join_strings(key)),
    ):
        one = replace(scored, by=by)
        found += score_documents(
            key, answered, one, mentions, singletons=singletons, by_class=by == MODEL
        )
    return found


def join_strings(documents: Sequence[Document]) -> list[Document]:
    """Join the mentions of one string, case aside, to one cluster in each document.

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


def score_documents(
    key: Sequence[Document],
    response: Sequence[Document],
    scored: ScoredSplit,
    protocol: str,
    *,
    singletons: Singletons,
    by_class: bool = False,
) -> list[ScoreRow]:
    """Score documents with clusters, matched by name and part; `n` counts documents.

    With `by_class`, other rows have recall and link accuracy of each class of mentions, and `n`
    counts its mentions; see `add_classes`. Raises `DataError` if the documents do not match.
    """
    kept = "singletons kept" if singletons == "keep" else "singletons dropped"
    table = count_scores(key, response, singletons)
    names = [one.name for one in class_measures() if by_class and one.name in table.counts]
    groups = {name: name.partition(" ")[0] for name in names}
    measures = MEASURES | {name: name.partition(" ")[2] for name in names}
    found = scored.make_rows(table, measures, protocol=f"{protocol}, {kept}", groups=groups)
    counts = [int(table.totals()[name][1]) for name in names]
    return found[: len(MEASURES)] + [
        replace(row, n=n, protocol=f"{row.protocol}, by class")
        for row, n in zip(found[len(MEASURES) :], counts, strict=True)
    ]

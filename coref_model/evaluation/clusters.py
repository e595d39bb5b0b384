"""Clusters of documents or of event mentions against their key, as rows of a table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

from corefmill.coref_model.evaluation.rows import ScoredSplit, ScoreRow, rows
from corefmill.corpora.records import Document, EventMention
from corefmill.corpora.scoring import coreference
from corefmill.corpora.scoring.coreference import Singletons
from corefmill.corpora.scoring.metrics import named
from corefmill.corpora.scoring.sources import text_of
from corefmill.corpora.scoring.units import ScoredDocument

MEASURES = {"muc": "MUC F1", "bcub": "B3 F1", "ceafe": "CEAFe F1", "conll": "CoNLL F1"}


def of_documents(
    key: Sequence[Document],
    response: Sequence[Document],
    *,
    protocol: str,
    singletons: Singletons,
    **scored: Unpack[ScoredSplit],
) -> list[ScoreRow]:
    """Rows of documents with clusters, matched by name and part; `n` counts documents.

    Raises `DataError` where the documents do not match.
    """
    kept = "singletons kept" if singletons == "keep" else "singletons dropped"
    table = coreference.count(
        map(text_of, key), map(text_of, response), named("conll"), singletons=singletons
    )
    return rows(table, MEASURES, protocol=f"{protocol}, {kept}", **scored)


def of_mentions(
    mentions: Iterable[tuple[str, EventMention]],
    clusters: Mapping[str, Hashable],
    *,
    protocol: str,
    **scored: Unpack[ScoredSplit],
) -> list[ScoreRow]:
    """Rows of gold mentions in predicted clusters; singletons are kept, as is the field's custom.

    `mentions` come with the group (topic, or one for all) in which clusters are counted;
    `clusters` gives each mention's id its predicted cluster. `n` counts the mentions; where there
    are several groups, `topics` counts these, over which the intervals are.
    """
    number = 0
    key: dict[str, dict[Hashable, list[Hashable]]] = {}
    response: dict[str, dict[Hashable, list[Hashable]]] = {}
    for group, mention in mentions:
        number += 1
        for side, cluster in ((key, mention.cluster), (response, clusters[mention.id])):
            side.setdefault(group, {}).setdefault(cluster, []).append(mention.id)
    texts, given = (
        [ScoredDocument(group, 0, None, list(own.values())) for group, own in side.items()]
        for side in (key, response)
    )
    table = coreference.count(texts, given, named("conll"), singletons="keep")
    topics = {"topics": len(key)} if len(key) > 1 else {}
    found = rows(table, MEASURES, protocol=protocol, counts=topics, **scored)
    return [replace(row, n=number) for row in found]

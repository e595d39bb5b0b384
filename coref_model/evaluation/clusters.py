"""Clusters of documents or of event mentions against their key, as rows of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, Unpack

from corefmill.coref_model.evaluation.rows import ScoredSplit, ScoreRow, rows
from corefmill.corpora.records import Document, EventMention
from corefmill.corpora.scoring import coreference
from corefmill.corpora.scoring.alignment import ScoredDocument
from corefmill.corpora.scoring.coreference import Singletons
from corefmill.corpora.scoring.metrics import Measure, parse_metrics, ratios
from corefmill.corpora.scoring.sources import text_of
from corefmill.corpora.scoring.table import ScoreTable

_Languages: TypeAlias = dict[Hashable, Counter[str]]
"""How many mentions a cluster has in each language."""

MEASURES = {"muc": "MUC F1", "bcub": "B3 F1", "ceafe": "CEAFe F1", "conll": "CoNLL F1"}


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


def of_mentions(
    mentions: Iterable[tuple[str, EventMention]],
    clusters: Mapping[str, Hashable],
    *,
    protocol: str,
    part: str = "",
    **scored: Unpack[ScoredSplit],
) -> list[ScoreRow]:
    """Rows of gold mentions in predicted clusters; singletons are kept, as is the field's custom.

    `mentions` come with the group (topic, or one for all) in which clusters are counted;
    `clusters` gives each mention's id its predicted cluster. `n` counts the mentions; where there
    are several groups, `topics` counts these, over which the intervals are. `part` says which of a
    corpus's mentions they are.
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
    table = coreference.count(texts, given, parse_metrics("conll"), singletons="keep")
    topics = {"topics": len(key)} if len(key) > 1 else {}
    found = rows(table, MEASURES, protocol=protocol, counts=topics, **scored)
    return [replace(row, n=number, group=part) for row in found]


def across(
    mentions: Iterable[tuple[str, EventMention]],
    clusters: Mapping[str, Hashable],
    *,
    protocol: str,
    **scored: Unpack[ScoredSplit],
) -> list[ScoreRow]:
    """A row of the pairs of mentions in two languages that are of one cluster, by their F1.

    `mentions` and `clusters` are as in `of_mentions`; `n` counts the pairs of the key.
    """
    # By group: what the key joins, what the response does, and what both do, by language.
    joined: dict[str, tuple[_Languages, _Languages, _Languages]] = {}
    for group, mention in mentions:
        key, response = mention.cluster, clusters[mention.id]
        sides = joined.setdefault(group, ({}, {}, {}))
        for side, name in zip(sides, (key, response, (key, response)), strict=True):
            side.setdefault(name, Counter())[mention.lang] += 1
    counts = []
    for sides in joined.values():
        own, other, both = map(_pairs, sides)
        counts.append((both, own, both, other))
    table = ScoreTable(
        "document",
        list(joined),
        ["-"] * len(joined),
        (Measure("pairwise", "pairwise", ratios),),
        {"pairwise": counts},
    )
    topics = {"topics": len(joined)} if len(joined) > 1 else {}
    found = rows(table, {"pairwise": "pairwise F1"}, protocol=protocol, counts=topics, **scored)
    number = sum(own for _, own, _, _ in counts)
    return [replace(row, n=number, group="across languages") for row in found]


def _pairs(clusters: _Languages) -> int:
    """How many pairs of mentions in two languages the clusters hold."""
    return sum(
        (own.total() ** 2 - sum(count**2 for count in own.values())) // 2
        for own in clusters.values()
    )

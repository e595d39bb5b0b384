"""Event mentions: clusters of gold mentions, the model's beside those of rules without learning.

The rules are one wording, one head lemma as the corpus has them, and one head lemma by a pipeline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, Unpack

from corefmill.coref_model.evaluation.rows import (
    MEASURES,
    MODEL,
    EvaluationOptions,
    ScoredSplit,
    ScoreRow,
    answered,
    missing,
    rows,
)
from corefmill.coref_model.pairs import clustering, sampling
from corefmill.coref_model.pairs.sampling import Topics
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.corpora import find
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import EventMention
from corefmill.corpora.scoring import coreference
from corefmill.corpora.scoring.alignment import ScoredDocument
from corefmill.corpora.scoring.metrics import Measure, parse_metrics, ratios
from corefmill.corpora.scoring.table import ScoreTable

GOLD_MENTIONS = "gold mentions"

_Languages: TypeAlias = dict[Hashable, Counter[str]]
"""How many mentions a cluster has in each language."""


def rows_of(
    predictor: Predictor, corpus: FoundCorpus, split: str, options: EvaluationOptions
) -> list[ScoreRow]:
    """The rows of a corpus, by topic where the model was trained so.

    A corpus of several languages has rows within each of them and across them besides.
    """
    mentions = [one for one in find.records(corpus, split) if isinstance(one, EventMention)]
    by_topic = predictor.settings.within == "topic"
    found = sampling.groups(mentions, by_topic=by_topic)
    predicted = [
        one.cluster for one in predictor.records(mentions) if isinstance(one, EventMention)
    ]
    several = by_topic and len({_topic(one, by_topic) for one in mentions}) > 1
    protocol = f"{GOLD_MENTIONS}, {'gold topics' if several else 'all together'}"
    scored = ScoredSplit(corpus=corpus.name, split=split, seed=options.seed)
    scores: list[ScoreRow] = []
    for by, labels in ((MODEL, predicted), *_by_rules(mentions, found, corpus, options)):
        if isinstance(labels, str):
            metric = MEASURES["conll"]
            scores.append(missing(protocol, metric, labels, **answered(scored, by)))
            continue
        scores += _score(
            [(_topic(one, by_topic), one) for one in mentions],
            {one.id: label for one, label in zip(mentions, labels, strict=True)},
            protocol=protocol,
            **answered(scored, by),
        )
    return scores


def _by_rules(
    mentions: Sequence[EventMention],
    found: Topics,
    corpus: FoundCorpus,
    options: EvaluationOptions,
) -> Iterator[tuple[str, list[int] | str]]:
    """Each rule by its name, with the cluster of each mention, or why it has none."""
    yield "same string", clustering.same_string(mentions, found).tolist()
    own = clustering.same_lemma(mentions, found)
    yield (
        "same head lemma, the corpus's own",
        "not every mention has one" if own is None else own.tolist(),
    )
    try:
        parser = options.parsed(corpus.lang)
    except UsageError as error:
        yield "same head lemma, no pipeline", str(error)
        return
    read = clustering.same_lemma(list(parser.heads(mentions)), found)
    by = f"same head lemma, {parser.name}"
    yield by, "it gives some mention no lemma" if read is None else read.tolist()


def _score(
    mentions: Sequence[tuple[str, EventMention]],
    labels: Mapping[str, Any],
    *,
    protocol: str,
    **scored: Unpack[ScoredSplit],
) -> list[ScoreRow]:
    """The rows of all mentions; of several languages also those within each, and across them."""
    found = of_mentions(mentions, labels, protocol=protocol, **scored)
    langs = sorted({one.lang for _, one in mentions})
    if len(langs) == 1:
        return found
    for lang in langs:
        own = [(topic, one) for topic, one in mentions if one.lang == lang]
        found += of_mentions(own, labels, protocol=protocol, part=f"within {lang}", **scored)
    return found + across(mentions, labels, protocol=protocol, **scored)


def _topic(mention: EventMention, by_topic: bool) -> str:
    return str(mention.meta.get("topic", "")) if by_topic else ""


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

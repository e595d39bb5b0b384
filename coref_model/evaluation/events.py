"""Score event mentions: the model's clusters of gold mentions, and those of baseline rules.

The rules join mentions of one wording, of one head lemma in the corpus, or of one head lemma by a
pipeline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from corefmill.coref_model.evaluation.rows import (
    MEASURES,
    MODEL,
    EvaluationOptions,
    ScoredSplit,
    ScoreRow,
)
from corefmill.coref_model.pairs.clustering import cluster_by_form
from corefmill.coref_model.pairs.sampling import group_by_topic
from corefmill.coref_model.pairs.task import count_clusters
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.corpora import find
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import EventMention
from corefmill.corpora.scoring.metrics import Measure, ratios
from corefmill.corpora.scoring.table import ScoreTable

TopicMentions = Sequence[tuple[str, EventMention]]
"""Mentions, each with the topic within which clusters are counted ("" for a single topic)."""

_Languages: TypeAlias = dict[Hashable, Counter[str]]
"""Number of mentions of a cluster in each language."""


def score_corpus(
    predictor: Predictor, corpus: FoundCorpus, split: str, options: EvaluationOptions
) -> list[ScoreRow]:
    """Score a corpus of event mentions, by topic if the model was trained so.

    A corpus of several languages also has rows within each language and across languages.
    """
    mentions = [one for one in find.records(corpus, split) if isinstance(one, EventMention)]
    by_topic = predictor.settings.within == "topic"
    topics = [str(one.meta.get("topic", "")) if by_topic else "" for one in mentions]
    predicted = [
        one.cluster for one in predictor.records(mentions) if isinstance(one, EventMention)
    ]
    protocol = f"gold mentions, {'gold topics' if len(set(topics)) > 1 else 'all together'}"

    found = group_by_topic(mentions, by_topic=by_topic)
    string, lemma = (cluster_by_form(mentions, found, form) for form in ("string", "lemma"))
    # Clusters by each rule, or None and the reason against it.
    answers: list[tuple[str, Iterable[Hashable] | None, str]] = [
        (MODEL, predicted, ""),
        ("same string", string, ""),
        ("same head lemma, the corpus's own", lemma, "not every mention has one"),
    ]
    try:
        parser = options.parser(corpus.lang)
    except UsageError as error:
        answers.append(("same head lemma, no pipeline", None, str(error)))
    else:
        lemma = cluster_by_form(list(parser.heads(mentions)), found, "lemma")
        reason = "the pipeline gives some mention no lemma"
        answers.append((f"same head lemma, {parser.name}", lemma, reason))
    rows: list[ScoreRow] = []
    for by, labels, reason in answers:
        scored = ScoredSplit(corpus.name, split, options.seed, by)
        if labels is None:
            rows.append(scored.make_empty_row(protocol, MEASURES["conll"], reason))
        else:
            clusters = {one.id: label for one, label in zip(mentions, labels, strict=True)}
            placed = list(zip(topics, mentions, strict=True))
            rows += score_mentions(placed, clusters, scored, protocol)
    return rows


def score_mentions(
    mentions: TopicMentions, clusters: Mapping[str, Hashable], scored: ScoredSplit, protocol: str
) -> list[ScoreRow]:
    """Score all mentions; with several languages, also within each language and across them.

    `clusters` gives each mention's id its predicted cluster.
    """
    found = score_clusters(mentions, clusters, scored, protocol)
    langs = sorted({one.lang for _, one in mentions})
    if len(langs) == 1:
        return found
    for lang in langs:
        own = [(topic, one) for topic, one in mentions if one.lang == lang]
        rows = score_clusters(own, clusters, scored, protocol)
        found += [replace(row, group=f"within {lang}") for row in rows]
    return found + _score_across(mentions, clusters, scored, protocol)


def score_clusters(
    mentions: TopicMentions, clusters: Mapping[str, Hashable], scored: ScoredSplit, protocol: str
) -> list[ScoreRow]:
    """Score gold mentions in predicted clusters; singletons are kept, as is the field's custom.

    `n` counts the mentions. With several topics, `topics` counts the topics, which the intervals
    are drawn over.
    """
    topics = [topic for topic, _ in mentions]
    table = count_clusters(
        (one.cluster for _, one in mentions), (clusters[one.id] for _, one in mentions), topics
    )
    number = len(set(topics))
    counts = {"topics": number} if number > 1 else {}
    found = scored.make_rows(table, MEASURES, protocol=protocol, counts=counts)
    return [replace(row, n=len(mentions)) for row in found]


def _score_across(
    mentions: TopicMentions, clusters: Mapping[str, Hashable], scored: ScoredSplit, protocol: str
) -> list[ScoreRow]:
    """Score the coreferent pairs of mentions in two languages, by their F1.

    `n` counts the pairs of the key.
    """
    # By topic and language: the pairs joined by the key, by the response, and by both.
    joined: dict[str, tuple[_Languages, _Languages, _Languages]] = {}
    for topic, mention in mentions:
        key, response = mention.cluster, clusters[mention.id]
        sides = joined.setdefault(topic, ({}, {}, {}))
        for side, name in zip(sides, (key, response, (key, response)), strict=True):
            side.setdefault(name, Counter())[mention.lang] += 1
    counts = []
    for sides in joined.values():
        own, other, both = map(_count_pairs, sides)
        counts.append((both, own, both, other))
    measures = (Measure("pairwise", "pairwise", ratios),)
    genres = ["-"] * len(joined)
    table = ScoreTable("document", list(joined), genres, measures, {"pairwise": counts})
    topics = {"topics": len(joined)} if len(joined) > 1 else {}
    found = scored.make_rows(table, {"pairwise": "pairwise F1"}, protocol=protocol, counts=topics)
    number = sum(own for _, own, _, _ in counts)
    return [replace(row, n=number, group="across languages") for row in found]


def _count_pairs(clusters: _Languages) -> int:
    """Count the pairs of mentions in two languages within the clusters."""
    return sum(
        (own.total() ** 2 - sum(count**2 for count in own.values())) // 2
        for own in clusters.values()
    )

"""Event mentions: clusters of gold mentions, the model's beside those of two baselines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from corefmill.coref_model.evaluation import clusters
from corefmill.coref_model.evaluation.rows import EvaluationOptions, ScoredSplit, ScoreRow
from corefmill.coref_model.events import baselines, sampling
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.corpora import find
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import EventMention

GOLD_MENTIONS = "gold mentions"


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
    sides: list[tuple[str, Sequence[Any] | None]] = [
        ("the model", predicted),
        ("same head lemma", _plain(baselines.same_lemma(mentions, found))),
        ("same string", _plain(baselines.same_string(mentions, found))),
    ]
    several = by_topic and len({_topic(one, by_topic) for one in mentions}) > 1
    topics = "gold topics" if several else "all together"
    rows: list[ScoreRow] = []
    for who, labels in sides:
        if labels is not None:
            rows += _rows(
                [(_topic(one, by_topic), one) for one in mentions],
                {one.id: label for one, label in zip(mentions, labels, strict=True)},
                corpus=corpus.name,
                split=split,
                protocol=f"{GOLD_MENTIONS}, {topics}, {who}",
                seed=options.seed,
            )
    return rows


def _rows(
    mentions: Sequence[tuple[str, EventMention]],
    labels: Mapping[str, Any],
    *,
    protocol: str,
    **scored: Unpack[ScoredSplit],
) -> list[ScoreRow]:
    """The rows of all mentions; of several languages also those within each, and across them."""
    found = clusters.of_mentions(mentions, labels, protocol=protocol, **scored)
    langs = sorted({one.lang for _, one in mentions})
    if len(langs) == 1:
        return found
    for lang in langs:
        own = [(topic, one) for topic, one in mentions if one.lang == lang]
        found += clusters.of_mentions(
            own, labels, protocol=protocol, part=f"within {lang}", **scored
        )
    return found + clusters.across(mentions, labels, protocol=protocol, **scored)


def _plain(labels: Iterable[Any] | None) -> list[int] | None:
    return None if labels is None else [int(label) for label in labels]


def _topic(mention: EventMention, by_topic: bool) -> str:
    return str(mention.meta.get("topic", "")) if by_topic else ""

"""Event mentions: clusters of gold mentions, the model's beside those of rules without learning.

The rules are one wording, one head lemma as the corpus has them, and one head lemma by a pipeline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

from corefmill.coref_model.evaluation import clusters
from corefmill.coref_model.evaluation.rows import (
    MODEL,
    EvaluationOptions,
    ScoredSplit,
    ScoreRow,
    answered,
    missing,
)
from corefmill.coref_model.pairs import clustering, sampling
from corefmill.coref_model.pairs.sampling import Topics
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.corpora import find
from corefmill.corpora.files.errors import UsageError
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
    several = by_topic and len({_topic(one, by_topic) for one in mentions}) > 1
    protocol = f"{GOLD_MENTIONS}, {'gold topics' if several else 'all together'}"
    scored = ScoredSplit(corpus=corpus.name, split=split, seed=options.seed)
    rows: list[ScoreRow] = []
    for by, labels in ((MODEL, predicted), *_by_rules(mentions, found, corpus, options)):
        if isinstance(labels, str):
            metric = clusters.MEASURES["conll"]
            rows.append(missing(protocol, metric, labels, **answered(scored, by)))
            continue
        rows += _rows(
            [(_topic(one, by_topic), one) for one in mentions],
            {one.id: label for one, label in zip(mentions, labels, strict=True)},
            protocol=protocol,
            **answered(scored, by),
        )
    return rows


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


def _topic(mention: EventMention, by_topic: bool) -> str:
    return str(mention.meta.get("topic", "")) if by_topic else ""

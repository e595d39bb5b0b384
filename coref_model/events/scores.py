"""Scores of clusters (MUC, B3, CEAFe and their mean), and the threshold with the best mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corefmill.coref_model.events.clustering import Labels
from corefmill.corpora.scoring import coreference
from corefmill.corpora.scoring.metrics import CONLL, METRICS
from corefmill.corpora.scoring.table import derived
from corefmill.corpora.scoring.units import ScoredDocument


def clustered(key: Labels, response: Labels) -> dict[str, float]:
    """F1 of MUC, B3 and CEAFe and their mean `conll`, of one document of all mentions.

    `key` and `response` are the clusters [m] of the same mentions; singletons count, as is the
    field's custom (WEC, section 4.2).
    """
    return scored(_text(key), _text(response))


def scored(key: ScoredDocument, response: ScoredDocument) -> dict[str, float]:
    """As `clustered`, where the response may have other mentions than the key."""
    table = coreference.count(
        [key], [response], [METRICS[name] for name in CONLL], singletons="keep"
    )
    scores = table.scores(table.totals())
    found = {name: float(scores[name][2]) for name in CONLL}
    return {"conll": float(derived(scores)["conll"]), **found}


def best_threshold(
    splits: Sequence[tuple[Callable[[float], Labels], Labels]],
) -> tuple[float, list[dict[str, float]]]:
    """The distance, in hundredths, at which the clusters have the highest CoNLL F1, and the scores.

    `splits` are what cuts, and the key; of several the mean counts. Every twentieth is tried, then
    the hundredths around the best; of equals the lowest is taken.
    """
    tried: dict[int, list[dict[str, float]]] = {}

    def best(hundredths: range) -> int:
        for at in hundredths:
            if at not in tried:
                tried[at] = [clustered(key, cut(at / 100)) for cut, key in splits]
        return max(sorted(tried), key=lambda at: sum(one["conll"] for one in tried[at]))

    near = best(range(5, 100, 5))
    found = best(range(near - 4, near + 5))
    return found / 100, tried[found]


def _text(labels: Labels) -> ScoredDocument:
    clusters: dict[int, list[object]] = {}
    for index, label in enumerate(labels.tolist()):
        clusters.setdefault(label, []).append(index)
    return ScoredDocument("all", 0, None, list(clusters.values()))

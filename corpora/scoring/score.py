"""The score of a response against a key, whatever both are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corefmill.corpora.patterns import GENRE, AnyPattern
from corefmill.corpora.scoring import answers, coreference, gap
from corefmill.corpora.scoring.coreference import Singletons, Unmatched
from corefmill.corpora.scoring.metrics import METRICS, Metric
from corefmill.corpora.scoring.sources import Answers, Examples, Source, Texts
from corefmill.corpora.scoring.table import Table


@dataclass(frozen=True, slots=True)
class Options:
    """What a score of clusters depends on; see `coreference.count`."""

    metrics: Sequence[Metric] = tuple(METRICS.values())
    singletons: Singletons = "keep"
    unmatched: Unmatched = "refuse"
    genre: AnyPattern = GENRE


def score(key: Source, response: Source, options: Options = Options()) -> Table:
    """Counts by document, row or example; the two are of one kind (see `sources.load`)."""
    paths = key.path, response.path
    if isinstance(key, Texts) and isinstance(response, Texts):
        return coreference.count(
            key.texts,
            response.texts,
            options.metrics,
            singletons=options.singletons,
            unmatched=options.unmatched,
            genre=options.genre,
            paths=paths,
        )
    if isinstance(key, Answers) and isinstance(response, Answers):
        return gap.count(key.rows, response.rows, key.path)
    if isinstance(key, Examples) and isinstance(response, Examples):
        return answers.count(key.examples, response.examples, paths)
    raise TypeError(f"{type(response).__name__} against {type(key).__name__}")

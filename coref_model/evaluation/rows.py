"""Rows of a table of results: a score, what it was measured on and how, and its interval.

Every protocol in this folder returns them; `corefmill evaluate` prints them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict, Unpack

from corefmill.coref_model.masked.answers import Roles
from corefmill.coref_model.training.trained_model import too_few
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import EventMention
from corefmill.corpora.scoring.resample import intervals
from corefmill.corpora.scoring.table import ScoreTable, derive_scores

MODEL = "the model"

MEASURES = {"muc": "MUC F1", "bcub": "B3 F1", "ceafe": "CEAFe F1", "conll": "CoNLL F1"}
"""Columns of clusters against their key."""

DRAWS = 2000
"""Draws of examples or documents for an interval."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A score in percent with its 95 % interval; `n` counts what was scored.

    `by` is the model, or the rule that answered in its place. `counts` are the items that a reader
    should know of: tied, cut, unlabelled and the like. Rows of one `signature` compare, whoever
    answered.
    """

    corpus: str
    split: str
    protocol: str
    group: str
    metric: str
    score: float
    low: float | None
    high: float | None
    n: int
    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    signature: str = ""
    by: str = MODEL

    def as_json(self) -> dict[str, Any]:
        """Return the row as a JSON object for --json, printed below all signatures.

        A score that does not exist is null.
        """
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in asdict(self).items()
            if name != "signature"
        }


TextNames = Callable[[Iterable[str]], Iterator[Sequence[str]]]
"""Finds names of persons, or runs of nouns, in each text, in order."""

Heads = Callable[[Iterable[EventMention]], Iterator[EventMention]]
"""Gives event mentions the heads and lemmas of a pipeline."""


class Parser(NamedTuple):
    """A pipeline with trees, by name and version, as the rules that need one ask it."""

    name: str
    roles: Roles
    heads: Heads


OnAnswer = Callable[[str, str, bool], None]
"""Called with the corpus, an item and whether it was answered right."""


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """How corpora are evaluated.

    `split` None is test, else validation, else all, whichever is there first. `persons` and
    `nouns` come from the pipeline that `nlp` names, and are asked for by GAP's and WNLI's
    protocols alone. `parser` gives that of a language for the rules that need one, and raises
    `UsageError` where there is none. `glue` is the file that WNLI's answers go to.
    """

    split: str | None = None
    seed: int = 0
    persons: TextNames | None = None
    nouns: TextNames | None = None
    parser: Callable[[str], Parser] | None = None
    glue: Path | None = None
    nlp: str = ""
    on_answer: OnAnswer | None = None

    def parsed(self, lang: str) -> Parser:
        """The pipeline with trees for a language; raises `UsageError` where there is none."""
        if self.parser is None:
            raise UsageError("no pipeline was given")
        return self.parser(lang)


class ScoredSplit(TypedDict):
    """The scored split and the answerer of a row; the seed of the intervals' draws."""

    corpus: str
    split: str
    seed: int
    by: NotRequired[str]


def answered(scored: ScoredSplit, by: str) -> ScoredSplit:
    """Name a rule as the answerer."""
    return {**scored, "by": by}


HEAD = ("corpus", "split", "protocol", "by", "group", "metric", "score", "95 %", "n", "of these")
"""Columns of `cells`; the last three but one hold numbers."""


def rows(
    table: ScoreTable,
    measures: Mapping[str, str],
    *,
    protocol: str,
    groups: Mapping[str, str] | None = None,
    counts: Mapping[str, int] | None = None,
    note: str = "",
    draws: int = DRAWS,
    **scored: Unpack[ScoredSplit],
) -> list[ScoreRow]:
    """Rows of those measures of a table, F1 of each; `measures` gives each its column's name.

    `groups` names the group of a measure that looks at a part of the items only. Raises what
    `resample.intervals` raises, but gives rows without intervals for a single item.
    """
    scores = table.scores(table.totals())
    values = {name: array[2] for name, array in scores.items()} | derive_scores(scores)
    several = len(table.names) > 1
    ends = intervals(table, draws, scored["seed"]) if several else {}
    found = []
    for name, shown in measures.items():
        # Of recall, precision and F1 the last; what is derived has one interval.
        interval = ends[name][-1] if several else None
        size = list(table.genres).count(name) or len(table.names)  # all, or those of one genre
        scale = 1.0 if name == "bias" else 100.0
        found.append(
            ScoreRow(
                scored["corpus"],
                scored["split"],
                protocol,
                (groups or {}).get(name, ""),
                shown,
                scale * float(values[name]),
                None if interval is None else scale * interval.low,
                None if interval is None else scale * interval.high,
                size,
                dict(counts or {}),
                note,
                by=scored.get("by", MODEL),
            )
        )
    return found


def missing(protocol: str, metric: str, why: str, **scored: Unpack[ScoredSplit]) -> ScoreRow:
    """Make the row of a rule without an answer; `why` is said below the table."""
    by = scored.get("by", MODEL)
    note = f"{by}: {why}"
    nothing = math.nan
    corpus, split = scored["corpus"], scored["split"]
    return ScoreRow(corpus, split, protocol, "", metric, nothing, None, None, 0, note=note, by=by)


def cells(found: Iterable[ScoreRow]) -> list[Sequence[str]]:
    """The rows as text, under `HEAD`."""
    return [
        (
            row.corpus,
            row.split,
            row.protocol,
            row.by,
            row.group,
            row.metric,
            few or shown(row.score, row.metric),
            ""
            if few or row.low is None or row.high is None or math.isnan(row.low)
            else f"{shown(row.low, row.metric)}-{shown(row.high, row.metric)}",
            f"{row.n:,}",
            ", ".join(f"{count:,} {name}" for name, count in row.counts.items() if count),
        )
        for row in found
        for few in [too_few(row.n) if row.metric.endswith("accuracy") and row.score >= 0 else ""]
    ]


def shown(value: float, metric: str) -> str:
    """A figure as tables have it: a bias is a ratio, all else percent; - for none."""
    if math.isnan(value):
        return "-"
    return f"{value:.2f}" if metric == "bias" else f"{value:.1f}"

"""Scores of a model on a corpus: rows of a table, with protocols, intervals and signatures.

`evaluation/KIND.py` has the protocol of each kind of record, as `score_corpus`; `evaluate` chooses
the protocol, and `corefmill evaluate` prints the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from corefmill.coref_model.masked.answers import Roles
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.coref_model.training.checkpoint import divide_as_trained
from corefmill.coref_model.training.task import load_kind
from corefmill.coref_model.training.trained_model import explain_too_few
from corefmill.corpora import find
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import KINDS, EventMention
from corefmill.corpora.scoring import signature
from corefmill.corpora.scoring.resample import intervals
from corefmill.corpora.scoring.table import ScoreTable, derive_scores

MODEL = "the model"

MEASURES = {"muc": "MUC F1", "bcub": "B3 F1", "ceafe": "CEAFe F1", "conll": "CoNLL F1"}
"""Columns of scores of clusters."""

FOUND_NAMES = "names found"
PREMISE_NOUNS = "hypothesis against the premise's nouns"
"""Protocols with candidates found by a pipeline, whose name is then part of the signature."""

_DRAWS = 2000
"""Draws of examples or documents for an interval."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A score in percent with its 95 % interval; `n` counts the scored items.

    `by` is the model, or the rule that answered in its place. `counts` are numbers of special
    items: tied, cut, unlabelled and the like. Rows with an equal `signature` are comparable.
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
    """A pipeline with trees, by name and version, for the rules that need one."""

    name: str
    roles: Roles
    heads: Heads


def _refuse_parser(lang: str) -> Parser:
    raise UsageError("no pipeline was given that parses sentences")


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """Options of an evaluation.

    `split` None is the first of test, validation and all that exists. `persons` and `nouns` come
    from the pipeline `nlp`, for the protocols of GAP and WNLI alone. `parser` returns a language's
    parser for the rules that need one, and raises `UsageError` if there is none. WNLI's answers go
    to the file `glue`. `on_answer` is called with the corpus, an item and whether the answer is
    right.
    """

    split: str | None = None
    seed: int = 0
    persons: TextNames | None = None
    nouns: TextNames | None = None
    parser: Callable[[str], Parser] = _refuse_parser
    glue: Path | None = None
    nlp: str = ""
    on_answer: Callable[[str, str, bool], None] = lambda corpus, item, right: None


def evaluate(
    predictor: Predictor, corpus: FoundCorpus, options: EvaluationOptions
) -> list[ScoreRow]:
    """Score a model on one corpus, each row with the signature of its protocol.

    Raises `DataError` for a corpus of another kind than the model's, and for a missing split.
    """
    wanted = load_kind(predictor.task).records
    if corpus.kind != wanted:
        raise DataError(
            f"{corpus.name} holds {corpus.holds}, and the model is for {KINDS[wanted].plural}",
            remedy="name a corpus of that kind, or another model",
        )
    if predictor.checkpoint is not None:
        corpus = divide_as_trained(predictor.checkpoint, corpus, options.split)
    split = find.choose_split(corpus, options.split)
    size = find.count(corpus, split)
    protocol = import_module(f"corefmill.coref_model.evaluation.{wanted}")
    rows: list[ScoreRow] = protocol.score_corpus(predictor, corpus, split, options)
    # The files alone do not determine the scored records: the split or a draw decides, too.
    drawn = corpus.held_out
    choice = [split] if corpus.split_source == "records" or drawn else []
    choice += [f"{drawn.share} {drawn.seed}"] if drawn else []
    key = signature.checksum_of(disk.files_of(corpus.splits[split]), *choice)
    signatures = {}
    for name in dict.fromkeys(row.protocol for row in rows):
        own = [row for row in rows if row.protocol == name]
        by_nlp = bool(options.nlp) and name in (FOUND_NAMES, PREMISE_NOUNS)
        signatures[name] = signature.make_signature(
            "evaluation",
            dict.fromkeys(f"{row.metric}.{row.group}".strip(".") for row in own),
            {"protocol": name} | ({"nlp": options.nlp} if by_nlp else {}),
            size=(KINDS[corpus.kind].plural.split()[-1], size),
            drawn=(_DRAWS, options.seed) if any(row.low is not None for row in own) else None,
            key=key,
        )
    return [replace(row, signature=str(signatures[row.protocol])) for row in rows]


@dataclass(frozen=True, slots=True)
class ScoredSplit:
    """A scored split, the seed of the intervals' draws, and the answerer of its rows."""

    corpus: str
    split: str
    seed: int
    by: str = MODEL

    def make_rows(
        self,
        table: ScoreTable,
        measures: Mapping[str, str],
        *,
        protocol: str,
        groups: Mapping[str, str] | None = None,
        counts: Mapping[str, int] | None = None,
        note: str = "",
    ) -> list[ScoreRow]:
        """Make a row of F1 with its interval for each measure; `measures` names the columns.

        `groups` names the group of a measure over a part of the items only. Raises what
        `resample.intervals` raises, but gives rows without intervals for a single item.
        """
        scores = table.scores(table.totals())
        values = {name: array[2] for name, array in scores.items()} | derive_scores(scores)
        several = len(table.names) > 1
        ends = intervals(table, _DRAWS, self.seed) if several else {}
        found = []
        for name, metric in measures.items():
            # The third interval of (recall, precision, F1), the only one of a derived measure.
            interval = ends[name][-1] if several else None
            scale = 1.0 if name == "bias" else 100.0
            found.append(
                ScoreRow(
                    self.corpus,
                    self.split,
                    protocol,
                    (groups or {}).get(name, ""),
                    metric,
                    scale * float(values[name]),
                    None if interval is None else scale * interval.low,
                    None if interval is None else scale * interval.high,
                    list(table.genres).count(name) or len(table.names),  # of one genre, or all
                    dict(counts or {}),
                    note,
                    by=self.by,
                )
            )
        return found

    def make_empty_row(self, protocol: str, metric: str, reason: str) -> ScoreRow:
        """Make a row without a score for a rule that cannot answer, with the `reason` as note."""
        where = self.corpus, self.split, protocol, "", metric
        note = f"{self.by}: {reason}"
        return ScoreRow(*where, math.nan, None, None, 0, note=note, by=self.by)


HEAD = ("corpus", "split", "protocol", "by", "group", "metric", "score", "95 %", "n", "of these")
"""Columns of `format_rows`; the last three but one hold numbers."""


def format_rows(rows: Iterable[ScoreRow]) -> list[Sequence[str]]:
    """Format score rows as cells of a text table with the columns `HEAD`."""

    def show(value: float) -> str:
        # A bias is a ratio, all else percent.
        return "-" if math.isnan(value) else f"{value:.{2 if row.metric == 'bias' else 1}f}"

    lines: list[Sequence[str]] = []
    for row in rows:
        few = explain_too_few(row.n) if row.metric.endswith("accuracy") and row.score >= 0 else ""
        interval = ""
        if not few and row.low is not None and row.high is not None and not math.isnan(row.low):
            interval = f"{show(row.low)}-{show(row.high)}"
        counts = ", ".join(f"{count:,} {name}" for name, count in row.counts.items() if count)
        what = row.corpus, row.split, row.protocol, row.by, row.group, row.metric
        lines.append((*what, few or show(row.score), interval, f"{row.n:,}", counts))
    return lines

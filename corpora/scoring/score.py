"""Scores a response against a key, whatever both are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from corefmill.corpora.errors import UsageError
from corefmill.corpora.patterns import GENRE, AnyPattern
from corefmill.corpora.scoring import answers, coreference, gap, sources
from corefmill.corpora.scoring.columns import LeftOut, MentionClass
from corefmill.corpora.scoring.coreference import CountingRules, Singletons, Unmatched
from corefmill.corpora.scoring.matching import Matching
from corefmill.corpora.scoring.metrics import METRICS, NODE_METRICS, Metric, named
from corefmill.corpora.scoring.sources import Answers, Examples, Source, Texts
from corefmill.corpora.scoring.table import ScoreTable


def score(
    key: str | Path | Source,
    response: str | Path | Source,
    *,
    metrics: str = "all",
    singletons: Singletons = "keep",
    unmatched: Unmatched = "refuse",
    genre: AnyPattern = GENRE,
    matching: Matching | None = None,
    left_out: Sequence[LeftOut] = (),
    by: Sequence[MentionClass] = (),
    form: str | None = None,
    group: str | None = None,
) -> ScoreTable:
    """Counts by document, row or example, and the scores of their sums.

    Args:
        key: The right clusters or answers: a file, a folder of `*conll`, or what
            `sources.load` has read of them, so that it is read once for several responses.
        response: Those to score.
        metrics: Of clusters, such as `muc,b3`; `conll` is MUC, B3 and CEAFe.
        singletons, unmatched, genre: Of clusters; see `coreference.CountingRules`.
        matching: Of CoNLL-U with `Entity`: when two mentions are the same, as corefud-scorer
            has it.
        left_out, by: With `matching`: guidelines whose mentions are left out, and classes of
            mentions to count; see `CountingRules`. Of a key that `sources.load` has read, it
            must have kept the `columns`.
        form: The files' format; detected from their content if None.
        group: What event mentions are grouped by; see `sources.load`.

    Raises:
        DataError: A file cannot be read, or the two do not belong together.
        UsageError: There is no such metric or format.
    """
    nodes, columns = matching is not None, bool(left_out or by)
    chosen = named(metrics, NODE_METRICS if nodes else METRICS)
    if columns and not nodes:
        raise UsageError(
            f"{', '.join((*left_out, *by))}: this is decided by the columns of CoNLL-U",
            remedy="give --match, such as --match head",
        )
    if isinstance(key, str | Path):
        key = sources.load(Path(key), form=form, group=group, nodes=nodes, columns=columns)
    if isinstance(response, str | Path):
        response = sources.load(Path(response), form=form, group=group, key=key, nodes=nodes)
    rules = CountingRules(singletons=singletons, unmatched=unmatched, genre=genre)
    rules |= CountingRules(matching=matching, left_out=left_out, by=by)
    return _counted(key, response, chosen, rules)


def _counted(
    key: Source, response: Source, metrics: Sequence[Metric], rules: CountingRules
) -> ScoreTable:
    paths = key.path, response.path
    if isinstance(key, Texts) and isinstance(response, Texts):
        table = coreference.count(key.texts, response.texts, metrics, paths=paths, **rules)
        return replace(table, notes=(key.note, *table.notes)) if key.note else table
    if isinstance(key, Answers) and isinstance(response, Answers):
        return gap.count(key.rows, response.rows, key.path)
    if isinstance(key, Examples) and isinstance(response, Examples):
        return answers.count(key.examples, response.examples, paths)
    raise TypeError(f"{type(response).__name__} against {type(key).__name__}")

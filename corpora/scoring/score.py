"""Score a response against a key: clusters, answers to GAP, or masked examples."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.formats.conll_columns import parse_columns
from corefmill.corpora.scoring import coreference, gap, signature, sources
from corefmill.corpora.scoring.coreference import GENRE, Singletons, Unmatched
from corefmill.corpora.scoring.matching import Matching, MentionMatch, ZeroMatch
from corefmill.corpora.scoring.metrics import MENTIONS, METRICS, NODE_METRICS, Metric, parse_metrics
from corefmill.corpora.scoring.sources import Answers, Examples, Source, Texts
from corefmill.corpora.scoring.table import ScoreTable

DRAWS = 10_000
"""Draws that test a difference where no number is given."""


@contextmanager
def _pause_gc() -> Iterator[None]:
    """Pause the search for cycles: clusters are many objects, and it would double the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_pause_gc()
def score(
    key: str | Path | Source,
    response: str | Path | Source,
    *,
    against: str | Path | Source | None = None,
    metrics: str = "all",
    match: MentionMatch | None = None,
    zeros: ZeroMatch | None = None,
    singletons: Singletons = "keep",
    unmatched: Unmatched = "refuse",
    genre: re.Pattern[str] = GENRE,
    by_class: bool = False,
    form: str | None = None,
    layout: str | None = None,
    group: str | None = None,
    bootstrap: int | None = None,
    seed: int = 0,
) -> ScoreTable:
    """Score a response against a key, by document, row or example, as `corefmill score` does.

    Args:
        key: The right clusters or answers: a file, a folder of `*conll`, or what
            `sources.load` has read of them, so that it is read once for several responses.
        response: Those to score.
        against: A second response. Its table is `against` of the first's, whose `differences`
            test how its scores differ from the first's.
        metrics: Of clusters, such as `muc,b3`; `conll` is MUC, B3 and CEAFe.
        match: Of CoNLL-U with `Entity`: when two mentions are the same by the rules of
            corefud-scorer, `exact`, `head` or `partial`.
        zeros: With `match`: `none`, `linear` or `dependent` (the default), see `Matching`.
        singletons, unmatched, genre: Of clusters; see `coreference.count`.
        by_class: With `match`: count mentions and anaphors by class, too. A key that
            `sources.load` has read must have kept its `columns`.
        form: The files' format; detected from their content if None.
        layout: The columns of CoNLL tables, such as `word=2,coref=-1`.
        group: What event mentions are grouped by; see `sources.load`.
        bootstrap: Draws of documents for the `intervals` of the tables, and for `differences`
            (10,000 if None).
        seed: Seed of these draws.

    Raises:
        DataError: A file cannot be read, or the two do not belong together.
        UsageError: There is no such metric, format or way to match, or documents are too few to
            draw from.
    """
    for name, value, choice in (("match", match, MentionMatch), ("zeros", zeros, ZeroMatch)):
        if value not in (None, *get_args(choice)):
            raise UsageError(f"{name} is {', '.join(get_args(choice))} or None, not {value!r}")
    # First, the rules of the user: either option on nodes makes mentions match by their nodes.
    nodes = match is not None or zeros is not None
    matching = Matching(match or "exact", zeros or "dependent") if nodes else None
    chosen = parse_metrics(metrics, NODE_METRICS if nodes else METRICS)
    if by_class and not nodes:
        raise UsageError(
            "classes of mentions are decided by the columns of CoNLL-U",
            remedy="give --match, such as --match head",
        )
    columns = parse_columns(layout, wordless=True) if layout else None
    # Second, the key is read once, and each response as what is comparable with it.
    if isinstance(key, str | Path):
        key = sources.load(
            Path(key), form=form, group=group, nodes=nodes, columns=by_class, layout=columns
        )
    rules: dict[str, Any] = {"singletons": singletons, "unmatched": unmatched}
    counting = rules | {"genre": genre, "matching": matching, "by_class": by_class}
    tables = []
    for one in (response, against):
        if isinstance(one, str | Path):
            one = sources.load(
                Path(one), form=form, group=group, key=key, nodes=nodes, layout=columns
            )
        if one is not None:
            tables.append(_count(key, one, chosen, counting))
    draws = DRAWS if bootstrap is None and against is not None else bootstrap
    # Third, the signature, the same for both responses: it holds what decides the numbers.
    fields: dict[str, str] = {}
    if isinstance(key, Texts):  # of answers and examples singletons and what follows say nothing
        if matching is None:
            fields = {"rules": signature.COLUMN_RULES, "match": "exact"}
        else:
            fields = {"rules": signature.NODE_RULES, "match": matching.how, "zeros": matching.zeros}
        fields |= rules if group is None else {**rules, "group": group}
    measures = [measure.name for measure in tables[0].measures if measure is not MENTIONS]
    made = signature.make_signature(
        "clusters" if isinstance(key, Texts) else "gap" if "gap" in measures else "examples",
        sorted(measures, key=[*NODE_METRICS, *measures].index),
        fields,
        size=(f"{tables[0].unit}s", len(tables[0].names)),
        drawn=None if draws is None else (draws, seed),
        key=signature.checksum(key.path, nodes),
    )
    tables = [replace(table, signature=made) for table in tables]
    # Fourth, draws of documents: intervals where they are asked for, a test with two responses.
    if draws is not None:
        from corefmill.corpora.scoring.resample import compare, intervals  # takes long to import

        if bootstrap is not None:
            tables = [replace(one, intervals=intervals(one, draws, seed)) for one in tables]
        if len(tables) > 1:
            first, second = tables
            found = compare(first, second, draws, seed)
            return replace(first, against=second, differences=found)
    return tables[0]


def _count(
    key: Source, response: Source, metrics: Sequence[Metric], rules: dict[str, Any]
) -> ScoreTable:
    """Count a response against a key of the same kind."""
    paths = key.path, response.path
    if isinstance(key, Texts) and isinstance(response, Texts):
        table = coreference.count(key.texts, response.texts, metrics, paths=paths, **rules)
        return replace(table, notes=(key.note, *table.notes)) if key.note else table
    if isinstance(key, Answers) and isinstance(response, Answers):
        return gap.count_gap(key.rows, response.rows, key.path)
    if isinstance(key, Examples) and isinstance(response, Examples):
        return gap.count_examples(key.examples, response.examples, paths)
    raise TypeError(f"{type(response).__name__} against {type(key).__name__}")

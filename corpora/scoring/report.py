"""How scores are shown: as tables, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefmill.corpora import card_parts
from corefmill.corpora.scoring.anaphors import ORDER
from corefmill.corpora.scoring.matching import Matching
from corefmill.corpora.scoring.metrics import Row, ratios
from corefmill.corpora.scoring.table import (
    LEVEL,
    Difference,
    Interval,
    ScoreTable,
    Totals,
    derive_scores,
)

Show = Callable[[Sequence[str], Sequence[Sequence[str]], int], list[str]]
"""The lines of a table of a head, rows, and the number of columns of numbers."""

_COUNTED = ("mentions", "anaphors")
_TITLES = {"conll": "CoNLL", "bias": "bias"}
_MATCHES = {"exact": "their nodes", "head": "their heads", "partial": "a part with the head"}
_ZEROS = {"none": "left out", "linear": "by their places", "dependent": "by their dependencies"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreReport:
    """The table of one response, or with that of a second one.

    `singletons` is None where there are no clusters, `matching` where their mentions match if they
    are equal; `by` names the further tables of documents, `cite` is BibTeX of what was used.
    """

    key: Path
    responses: Sequence[Path]
    table: ScoreTable
    draws: int
    seed: int
    singletons: str | None
    by: Sequence[str]
    matching: Matching | None = None
    cite: Sequence[str] = ()

    @property
    def tables(self) -> list[ScoreTable]:
        """Those of the responses, in their order."""
        return [self.table, *([self.table.against] if self.table.against else [])]

    @property
    def sampled(self) -> bool:
        """Tell whether documents were drawn."""
        return self.table.intervals is not None or self.table.differences is not None

    def as_json(self) -> dict[str, Any]:
        """By measure recall, precision and F1, with what belongs to them around it."""
        found = self._response(0)
        if len(self.tables) > 1:
            found["against"] = self._response(1)
        if self.table.differences is not None:
            found["differences"] = {
                name: {
                    "f1": _number(one.value),
                    "interval": _ends(one.interval),
                    "p": one.p,
                }
                for name, one in self.table.differences.items()
            }
        if self.sampled:
            found["draws"], found["seed"], found["level"] = self.draws, self.seed, LEVEL
        if self.cite:
            found["cite"] = list(self.cite)
        return found

    def _response(self, which: int) -> dict[str, Any]:
        table = self.tables[which]
        found = {
            **_measures(table, table.totals()),
            "key": str(self.key),
            "response": str(self.responses[which]),
            f"{table.unit}s": len(table.names),
            "notes": list(table.notes),
        }
        if self.singletons is not None:
            found["singletons"] = self.singletons
        if self.matching is not None:
            found["match"], found["zeros"] = self.matching.how, self.matching.zeros
        for by in self.by:
            found[f"by_{by}"] = [
                {by: name, **_measures(table, totals)} for name, totals in _groups(table, by)
            ]
        for by, classes in table.classes.items():
            found[f"by_{by}"] = [
                {
                    by: name,
                    **{kind: _score_fields(row) for kind, row in zip(_COUNTED, rows, strict=True)},
                }
                for name, rows in _in_order(classes)
            ]
        if table.intervals is not None:
            found["intervals"] = {
                name: dict(zip(_columns(name, len(ends)), map(_ends, ends), strict=True))
                for name, ends in table.intervals.items()
            }
        return found

    def as_text(self, *, markdown: bool, quiet: bool) -> str:
        """Tables below each other; remarks under them unless `quiet`."""

        def show(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int) -> list[str]:
            if not markdown:
                return card_parts.columns(head, rows, numbers)
            # Markdown takes no blanks in front, which set the parts of a measure under it.
            return card_parts.table(head, [[cell.strip() for cell in row] for row in rows], numbers)

        parts = []
        for path, table in zip(self.responses, self.tables, strict=True):
            if len(self.tables) > 1:
                parts.append(f"{path}:")
            parts.append(_scores(table, show))
            parts += [_by(table, by, show) for by in self.by]
            parts += [_by_class(by, classes, show) for by, classes in table.classes.items()]
            if table.notes and not quiet:
                parts.append("\n".join(f"Note: {note}." for note in table.notes))
        if self.table.differences is not None:
            parts.append(f"{self.responses[1]} less {self.responses[0]}:")
            parts.append(_differences(self.table, self.table.differences, show))
        if not quiet:
            parts.append(self._remarks())
        parts += self.cite
        return "\n\n".join(parts)

    def _remarks(self) -> str:
        table = self.table
        said = [f"{len(table.names):,} {table.unit}{'s' if len(table.names) > 1 else ''}"]
        if self.singletons is not None:
            said.append(
                "singletons as they stand in the files"
                if self.singletons == "keep"
                else "singletons dropped from both sides"
            )
        if self.matching is not None:
            said.append(f"mentions match by {_MATCHES[self.matching.how]}")
            said.append(f"zeros {_ZEROS[self.matching.zeros]}")
        if self.sampled:
            said.append(f"{self.draws:,} draws of {table.unit}s with seed {self.seed}")
        lines = [f"{', '.join(said)}. Percentages are rounded, not cut off."]
        if table.differences is not None:
            lines.append(
                f"Intervals are of {LEVEL:.0%}, by paired bootstrap; p by approximate "
                "randomization, two-sided."
            )
        lines.append(f"Signature: {table.signature}")
        return "\n".join(lines)


def _scores(table: ScoreTable, show: Show) -> str:
    """Recall, precision and F1 of every measure."""
    totals = table.totals()
    results = table.scores(totals)
    intervals = table.intervals
    rows = []
    for measure in table.measures:
        counts = totals[measure.name]
        rows.append([measure.title, *map(_percent, results[measure.name]), *_out_of(counts)])
        if intervals is not None:
            rows[-1].append(_span(intervals[measure.name][2]))
        for title, part in _parts(counts).items():
            rows.append(
                [f"  {title.replace('_', '-')}", *map(_percent, ratios(part)), *_out_of(part)]
            )
            rows[-1] += [""] if intervals is not None else []
    for name, value in derive_scores(results).items():
        shown = _share(value) if name == "bias" else _percent(value)
        rows.append([_TITLES[name], "", "", shown, "", ""])
        if intervals is not None:
            ends = intervals[name][0]
            rows[-1].append(_span(ends, _share if name == "bias" else _percent))
    head = ["", "recall", "precision", "F1", "recall of", "precision of"]
    if intervals is not None:
        head.append(f"F1, {LEVEL:.0%}")
    return "\n".join(show(head, rows, len(head) - 1))


def _groups(table: ScoreTable, by: str) -> list[tuple[str, Totals]]:
    if by == "document":
        return table.by_document()
    return table.by_genre() if by == "genre" else table.by_language()


def _in_order(classes: Mapping[str, Sequence[Row]]) -> list[tuple[str, Sequence[Row]]]:
    return sorted(classes.items(), key=lambda one: ([*ORDER, one[0]].index(one[0]), one[0]))


def _by_class(by: str, classes: Mapping[str, Sequence[Row]], show: Show) -> str:
    """Mentions and anaphors of every class."""
    rows = []
    for name, both in _in_order(classes):
        cells = [(*map(_percent, ratios(counts)), _out_of(counts)[0]) for counts in both]
        rows.append([name, *cells[0], *cells[1]])
    head = [f"by {by}", *("recall", "precision", "F1", "mentions")]
    head += ["recall", "precision", "F1", "anaphors"]
    return "\n".join(show(head, rows, 8))


def _by(table: ScoreTable, by: str, show: Show) -> str:
    """F1 of every document or genre."""
    rows = []
    names: list[str] = []
    for group, totals in _groups(table, by):
        results = table.scores(totals)
        more = derive_scores(results)
        names = list(more)
        rows.append(
            [
                group,
                *(_percent(results[measure.name][2]) for measure in table.measures),
                *((_share if name == "bias" else _percent)(more[name]) for name in names),
            ]
        )
    head = [f"F1 by {by}", *(measure.title for measure in table.measures)]
    head += [_TITLES[name] for name in names]
    return "\n".join(show(head, rows, len(head) - 1))


def _differences(table: ScoreTable, found: Mapping[str, Difference], show: Show) -> str:
    titles = {measure.name: measure.title for measure in table.measures} | _TITLES
    rows = []
    for name, one in found.items():
        as_shown = _share if name == "bias" else _percent
        sign = "+" if one.value > 0 else ""
        span = _span(one.interval, as_shown)
        rows.append([titles[name], sign + as_shown(one.value), span, f"{one.p:.4f}"])
    return "\n".join(show(["", "F1", f"{LEVEL:.0%}", "p"], rows, 3))


def _measures(table: ScoreTable, totals: Totals) -> dict[str, Any]:
    """By name `{"recall": [num, den], "precision": [num, den], "f1": x}`.

    BLANC, whose recall and precision are means, has them over 1, and the counts of its links
    beside them. What is derived has `f1` alone; a bias has `ratio`.
    """
    results = table.scores(totals)
    found: dict[str, Any] = {}
    for measure in table.measures:
        counts, (recall, precision, f1) = totals[measure.name], results[measure.name]
        parts = _parts(counts)
        if parts:
            counts = recall, 1, precision, 1
        found[measure.name] = {
            **_fractions(counts),
            "f1": f1,
            **{name: _score_fields(part) for name, part in parts.items()},
        }
    for name, value in derive_scores(results).items():
        found[name] = {_columns(name, 1)[0]: _number(value)}
    return found


def _score_fields(counts: Row) -> dict[str, Any]:
    return {**_fractions(counts), "f1": ratios(counts)[2]}


def _parts(counts: Row) -> dict[str, Row]:
    """BLANC's two kinds of links; other measures have one row of counts alone."""
    return {"coreference": counts[:4], "non_coreference": counts[4:]} if len(counts) == 8 else {}


def _fractions(counts: Row) -> dict[str, list[float]]:
    numbers = [int(number) if float(number).is_integer() else number for number in counts]
    return {"recall": numbers[:2], "precision": numbers[2:]}


def _columns(name: str, width: int) -> tuple[str, ...]:
    if width == 1:
        return ("ratio",) if name == "bias" else ("f1",)
    return ("recall", "precision", "f1")


def _number(value: float) -> float | None:
    """JSON has no NaN."""
    return None if math.isnan(value) else value


def _ends(interval: Interval) -> list[float | None]:
    return [_number(interval.low), _number(interval.high)]


def _out_of(counts: Row) -> list[str]:
    """The fractions behind recall and precision; none for means."""
    if len(counts) != 4:
        return ["", ""]
    shown = [f"{n:,.0f}" if float(n).is_integer() else f"{n:,.2f}" for n in counts]
    return [f"{shown[0]}/{shown[1]}", f"{shown[2]}/{shown[3]}"]


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def _share(ratio: float) -> str:
    return "-" if math.isnan(ratio) else f"{ratio:.2f}"


def _span(interval: Interval, show: Callable[[float], str] = _percent) -> str:
    return f"{show(interval.low)} to {show(interval.high)}"

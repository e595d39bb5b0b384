"""Show scores as tables and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefmill.corpora import card_parts
from corefmill.corpora.scoring.anaphors import ORDER
from corefmill.corpora.scoring.metrics import Row, ratios
from corefmill.corpora.scoring.signature import NODE_RULES
from corefmill.corpora.scoring.table import (
    LEVEL,
    Difference,
    Interval,
    ScoreTable,
    Totals,
    derive_scores,
)

Show = Callable[[Sequence[str], Sequence[Sequence[str]], int], list[str]]
"""Makes the lines of a table of its head, its rows, and the number of columns of numbers."""

_TITLES = {"conll": "CoNLL", "bias": "bias"}
_RULES = {
    "keep": "singletons as they stand in the files",
    "drop": "singletons dropped from both sides",
    "exact": "mentions match by their nodes",
    "head": "mentions match by their heads",
    "partial": "mentions match by a part with the head",
    "none": "zeros left out",
    "linear": "zeros by their places",
    "dependent": "zeros by their dependencies",
}
"""The rules of a signature in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreReport:
    """The table of one response or of two, with their files.

    `by` names the further tables of documents: document, genre, language.
    """

    key: Path
    responses: Sequence[Path]
    table: ScoreTable
    by: Sequence[str]

    @property
    def tables(self) -> list[ScoreTable]:
        """The tables of the responses, in their order."""
        return [self.table, *([self.table.against] if self.table.against else [])]

    @property
    def _fields(self) -> Mapping[str, str]:
        assert self.table.signature is not None
        return self.table.signature.fields

    def as_json(self) -> dict[str, Any]:
        """Return the scores of all responses, with the facts about them, as JSON has them."""
        found, *others = map(self._response_as_json, range(len(self.tables)))
        for other in others:
            found["against"] = other
        if self.table.differences is not None:
            found["differences"] = {
                name: {"f1": _number(one.value), "interval": _ends(one.interval), "p": one.p}
                for name, one in self.table.differences.items()
            }
        if "bootstrap" in self._fields:
            found["draws"], found["seed"] = (int(self._fields[n]) for n in ("bootstrap", "seed"))
            found["level"] = LEVEL
        return found

    def _response_as_json(self, which: int) -> dict[str, Any]:
        """Return the scores of one response as JSON has them."""
        table = self.tables[which]
        found = {
            **_measures(table, table.totals()),
            "key": str(self.key),
            "response": str(self.responses[which]),
            f"{table.unit}s": len(table.names),
            "notes": list(table.notes),
        }
        if "singletons" in self._fields:
            found["singletons"] = self._fields["singletons"]
        if self._fields.get("rules") == NODE_RULES:
            found["match"], found["zeros"] = self._fields["match"], self._fields["zeros"]
        for by in self.by:
            found[f"by_{by}"] = [
                {by: name, **_measures(table, totals)} for name, totals in table.group(by)
            ]
        if table.classes:
            found["by_class"] = [
                {
                    "class": name,
                    "mentions": _score_fields(table.classes[name][0]),
                    "anaphors": _score_fields(table.classes[name][1]),
                }
                for name in sorted(table.classes, key=ORDER.index)
            ]
        if table.intervals is not None:
            found["intervals"] = {
                name: dict(zip(_columns(name, len(ends)), map(_ends, ends), strict=True))
                for name, ends in table.intervals.items()
            }
        return found

    def as_text(self, *, markdown: bool, quiet: bool) -> str:
        """Show the tables below each other; remarks under them unless `quiet`."""

        def show(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int) -> list[str]:
            if not markdown:
                return card_parts.columns(head, rows, numbers)
            # Markdown takes no blanks in front, which set the parts of a measure under it.
            return card_parts.table(head, [[cell.strip() for cell in row] for row in rows], numbers)

        parts = []
        for path, table in zip(self.responses, self.tables, strict=True):
            if len(self.tables) > 1:
                parts.append(f"{path}:")
            parts.append(_show_scores(table, show))
            parts += [_show_groups(table, by, show) for by in self.by]
            parts += [_show_classes(table.classes, show)] if table.classes else []
            if table.notes and not quiet:
                parts.append("\n".join(f"Note: {note}." for note in table.notes))
        if self.table.differences is not None:
            parts.append(f"{self.responses[1]} less {self.responses[0]}:")
            parts.append(_show_differences(self.table, self.table.differences, show))
        if not quiet:
            parts.append(self._show_remarks())
        return "\n\n".join(parts)

    def _show_remarks(self) -> str:
        """Describe how the scores were counted, ending with the signature."""
        table, fields = self.table, self._fields
        shown = ["singletons"] + ["match", "zeros"] * (fields.get("rules") == NODE_RULES)
        said = [f"{len(table.names):,} {table.unit}{'s' if len(table.names) > 1 else ''}"]
        said += [_RULES[fields[name]] for name in shown if name in fields]
        if "bootstrap" in fields:
            draws = int(fields["bootstrap"])
            said.append(f"{draws:,} draws of {table.unit}s with seed {fields['seed']}")
        lines = [f"{', '.join(said)}. Percentages are rounded, not cut off."]
        if table.differences is not None:
            lines.append(
                f"Intervals are of {LEVEL:.0%}, by paired bootstrap; p by approximate "
                "randomization, two-sided."
            )
        lines.append(f"Signature: {table.signature}")
        return "\n".join(lines)


def _show_scores(table: ScoreTable, show: Show) -> str:
    """Show recall, precision and F1 of every measure."""
    totals = table.totals()
    results = table.scores(totals)
    rows = []
    intervals: list[str] = []  # of each row, where documents were drawn
    for measure in table.measures:
        counts = totals[measure.name]
        rows.append([measure.title, *map(_percent, results[measure.name]), *_out_of(counts)])
        intervals.append(_span(table.intervals[measure.name][2]) if table.intervals else "")
        for title, part in _parts(counts).items():
            name = f"  {title.replace('_', '-')}"
            rows.append([name, *map(_percent, ratios(part)), *_out_of(part)])
            intervals.append("")
    for name, value in derive_scores(results).items():
        rows.append([_TITLES[name], "", "", _show_f1(name, value), "", ""])
        intervals.append(_span(table.intervals[name][0], name) if table.intervals else "")
    head = ["", "recall", "precision", "F1", "recall of", "precision of"]
    if table.intervals is not None:
        head.append(f"F1, {LEVEL:.0%}")
        rows = [[*row, interval] for row, interval in zip(rows, intervals, strict=True)]
    return "\n".join(show(head, rows, len(head) - 1))


def _show_classes(classes: Mapping[str, Sequence[Row]], show: Show) -> str:
    """Show mentions and anaphors of every class."""
    rows = []
    for name in sorted(classes, key=ORDER.index):
        cells = [(*map(_percent, ratios(counts)), _out_of(counts)[0]) for counts in classes[name]]
        rows.append([name, *cells[0], *cells[1]])
    head = ["by class", *("recall", "precision", "F1", "mentions")]
    head += ["recall", "precision", "F1", "anaphors"]
    return "\n".join(show(head, rows, 8))


def _show_groups(table: ScoreTable, by: str, show: Show) -> str:
    """Show F1 of every document, genre or language."""
    rows = []
    head = [f"F1 by {by}", *(measure.title for measure in table.measures)]
    for group, totals in table.group(by):
        results = table.scores(totals)
        more = derive_scores(results)
        f1 = [_percent(results[measure.name][2]) for measure in table.measures]
        rows.append([group, *f1, *(_show_f1(name, value) for name, value in more.items())])
    head += [_TITLES[name] for name in more]
    return "\n".join(show(head, rows, len(head) - 1))


def _show_differences(table: ScoreTable, found: Mapping[str, Difference], show: Show) -> str:
    """Show the difference of every F1, with its interval and p."""
    titles = {measure.name: measure.title for measure in table.measures} | _TITLES
    rows = []
    for name, one in found.items():
        sign = "+" if one.value > 0 else ""
        f1 = sign + _show_f1(name, one.value)
        rows.append([titles[name], f1, _span(one.interval, name), f"{one.p:.4f}"])
    return "\n".join(show(["", "F1", f"{LEVEL:.0%}", "p"], rows, 3))


def _measures(table: ScoreTable, totals: Totals) -> dict[str, Any]:
    """Return by name `{"recall": [num, den], "precision": [num, den], "f1": x}`.

    BLANC, whose recall and precision are means, has them over 1, and the counts of its links
    beside them. Derived scores have `f1` alone; a bias has `ratio`.
    """
    results = table.scores(totals)
    found: dict[str, Any] = {}
    for measure in table.measures:
        counts, (recall, precision, f1) = totals[measure.name], results[measure.name]
        parts = {name: _score_fields(part) for name, part in _parts(counts).items()}
        counts = (recall, 1, precision, 1) if parts else counts
        found[measure.name] = {**_score_fields(counts), "f1": f1, **parts}
    for name, value in derive_scores(results).items():
        found[name] = {_columns(name, 1)[0]: _number(value)}
    return found


def _score_fields(counts: Row) -> dict[str, Any]:
    numbers = [int(number) if float(number).is_integer() else number for number in counts]
    return {"recall": numbers[:2], "precision": numbers[2:], "f1": ratios(counts)[2]}


def _parts(counts: Row) -> dict[str, Row]:
    """Split BLANC's counts by kind of link; other measures have one row of counts alone."""
    return {"coreference": counts[:4], "non_coreference": counts[4:]} if len(counts) == 8 else {}


def _columns(name: str, width: int) -> tuple[str, ...]:
    if width == 1:
        return ("ratio",) if name == "bias" else ("f1",)
    return ("recall", "precision", "f1")


def _number(value: float) -> float | None:
    """Replace NaN by JSON's null."""
    return None if math.isnan(value) else value


def _ends(interval: Interval) -> list[float | None]:
    return [*map(_number, interval)]


def _out_of(counts: Row) -> list[str]:
    """Show the fractions behind recall and precision; none for means."""
    if len(counts) != 4:
        return ["", ""]
    shown = [f"{n:,.0f}" if float(n).is_integer() else f"{n:,.2f}" for n in counts]
    return [f"{shown[0]}/{shown[1]}", f"{shown[2]}/{shown[3]}"]


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def _show_f1(name: str, value: float) -> str:
    """Show a score in percent, a bias as a ratio."""
    if name == "bias":
        return "-" if math.isnan(value) else f"{value:.2f}"
    return _percent(value)


def _span(interval: Interval, name: str = "") -> str:
    return f"{_show_f1(name, interval.low)} to {_show_f1(name, interval.high)}"

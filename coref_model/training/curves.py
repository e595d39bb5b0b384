"""curves.png: the loss of every step, the metric where it was taken, and the learning rates."""

from __future__ import annotations

import csv
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora import card_parts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SMOOTH = 0.98


def draw(log: Path, picture: Path, metric: str) -> None:
    """Draws the log of a training, see `corefmill.coref_model.training.log`."""
    with log.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with card_parts.picture(picture, rows=3) as (loss, dev, rate):
        steps, losses = _column(rows, "loss")
        card_parts.set_title(loss, "Loss", f"{len(steps):,} steps")
        loss.plot(steps, losses, linewidth=0.6, alpha=0.5, label="step")
        loss.plot(steps, _smooth(losses), linestyle="-", label="mean of the last steps")
        loss.set_ylabel("loss")
        loss.legend()
        _draw_metric(dev, metric, *_column(rows, "dev"))
        groups = [name for name in (rows[0] if rows else ()) if name.startswith("lr ")]
        card_parts.set_title(rate, "Learning rate", "")
        for name in groups:
            rate.plot(*_column(rows, name), label=name.removeprefix("lr "))
        rate.set_ylabel("learning rate")
        rate.set_ylim(bottom=0)
        rate.set_xlabel("step")
        card_parts.format_counts(rate.xaxis)
        if groups:
            rate.legend()


def _draw_metric(axes: Axes, metric: str, steps: list[int], scores: list[float]) -> None:
    """The metric of the development split, and its best."""
    evaluations = f"{len(steps):,} evaluation{'s' * (len(steps) != 1)}"
    card_parts.set_title(axes, f"{metric}, development split", evaluations)
    axes.set_ylabel(metric)
    axes.plot(steps, scores, marker="o", markersize=4)
    axes.margins(y=0.25)
    there = [place for place, score in enumerate(scores) if not isnan(score)]
    if there:
        best = max(there, key=scores.__getitem__)
        card_parts.draw_dot(axes, steps[best], scores[best], f"{scores[best]:.3f}")


def _column(rows: list[dict[str, str]], name: str) -> tuple[list[int], list[float]]:
    there = [row for row in rows if row[name]]
    return [int(row["step"]) for row in there], [float(row[name]) for row in there]


def _smooth(numbers: list[float]) -> list[float]:
    """A moving mean whose weights fall by 2 % a step, without the bias of its beginning."""
    means, total, weight = [], 0.0, 0.0
    for number in numbers:
        total, weight = total * _SMOOTH + number, weight * _SMOOTH + 1
        means.append(total / weight)
    return means

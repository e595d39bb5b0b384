"""curves.png: the loss of every step, the metric where it was taken, and the learning rates."""

from __future__ import annotations

import csv
from pathlib import Path

from corefmill.corpora.atomic import replacing

_SMOOTH = 0.98


def draw(log: Path, picture: Path, metric: str) -> None:
    """Draws the log of a training, see `corefmill.coref_model.training.log`."""
    # As long to import as all else.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with log.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    figure = Figure(figsize=(8, 8), layout="constrained")
    FigureCanvasAgg(figure)
    loss, dev, rate = figure.subplots(3, 1, sharex=True)
    steps, losses = _column(rows, "loss")
    loss.plot(steps, losses, linewidth=0.5, alpha=0.4, label="step")
    loss.plot(steps, _smooth(losses), label="mean of the last steps")
    loss.set_ylabel("loss")
    loss.legend()
    dev.plot(*_column(rows, "dev"), marker="o", markersize=3)
    dev.set_ylabel(f"{metric}, dev")
    for name in rows[0] if rows else ():
        if name.startswith("lr "):
            rate.plot(*_column(rows, name), label=name.removeprefix("lr "))
    rate.set_ylabel("learning rate")
    rate.set_xlabel("step")
    rate.legend()
    with replacing(picture) as out:
        figure.savefig(out, format="png", dpi=100)


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

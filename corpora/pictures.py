"""One style for the pictures that commands write, readable at a glance: size, type, colours, grid.

The same figures give the same bytes: nothing is taken of a user's own settings of matplotlib, and
neither date nor version is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corefmill.corpora.atomic import replacing
from corefmill.corpora.cycles import no_search_for_cycles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Of Okabe and Ito, which the colour-blind tell apart; lines differ in their dashes as well."""

MARK = "#b84a00"
"""Of what stands out in a picture, a median or the best step: the second, dark enough for words."""

_DASHES = ("-", "--", ":", "-.", (0, (8, 2)), (0, (1, 2)))
_SOFT = "#595959"
_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": _SOFT,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.titlesize": "medium",
    "axes.titleweight": "bold",
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 10,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.8,
    "legend.edgecolor": "white",
    "legend.fancybox": False,
    "legend.framealpha": 0.9,
    "lines.linewidth": 1.8,
    "savefig.dpi": 120,
    "xtick.color": _SOFT,
    "xtick.labelcolor": "black",
    "ytick.color": _SOFT,
    "ytick.labelcolor": "black",
}
_PANEL = (7.0, 3.4)
"""Inches of a picture of one panel."""
_MARGIN = 0.1
"""Inches around a panel."""


@contextmanager
def picture(path: Path, rows: int = 1, columns: int = 1) -> Iterator[list[Axes]]:
    """Yields the panels of a picture, row by row, and writes it as PNG when the block ends.

    Panels below each other have one x axis, panels beside each other one y axis.
    """
    with no_search_for_cycles():  # as long to import as all else
        import matplotlib
        from cycler import cycler
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        lines = cycler(color=COLOURS) + cycler(linestyle=_DASHES)
        matplotlib.rcParams.update(_STYLE | {"axes.prop_cycle": lines})
        width, height = _PANEL
        # Panels below each other share what stands at the axis, and may be lower.
        size = (width, height if rows == 1 else 0.75 * height * rows)
        figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=_MARGIN, h_pad=_MARGIN))
        panels = figure.subplots(rows, columns, squeeze=False, sharex=rows > 1, sharey=columns > 1)
        yield list(panels.flat)
        with replacing(path) as out:
            figure.savefig(out, format="png", metadata={"Software": None})


def titled(axes: Axes, title: str, of: str) -> None:
    """Says above a panel what it shows, and of how many: "562 examples"."""
    axes.set_title(title)
    axes.set_title(of, loc="right", fontsize="small", fontweight="normal", color=_SOFT)


def marked(axes: Axes, x: float, said: str) -> None:
    """An upright line at `x` with words beside its upper end."""
    axes.axvline(x, color=MARK, linestyle="--", linewidth=1.4)
    left, right = axes.get_xlim()
    leftward = x > (left + right) / 2
    axes.annotate(
        said,
        (x, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-5 if leftward else 5, -2),
        textcoords="offset points",
        ha="right" if leftward else "left",
        va="top",
        color=MARK,
    )


def noted(axes: Axes, x: float, y: float, said: str) -> None:
    """A dot at a point of a curve, with words to its lower right."""
    axes.plot([x], [y], marker="o", color=MARK)
    axes.annotate(said, (x, y), xytext=(7, -4), textcoords="offset points", va="top", color=MARK)


def counts(axis: Axis) -> None:
    """Writes the numbers of an axis as 1,000, not as 10 to the third, and nothing between two."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_formatter("{x:,.0f}")
    if axis.get_scale() == "linear":
        axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))

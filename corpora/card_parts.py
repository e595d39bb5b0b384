"""Write the parts of cards, reports and terminal output: tables, pictures, licences.

Pictures have one style. The same figures give the same bytes: neither the user's settings of
matplotlib nor date or version are used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corefmill.corpora.files.terminal import one_line
from corefmill.corpora.files.writing import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


_MARKUP = re.compile(r"[\\`*_\[\]<>~]")
_BLANKS = re.compile(r"\s+")


def plain(text: str) -> str:
    """Escape a text for one line of Markdown."""
    return _MARKUP.sub(r"\\\g<0>", _BLANKS.sub(" ", text))


def yaml(said: Mapping[str, object]) -> list[str]:
    """Write each key of a mapping as a line of YAML, its value in JSON to keep `no` a text."""
    return [
        one_line(f"{key}: {json.dumps(value, ensure_ascii=False)}") for key, value in said.items()
    ]


def table(
    head: Sequence[str], rows: Iterable[Sequence[object]], numbers: int | None = None
) -> list[str]:
    """Format a Markdown table as lines, with whole numbers as 1,234.

    The last `numbers` columns are aligned right; None leaves the alignment to the viewer.
    """

    def line(cells: Iterable[object]) -> str:
        shown = (f"{c:,}" if isinstance(c, int) else str(c).replace("|", "\\|") for c in cells)
        return f"| {' | '.join(shown)} |"

    rule = "|" + "---|" * len(head)
    if numbers is not None:
        rule = line(["---"] * (len(head) - numbers) + ["---:"] * numbers)
    return [line(head), rule, *map(line, rows)]


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> list[str]:
    """Format a plain-text table as lines; the last `numbers` columns are aligned right."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    left = len(head) - numbers
    return [
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


# Of MIT the case matters: mit is a word.
_KNOWN = re.compile(
    r"(?i:(?:CC0|CC[ -]BY(?:-NC)?(?:-SA|-ND)?)[ -]\d\.\d)|\bMIT\b|(?i:\bApache-2\.0\b)"
)


def find_spdx(licence: str) -> list[str]:
    """Find the SPDX identifiers in a licence; none in `as the texts`."""
    found = (one.replace(" ", "-").upper() for one in _KNOWN.findall(licence))
    return list(dict.fromkeys(one.replace("APACHE", "Apache") for one in found))


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
    """Yield the panels of a new picture, row by row, and write the picture as PNG at the end.

    Panels below each other have one x axis, panels beside each other one y axis.
    """
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


def set_title(axes: Axes, title: str, of: str) -> None:
    """Set a panel's title at the left, and its number of items at the right: "562 examples"."""
    axes.set_title(title)
    axes.set_title(of, loc="right", fontsize="small", fontweight="normal", color=_SOFT)


def draw_line(axes: Axes, x: float, said: str) -> None:
    """Draw a vertical line at `x`, labelled at its upper end."""
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


def draw_dot(axes: Axes, x: float, y: float, said: str) -> None:
    """Draw a dot at a point of a curve, labelled at its lower right."""
    axes.plot([x], [y], marker="o", color=MARK)
    axes.annotate(said, (x, y), xytext=(7, -4), textcoords="offset points", va="top", color=MARK)


def format_counts(axis: Axis) -> None:
    """Label an axis with whole numbers such as 1,000."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_formatter("{x:,.0f}")
    if axis.get_scale() == "linear":
        axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))

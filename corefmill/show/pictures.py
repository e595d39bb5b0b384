"""Where the lines and bars of a histogram stand in its picture, in units of the picture."""

from __future__ import annotations

from dataclasses import dataclass

from corefmill.show.figures import Histogram

WIDTH, HEIGHT = 400, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 8, 392, 44, 166
_TICKS = 5
_APART = 42


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A bar, and what is said of it."""

    x: float
    y: float
    width: float
    height: float
    said: str


@dataclass(frozen=True, slots=True)
class Marker:
    """An upright line with words above it, or a tick with words below.

    `anchor` says which end of the words, or their middle, stands at the line.
    """

    x: float
    said: str
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class HistogramPicture:
    """All that is drawn of a histogram; `caption` says the same in words."""

    title: str
    caption: str
    bars: tuple[Rectangle, ...]
    ticks: tuple[Marker, ...]
    median: Marker
    cut_offs: tuple[Marker, ...]


def drawn(histogram: Histogram) -> HistogramPicture:
    """The picture of a histogram that has values."""
    bins = histogram.bins()
    low, high = bins[0].low, bins[-1].high + 1
    unit = (_RIGHT - _LEFT) / (high - low)
    tallest = max(one.count for one in bins)
    largest = max(histogram.counts)

    def place(value: float) -> float:
        return round(_LEFT + (value - low) * unit, 1)

    def marker(value: int, said: str) -> Marker:
        x = place(value + 0.5)
        anchor = "start" if x < 100 else "end" if x > 300 else "middle"
        return Marker(x, f"{said} {histogram.shown(value)}", anchor)

    shapes = []
    for number, one in enumerate(bins):
        last = number == len(bins) - 1 and largest > one.high
        end = (
            " and more"
            if last
            else ""
            if one.low == one.high
            else f" to {histogram.shown(one.high)}"
        )
        height = round((_BOTTOM - _TOP) * one.count / tallest, 1)
        shapes.append(
            Rectangle(
                place(one.low),
                round(_BOTTOM - height, 1),
                round(max(0.6, (one.high + 1 - one.low) * unit - 0.8), 1),
                height,
                f"{histogram.shown(one.low)}{end}: {one.count:,}",
            )
        )
    median = histogram.median
    assert median is not None  # it has values
    return HistogramPicture(
        histogram.title,
        _caption(histogram, median),
        tuple(shapes),
        tuple(_ticks(histogram, low, high - 1, place(low + 0.5), unit)),
        marker(min(median, bins[-1].high), "median"),
        tuple(marker(value, "cut-off") for value in histogram.cut_offs if low <= value < high),
    )


def _ticks(histogram: Histogram, low: int, high: int, first: float, unit: float) -> list[Marker]:
    """At round values, not nearer to each other than their words are wide."""
    step = 1
    while (high - low) / step > _TICKS or step * unit < _APART:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
        if step > high - low:
            break
    values = range(-(-low // step) * step, high + 1, step)
    return [
        Marker(round(first + (value - low) * unit, 1), histogram.shown(value)) for value in values
    ]


def _caption(histogram: Histogram, median: int) -> str:
    said = histogram.shown
    lowest, highest = min(histogram.counts), max(histogram.counts)
    caption = (
        f"{histogram.of}: {histogram.total:,}; median {said(median)},"
        f" from {said(lowest)} to {said(highest)}"
    )
    if histogram.cut_offs:
        caption += f"; cut off at {' and '.join(map(said, histogram.cut_offs))}"
    return f"{caption}."

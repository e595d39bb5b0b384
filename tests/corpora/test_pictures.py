"""Pictures of one style, and the same bytes wherever they are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="needs the extra build")

import matplotlib

from corefmill.corpora import pictures

pytestmark = pytest.mark.usefixtures("drawn_anew")


def drawn(path: Path, rows: int = 1) -> bytes:
    with pictures.picture(path, rows=rows) as panels:
        for axes in panels:
            axes.plot([1, 2000], [3, 4], label="mills")
            pictures.titled(axes, "Mills", "2 mills")
            pictures.marked(axes, 500, "median 500")
            pictures.noted(axes, 2000, 4, "4")
            pictures.counts(axes.xaxis)
            axes.legend()
    return path.read_bytes()


def test_a_users_own_settings_change_nothing_and_are_left(tmp_path: Path) -> None:
    plain = drawn(tmp_path / "plain.png")
    with matplotlib.rc_context({"font.size": 30, "figure.facecolor": "red", "savefig.dpi": 20}):
        assert drawn(tmp_path / "own.png") == plain
        assert matplotlib.rcParams["font.size"] == 30
    assert b"matplotlib" not in plain.lower()


def test_panels_below_each_other_are_as_wide_as_one(tmp_path: Path) -> None:
    sizes = []
    for rows in (1, 3):
        png = drawn(tmp_path / "a.png", rows)
        sizes.append((int.from_bytes(png[16:20]), int.from_bytes(png[20:24])))
    (width, low), (same, high) = sizes
    assert (width, low) == (840, 408)
    assert same == width and high > 2 * low


def test_counts_have_commas_and_no_fractions(tmp_path: Path) -> None:
    with pictures.picture(tmp_path / "a.png") as [axes]:
        axes.plot([1, 3], [1000, 2000])
        for axis in (axes.xaxis, axes.yaxis):
            pictures.counts(axis)
        said = [label.get_text() for label in axes.get_yticklabels()]
        assert "1,000" in said
        assert all(float(place).is_integer() for place in axes.get_xticks())
    assert not list(tmp_path.glob("*.tmp"))


def test_a_failure_leaves_no_picture(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), pictures.picture(tmp_path / "a.png"):
        _ = 1 / 0
    assert not list(tmp_path.iterdir())

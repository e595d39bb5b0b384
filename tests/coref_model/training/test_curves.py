"""The picture of a log."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.coref_model.training.curves import _smooth, draw


def test_a_log_is_drawn(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(
        "step,epoch,items,loss,gradient,dev,lr head\n1,0,4,2.5,1.0,,0.1\n2,0,0,,0.0,0.5,0\n"
    )
    draw(log, tmp_path / "curves.png", "accuracy")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_the_mean_has_no_bias_at_its_beginning() -> None:
    assert _smooth([4.0, 4.0, 4.0]) == pytest.approx([4.0, 4.0, 4.0])
    assert _smooth([0.0, 1.0])[1] == 1 / 1.98

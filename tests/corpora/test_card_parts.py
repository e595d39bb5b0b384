"""Tables, licences and pictures of cards."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pytest

from corefmill.corpora import card_parts
from corefmill.corpora.card_parts import columns, find_spdx, table


def test_cells_do_not_end_their_column_and_numbers_are_set_to_the_right() -> None:
    lines = ["| name | n |", "|---|---|", "| a\\|b | 1,234 |", "| c | - |"]
    assert table(("name", "n"), [("a|b", 1234), ("c", "-")]) == lines
    assert table(("name", "n"), [("a", "1")], 1)[1] == "| --- | ---: |"
    plain = ["name     n", "a      100", "bcdef    1"]
    assert columns(("name", "n"), [("a", "100"), ("bcdef", "1")], 1) == plain


@pytest.mark.parametrize(
    ("licence", "known"),
    [
        ("cc-by-sa-4.0 or apache-2.0", ["CC-BY-SA-4.0", "Apache-2.0"]),
        ("CC BY-SA 4.0", ["CC-BY-SA-4.0"]),
        ("CC0 1.0", ["CC0-1.0"]),
        ("CC BY-NC-SA 4.0 (en), CC BY-SA 3.0 (it)", ["CC-BY-NC-SA-4.0", "CC-BY-SA-3.0"]),
        ("that of the texts", []),
        ("Texte mit Namen", []),
    ],
)
def test_licences_have_their_spdx_identifier(licence: str, known: list[str]) -> None:
    assert find_spdx(licence) == known


pytest.importorskip("matplotlib", reason="needs the extra build")


pytestmark = pytest.mark.usefixtures("drawn_anew")


def drawn(path: Path) -> bytes:
    with card_parts.picture(path) as [axes]:
        axes.plot([1, 2000], [3, 4], label="mills")
        card_parts.set_title(axes, "Mills", "2 mills")
        card_parts.draw_line(axes, 500, "median 500")
        card_parts.draw_dot(axes, 2000, 4, "4")
        card_parts.format_counts(axes.xaxis)
        axes.legend()
    return path.read_bytes()


def test_a_users_own_settings_change_nothing_and_are_left(tmp_path: Path) -> None:
    plain = drawn(tmp_path / "plain.png")
    with matplotlib.rc_context({"font.size": 30, "figure.facecolor": "red", "savefig.dpi": 20}):
        assert drawn(tmp_path / "own.png") == plain
        assert matplotlib.rcParams["font.size"] == 30
    assert b"matplotlib" not in plain.lower()

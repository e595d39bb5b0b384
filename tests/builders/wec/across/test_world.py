"""Events that two fictional encyclopedias share, of which a list of items tells, partly wrongly."""

from __future__ import annotations

from pathlib import Path

from benchmarks.wec_languages import build_command, compare
from tests.commands import command
from tools.world.dump import write_shared

LANGS = ["en", "it"]


def test_precision_and_recall_of_joint_clusters(tmp_path: Path) -> None:
    write_shared(tmp_path, langs=LANGS, countries=2, seed=5)
    done = command("build", *build_command(tmp_path, LANGS, tmp_path / "out"), "--workers", "1")
    assert done.returncode == 0, done.stderr
    found = compare(tmp_path, LANGS, tmp_path / "out")
    assert found.told > 20
    assert found.precision >= 0.99, found
    assert found.recall >= 0.99, found

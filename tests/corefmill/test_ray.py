"""`build wikicrem` on Ray gives the bytes of one machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corefmill.dumps import contents, small, wikicrem

# datatrove calls Ray in ways that Ray is about to drop.
pytestmark = pytest.mark.filterwarnings("ignore:placement_group:DeprecationWarning")


def test_ray(tmp_path: Path, ray_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(ray_home))
    for package in ("ray", "datatrove"):
        pytest.importorskip(package, reason=f"the extra [cluster] is not installed: no {package}")
    common = ("--dump", small(tmp_path), "--quiet", "--out")
    cluster = ("--executor", "ray", "--tasks", "2", "--mem-per-cpu", "1")
    here = wikicrem(*common, "here", cwd=tmp_path)
    there = wikicrem(*common, "there", *cluster, cwd=tmp_path)
    for done in (here, there):
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert contents(tmp_path / "there") == contents(tmp_path / "here")

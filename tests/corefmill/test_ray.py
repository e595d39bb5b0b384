"""`build wikicrem` on Ray gives the bytes of one machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import process
from tests.corefmill.dumps import contents, small, wikicrem


@pytest.mark.thorough  # tests/builders/run/test_executors.py has a small build on Ray
def test_ray(tmp_path: Path, ray_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(ray_home))
    pytest.importorskip("ray", reason="the extra [cluster] is not installed: no ray")
    common = ("--dump", small(tmp_path).name, "--quiet", "--out")
    cluster = ("--executor", "ray", "--tasks", "2")
    here = wikicrem(*common, "here", cwd=tmp_path)
    # In a process of its own, which Ray ends where it finds a fault of its own.
    there = process("corefmill", "build", "wikicrem", *common, "there", *cluster, cwd=tmp_path)
    for done in (here, there):
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert contents(tmp_path / "there") == contents(tmp_path / "here")

"""`build wikicrem` on Ray and Slurm gives the bytes of one machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.corefmill.dumps import contents, small, wikicrem

SBATCH = """#!/bin/bash
for script; do :; done
cp "$script" "$QUEUE/$(($(ls "$QUEUE" | wc -l) + 1)).sh"
echo "Submitted batch job $(ls "$QUEUE" | wc -l)"
"""
SRUN = """#!/bin/bash
while [[ $1 == -* ]]; do [[ $1 == -n ]] && shift; shift; done
exec "$@"
"""
SCONTROL = "#!/bin/bash\necho here\n"


def here(folder: Path) -> dict[str, bytes]:
    """The corpus that one process makes."""
    done = wikicrem("--dump", small(folder), "--out", "here", "--quiet", cwd=folder)
    assert done.returncode == 0, done.stderr
    return contents(folder / "here")


def test_ray(tmp_path: Path) -> None:
    for package in ("ray", "datatrove"):
        pytest.importorskip(package, reason=f"the extra [cluster] is not installed: no {package}")
    cluster = ("--executor", "ray", "--tasks", "2", "--mem-per-cpu", "1")
    dump = small(tmp_path)
    done = wikicrem("--dump", dump, "--out", "ray", "--quiet", *cluster, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert contents(tmp_path / "ray") == here(tmp_path)


def test_slurm(tmp_path: Path) -> None:
    pytest.importorskip("datatrove", reason="the extra [cluster] is not installed: no datatrove")
    programs, queue = tmp_path / "bin", tmp_path / "queue"
    programs.mkdir()
    queue.mkdir()
    for name, body in (("sbatch", SBATCH), ("srun", SRUN), ("scontrol", SCONTROL)):
        (programs / name).write_text(body, encoding="utf-8")
        (programs / name).chmod(0o755)
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "QUEUE": str(queue)}
    env.pop("SLURM_ARRAY_TASK_ID", None)
    cluster = ("--executor", "slurm", "--partition", "cpu", "--tasks", "1")
    dump = small(tmp_path)
    done = wikicrem("--dump", dump, "--out", "slurm", *cluster, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert "Submitted job 1, then 2; logs in " in done.stdout
    for number in ("1", "2"):
        task = {"SLURM_ARRAY_TASK_ID": "0", "RUN_OFFSET": "0", "SLURM_NODELIST": "here"}
        ran = subprocess.run(
            ["bash", str(queue / f"{number}.sh")],
            cwd=queue,
            env={**env, **task},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
    assert contents(tmp_path / "slurm") == here(tmp_path)

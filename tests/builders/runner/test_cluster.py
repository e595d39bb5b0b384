"""The cluster executors: Ray for real on this machine, Slurm by running the scripts it is given."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest import mock

import pytest

from corefmill.builders.runner import cluster
from corefmill.builders.runner.cluster import (
    Ray,
    Slurm,
    _check_resources,
    _prepare,
    _ray,
    run_on_ray,
    submit_to_slurm,
)
from corefmill.builders.runner.job import RunResult
from corefmill.builders.runner.run import collect, run
from corefmill.builders.runner.stages import Stage
from corefmill.builders.runner.workers import worker_number
from corefmill.corpora.errors import DataError, UsageError
from tests.builders.runner.test_run import NUMBERS, lines, texts, tree
from tests.builders.runner.toy_build import LineSource, setup, toy_job

# datatrove calls Ray in ways that Ray is about to drop.
pytestmark = pytest.mark.filterwarnings("ignore:placement_group:DeprecationWarning")

ROOT = Path(__file__).parents[3]
LOCAL = Ray(tasks=2, local_cpus=2, object_store_gb=0.08, mem_per_cpu_gb=0.2)
QUEUE = Slurm(tasks=3, time="1:00:00", partition="cpu", sbatch_args={"account": "me"})


@pytest.fixture(scope="module")
def ray_here(ray_home: Path) -> Iterator[None]:
    """One Ray for all tests: starting it takes most of their time."""
    pytest.importorskip("ray", reason="the extra [cluster] is not installed: no ray")
    pytest.importorskip("datatrove", reason="the extra [cluster] is not installed: no datatrove")
    with mock.patch.dict(os.environ, HOME=str(ray_home)), _ray(LOCAL):
        yield


def whole(tmp_path: Path, path: Path) -> dict[str, bytes]:
    """What a run on one machine leaves."""
    with run(toy_job(path, tmp_path / "whole")):
        pass
    return tree(tmp_path / "whole")


def shards_only(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if name.count("/") == 3}


def test_ray_gives_the_bytes_of_one_machine(tmp_path: Path, ray_here: None) -> None:
    path = lines(tmp_path, [*NUMBERS, "# a", "DROP"])
    with run_on_ray(toy_job(path, tmp_path / "out"), LOCAL) as result:
        assert [r["text"] for r in result.records("odd")] == ["1", "3", "5", "7", "9", "11"]
        assert result.rejects == {"comment": 1, "dropped by the source": 1}
        assert shards_only(tree(tmp_path / "out")) == whole(tmp_path, path)


def test_ray_says_which_tasks_failed_and_resumes(tmp_path: Path, ray_here: None) -> None:
    path = lines(tmp_path, [*NUMBERS, "DIE", "DIE", "13"])
    job = toy_job(path, tmp_path / "out")
    with (
        pytest.raises(DataError, match=r"task_00000\.log: 1 of 2 tasks failed") as caught,
        run_on_ray(job, LOCAL),
    ):
        pass
    log = Path(str(caught.value.path)).read_text(encoding="utf-8")
    assert "killed by SIGKILL at unit 6" in log
    assert len(list(job.work_dir.rglob("0*.jsonl"))) >= 11
    assert [mark.name for mark in job.work_dir.rglob("completions/*")] == ["00001"]
    with pytest.raises(DataError, match=r"1 of 8 units \(6\) missing"):
        collect(job).__enter__()


def test_ray_does_again_what_a_mark_wrongly_calls_complete(tmp_path: Path, ray_here: None) -> None:
    path = lines(tmp_path, NUMBERS)
    job = toy_job(path, tmp_path / "out")
    with run_on_ray(job, LOCAL) as result:
        (result.folder / "00003.odd.jsonl").unlink()
    with run_on_ray(job, LOCAL) as result:
        assert shards_only(tree(tmp_path / "out")) == whole(tmp_path, path)


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("sleep 60", "no Ray cluster answers at 'far:6379' within 0.2 seconds"),
        ("echo one; echo 'two: it is away' >&2; false", "no Ray cluster at 'far:6379': two: it is"),
    ],
)
def test_a_cluster_that_does_not_answer(
    does: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = tmp_path / "python"
    asks.write_text(f'#!/bin/sh\nexec sh -c "{does}"\n', encoding="utf-8")
    asks.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(asks))
    monkeypatch.setattr(cluster, "_PATIENCE", 0.2 if "sleep" in does else 60)
    with pytest.raises(UsageError, match=said):
        cluster._answers("far:6379")


def test_what_no_node_has_is_refused_at_once() -> None:
    node = {"Alive": True, "Resources": {"CPU": 4.0, "memory": 8.0 * 2**30}}
    _check_resources([node], Ray(tasks=9, mem_per_cpu_gb=8))
    with pytest.raises(UsageError, match=r"no Ray node has a processor and 16 GB .* 8\.0 GB"):
        _check_resources([node, node], Ray(tasks=9, mem_per_cpu_gb=16))
    with pytest.raises(UsageError, match="no Ray node has a processor"):
        _check_resources([{**node, "Alive": False}], Ray(tasks=1))


def numbered(folder: Path) -> list[Stage]:
    """Stages of a worker that leaves its number."""
    (folder / str(worker_number())).touch()
    return setup()


def test_the_worker_of_a_task_has_the_tasks_number(tmp_path: Path) -> None:
    """By which tasks on one node take different GPUs."""
    folder = tmp_path / "numbers"
    folder.mkdir()
    path = lines(tmp_path, NUMBERS)
    job = toy_job(path, tmp_path / "out", setup=partial(numbered, folder))
    work = _prepare(job, "ray", 3)
    work(None, rank=2, world_size=3)
    assert [one.name for one in folder.iterdir()] == ["2"]


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where a pretended sbatch keeps each script it is given, with its arguments."""
    pytest.importorskip("datatrove", reason="the extra [cluster] is not installed: no datatrove")
    programs = tmp_path / "bin"
    queue = tmp_path / "queue"
    programs.mkdir()
    queue.mkdir()
    scripts = {
        "sbatch": f"""
            n=$(ls {queue} | wc -l)
            for script; do :; done
            {{ cat "$script"; echo "# $@"; }} > {queue}/$((n + 1)).sh
            echo "Submitted batch job $((n + 1))"
            """,
        "srun": 'while [[ $1 == -* ]]; do [[ $1 == -n ]] && shift; shift; done; exec "$@"',
        "scontrol": "echo here",
    }
    for name, body in scripts.items():
        (programs / name).write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.delenv("SLURM_ARRAY_TASK_ID", raising=False)
    return queue


def run_task(script: Path, task: int) -> subprocess.CompletedProcess[str]:
    """What Slurm does with one task of an array."""
    slurm_sets = {"SLURM_ARRAY_TASK_ID": str(task), "RUN_OFFSET": "0", "SLURM_NODELIST": "here"}
    return subprocess.run(
        ["bash", str(script)],
        env=os.environ | slurm_sets | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def write_corpus(result: RunResult) -> None:
    """A `finish`: the records of a channel in one file."""
    out = result.folder.parents[2] / "corpus.txt"
    out.write_text("".join(r["text"] + "\n" for r in result.records("odd")), encoding="utf-8")


def queued(queue: Path) -> dict[str, Path]:
    """The scripts by job name and what they run, without datatrove's summing up of timings."""
    found = {}
    for path in sorted(queue.iterdir()):
        text = path.read_text(encoding="utf-8")
        if "merge_stats" not in text:
            found[text.split("--job-name=")[1].split()[0]] = path
    return found


def test_slurm_gets_an_array_and_a_job_that_depends_on_it(tmp_path: Path, slurm: Path) -> None:
    job = toy_job(lines(tmp_path, NUMBERS), tmp_path / "out")
    submitted = submit_to_slurm(job, write_corpus, QUEUE)
    scripts = queued(slurm)
    work, finish = scripts["toy"].read_text(), scripts["toy-finish"].read_text()
    for line in ("array=0-2", "time=1:00:00", "partition=cpu", "account=me", "mem-per-cpu=4G"):
        assert f"#SBATCH --{line}\n" in work
    assert f'export PATH="{Path(sys.executable).parent}:$PATH"' in work
    assert f"launch_pickled_pipeline {submitted.folder}/executor.pik" in work
    assert submitted.folder.name == "slurm-00003"
    assert submitted.folder.parent.name == job.fingerprint.digest
    assert f"--dependency=afterok:{submitted.work_job}" in finish
    assert "#SBATCH --kill-on-invalid-dep=yes\n" in finish
    assert "#SBATCH --array=0-0\n" in finish
    assert scripts["toy-finish"].stem == submitted.finish_job


def test_slurm_tasks_give_the_bytes_of_one_machine(tmp_path: Path, slurm: Path) -> None:
    path = lines(tmp_path, NUMBERS)
    job = toy_job(path, tmp_path / "out")
    submit_to_slurm(job, write_corpus, QUEUE)
    scripts = queued(slurm)
    for task in (2, 0):
        done = run_task(scripts["toy"], task)
        assert done.returncode == 0, done.stderr
    early = run_task(scripts["toy-finish"], 0)
    assert early.returncode != 0
    assert "2 of 6 units (1, 4) missing" in early.stderr
    assert not (tmp_path / "out" / "corpus.txt").exists()
    assert run_task(scripts["toy"], 1).returncode == 0
    assert run_task(scripts["toy-finish"], 0).returncode == 0
    assert (tmp_path / "out" / "corpus.txt").read_text() == "1\n3\n5\n7\n9\n11\n"
    # The job that was submitted again finds nothing to do but finishing.
    again = submit_to_slurm(job, write_corpus, QUEUE)
    assert again.work_job is None
    (tmp_path / "out" / "corpus.txt").unlink()
    assert shards_only(tree(tmp_path / "out")) == whole(tmp_path, path)


def test_slurm_leaves_no_mark_for_a_task_that_failed(tmp_path: Path, slurm: Path) -> None:
    job = toy_job(lines(tmp_path, [*NUMBERS, "FAIL"]), tmp_path / "out")
    submitted = submit_to_slurm(job, write_corpus, QUEUE)
    done = run_task(queued(slurm)["toy"], 0)
    assert done.returncode != 0
    assert "KeyError at unit 6" in done.stderr
    assert not list(submitted.folder.glob("completions/*"))
    assert len(list(job.work_dir.rglob("0*.json"))) == 2


def test_one_machine_goes_on_where_the_cluster_stopped(tmp_path: Path, slurm: Path) -> None:
    path = lines(tmp_path, NUMBERS)
    job = toy_job(path, tmp_path / "out")
    submit_to_slurm(job, write_corpus, QUEUE)
    run_task(queued(slurm)["toy"], 1)
    assert {path.name for path in job.work_dir.glob("*/0*.json")} == {"00001.json", "00004.json"}
    with run(job):
        assert shards_only(tree(tmp_path / "out")) == whole(tmp_path, path)


def test_other_options_are_refused_before_anything_is_queued(tmp_path: Path, slurm: Path) -> None:
    job = toy_job(lines(tmp_path, NUMBERS), tmp_path / "out")
    texts(job)
    with pytest.raises(UsageError, match="seed was 7, is 9"):
        submit_to_slurm(replace(job, seed=9), write_corpus, QUEUE)
    assert not list(slurm.iterdir())


class Stdin(LineSource):
    """A source without files."""

    @property
    def paths(self) -> tuple[Path, ...]:
        return ()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda job: replace(job, out_dir=Path("out")), "out: tasks start in folders of their own"),
        (lambda job: replace(job, source=Stdin(Path("x"))), "standard input cannot be shared"),
    ],
)
def test_what_other_machines_cannot_see_is_refused(
    tmp_path: Path,
    slurm: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[..., object],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    job = spoil(toy_job(lines(tmp_path, NUMBERS), tmp_path / "out"))
    with pytest.raises(UsageError, match=message):
        submit_to_slurm(job, write_corpus, QUEUE)  # type: ignore[arg-type]


def test_a_slurm_task_does_not_submit(
    tmp_path: Path, slurm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "0")
    job = toy_job(lines(tmp_path, NUMBERS), tmp_path / "out")
    with pytest.raises(UsageError, match="login node"):
        submit_to_slurm(job, write_corpus, QUEUE)


def test_a_machine_without_slurm_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("datatrove", reason="the extra [cluster] is not installed: no datatrove")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SLURM_ARRAY_TASK_ID", raising=False)
    job = toy_job(lines(tmp_path, NUMBERS), tmp_path / "out")
    with pytest.raises(UsageError, match="sbatch is not on the PATH"):
        submit_to_slurm(job, write_corpus, QUEUE)


def test_what_sbatch_refuses_is_told(tmp_path: Path, slurm: Path) -> None:
    (tmp_path / "bin" / "sbatch").write_text("#!/bin/bash\necho no such partition\nexit 1\n")
    job = toy_job(lines(tmp_path, NUMBERS), tmp_path / "out")
    with pytest.raises(UsageError, match="sbatch ended with code 1: no such partition"):
        submit_to_slurm(job, write_corpus, QUEUE)


def test_without_the_extra_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "datatrove", None)
    job = toy_job(lines(tmp_path, NUMBERS), tmp_path / "out")
    with pytest.raises(UsageError, match=r"datatrove is not installed .*corefmill\[cluster\]"):
        submit_to_slurm(job, write_corpus, QUEUE)
    with pytest.raises(UsageError, match=r"corefmill\[cluster\]"), run_on_ray(job, LOCAL):
        pass

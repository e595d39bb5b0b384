"""Ray, for real on this machine: same bytes, and a process that is killed is no wait for ever."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from corefmill.builders.runner import on_ray
from corefmill.builders.runner.on_ray import Ray, _check_resources, _ray, run_on_ray
from corefmill.corpora.errors import DataError, UsageError
from tests.builders.runner.test_run import NUMBERS, lines
from tests.builders.runner.toy_task import CORPUS, here, job_of, ready, task
from tests.waiting import PATIENCE, wait_until

TWO = Ray(tasks=2, mem_per_cpu_gb=0.2)
STORE = 80_000_000
"""Bytes of a node's object store, which holds nothing of ours."""


@pytest.fixture(scope="module")
def nodes(ray_home: Path) -> Iterator[Any]:
    """One Ray for all tests, a node with two processors: starting it takes most of their time."""
    pytest.importorskip("ray", reason="the extra [cluster] is not installed: no ray")
    from ray.cluster_utils import Cluster

    with mock.patch.dict(os.environ, HOME=str(ray_home), RAY_USAGE_STATS_ENABLED="0"):
        head = {"num_cpus": 2, "object_store_memory": STORE, "include_dashboard": False}
        ends = signal.getsignal(signal.SIGTERM)
        found = Cluster(initialize_head=True, head_node_args=head)
        try:
            with _ray(replace(TWO, address=found.address)):
                yield found
        finally:
            found.shutdown()
            signal.signal(signal.SIGTERM, ends)  # which Ray has taken for itself


def pull(path: Path, out: Path, number: int) -> None:
    """A task of the toy build, in a process of Ray's."""
    task(job_of(path, out), number)


def killed_at_first(path: Path, out: Path, number: int) -> None:
    """The same; the process of task 0 kills itself before it has done anything."""
    mark = out.with_name("killed")
    if number == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    pull(path, out, number)


def test_the_bytes_of_one_machine_though_a_process_dies(tmp_path: Path, nodes: Any) -> None:
    path, out = lines(tmp_path, [*NUMBERS, "# a", "DROP"]), tmp_path / "out"
    job = job_of(path, out)
    ready(job)
    run_on_ray(job, partial(killed_at_first, path, out), TWO)
    assert (tmp_path / "killed").exists()
    assert (out / CORPUS).read_text() == here(path, tmp_path / "here")


def test_tasks_that_come_late_are_not_cancelled(tmp_path: Path, nodes: Any) -> None:
    """Of one that is about to end Ray makes a fault, and ends the process that waits here."""
    import ray

    path, out = lines(tmp_path, NUMBERS), tmp_path / "out"
    job = job_of(path, out)
    ready(job)
    with mock.patch.object(ray, "cancel") as cancelled:
        run_on_ray(job, partial(pull, path, out), replace(TWO, tasks=6))
    assert not cancelled.called
    assert (out / CORPUS).read_text() == here(path, tmp_path / "here")


def gated_at_a_node(path: Path, out: Path, number: int) -> None:
    """The same; each task says on which node it is before it begins."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    out.with_name(f"{number}-{os.getpid()}").write_text(node)
    pull(path, out, number)


def nodes_of_tasks(folder: Path) -> set[str]:
    return {one.read_text() for one in folder.glob("?-*")}


def test_a_node_that_dies_is_made_up_for(tmp_path: Path, nodes: Any) -> None:
    gate = tmp_path / "gate"
    path, out = lines(tmp_path, [f"GATE {gate}", *NUMBERS]), tmp_path / "out"
    job = job_of(path, out)
    ready(job)
    node = nodes.add_node(num_cpus=1, object_store_memory=STORE)
    three = replace(TWO, tasks=3)
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(run_on_ray, job, partial(gated_at_a_node, path, out), three)
        wait_until(lambda: node.node_id in nodes_of_tasks(tmp_path), "a task is on that node")
        nodes.remove_node(node, allow_graceful=False)
        gate.touch()
        assert done.result(PATIENCE) is None
    assert (out / CORPUS).read_text() == here(path, tmp_path / "here")


def test_what_failed_is_told_and_resumed(tmp_path: Path, nodes: Any) -> None:
    path, out = lines(tmp_path, [*NUMBERS, "DIE", "DIE", "13"]), tmp_path / "out"
    job = job_of(path, out)
    ready(job)
    said = r"2 of 2 tasks failed: task \d: .* killed by SIGKILL at unit 6"
    with pytest.raises(DataError, match=said):
        run_on_ray(job, partial(_one_pass, path, out), TWO)
    done = sorted(file.name for file in job.work_dir.glob("*/0*.json"))
    assert "00006.json" not in done and len(done) >= 6


def _one_pass(path: Path, out: Path, number: int) -> None:
    from corefmill.builders.runner.pulling import ClusterTask
    from tests.builders.runner.toy_task import QUICK

    ClusterTask(job_of(path, out), number, times=QUICK).build(lambda do: None, lambda result: None)


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
    monkeypatch.setattr(on_ray, "_PATIENCE", 0.2 if "sleep" in does else 60)
    with pytest.raises(UsageError, match=said):
        on_ray._answers("far:6379")


def test_what_no_node_has_is_refused_at_once() -> None:
    node = {"Alive": True, "Resources": {"CPU": 4.0, "memory": 8.0 * 2**30}}
    _check_resources([node], Ray(tasks=9, mem_per_cpu_gb=8))
    _check_resources([node], Ray(tasks=9, cpus_per_task=4, mem_per_cpu_gb=2))
    with pytest.raises(UsageError, match=r"no Ray node has 1 processors and 16 GB .* 8\.0 GB"):
        _check_resources([node, node], Ray(tasks=9, mem_per_cpu_gb=16))
    with pytest.raises(UsageError, match="no Ray node has 8 processors"):
        _check_resources([node, node], Ray(tasks=9, cpus_per_task=8, mem_per_cpu_gb=0.1))
    with pytest.raises(UsageError, match="no Ray node has 1 processors"):
        _check_resources([{**node, "Alive": False}], Ray(tasks=1))


def test_without_an_address_it_is_a_ray_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one that somebody else has started on this machine, and that Ray finds by itself."""
    ray = pytest.importorskip("ray", reason="the extra [cluster] is not installed: no ray")
    node = {"Alive": True, "Resources": {"CPU": 4.0, "memory": 8.0 * 2**30}}
    started = mock.Mock()
    for name, stand_in in (
        *(("init", started), ("shutdown", mock.Mock())),
        *(("is_initialized", lambda: False), ("nodes", lambda: [node])),
    ):
        monkeypatch.setattr(ray, name, stand_in)
    with _ray(TWO):
        assert started.call_args.kwargs["address"] == "local"


def test_without_the_extra_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    job = job_of(lines(tmp_path, NUMBERS), tmp_path / "out")
    with pytest.raises(UsageError, match=r"ray is not installed .*\[cluster\]"):
        run_on_ray(job, partial(pull, tmp_path, tmp_path), TWO)

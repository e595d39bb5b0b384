"""Tasks of a cluster build into a store, with no folder in common: the bytes of one machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from corefmill.builders.runner import clock
from corefmill.builders.runner.leases import LEASES, LeaseTimes
from corefmill.builders.runner.store_leases import StoreLeases
from corefmill.corpora.object_folder import ObjectFolder
from tests.builders.runner.test_slurm import program
from tests.commands import ROOT, command, process
from tests.corefmill.dumps import contents, error_line, sample_pages, small, wikicrem
from tests.object_server import ObjectServer

pytest.importorskip("obstore", reason="needs the extra cloud")

URL = "s3://bucket/corpora/one"
AT = "corpora/one/"
LOCAL = "out/s3/bucket/corpora/one"
DUMP = ("--dump", "s3://bucket/dumps/part*", "--quiet")
SLURM = ("--executor", "slurm", "--tasks", "2", "--out", URL)


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretended programs of Slurm's: sbatch gives out the number 17 alone."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (("sbatch", "echo 17"), ("squeue", "exit 1")):
        program(folder, name, text)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


@pytest.fixture
def dump(tmp_path: Path, store: ObjectServer) -> None:
    """A dump in the store, in two parts, each a unit."""
    pages = sample_pages()
    for number, some in ((1, pages[:4]), (2, pages[4:8])):
        content = small(tmp_path, some).read_bytes()
        store.objects[f"/bucket/dumps/part{number}.xml"] = content


def corpus_of(store: ObjectServer) -> dict[str, bytes]:
    """The corpus in the store, but for the seconds that it took."""
    return {
        key.removeprefix(AT): content
        for key, content in store.stored.items()
        if key.startswith(AT) and "/." not in key and not key.endswith(clock.FILE)
    }


def run_array(tmp_path: Path, script: str, tasks: int) -> Iterator[tuple[int, str]]:
    """What Slurm does with a script: tasks at the same time, each on a machine that has nothing in
    common with the others; how each ends, and its log."""
    with ExitStack() as stack:
        started = []
        for number in range(tasks):
            node = tmp_path / f"node{number}"
            (node / "tmp").mkdir(parents=True)
            own = {"SLURM_ARRAY_TASK_ID": str(number), "TMPDIR": str(node / "tmp")}
            process = subprocess.Popen(
                ["bash", "-c", script],
                cwd=node,
                env=os.environ | own | {"PYTHONPATH": str(ROOT)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            started.append(stack.enter_context(process))
        for process in started:
            log = process.communicate()[0]
            yield process.returncode, log


@pytest.mark.parametrize(
    "build",
    [("wikicrem", *DUMP[:2]), ("wec", "--dump", "sample")],
    ids=["units alone", "passes and joins"],
)
def test_tasks_without_a_folder_in_common(
    tmp_path: Path, store: ObjectServer, dump: None, slurm: None, build: tuple[str, ...]
) -> None:
    line = ("corefmill", "build", *build)
    here = command(*line, "--workers", "1", "--out", "here", cwd=tmp_path)
    assert here.returncode == 0, here.stderr
    sent = command(*line, *SLURM, cwd=tmp_path)
    assert sent.returncode == 0, sent.stderr
    assert f"their logs in {Path('/tmp')}." in sent.stdout
    script = tmp_path / LOCAL / ".corefmill/logs/task.sh"
    assert "#SBATCH --output=/tmp/%A_%a.log" in script.read_text()
    ended = list(run_array(tmp_path, script.read_text(), 2))
    assert [code for code, _ in ended] == [0, 0], ended
    there = corpus_of(store)
    assert there == {
        name: content
        for name, content in contents(tmp_path / "here").items()
        if not name.startswith(".")
    }
    # Nothing of the work is left, there or on the nodes.
    assert {key for key in store.stored if "/." in key} == {f"{AT}.corefmill/owner.json"}
    assert not [path for node in ("node0", "node1") for path in (tmp_path / node).rglob("*.*")]
    again = command(*line, *SLURM, cwd=tmp_path)
    assert again.stdout.endswith(f"It is in {URL} already.\n"), again.stderr
    fetched = contents(tmp_path / LOCAL)
    assert {name: fetched[name] for name in there} == there


def test_a_store_where_tasks_are_at_work_is_refused(
    tmp_path: Path, store: ObjectServer, dump: None, slurm: None
) -> None:
    sent = command("corefmill", "build", "wikicrem", *DUMP, *SLURM, cwd=tmp_path)
    assert sent.returncode == 0, sent.stderr
    store.refused = f"{AT}README.md"  # so that the work stays
    script = (tmp_path / LOCAL / ".corefmill/logs/task.sh").read_text()
    ((code, log),) = run_array(tmp_path, script, 1)
    assert code == 2 and "may not be" in log
    assert not list((tmp_path / "node0/tmp").iterdir())
    (work,) = {key.partition("/receipts/")[0] for key in store.stored if "/receipts/" in key}
    folder = ObjectFolder(f"s3://bucket/{work}")
    with StoreLeases(folder, LEASES, "a node", LeaseTimes()):
        refused = command("corefmill", "build", "wikicrem", *DUMP, *SLURM, cwd=tmp_path)
        alone = wikicrem(*DUMP, "--out", URL, cwd=tmp_path)
    for one_more in (refused, alone):
        assert "1 tasks of a cluster are at work here, one on a node" in error_line(one_more)
    # What they left one machine may end, as anew.
    store.refused = "\0"
    assert wikicrem(*DUMP, "--out", URL, cwd=tmp_path).returncode == 0
    assert {key for key in store.stored if "/." in key} == {f"{AT}.corefmill/owner.json"}


def test_ray(
    tmp_path: Path,
    store: ObjectServer,
    dump: None,
    ray_home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("ray", reason="the extra [cluster] is not installed: no ray")
    monkeypatch.setenv("HOME", str(ray_home))
    on = ("--executor", "ray", "--tasks", "2", "--mem-per-cpu", "1", "--out", URL)
    here = wikicrem(*DUMP, "--out", "here", cwd=tmp_path)
    there = process("corefmill", "build", "wikicrem", *DUMP, *on, cwd=tmp_path)
    for done in (here, there):
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert corpus_of(store) == {
        name: content
        for name, content in contents(tmp_path / "here").items()
        if not name.startswith(".")
    }
    fetched = contents(tmp_path / LOCAL)
    assert corpus_of(store).items() <= fetched.items()

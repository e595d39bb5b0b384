"""`--executor slurm`, by a pretended Slurm."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from corefmill import build
from corefmill.builders.runner.cluster import JobRecord, logs_of
from corefmill.corpora.find import FoundCorpus
from tests.builders.runner.test_slurm import program
from tests.commands import ROOT, command, json_result
from tests.corefmill.dumps import contents, error_line, sample_pages, small


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of pretended programs of Slurm's: sbatch gives out the number 17 alone."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder, "sbatch", "echo 17")
    program(folder, "squeue", "exit 1")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def array(out: Path, tasks: int) -> list[subprocess.CompletedProcess[str]]:
    """What Slurm does with the script, one task after the other."""
    return [
        subprocess.run(
            ["bash", logs_of(out) / "task.sh"],
            cwd=out.parent,
            env=os.environ | {"SLURM_ARRAY_TASK_ID": str(number), "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        for number in range(tasks)
    ]


def test_an_array_gives_the_bytes_of_one_machine(tmp_path: Path, slurm: Path) -> None:
    """In a folder with an odd name, of input that is named from it; --overwrite is done once."""
    folder = tmp_path / "it's $HOME"
    folder.mkdir()
    dump = small(folder).name
    common = ("build", "wikicrem", "--dump", dump, "--overwrite", "--out")
    here = command("corefmill", *common, "here", "--workers", "1", cwd=folder)
    assert here.returncode == 0, here.stderr
    on = ("--executor", "slurm", "--tasks", "2", "--account", "me")
    sent = command("corefmill", *common, "there", *on, cwd=folder)
    assert sent.returncode == 0, sent.stderr
    out = folder / "there"
    assert f"Submitted Slurm job 17: 2 tasks, their logs in {logs_of(out)}." in sent.stdout
    assert "`squeue -j 17` tells how many are at work" in sent.stdout
    assert "--overwrite" not in (logs_of(out) / "task.sh").read_text()
    for done in array(out, 2):
        assert (done.returncode, done.stderr) == (0, "")
    of_corpus = {name for name in contents(out) if not name.startswith(".corefmill")}
    assert {name: contents(out)[name] for name in of_corpus} == contents(folder / "here")
    # Nothing is submitted for a corpus that is there.
    program(slurm, "sbatch", "exit 1")
    again = command("corefmill", *common[:-2], "--out", "there", *on, "--json", cwd=folder)
    assert json_result(again.stdout)["splits"]


def test_what_was_sent_is_told_to_scripts(tmp_path: Path, slurm: Path) -> None:
    common = ("wikicrem", "--dump", small(tmp_path), "--executor", "slurm", "--out", "out")
    sent = command("build", *common, "--json", cwd=tmp_path)
    logs = tmp_path / "out/.corefmill/logs"
    assert json_result(sent.stdout) == {"job": "17", "tasks": 16, "logs": str(logs)}
    program(slurm, "squeue", "echo RUNNING")
    said = error_line(command("build", *common, cwd=tmp_path))
    assert "Slurm job 17 is doing this already: 1 running" in said


def test_a_program_that_sends_a_build_gets_the_job_and_later_the_corpus(
    tmp_path: Path, slurm: Path
) -> None:
    out, dump = tmp_path / "out", tmp_path / small(tmp_path, sample_pages()[:4])

    def sent(**more: bool) -> JobRecord | FoundCorpus:
        return build("wikicrem", out=out, dump=dump, tasks=1, executor="slurm", **more)

    queued = JobRecord(executor="slurm", tasks=1, job="17")
    assert sent() == queued
    assert [task.returncode for task in array(out, 1)] == [0]
    done = sent()
    assert isinstance(done, FoundCorpus) and "train" in done.splits
    # The corpus that is there is the earlier one.
    assert sent(overwrite=True) == queued


def test_a_task_that_finds_another_build_says_so(tmp_path: Path, slurm: Path) -> None:
    path = small(tmp_path)
    words = ("wikicrem", "--dump", path, "--executor", "slurm", "--tasks", "1", "--out", "out")
    assert command("build", *words, "--quiet", cwd=tmp_path).returncode == 0
    path.write_bytes(path.read_bytes() + b"\n")
    (done,) = array(tmp_path / "out", 1)
    assert done.returncode == 2
    assert "what this task is to do is not here: the input" in done.stderr
